"""Where the delay tau lies, and which of its splits the text of Fig. 6 fits."""

from __future__ import annotations

from typing import Any

from dupack.reproduce.lai_lin_hung_1999.acr import held, median_of
from dupack.reproduce.lai_lin_hung_1999.runs import (
    BUFFER,
    FREE,
    LOSS,
    SWITCH,
    all_rates,
    dead,
    empty,
    empty_queue,
    jain,
    link,
    loss_rate,
    lost,
    percentile,
    rate_based,
    share,
    unused,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, above, fixed, shown
from dupack.reproduce.paper import Estimate, Figure, Measured, Panel, Results, Sample, Series, Table

SPLITS = {
    "all between the switches": (0, 1, 0),
    "0.1, 0.9, 0": (0.1, 0.9, 0),
    "thirds": (1 / 3, 1 / 3, 1 / 3),
    "tau on each line": (1, 1, 1),
}
"""Of tau before, between and behind the switches."""
CASES = {FREE: ("without loss", 0.01), LOSS: ("with loss", 1.0)}
"""In words, and tau [ms]."""


def _milliseconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"ms": 1.0, "us": 1e-3}[unit]


LEAST_TIMEOUTS = ("500 ms", "1 s")
"""Others than two ticks, in the case with loss and thirds."""
DEFAULTS = "thirds, TM 4.0's Trm and ADTF"
"""As the case with loss, with what TM 4.0 has in force unless it is switched off."""


def split(results: Results, case: str, words: str, *, rdf: float | None = None, min_rto: str | None = None) -> Sample:
    """The runs of a case with tau split so; a block of the sweep that does not say has the plan's 1 ms."""
    tau, own = CASES[case][1], words == DEFAULTS
    words = "thirds" if own else words
    wanted = [part * tau for part in SPLITS[words]]
    for sample in results["extra-delay"]:
        delays = [
            _milliseconds(sample.settings.get(f"link.{name}.delay", "1 ms")) for name in ("access", SWITCH, "leaf")
        ]
        near = all(abs(a - b) < 1e-2 * tau for a, b in zip(delays, wanted, strict=True))
        other = [sample.settings.get(key) for key in ("flow.tcp.abr.rdf", "flow.tcp.transport.min_rto")]
        same = other == [rdf, min_rto] and ("flow.tcp.abr.trm" in sample.settings) == own
        if near and same:
            return sample
    raise KeyError(words)


DELAY_PANELS: dict[str, tuple[str, By]] = {
    "throughput": ("% of ceiling", share),
    "cells lost": ("% of offered", loss_rate),
    "unused ACR": ("MB/s a source", unused),
    "idle line": ("% of time", empty),
}
DELAY_TABLE: dict[str, tuple[By, int]] = {
    "throughput [% of ceiling]": (share, 1),
    "cells lost [%]": (loss_rate, 2),
    "cells sent in vain [%]": (dead, 1),
    "ACR, 1st percentile [MB/s]": (lambda run: percentile(all_rates(run), 0.01), 2),
    "ACR, 99th [MB/s]": (lambda run: percentile(all_rates(run), 0.99), 1),
    "unused ACR [MB/s]": (unused, 1),
    "ACR, median while no cell waits": (lambda run: median_of(held(run, waits=False)), 1),
    "window-based [% of time]": (window_based, 1),
    "idle line [%]": (empty, 1),
    "longest queue [cells]": (lambda run: float(link(run)["max_backlog"]), 0),
    "Jain": (jain, 2),
}


def rows(name: str, found: dict[str, Sample], y: By, **how: Any) -> Series:
    """A dot with its interval for each word."""
    values = [sample.estimate(y) for sample in found.values()]
    return Series(name, list(found), [e.mean for e in values], [e.half for e in values], **how)


def _splits(case: str) -> list[str]:
    return [*SPLITS, *([DEFAULTS] if case == LOSS else [])]


def _delays(results: Results) -> list[Series]:
    made = []
    for panel, (_, y) in DELAY_PANELS.items():
        for case, of in ((FREE, "bpd"), (LOSS, "epd")):
            found = {words: split(results, case, words) for words in _splits(case)}
            made.append(rows(f"case {CASES[case][0]}", found, y, of=of, panel=panel))
    return made


SURE = {"loss": 0.0, "alternates": 5.0, "very high": 1.5, "empties": 1.0, "alike": 0.98}
"""More than this is yes, as in the claims."""


def highest(results: Results, words: str) -> Estimate:
    """The highest ACR of any source, with loss over without."""
    with_loss, without = (
        split(results, case, words).estimate(lambda run: max(all_rates(run))) for case in (LOSS, FREE)
    )
    if with_loss.mean is None or not without.mean:
        return Estimate(None)
    return Estimate(with_loss.mean / without.mean, None if with_loss.half is None else with_loss.half / without.mean)


def _less_often(run: Measured) -> float:
    """Of window- and rate-based time the lesser [%]."""
    return min(window_based(run), rate_based(run))


def statements(results: Results) -> dict[str, dict[str, Estimate]]:
    """What the text says of the case with loss, and per split the number that it hangs on."""

    def each(by: By) -> dict[str, Estimate]:
        return {words: split(results, LOSS, words).estimate(by) for words in SPLITS}

    return {
        "loss": each(loss_rate),
        "alternates": each(_less_often),
        "very high": {words: highest(results, words) for words in SPLITS},
        "empties": each(empty_queue),
        "alike": each(jain),
    }


STATEMENTS = {
    "loss": ("cells are lost", "cells lost [%]", 2),
    "alternates": ("it alternates between window- and rate-based", "the rarer of both [% of time]", 1),
    "very high": ("ACR is very high at times", "highest ACR, with loss over without", 1),
    "empties": ("the queue underflows", "samples (10 ms) that see it empty [%]", 1),
    "alike": ("one connection can represent others", "Jain's index", 3),
}
"""In words, what decides, and with how many decimals that is told."""


def holds(which: str, found: Estimate) -> bool | None:
    """Whether a statement is true of a split."""
    return above(found, SURE[which]).agrees


def _statements_table(results: Results) -> Table:
    said = {True: "yes", False: "no", None: "perhaps"}
    lines = []
    for which, found in statements(results).items():
        words, decides, digits = STATEMENTS[which]
        cells = [f"{said[holds(which, found[at])]}: {fixed(found[at], digits)}" for at in SPLITS]
        lines.append([words, f"{decides} > {SURE[which]:g}", *cells])
    return Table(["the text, of Fig. 6", "yes is", *SPLITS], lines, words=2)


def _delay_table(results: Results) -> Table:
    # Without loss tau is 10 us: one column, for the figure shows that the four are alike.
    samples = {"without loss, thirds (as the others, in the figure)": split(results, FREE, "thirds")}
    samples |= {f"with loss, {at}": split(results, LOSS, at) for at in _splits(LOSS)}
    lines = [
        [words, *(fixed(sample.estimate(y), digits) for sample in samples.values())]
        for words, (y, digits) in DELAY_TABLE.items()
    ]
    return Table(["", *samples], lines, title="The splits in numbers")


def lost_between(results: Results) -> str:
    """What is lost, in the case with loss, with all of tau behind the switch that marks."""
    lost_of = [lost(run) for run in split(results, LOSS, "all between the switches").runs]
    return f"{sum(lost_of)} cells in {sum(map(bool, lost_of))} of {len(lost_of)} runs"


def _fits(results: Results) -> str:
    """Which splits the text of Fig. 6 fits."""
    found = statements(results)
    shape = [which for which in STATEMENTS if which != "alike"]
    verdicts = {words: {holds(which, found[which][words]) for which in shape} for words in SPLITS}
    fits = [words for words in SPLITS if verdicts[words] == {True}]
    # That cells are lost has to be sure: all else follows from it.
    may = [words for words in SPLITS if verdicts[words] == {True, None} and holds("loss", found["loss"][words])]
    if not fits and not may:
        return "What the text says of Fig. 6 fits none of the splits."
    alike = max([*fits, *may], key=lambda words: found["alike"][words].mean or 0.0)
    jains = "; ".join(f"{words}: {shown(found['alike'][words])}" for words in SPLITS if words in (*fits, *may))
    also = "; ".join(f"{words} (empty at {shown(found['empties'][words])} % of the samples)" for words in may)
    return (
        "What the text says of Fig. 6 is loss, periods of both kinds, an ACR that is very high, and a queue that "
        f"underflows. It fits {' as well as '.join(fits) or 'no split for sure'}"
        + (f", and can fit {also}" if may else "")
        + ". Among these it does not decide, and thirds is our choice. That one connection can represent the others "
        f"speaks for {alike}, though by our measure it holds in none of them (Jain's index is not above "
        f"{SURE['alike']}; {jains})."
    )


def _least_timeout(results: Results) -> str:
    """What another least timeout changes."""
    known = {"200 ms": split(results, LOSS, "thirds")}
    known |= {least: split(results, LOSS, "thirds", min_rto=least) for least in LEAST_TIMEOUTS}
    in_order = list(known)

    def each(by: By) -> str:
        return ", ".join(shown(known[least].estimate(by)) for least in in_order)

    return (
        f"The least timeout is not in the text either. With {', '.join(in_order)} TCP has {each(share)} % of the "
        f"ceiling, {each(loss_rate)} % of the cells are lost, and the line is idle for {each(empty)} % of the time."
    )


def _seen_delay(results: Results) -> str:
    of = {words: split(results, LOSS, words) for words in SPLITS}
    lost_share, idle = (
        {words: shown(sample.estimate(by)) for words, sample in of.items()} for by in (loss_rate, empty)
    )
    between, tenth, thirds, each = SPLITS
    peak = shown(of[between].estimate(lambda run: float(link(run)["max_backlog"])))
    return (
        "Without loss it does not matter. With loss it decides: EPRCA answers in backward RM cells that pass "
        "switch 1 on their way home, so delay behind that switch delays no feedback. With all of tau there the queue "
        f"peaks at {peak} of its {BUFFER:,} cells, and hardly any is lost ({lost_between(results)}); with a tenth of "
        f"tau before the switch {lost_share[tenth]} % are, with a third {lost_share[thirds]} %, and with tau on each "
        f"line {lost_share[each]} %. The line is idle for {idle[tenth]}, {idle[thirds]} and {idle[each]} % of the "
        f"time.\n\n{_fits(results)}\n\n{_least_timeout(results)}"
    )


def _more(results: Results) -> list[Table]:
    return [_delay_table(results)]


FIGURE = Figure(
    "delay",
    "Four splits of tau",
    "Not in the text: Fig. 2, which would show where tau lies.",
    "tau",
    "",
    ("extra-delay",),
    _delays,
    flat=True,
    panels={
        name: Panel(f"[{axis}]", (70, 102) if name == "throughput" else (None, None))
        for name, (axis, _) in DELAY_PANELS.items()
    },
    place="Extra, where the delay lies",
    ours=_seen_delay,
    table=_statements_table,
    more=_more,
)
