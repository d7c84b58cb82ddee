"""Arrivals: when the connections of a flow begin.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Arrivals, fill

fill(globals(), Arrivals)
