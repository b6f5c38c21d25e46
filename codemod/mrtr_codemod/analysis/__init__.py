"""Which handlers of a repo ask their client, how, and what stands around each ask."""
