"""The report as one self-contained page: nothing is fetched, and hostile source text stays text."""

from mrtr_codemod.report.html.page import render

__all__ = ["render"]
