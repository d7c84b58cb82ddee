"""Keshav & Morgan 1997, SMART retransmission: performance with overload and random losses."""

from __future__ import annotations

from dupack.reproduce.keshav_morgan_1997 import claims
from dupack.reproduce.keshav_morgan_1997.extras import EXTRAS
from dupack.reproduce.keshav_morgan_1997.figures import FIGURES
from dupack.reproduce.keshav_morgan_1997.readings import READINGS
from dupack.reproduce.keshav_morgan_1997.runs import EXPERIMENTS
from dupack.reproduce.paper import Paper, Results


def _short(results: Results) -> str:
    found = claims.in_short(results)
    return (
        "The paper's main points hold. Where go-back-n fills a shared backbone with packets that help nobody "
        f"({found['gbn']:.2f} of it is useful at five times the load), SMART averts the collapse, packet-pair with "
        "SMART uses "
        f"{found['pair']:.2f} of it or more, and under random losses that leave Tahoe {100 * found['tahoe']:.0f} % "
        "(r = 1 %) it "
        f"keeps {100 * found['lossy']:.0f} %. But no single reading of what the text leaves open gives all of its "
        "figures. Go-back-n collapses only with a receiver that discards and access lines hardly faster than the "
        "backbone. Static windows with SMART end near one half only because they wait for doubled timeouts, as "
        "SMART to the letter with TCP's timer does; the near-perfect goodput of Fig. 7 needs a sender that watches "
        "every retransmission, with which they would "
        f"use {found['brisk']:.2f} and not {found['letter']:.2f} (load 5, half a window of buffer). That "
        "packet-pair sources gain where both kinds meet hangs on the same reading, or on a router that drops the "
        "longest queue. Eq. (5) counts lost acks as losses; they cost nothing, and TCP loses about half of what it "
        "says. Beyond the paper: behind fair queueing today's SACK does what packet-pair does, under random losses "
        "it is hardly better than Tahoe, and on a path that reorders SMART's eagerness is cheap."
    )


PAPER = Paper(
    key="keshav-morgan-1997",
    cite="S. Keshav, S. P. Morgan: SMART retransmission: performance with overload and random losses (1997)",
    about="What to send again is a question of its own, apart from how fast to send. SMART answers it with acks "
    "that name the packet which caused them: the sender knows what has arrived, and sends again what has not. The "
    "paper runs it with static windows and with packet-pair rate control, against go-back-n and TCP, where ten "
    "sources overload a fair queueing router and where a line loses packets at random. This report repeats its "
    "simulations with dupack's packet-level simulator and sets every number and ordering that its text states "
    "beside what was measured.",
    short=_short,
    experiments=EXPERIMENTS,
    figures=[*FIGURES, *EXTRAS],
    readings=READINGS,
    measures=claims.MEASURES,
    quick="5 intervals of 20 s instead of 20, and four or five loads instead of eleven or more. Where sources wait "
    "for long timeouts so few intervals say little.",
    statistics="Every value is a mean over successive intervals of 20 s; shaded bands, bars and ± are 1.96 standard "
    "deviations of that mean, as the paper plots them (eqs. 2 and 3). They are 95 % intervals if the intervals of a "
    "run are independent, which they are not quite where sources wait for timeouts of up to a minute.",
)
