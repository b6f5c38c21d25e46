"""Makes cases of what a person does in the terminal: calls a tool, answers its questions, gives the case a name."""
