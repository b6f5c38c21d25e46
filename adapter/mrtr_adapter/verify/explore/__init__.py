"""Finds the cases of a server by itself: arguments and answers from its schemas, breadth first.

schemas → values → calls and answers → native runs → cases, and what of the server's file they have reached.
"""
