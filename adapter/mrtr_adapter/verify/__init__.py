"""Holds a server against itself: native on 2025-11-25, adapted (and rewritten) on 2026-07-28.

cases → runs, each in a process and a folder of its own → differences and hazards → a report.
"""
