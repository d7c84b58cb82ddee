"""Where the delay tau lies, and which of its splits the text of Fig. 6 fits."""

from __future__ import annotations

from typing import Any

from dupack.reproduce.paper import Estimate, Measured, Results, Sample
from dupack.reproduce.select import only
from dupack.reproduce.told import shown
from dupack.reproduce.verdicts import above

from . import runs
from .acr import median_held
from .runs import FREE, LOSS, By

PLAN = "extra-delay"
BETWEEN, TENTH, THIRDS, EACH = "all between the switches", "0.1, 0.9, 0", "thirds", "tau on each line"
SPLITS = {
    BETWEEN: {FREE: "0 ms", LOSS: "0 ms"},
    TENTH: {FREE: "1 us", LOSS: "0.1 ms"},
    THIRDS: {FREE: "3.333 us", LOSS: "333.333 us"},
    EACH: {FREE: "10 us", LOSS: "1 ms"},
}
"""The parts of tau before, between and behind the switches; the delay before them, by which the samples differ."""
DEFAULTS = "thirds, TM 4.0's Trm and ADTF"
"""Thirds in the case with loss, with TM 4.0's default values of two parameters that are off otherwise."""
VARIANTS: dict[str, dict[str, Any]] = {
    DEFAULTS: {"trm": "100 ms"},
    "500 ms": {"min_rto": "500 ms"},
    "1 s": {"min_rto": "1 s"},
}
"""What differs from the case with loss, with thirds: other parameters, and least timeouts."""


def split(results: Results, case: str, name: str) -> Sample:
    """The sample of a case with a split of tau."""
    return only(results[PLAN], {"access.delay": SPLITS[name][case], "congested": f"{runs.CONGESTED[case]} cells"})


def variant(results: Results, name: str) -> Sample:
    """The sample of a variant of the case with loss."""
    return only(results[PLAN], VARIANTS[name])


def highest_acr(run: Measured) -> float:
    """The highest ACR of any source [MB/s]."""
    return max(runs.all_rates(run))


def highest(with_loss: Sample, without: Sample) -> Estimate:
    """The highest ACR of any source, with loss over without; the interval is that of the case with loss."""
    high, usual = (sample.estimate(highest_acr) for sample in (with_loss, without))
    return high.times(1 / usual.mean) if usual.mean else Estimate(None)


TABLE: dict[str, tuple[By, int]] = {
    "throughput [% of ceiling]": (runs.share, 1),
    "cells lost [%]": (runs.loss_rate, 2),
    "cells sent in vain [%]": (runs.dead, 1),
    "ACR, 1st percentile [MB/s]": (lambda run: runs.percentile(runs.all_rates(run), 0.01), 2),
    "ACR, 99th [MB/s]": (lambda run: runs.percentile(runs.all_rates(run), 0.99), 1),
    "unused ACR [MB/s]": (runs.unused, 1),
    "ACR, median while no cell waits": (median_held(waits=False), 1),
    "window-based [% of time]": (runs.window_based, 1),
    "idle line [%]": (runs.empty, 1),
    "longest queue [cells]": (lambda run: float(runs.switch(run)["max_backlog"]), 0),
    "Jain": (runs.jain, 2),
}
"""The rows of the table of all splits: a measure, and its digits after the point."""

# What the text says of Fig. 6

STATEMENTS = {
    "loss": ("cells are lost", "cells lost [%]", 2, 0.0),
    "alternates": ("it alternates between window- and rate-based", "the rarer of both [% of time]", 1, 5.0),
    "very high": ("ACR is very high at times", "highest ACR, with loss over without", 1, 1.5),
    "empties": ("the queue underflows", "samples (10 ms) that see it empty [%]", 1, 1.0),
    "alike": ("one connection can represent others", "Jain's index", 3, 0.98),
}
"""The statement, the measure that decides it, the digits after its point, and its bound, as in the claims."""


def statements(results: Results) -> dict[str, dict[str, Estimate]]:
    """Per statement and split the measure that decides."""

    def each(by: By) -> dict[str, Estimate]:
        return {name: split(results, LOSS, name).estimate(by) for name in SPLITS}

    return {
        "loss": each(runs.loss_rate),
        "alternates": each(lambda run: min(runs.window_based(run), runs.rate_based(run))),
        "very high": {name: highest(split(results, LOSS, name), split(results, FREE, name)) for name in SPLITS},
        "empties": each(runs.empty_queue),
        "alike": each(runs.jain),
    }


def holds(which: str, found: Estimate) -> bool | None:
    """Whether a statement is true of a split."""
    return above(found, STATEMENTS[which][3]).agrees


def lost_between(results: Results) -> str:
    """What is lost in the case with loss if all of tau is behind the switch that marks."""
    counts = [runs.lost(run) for run in split(results, LOSS, BETWEEN).runs]
    return f"{sum(counts)} cells, in {sum(map(bool, counts))} of {len(counts)} runs"


def _fits(results: Results) -> dict[str, str]:
    """Which splits the text of Fig. 6 fits, but for the likeness of the connections."""
    found = statements(results)
    shape = [which for which in STATEMENTS if which != "alike"]
    verdicts = {name: {holds(which, found[which][name]) for which in shape} for name in SPLITS}
    fits = [name for name in SPLITS if verdicts[name] == {True}]
    # The other claims of the text follow from the loss of cells, so that must be certain.
    may = [name for name in SPLITS if verdicts[name] == {True, None} and holds("loss", found["loss"][name])]
    known = [*fits, *may] or list(SPLITS)
    return {
        "fits": " and ".join(fits) or "none",
        "may": "; ".join(f"{at} (empty at {shown(found['empties'][at])} % of the samples)" for at in may) or "none",
        "alike": max(known, key=lambda name: found["alike"][name].mean or 0.0),
        "jains": "; ".join(f"{name}: {shown(found['alike'][name])}" for name in known),
    }


def note(results: Results) -> dict[str, str]:
    """The numbers of the note on the figure."""
    samples = {name: split(results, LOSS, name) for name in SPLITS}
    timeouts = {"200 ms": samples[THIRDS], **{least: variant(results, least) for least in ("500 ms", "1 s")}}

    def each(by: By) -> str:
        return ", ".join(shown(sample.estimate(by)) for sample in timeouts.values())

    return _fits(results) | {
        "peak": shown(samples[BETWEEN].estimate(TABLE["longest queue [cells]"][0])),
        "buffer": f"{runs.BUFFER:,}",
        "lost_between": lost_between(results),
        **{f"lost_{i}": shown(samples[name].estimate(runs.loss_rate)) for i, name in enumerate(SPLITS)},
        **{f"idle_{i}": shown(samples[name].estimate(runs.empty)) for i, name in enumerate(SPLITS)},
        "timeouts": ", ".join(timeouts),
        "shares": each(runs.share),
        "losses": each(runs.loss_rate),
        "idles": each(runs.empty),
    }
