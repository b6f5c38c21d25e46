"""Values for the JSON schemas of forms and arguments: one, or all that are worth a try."""
