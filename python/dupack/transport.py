"""Transports: congestion control and loss recovery.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Transport, fill

fill(globals(), Transport)
