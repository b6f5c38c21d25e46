"""The commands `mrtr lint`, `mrtr explain` and `mrtr rules`. None of them imports mcp or libcst."""
