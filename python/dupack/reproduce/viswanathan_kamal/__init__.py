"""Viswanathan & Kamal, router assisted schemes for performance improvement in the Internet."""

from __future__ import annotations

from dupack.reproduce.paper import Paper, Results
from dupack.reproduce.viswanathan_kamal import claims, model
from dupack.reproduce.viswanathan_kamal.extras import EXTRAS
from dupack.reproduce.viswanathan_kamal.figures import FIGURES
from dupack.reproduce.viswanathan_kamal.gains import GAINS
from dupack.reproduce.viswanathan_kamal.readings import READINGS
from dupack.reproduce.viswanathan_kamal.runs import EXPERIMENTS


def _short(results: Results) -> str:
    found = claims.in_short(results)
    return "\n\n".join(
        [
            "Few of the published gains can be had, and those that can come from fewer or other drops, not from sooner "
            "recovery. Mostly three packets follow a lost one within a millisecond here, so Reno finds "
            f"{100 - found['tail timeouts']:.1f} % of its losses by duplicates without help (Table 1, scheme 0): there "
            "is hardly any time and hardly a timeout to be saved.",
            f"Tail drop (Table 1). Scheme 1 changes throughput by {found['tail 1']:+.1f} % (published +13.3), as a "
            f"smaller buffer does, and scheme 2 by {found['tail 2']:+.1f} % (published +19.0), since its duplicates "
            "inflate windows into a full buffer.",
            f"RED (Table 2). Scheme 1 gains {found['red 1']:.1f} % (18), with {-found['red 1 drops']:.0f} % fewer "
            f"drops: a RED with less than half of its max_p does the same. Scheme 2 gains {found['red 2']:.1f} % "
            "(35), partly at least by inflated windows.",
            "Links of different delays (Figs. 13 and 14). Here the schemes do most, since they end a lock-out: a near "
            f"source that holds the whole link gets less, the far one {found['far 1']:.1f} and {found['far 2']:.1f} "
            f"times as much, as published, while the three together lose {-found['mixed 1']:.0f} and "
            f"{-found['mixed 2']:.0f} %. But that lock-out hangs on the near source's round trip being a whole number "
            "of packet times, as it is with headers of 48 B: with a link of 1.03 ms instead of 1 ms there is none, and "
            "the far source gains nothing.",
            "Receivers that drop what is truncated, as RFC 9293 has it. With them scheme 2 recovers nothing: "
            f"{found['tail 2-drop']:+.1f} % under tail drop, {found['red 2-drop']:+.1f} % under RED. That it ends "
            f"lock-outs stays (the far source gets {found['far 2-drop']:.1f} times as much), for that is the work of "
            "the places that its copies take.",
            "Readings. The figures want more than one: 536 B segments in all but Figs. 10 and 11, which contradict "
            "each other about the link to the server. Fig. 1's rise beyond p = 0.8 is a slip in eq. 9.",
        ]
    )


PAPER = Paper(
    key=claims.KEY,
    cite="M. K. Viswanathan, A. E. Kamal: Router assisted schemes for performance improvement in the Internet",
    about="A sender finds a loss by three duplicate acks, and without them by a timeout. The paper has the router "
    "help: after it has dropped a packet it lets in the next three of that flow (scheme 1, triple packet buffering), "
    "or sends on three copies of its header, whose bad checksum is to bring three duplicate acks (scheme 2, triple "
    "truncated packets). This report repeats its simulations with dupack's packet-level simulator, sets every number "
    "and ordering that its text states beside what was measured, and asks where gains come from.",
    short=_short,
    experiments=EXPERIMENTS,
    figures=[*model.FIGURES, *FIGURES, *GAINS, *EXTRAS],
    readings=READINGS,
    tables={"1": ("6", "7"), "2": ("8", "9")},
    measures=claims.MEASURES,
    quick="One or two of the 15 minutes and two seeds in the paper's figures, 20 s and one seed in the others. "
    "Intervals are wide, and lock-outs that take time to form do not show.",
    statistics="Every value is a mean over the seeds; shaded bands, bars and ± are 95 % intervals (Student's t). "
    "Gains are over scheme 0 with the same seed.",
)
