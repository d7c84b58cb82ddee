"""Jitter: extra delays of a link's packets, which keep their order.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Jitter, fill

fill(globals(), Jitter)
