"""Applications: when how much is handed to a transport.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Traffic, fill

fill(globals(), Traffic)
