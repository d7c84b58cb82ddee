"""Queue disciplines: which units join a buffer, and which are dropped or marked.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Queue, fill

fill(globals(), Queue)
