"""Reads and rewrites MCP servers for protocol 2026-07-28. It never imports or runs the code that it reads."""
