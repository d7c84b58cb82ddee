"""Viswanathan & Kamal, router assisted schemes for performance improvement in the Internet."""

from __future__ import annotations

from dupack.reproduce.paper import Paper, Results
from dupack.reproduce.viswanathan_kamal import claims, model
from dupack.reproduce.viswanathan_kamal.extras import EXTRAS
from dupack.reproduce.viswanathan_kamal.figures import FIGURES
from dupack.reproduce.viswanathan_kamal.readings import READINGS
from dupack.reproduce.viswanathan_kamal.runs import EXPERIMENTS


def _short(results: Results) -> str:
    return ""


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
    figures=[*model.FIGURES, *FIGURES, *EXTRAS],
    readings=READINGS,
    measures=claims.MEASURES,
    quick="",
)
