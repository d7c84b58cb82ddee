"""Traffic: when an application hands data to a transport, and how much.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Traffic, fill

fill(globals(), Traffic)
