"""The engine: runs an await-style handler from the top in every round, with the answers that it has had.

It knows the SDK's sessions and types, and nothing of transports, tokens or stores.
"""
