// Makes some calls with the TypeScript client and prints what it saw as JSON: { version, seen: [{ asked, text }] }.
//
// The job comes on standard input, as JSON too:
//     server     { url } or { command, args, env }
//     version    the protocol version to speak
//     user       { forms, modelSays, modelCallsWith, root }: form content by message, the model's text, the
//                arguments with which it first uses a tool that it is offered, the only root
//     calls      [{ method, target, arguments }]

import { readFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { server, version, user, calls } = JSON.parse(readFileSync(0, 'utf8'));
const seen = [];
const note = question => seen.at(-1).asked.push(question);

const client = new Client(
    { name: 'interop', version: '1.0.0' },
    {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
        versionNegotiation: { mode: version < '2026' ? 'legacy' : { pin: version } }
    }
);
client.setRequestHandler('elicitation/create', async ({ params }) => {
    note(params.message);
    return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: user.forms[params.message] };
});
client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    const [last] = [params.messages.at(-1).content].flat();
    const used = last.type === 'tool_result';
    note(used ? last.content[0].text : last.text);
    if (params.tools?.length && !used) {
        const use = { type: 'tool_use', id: 'use-1', name: params.tools[0].name, input: user.modelCallsWith };
        return { role: 'assistant', model: 'none', stopReason: 'toolUse', content: [use] };
    }
    return { role: 'assistant', model: 'none', content: { type: 'text', text: user.modelSays } };
});
client.setRequestHandler('roots/list', async () => {
    note('roots');
    return { roots: [{ uri: user.root }] };
});

const call = {
    'tools/call': async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text,
    'prompts/get': async (name, args) =>
        (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    'resources/read': async uri => (await client.readResource({ uri })).contents[0].text
};

await client.connect(
    server.url
        ? new StreamableHTTPClientTransport(new URL(server.url))
        : new StdioClientTransport({ ...server, stderr: 'ignore' })
);
for (const { method, target, arguments: args } of calls) {
    seen.push({ asked: [], text: '' });
    seen.at(-1).text = await call[method](target, args);
}
const negotiated = client.getNegotiatedProtocolVersion();
await client.close();
console.log(JSON.stringify({ version: negotiated, seen }));
