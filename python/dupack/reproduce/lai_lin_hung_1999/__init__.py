"""Lai, Lin & Hung 1999, The dual flow control problem of TCP over ATM ABR services."""

from __future__ import annotations

from dupack.reproduce.lai_lin_hung_1999 import claims, fairness, figures, openq
from dupack.reproduce.lai_lin_hung_1999.readings import READINGS
from dupack.reproduce.lai_lin_hung_1999.runs import EXPERIMENTS
from dupack.reproduce.paper import Paper, Results


def _short(results: Results) -> str:
    found = claims.in_short(results)
    return "\n\n".join(
        [
            f"The case without loss comes out to the digit: ACR swings between {found['low']:.2f} and "
            f"{found['high']:.2f}e6 bytes/s (published 0.4 and 4), the queue is never empty, and TCP has "
            f"{found['free-share']:.1f} % of what the line carries. That is 1.687e7 bytes/s, 99.7 % of the printed "
            f"1.692e7: the formula "
            "forgets that a packet's last cell is padded.",
            "The case with loss hangs on what the text does not say, where the delay lies. Behind the switch that "
            f"marks it costs no cells: with all of tau there {found['between-lost']:.0f} of them are lost. With a "
            f"third of it on each line the story is the paper's: {found['loss-window']:.0f} % of the time is "
            f"window-based, "
            f"ACR reaches PCR, {found['unused']:.0f} % of it is not used, and TCP gets {found['loss-share']:.0f} % of "
            f"the ceiling. But the line is idle for only {found['loss-empty']:.1f} % of the time; {found['dead']:.1f} "
            "% of the cells that it sends belong to damaged packets, and the ten are no longer alike (Jain "
            f"{found['loss-jain']:.2f}).",
            "The paper's question, answered: switch on EPD, and SACK with it. In the network of Fig. 6, in the mean "
            "over all else, EPD gains "
            f"{found['epd']:+.1f} % of the ceiling, SACK {found['sack']:+.1f} %, count-based use-it-or-lose-it "
            f"{found['count']:+.1f} %, though it takes {-found['count-unused']:.1f} MB/s of unused ACR from each "
            f"source. Reno's fast recovery, the paper's second remedy, makes it {found['reno']:+.1f} %: several "
            "packets of a window are damaged at once, and it waits for timeouts. EPD hurts where nothing is lost, and "
            "leaves more "
            "of ACR unused.",
            f"Beyond the paper: ERICA+ is within {found['erica']:.1f} % of the max-min fair rates on the generic "
            f"fairness configuration, EPRCA {found['eprca']:.0f} % away in the mean.",
        ]
    )


PAPER = Paper(
    key="lai-lin-hung-1999",
    cite="Y.-C. Lai, Y.-D. Lin, H.-F. Hung: The dual flow control problem of TCP over ATM ABR services (1999)",
    about="Under TCP's window there is a second loop: ABR's sources pace their cells at a rate that the switches "
    "tell them. The paper shows how the two loops get into each other's way when a cell is lost: the window "
    "collapses, the queue runs empty, and the allowed rate rises to what nobody uses. It proposes two remedies and "
    "tries neither. This report repeats its simulations cell by cell, and answers the question.",
    short=_short,
    experiments=EXPERIMENTS,
    figures=[*figures.FIGURES, openq.FIGURE, *fairness.FIGURES],
    readings=READINGS,
    measures=claims.MEASURES,
    quick="runs of 1 or 2 s, one or two seeds, and of the open question the ends only.",
)
