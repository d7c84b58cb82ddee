"""Chan, Wang & Chen 2002, An efficient traffic control scheme for TCP over ATM GFR services."""

from __future__ import annotations

from dupack.reproduce.chan_wang_chen_2002 import claims
from dupack.reproduce.chan_wang_chen_2002.figures import FIGURES
from dupack.reproduce.chan_wang_chen_2002.readings import READINGS
from dupack.reproduce.chan_wang_chen_2002.runs import EXPERIMENTS
from dupack.reproduce.chan_wang_chen_2002.short import short
from dupack.reproduce.paper import Paper

PAPER = Paper(
    key="chan-wang-chen-2002",
    cite="C.-T. Chan, P.-C. Wang, Y.-C. Chen: An efficient traffic control scheme for TCP over ATM GFR services (2002)",
    about="A guaranteed frame rate asks for a minimum rate per VC and a fair share of the rest, in whole packets. The "
    "usual answer is a queue per VC. The paper has one FIFO: a packet is let in only if there may be room for all of "
    "it, and when there is none a VC below its threshold pushes out the last packet of the VC furthest beyond its "
    "own. This report repeats its simulations with dupack's cell-level simulator and sets every number and ordering "
    "that its text states, and its tables whole, beside what was measured.",
    short=short,
    experiments=EXPERIMENTS,
    figures=FIGURES,
    readings=READINGS,
    measures=claims.MEASURES,
    quick="runs of a few seconds, one seed, and fewer buffers and readings. Where clocks are coarse so short a run "
    "says little.",
)
