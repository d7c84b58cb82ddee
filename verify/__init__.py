"""Checks of dupack against independent programs, formulas and standards: `python -m verify`, or `make verify`.

A check is a file in `verify/checks` with a function `check(quick: bool) -> Report`; to add one touches nothing else.
"""
