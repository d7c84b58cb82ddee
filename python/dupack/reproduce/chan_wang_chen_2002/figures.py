"""The figures and tables of Chan, Wang & Chen 2002."""

from __future__ import annotations

from dupack.reproduce.chan_wang_chen_2002 import chain, extras, fifty, ten

FIGURES = [*ten.FIGURES, *fifty.FIGURES[:3], *chain.FIGURES, *extras.FIGURES, *fifty.FIGURES[3:]]
