"""What a handler may say to its flow: `memo`, `once`, `on_commit`, `flow`, `now`."""
