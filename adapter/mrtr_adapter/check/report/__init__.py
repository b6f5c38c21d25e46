"""The report in the formats of `mrtr lint`, one module for each."""
