"""Chan, Wang & Chen 2002, An efficient traffic control scheme for TCP over ATM GFR services."""

from __future__ import annotations

from dupack.reproduce.chan_wang_chen_2002 import claims
from dupack.reproduce.chan_wang_chen_2002.figures import FIGURES
from dupack.reproduce.chan_wang_chen_2002.readings import READINGS
from dupack.reproduce.chan_wang_chen_2002.runs import EXPERIMENTS
from dupack.reproduce.paper import Paper, Results


def _short(results: Results) -> str:
    found = claims.in_short(results)
    return (
        "What the scheme promises of packets holds: no cell of a damaged one leaves the buffer, whatever its size, "
        f"where EPD has down to {found['worst']:.1f} % goodput. Its thresholds share the line among sources that back "
        f"off: with fifty connections on five VCs fairness is {found['large']:.3f}, around 0.98 as published, where "
        f"EPD has {found['large-epd']:.3f}. But they are no guarantee. The VC that is worst off there gets "
        f"{100 * found['large-least']:.0f} % of what it was allocated. In the small network the source that sends "
        f"three times its share gets {found['tenth']:.1f} of the 15.5 Mb/s it is guaranteed, if it is on an access "
        f"line of its rate (EPD: {found['epd-tenth']:.1f}), and the total falls from {found['epd-total']:.1f} Mb/s "
        f"under EPD to {found['total']:.1f}; if it spaces its packets it gets {found['spaced-tenth']:.1f}. "
        "Nor do they hold a source that does not back off (all in Mb/s of cells): in the chain UDP keeps "
        f"{found['udp']:.1f} of the 31 it sends; on one of ten equal VCs, with TCPs that space their packets, "
        f"{found['overload']:.0f} of {found['overload-sent']:.0f} (EPD: {found['overload-epd']:.0f}); and where two "
        "VCs share a line it can starve the other one, because the victim is always the other: the paper's second "
        "description, by stacks, does not do that."
        "\n\n"
        "The published numbers are another matter: the paper does not say how sources keep to their rates, nor which "
        "clock its TCPs have, and no single reading gives all of its figures. The throughput of 2,000 cells is higher "
        "in ours with every strategy, and Table 1's tenth source keeps 21 Mb/s in the paper. That window cuts are "
        f"less synchronised depends on what counts as together: in 20 ms their correlation is {found['sync-epd']:.2f} "
        f"under EPD and {found['sync']:.2f} under the proposed strategy, in 100 ms {found['wide-epd']:.2f} and "
        f"{found['wide']:.2f}."
        "\n\n"
        "Beyond the paper: where guarantees are equal and sources back off, longest-queue drop does the same without "
        "thresholds. Where they differ, push-out with thresholds, be it the proposed or EPD's, comes much nearer to "
        "them than what does not know them, but the largest VCs miss their minimum; round robin keeps all of them if "
        "the buffer is not small, and keeps them, or nearly, whatever the others send."
    )


PAPER = Paper(
    key="chan-wang-chen-2002",
    cite="C.-T. Chan, P.-C. Wang, Y.-C. Chen: An efficient traffic control scheme for TCP over ATM GFR services (2002)",
    about="A guaranteed frame rate asks for a minimum rate per VC and a fair share of the rest, in whole packets. The "
    "usual answer is a queue per VC. The paper has one FIFO: a packet is let in only if there may be room for all of "
    "it, and when there is none a VC below its threshold pushes out the last packet of the VC furthest beyond its "
    "own. This report repeats its simulations with dupack's cell-level simulator and sets every number and ordering "
    "that its text states, and its tables whole, beside what was measured.",
    short=_short,
    experiments=EXPERIMENTS,
    figures=FIGURES,
    readings=READINGS,
    measures=claims.MEASURES,
    quick="runs of a few seconds, one seed, and fewer buffers and readings. Where clocks are coarse so short a run "
    "says little.",
)
