"""Bring handlers into a form with one ask a statement, without changing what they do."""
