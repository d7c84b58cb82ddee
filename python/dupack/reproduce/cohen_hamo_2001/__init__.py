"""Cohen & Hamo 2001, Balanced packet discard for improving TCP performance in ATM networks."""

from __future__ import annotations

from dupack.reproduce.cohen_hamo_2001 import claims
from dupack.reproduce.cohen_hamo_2001.figures import FIGURES
from dupack.reproduce.cohen_hamo_2001.runs import EXPERIMENTS, active, goodput, loss_cases
from dupack.reproduce.paper import Paper, Reading, Results

READINGS = [
    Reading(
        "Cells of a packet",
        "12 for 576 bytes, as §3 says: no AAL5 trailer",
        "With the 8 bytes of AAL5's trailer it would be 13. The plans say so: [aal5] trailer.",
    ),
    Reading(
        "Goodput",
        "Payload delivered over the most payload that the link can carry after cell, TCP and IP headers",
        "0.932 is more than 48/53 x 536/576 = 0.843, so it cannot be a share of the line rate.",
    ),
    Reading(
        "Clock of the retransmission timer",
        "100 ms, least timeout two ticks; 500 ms in Fig. 3",
        "18 timeouts of one connection in 10 s at 49 % activity need a timer finer than the 500 ms that §2.1 calls "
        "typical. The extra figure shows how much depends on it.",
    ),
    Reading(
        "Which Reno",
        "That of §2.2, where one window can trigger several fast retransmits; the other one in an extra figure",
        "The text analyses this one, and simulates with NS 1.4 (ns-1), whose defaults are another: its bug-fix allows "
        "one fast retransmit per window. With that sender EPD in topology B comes near what is published (Extra, the "
        "sender), but two Renos with BPD do not (Extra, the pair); with this one it is the other way round.",
    ),
    Reading(
        "Length of a run",
        "60 s, for time courses and Fig. 20 10 s; everything is measured from the start",
        "The only length in the text is 10 s (§5, Fig. 17); longer runs narrow the intervals.",
    ),
    Reading(
        "Starts",
        "Uniformly within the first 100 ms, from the seed",
        "Not said. Sources that start together stay in step.",
    ),
    Reading("UT in Figs. 12 to 14", "90 %", "The value of Fig. 15, the only one named for these topologies."),
    Reading("Gap in Fig. 14", "25", "The value of Figs. 13 and 15."),
    Reading(
        "BPD off (Fig. 20a)",
        "PPD; Plain ATM and EPD (90 %), two other readings, are shown beside it",
        "The reading under which the published table is approached; the text does not say.",
    ),
    Reading(
        "Throughput in Fig. 20",
        "A connection's is relative to its own link of 45 Mb/s, the overall one to the 75 Mb/s that they share",
        "The table's numbers only fit together so: (0.454 + 0.517) x 45/75 = 0.583 of 0.584, (0.910 + 0.193) x "
        "45/75 = 0.662, (0.8122 + 0.8216) x 45/75 = 0.980.",
    ),
    Reading(
        "Delays of Fig. 21",
        "0.3 ms per link",
        "Not said; those of topologies A and B.",
    ),
]


def _short(results: Results) -> str:
    best = claims.ns_epd(results)
    good, busy, often = best.estimate(goodput), best.estimate(active), claims.ns_timeouts(results)
    cases = loss_cases(results)
    wrong = sum(inevitable != timed_out for _, _, inevitable, timed_out in cases)
    return (
        "What the paper says of BPD holds: it removes nearly all timeouts, fills the link in topology B, and makes "
        "Reno and SACK share evenly. How much better than EPD it is depends on the sender. The Reno of the paper's own "
        "analysis (§2.2) does so well under EPD that little is left to gain; the Reno of NS 1.4, with which the paper "
        f"was simulated, gives nearly the published picture of EPD: goodput {good.mean:.2f}, active "
        f"{100 * (busy.mean or 0.0):.0f} % of the time, {often.mean:.1f} timeouts in 10 s; but with that one BPD does "
        f"not fill the link of Fig. 20 (b). The analysis of §2.2 is right in all of {len(cases):,} cases but {wrong}. "
        "The published distance of losses, one Gap, was not found, and arithmetic speaks against it."
    )


PAPER = Paper(
    key="cohen-hamo-2001",
    cite="R. Cohen, Y. Hamo: Balanced packet discard for improving TCP performance in ATM networks (2001)",
    about="When a congested ATM switch drops several packets of one TCP window, the sender cannot recover by fast "
    "retransmit and waits for a timeout. Balanced Packet Discard spaces the losses of a connection: after a loss "
    "its next Gap packets are held against a higher threshold. This report repeats the paper's simulations with "
    "dupack's cell-level simulator and sets every number and ordering that its text states beside what was "
    "measured.",
    short=_short,
    experiments=EXPERIMENTS,
    figures=FIGURES,
    readings=READINGS,
    measures=claims.MEASURES,
    quick="runs of 10 s instead of 60 s, three seeds instead of five, and every second value of the thresholds. "
    "Start-up weighs more in it, and the intervals are wide.",
)
