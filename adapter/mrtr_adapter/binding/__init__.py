"""`adapt()`: the engine bound to a server of the SDK."""
