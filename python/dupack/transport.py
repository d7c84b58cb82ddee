"""Senders and their receivers: how much, how fast, and what to send again.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Transport, fill

fill(globals(), Transport)
