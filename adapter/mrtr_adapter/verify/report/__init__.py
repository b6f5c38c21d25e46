"""Findings as a table for people, as JSON, and as JUnit XML."""
