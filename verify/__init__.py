"""Checks of dupack against what nobody here wrote: `python -m verify`, or `make verify`.

A check is a file in `verify/checks` with a function `check(quick: bool) -> Report`; to add one touches nothing else.
"""
