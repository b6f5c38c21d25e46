// Calls one tool with the TypeScript client and prints what happened as JSON: { version, asked, text }.
//
// What to do comes on standard input, as JSON too:
//     url, or command and env    the server, over HTTP or stdio
//     version                    the protocol version to speak
//     tool, arguments            the call
//     elicitations               the form content to accept each message with
//     sampling, root             what the model says, and the only root

import { readFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const wanted = JSON.parse(readFileSync(0, 'utf8'));
const asked = [];

function transport() {
    if (wanted.url) return new StreamableHTTPClientTransport(new URL(wanted.url));
    const [command, ...args] = wanted.command;
    return new StdioClientTransport({ command, args, env: wanted.env, stderr: 'ignore' });
}

const client = new Client(
    { name: 'interop', version: '1.0.0' },
    {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
        versionNegotiation: { mode: wanted.version < '2026' ? 'legacy' : { pin: wanted.version } }
    }
);
client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: wanted.elicitations[params.message] };
});
client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    const { text } = [params.messages[0].content].flat()[0];
    asked.push(text);
    return { role: 'assistant', model: 'none', content: { type: 'text', text: wanted.sampling } };
});
client.setRequestHandler('roots/list', async () => {
    asked.push('roots');
    return { roots: [{ uri: wanted.root }] };
});

await client.connect(transport());
const version = client.getNegotiatedProtocolVersion();
const result = await client.callTool({ name: wanted.tool, arguments: wanted.arguments });
await client.close();
console.log(JSON.stringify({ version, asked, text: result.content[0].text }));
