"""Loss models: losses on a link, apart from drops by its queue.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from dupack.parts import Loss, fill

fill(globals(), Loss)
