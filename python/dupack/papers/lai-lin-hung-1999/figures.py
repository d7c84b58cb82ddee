"""The figures of Lai, Lin & Hung 1999."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from dupack.reproduce.paper import Estimate, Figures, Measured, Results, Sample, Series, Table
from dupack.reproduce.told import fixed, plain, shown, signed

from . import delay, fairness, open_question, runs
from .acr import HIGH, held
from .delay import SPLITS, THIRDS
from .measures import Reactions, acr_with_loss, acr_without_loss, more_before_losses, timeouts_of
from .open_question import COUNTS, MEASURES, NOTHING, OPTIONS, QUEUES, SETTINGS, SHORT, WAYS, WHERE, Way
from .runs import FIRST, FREE, LOSS, SWITCH, By

FIGURES = figure = Figures()


# Figs. 4 to 6

WINDOW_PANEL, RATE_PANEL, QUEUE_PANEL = "(a) TCP window of SES 1", "(b) ACR of SES 1", "(c) switch queue"


def course(plan: str, begin: float, lasts: float) -> Callable[[Results], list[Series]]:
    """Window, ACR and queue in the first run, in a time [s]."""

    def series(results: Results) -> list[Series]:
        run = results[plan][0].runs[0]
        samples = run.document["series"]
        at = [i for i, time in enumerate(samples["time_s"]) if begin <= time <= begin + lasts]
        x = [samples["time_s"][i] for i in at]
        windows = [runs.window(segments) for segments in samples["cwnd"][FIRST]]
        rates = [None if bps is None else runs.megabytes(bps) for bps in samples["acr_bps"][FIRST]]
        made = [
            Series.exact(panel, x, [values[i] for i in at], of=colour, kind="steps", panel=panel)
            for panel, colour, values in (
                (WINDOW_PANEL, "tahoe", windows),
                (RATE_PANEL, "bpd", rates),
                (QUEUE_PANEL, "epd", samples["backlog"][SWITCH]),
            )
        ]
        for name, level, colour in (("Q_L", runs.CONGESTED[plan], ""), ("DQT", runs.VERY_CONGESTED[plan], "theory")):
            made.append(Series.exact(name, [x[0], x[-1]], [level] * 2, of=colour, kind="reference", panel=QUEUE_PANEL))
        if isinstance(run.tape, Reactions):
            drops = [time for time in run.tape.drops.get(FIRST, []) if begin <= time <= begin + lasts]
            how = {"of": "drop", "kind": "events", "panel": QUEUE_PANEL}
            made.append(Series.exact("packets of SES 1 lost", drops, [runs.BUFFER] * len(drops), **how))
        return made

    return series


figure("4")(course(LOSS, 1.0, 0.4))
figure("5")(course(FREE, 0.0, 2.0))
figure("6")(course(LOSS, 0.0, 2.0))
figure.note("5")(acr_without_loss)
figure.note("4")(acr_with_loss)


@figure.note("6")
def _(results: Results) -> dict[str, str]:
    fewest, most = (timeouts_of(results, by) for by in (min, max))
    before = signed(results[LOSS][0].estimate(more_before_losses))
    return {**acr_with_loss(results), "fewest": fewest, "most": most, "before": before}


@figure.table("6")
def _(results: Results) -> Table:
    columns: dict[str, Callable[[Sequence[float]], float]] = {
        "ACR, median [MB/s]": median,
        "90 % are below [MB/s]": lambda rates: runs.percentile(rates, 0.9),
        "highest [MB/s]": max,
        f"above {HIGH:.0f} MB/s [% of samples]": lambda rates: 100 * sum(rate > HIGH for rate in rates) / len(rates),
    }

    def of_rates(column: Callable[[Sequence[float]], float], *, waits: bool) -> By:
        def by(run: Measured) -> float | None:
            rates = held(run, waits=waits)
            return column(rates) if rates else None

        return by

    rows = []
    for plan, case in ((FREE, "without loss"), (LOSS, "with loss")):
        for waits, state, time in ((True, "cells wait", runs.rate_based), (False, "none waits", runs.window_based)):
            reads = [time, *(of_rates(column, waits=waits) for column in columns.values())]
            rows.append([case, state, *(shown(results[plan][0].estimate(by)) for by in reads)])
    return Table(["case", "at the source", "share of time [%]", *columns], rows, words=2)


# Where the delay lies


@figure("delay")
def _(results: Results) -> list[Series]:
    made = []
    for panel in ("throughput", "cells lost", "unused ACR", "idle line"):
        for case, name, colour in ((FREE, "case without loss", "bpd"), (LOSS, "case with loss", "epd")):
            found = {split: delay.split(results, case, split) for split in SPLITS}
            if case == LOSS:
                found[delay.DEFAULTS] = delay.variant(results, delay.DEFAULTS)
            values = [sample.estimate(MEASURES[panel][1]) for sample in found.values()]
            made.append(Series.estimated(name, list(found), values, of=colour, panel=panel))
    return made


figure.note("delay")(delay.note)


@figure.table("delay")
def _(results: Results) -> Table:
    said = {True: "yes", False: "no", None: "perhaps"}
    rows = []
    for which, found in delay.statements(results).items():
        statement, decides, digits, bound = delay.STATEMENTS[which]
        cells = [f"{said[delay.holds(which, found[at])]}: {fixed(found[at], digits)}" for at in SPLITS]
        rows.append([statement, f"{decides} > {bound:g}", *cells])
    return Table(["the text, of Fig. 6", "yes is", *SPLITS], rows, words=2)


@figure.table("delay")
def _(results: Results) -> Table:
    # Without loss one column is enough: the figure shows that the four splits are alike.
    samples = {"without loss, thirds (as the others, in the figure)": delay.split(results, FREE, THIRDS)}
    samples |= {f"with loss, {at}": delay.split(results, LOSS, at) for at in SPLITS}
    samples[f"with loss, {delay.DEFAULTS}"] = delay.variant(results, delay.DEFAULTS)
    rows = [
        [name, *(fixed(sample.estimate(by), digits) for sample in samples.values())]
        for name, (by, digits) in delay.TABLE.items()
    ]
    return Table(["", *samples], rows, title="The splits in numbers")


# The open question


@figure("open")
def _(results: Results) -> list[Series]:
    found = open_question.index(results)
    lossy = open_question.lossy(found)
    colours = {"short": "bpd", "paper": "plain", "between": "theory", "before": "epd"}
    made = []
    for panel, (_, by) in MEASURES.items():
        for place, name in WHERE.items():
            settings = [at for at in lossy if at[0] == place]
            values = [open_question.effect(found, settings, option, by) for option in OPTIONS]
            made.append(Series.estimated(name, list(OPTIONS), values, of=colours[place], panel=panel))
        made.append(Series.exact("no change", [0], [0.0], kind="reference", panel=panel))
    return made


figure.note("open")(open_question.note)


def said(mine: Way) -> str:
    """What is switched on, in words."""
    lose, kind, queue = mine
    discard, policy = QUEUES[queue] if queue != "plain" else "", open_question.LOSES[lose] if lose != "off" else ""
    return ", ".join(filter(None, (open_question.KINDS[kind], discard, policy)))


@figure.table("open")
def _(results: Results) -> Table:
    """Some ways in every setting, without those whose numbers are all as with Tahoe alone."""
    columns: dict[str, tuple[By, int]] = {
        "throughput [% of ceiling]": (runs.share, 1),
        "cells lost [%]": (runs.loss_rate, 2),
        "unused ACR [MB/s]": (runs.unused, 1),
        "idle line [%]": (runs.empty, 1),
        "empty queue [%]": (runs.empty_samples, 1),
        "Jain": (runs.jain, 2),
    }
    found = open_question.index(results)
    rows: list[list[str]] = []
    for place, n in SETTINGS:
        alone: list[str] = []
        for mine in WAYS:
            if (place, n, mine) not in found:
                continue
            values = [fixed(found[place, n, mine].estimate(by), digits) for by, digits in columns.values()]
            if values != alone:
                rows.append([f"{WHERE[place]} / {n}", said(mine), *values])
            alone = values if mine == NOTHING else alone
    return Table(["network / connections", "switched on", *columns], rows, words=2)


def starred(change: Estimate) -> str:
    """A change, with a star if its interval does not contain 0."""
    sure = change.mean is not None and change.half is not None and abs(change.mean) > change.half
    return signed(change) + ("*" if sure else "")


def changes(effects: dict[str, list[Estimate]]) -> list[list[str]]:
    """The rows of a table: the changes by each option that was run."""
    return [[option, *map(starred, found)] for option, found in effects.items() if found[0].mean is not None]


@figure.table("open")
def _(results: Results) -> Table:
    found = open_question.index(results)
    where = open_question.lossy(found)
    effects = {
        option: [open_question.effect(found, where, option, by) for _, by in MEASURES.values()] for option in OPTIONS
    }
    heads = [f"{name} [{unit}]" for name, (unit, _) in MEASURES.items()]
    title = (
        f"Every option: the mean change over the {len(where)} settings in which Tahoe alone loses cells (* excludes 0)"
    )
    return Table(["switched on", *heads], changes(effects), title=title)


@figure.table("open")
def _(results: Results) -> Table:
    found = open_question.index(results)
    effects = {option: [open_question.effect(found, [at], option, runs.share) for at in SETTINGS] for option in OPTIONS}
    rows = changes(effects)
    cells = len(rows) * len(SETTINGS)
    title = (
        "Throughput, setting by setting: change in % of the ceiling (* excludes 0, as some "
        f"{round(0.05 * cells)} of the {cells} would by chance)"
    )
    return Table(["switched on", *(f"{SHORT[place]}/{n}" for place, n in SETTINGS)], rows, title=title)


@figure.table("open")
def _(results: Results) -> Table:
    found, others = open_question.thresholds(results), open_question.index(results)

    def cells(samples: Sequence[Sample | None]) -> list[str]:
        return [fixed(sample.estimate(runs.share), 1) if sample else "-" for sample in samples]

    rows = [[f"EPD, {value:g} of the buffer", *cells([found[n][value] for n in COUNTS])] for value in found[2]]
    for queue in ("ppd", "plain"):
        rows.append([QUEUES[queue], *cells([others.get(("paper", n, ("off", "sack", queue))) for n in COUNTS])])
    title = "EPD's threshold: throughput with SACK in the network of Fig. 6 [% of ceiling]"
    return Table(["switch", *(f"{n} connections" for n in COUNTS)], rows, title=title)


# The generic fairness configuration


@figure("fairness")
def _(results: Results) -> list[Series]:
    fair = fairness.fair()
    x = [f"{group.upper()} [{n}]" for group, (n, _) in fairness.GROUPS.items()]
    made = [Series.exact("max-min fair", x, list(fair.values()), of="theory")]
    for kind, name in fairness.MARKERS.items():
        values = [fairness.rate_of(results, kind, group) for group in fair]
        made.append(Series.estimated(name, x, values, of=fairness.COLOURS[kind]))
    return made


figure.note("fairness")(fairness.note)


@figure.table("fairness")
def _(results: Results) -> Table:
    rows = []
    for group, fair in fairness.fair().items():
        n, lines = fairness.GROUPS[group]
        passes = ", ".join(str(line + 1) for line in lines)
        values = [shown(fairness.rate_of(results, kind, group)) for kind in fairness.MARKERS]
        rows.append([group.upper(), passes, str(n), f"{fair:.2f}", *values])
    for name, by in fairness.SUMS.items():
        values = [shown(fairness.sample_of(results, kind).estimate(by)) for kind in fairness.MARKERS]
        rows.append([name, "", "", "", *values])
    heads = ["group", "lines", "VCs", "max-min fair [Mb/s]", *(f"{name} [Mb/s]" for name in fairness.MARKERS.values())]
    return Table(heads, rows, words=2)


@figure("courses")
def _(results: Results) -> list[Series]:
    """ACR of the first VC of each group in the first second: a panel per group shows how far each swings."""
    made = []
    for group, level in fairness.fair().items():
        lines = [str(line + 1) for line in fairness.GROUPS[group][1]]
        panel = f"{group.upper()}, on line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"
        for kind, name in fairness.MARKERS.items():
            series = fairness.sample_of(results, kind).runs[0].document["series"]
            times = [time for time in series["time_s"] if time <= 1.0]
            rates = series["acr_bps"][f"{group}-0"][: len(times)]
            values = [None if bps is None else bps / 1e6 for bps in rates]
            made.append(Series.exact(name, times, values, of=fairness.COLOURS[kind], kind="steps", panel=panel))
        made.append(Series.exact("max-min fair", [times[0], times[-1]], [level] * 2, kind="reference", panel=panel))
    return made


@figure.note("courses")
def _(results: Results) -> dict[str, str]:
    swings = {kind: shown(fairness.sample_of(results, kind).estimate(fairness.swing)) for kind in fairness.MARKERS}
    reached = fairness.sample_of(results, "erica").estimate(fairness.reached)
    return swings | {"near": plain(100 * fairness.NEAR, 0), "reached": shown(reached)}
