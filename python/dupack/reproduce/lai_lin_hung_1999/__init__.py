"""Lai, Lin & Hung 1999, The dual flow control problem of TCP over ATM ABR services."""

from __future__ import annotations

from dupack.reproduce.lai_lin_hung_1999 import claims, delay, fairness, figures, openq_words
from dupack.reproduce.lai_lin_hung_1999.readings import READINGS
from dupack.reproduce.lai_lin_hung_1999.runs import EXPERIMENTS
from dupack.reproduce.lai_lin_hung_1999.short import in_short
from dupack.reproduce.paper import Paper

PAPER = Paper(
    key="lai-lin-hung-1999",
    cite="Y.-C. Lai, Y.-D. Lin, H.-F. Hung: The dual flow control problem of TCP over ATM ABR services (1999)",
    about="Under TCP's window there is a second loop: ABR's sources pace their cells at a rate that the switches "
    "tell them. The paper shows how the two loops get into each other's way when a cell is lost: the window "
    "collapses, the queue runs empty, and the allowed rate rises to what nobody uses. It proposes two remedies and "
    "tries neither. This report repeats its simulations cell by cell, and answers the question.",
    short=in_short,
    experiments=EXPERIMENTS,
    figures=[*figures.FIGURES, delay.FIGURE, openq_words.FIGURE, *fairness.FIGURES],
    readings=READINGS,
    measures=claims.MEASURES,
    quick="runs of 1 or 2 s, one or two seeds, and of the open question the ends only.",
)
