"""From the names of `mcp` 1.x to those of `mcp` 2: what a file needs to import and run there."""
