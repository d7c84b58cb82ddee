"""The first paragraphs of the report on Chan, Wang & Chen 2002."""

from __future__ import annotations

from statistics import fmean

from dupack.reproduce.chan_wang_chen_2002.claims import ABS, EPD, FIFTY, SMALL, large_least, mean_fairness
from dupack.reproduce.chan_wang_chen_2002.runs import (
    SHORT,
    WAYS,
    at_buffer,
    chain,
    goodput,
    only,
    over_buffer,
    over_excess,
    table_1,
    together,
    together_wide,
    total,
    udp_sent,
    vc_fairness,
    way,
    wire,
)
from dupack.reproduce.chan_wang_chen_2002.series import By
from dupack.reproduce.paper import Results, Sample


def short(results: Results) -> str:
    """The paragraphs."""
    found = _numbers(results)
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


def _overload(results: Results, kind: str) -> Sample:
    """Extra, overload: TCPs that space their packets, and the fastest UDP."""
    samples = [sample for sample in only(results["extra-overload"], kind) if way(sample) == WAYS[0]]
    return max(samples, key=udp_sent)


def _numbers(results: Results) -> dict[str, float]:
    """What is measured in them."""

    def mean(sample: Sample, by: By) -> float:
        return sample.estimate(by).mean or 0.0

    small = over_excess(results, SMALL, EPD)
    return {
        "worst": min(mean(sample, goodput) for sample in small),
        "large": mean_fairness(results).mean or 0.0,
        "large-least": large_least(results).mean or 0.0,
        "large-epd": fmean(mean(sample, vc_fairness) for sample in over_buffer(results, FIFTY, EPD)),
        "epd-tenth": mean(table_1(results, EPD, SHORT), wire(10)),
        "tenth": mean(table_1(results, ABS, SHORT), wire(10)),
        "epd-total": mean(table_1(results, EPD, SHORT), total),
        "total": mean(table_1(results, ABS, SHORT), total),
        "spaced-tenth": mean(at_buffer(results, SMALL, ABS, 200), wire(10)),
        "sync-epd": mean(chain(results, EPD), together),
        "sync": mean(chain(results, ABS), together),
        "wide-epd": mean(chain(results, EPD), together_wide),
        "wide": mean(chain(results, ABS), together_wide),
        "overload": mean(_overload(results, ABS), wire(10)),
        "overload-sent": udp_sent(_overload(results, ABS)),
        "overload-epd": mean(_overload(results, EPD), wire(10)),
        "udp": mean(chain(results, ABS), wire(1)),
    }
