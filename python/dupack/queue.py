"""Disciplines of a buffer: who may wait, who is dropped.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Queue, fill

fill(globals(), Queue)
