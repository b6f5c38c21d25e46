"""From `mcp` 1.x to `mcp` 2, and from FastMCP 2 and 3 to FastMCP 4: what a file needs to import and run there."""
