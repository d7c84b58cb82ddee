"""When the connections of a flow begin that is many of them, which come and go.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Arrivals, fill

fill(globals(), Arrivals)
