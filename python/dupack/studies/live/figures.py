"""Figures whose axis has schemes instead of numbers."""

from collections.abc import Callable

from dupack.reproduce.paper import Estimate, Figures, Results, Sample, Series, Table
from dupack.reproduce.select import setting, where

from .measures import READS

FIGURES = Figures()
NAMES = {"drop-tail": "drop-tail", "triple-buffering": "triple, buffering", "trim": "trimmed, to a byte"}
"""Axes break them after the commas."""


def scheme(sample: Sample) -> str:
    """The words for a sample's discipline."""
    kind, keep = setting(sample, "queue.kind"), setting(sample, "queue.keep")
    return NAMES.get(kind) or ("copies, as printed" if keep == "40 B" else "copies, with a byte")


def bars(plan: str, read: str) -> Callable[[Results], list[Series]]:
    """A curve without SACK and one with it, over the schemes."""

    def series(results: Results) -> list[Series]:
        made = []
        for sack, name, shade in ((0, "without SACK", 0.0), (1, "with SACK", 0.5)):
            samples = where(results[plan], {"sysctl.tcp_sack": sack})
            values = [one.estimate(READS[read]) for one in samples]
            made.append(Series.estimated(name, [scheme(one) for one in samples], values, of="reno", shade=shade))
        return made

    return series


FIGURES("copies")(bars("copies", "timeouts"))
FIGURES("tail")(bars("tail", "again"))


def _told(found: Estimate, digits: int) -> str:
    if found.mean is None:
        return "-"
    return f"{found.mean:.{digits}f}" + ("" if found.half is None else f" ± {found.half:.{digits}f}")


@FIGURES.table("tail")
def _(results: Results) -> Table:
    rows = [
        (
            scheme(one).replace(",", ""),
            "yes" if setting(one, "sysctl.tcp_sack") else "no",
            _told(one.estimate(READS["again"]), 0),
            _told(one.estimate(READS["transfer"]), 0),
        )
        for one in results["tail"]
    ]
    return Table(("scheme", "SACK", "first retransmission [ms]", "all acknowledged [ms]"), rows)


@FIGURES.table("copies")
def _(results: Results) -> Table:
    rows = [
        (
            scheme(one).replace(",", ""),
            "yes" if setting(one, "sysctl.tcp_sack") else "no",
            _told(one.estimate(READS["timeouts"]), 2),
            _told(one.estimate(READS["goodput"]), 2),
            _told(one.estimate(READS["backlog"]), 1),
        )
        for one in results["copies"]
    ]
    return Table(("scheme", "SACK", "timeouts per connection", "goodput [Mb/s]", "mean backlog [packets]"), rows)
