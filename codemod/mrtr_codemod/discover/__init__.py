"""From the arguments of a command to decoded sources: which files, and what is in them.

Nothing is skipped silently: what should have been checked and could not be is a `Failure`.
"""

from mrtr_codemod.discover.read import Files, read_stdin
from mrtr_codemod.discover.walk import Candidate, Discovery, find_files

__all__ = ["Candidate", "Discovery", "Files", "find_files", "read_stdin"]
