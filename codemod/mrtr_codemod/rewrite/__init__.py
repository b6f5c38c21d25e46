"""`mrtr rewrite`: handlers that ask in mid-call become explicit steps (MCP 2026-07-28, SEP-2322)."""
