"""What the text of a file tells without being parsed, so that most files never are."""
