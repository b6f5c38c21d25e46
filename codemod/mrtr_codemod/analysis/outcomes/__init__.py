"""What a function does for each way in which an ask can end: an abstract run of its body.

A run follows all paths through one function. It knows constants, the action of the answer, and what a test on either
comes to; everything else is unknown, and then both branches are followed.
"""
