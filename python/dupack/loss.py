"""What a line loses, other than by a full buffer.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from dupack.parts import Loss, fill

fill(globals(), Loss)
