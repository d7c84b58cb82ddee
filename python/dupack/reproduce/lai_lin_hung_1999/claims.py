"""How each claim of Lai, Lin & Hung 1999 (``published.toml``) is measured."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, median
from typing import Any

from dupack.reproduce.lai_lin_hung_1999 import acr, openq, swamped, underflow
from dupack.reproduce.lai_lin_hung_1999.delay import split
from dupack.reproduce.lai_lin_hung_1999.runs import (
    CEILING,
    CELL,
    CONGESTED,
    FIRST,
    FREE,
    LINE,
    LOSS,
    MSS,
    PRINTED,
    SWITCH,
    all_rates,
    at,
    changes,
    dead,
    empty,
    flows,
    jain,
    loss_rate,
    lost,
    measured_time,
    one,
    payload,
    percentile,
    rate_based,
    rates,
    share,
    unused,
    warm,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import above, below, paired, paired_in, shown, signed, text
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results

MEASURES = measure = Measures()

By = Callable[[Measured], float | None]


def estimate(results: Results, plan: str, by: By) -> Estimate:
    return one(results, plan).estimate(by)


# §3


@measure("ceiling-printed")
def _(results: Results) -> Finding:
    return Finding(PRINTED / 1e7)


@measure("ceiling-whole")
def _(results: Results) -> Finding:
    return Finding(CEILING / 1e7)


@measure("switch-2-idle", LOSS)
def _(results: Results) -> Finding:
    def longest(run: Measured) -> float:
        return max(
            one["max_backlog"]
            for one in run.document["links"]
            if one["name"].startswith("leaf-") and "back" not in one["name"]
        )

    found = max(longest(run) for run in one(results, LOSS).runs)
    return Finding(found, agrees=found <= 2)


@measure("rdf", "extra-delay")
def _(results: Results) -> Finding:
    usual, other = (split(results, LOSS, "tau on each line", rdf=rdf) for rdf in (None, 0.5))
    ratios = [payload(a) / payload(b) for a, b in zip(other.runs, usual.runs, strict=True)]
    same = all(a.document["flows"] == b.document["flows"] for a, b in zip(other.runs, usual.runs, strict=True))
    return Finding(fmean(ratios), agrees=same, seen="Every number of every flow is the same." if same else "")


@measure("free-no-loss", FREE)
def _(results: Results) -> Finding:
    return Finding(sum(lost(run) for run in one(results, FREE).runs))


@measure("loss-some", LOSS)
def _(results: Results) -> Finding:
    return above(estimate(results, LOSS, loss_rate))


# §4.1


@measure("free-rate-based", FREE)
def _(results: Results) -> Finding:
    return above(estimate(results, FREE, rate_based), 99.0, "Yes is more than 99 %.")


@measure("free-window-at-first", FREE)
def _(results: Results) -> Finding:
    def settled(run: Measured) -> float | None:
        """From the start until the last sample of the first second in which no cell waits."""
        series = run.document["series"]
        start = flows(run)[0]["started_s"]
        times = [
            time
            for time, waiting in zip(series["time_s"], series["source_backlog"][FIRST], strict=True)
            if start < time < start + 1 and waiting == 0
        ]
        return 1e3 * (max(times) - start) if times else 0.0

    found = estimate(results, FREE, settled)
    return Finding(found.mean, found.half, found.mean is not None and found.mean < 200, "Yes is less than 200 ms.")


@measure("loss-alternates", LOSS)
def _(results: Results) -> Finding:
    found = estimate(results, LOSS, window_based)
    rest = estimate(results, LOSS, rate_based)
    both = found.mean is not None and rest.mean is not None and min(found.mean, rest.mean) > 5
    return Finding(found.mean, found.half, both, f"Rate-based {text(rest.mean)} %. Yes is more than 5 % of each.")


@measure("acr-more-often", LOSS)
def _(results: Results) -> Finding:
    return above(estimate(results, LOSS, lambda run: changes(run, "acr_bps") / max(changes(run, "cwnd"), 1)), 1.0)


@measure("rm-per-packet", FREE)
def _(results: Results) -> Finding:
    def per_packet(run: Measured) -> float:
        first = flows(run)[0]
        return float(first["abr"]["backward_rm"] / first["segments_delivered"])

    return above(estimate(results, FREE, per_packet), 1.0)


def _reactions(run: Measured) -> list[tuple[float, float]]:
    """Per window cut after warm-up: when the loss was, and when the cut."""
    begins, kept = run.document["warm_up_s"], run.tape
    found = []
    for flow, cuts in kept.cuts.items():
        drops = kept.drops.get(flow, [])
        before = 0.0
        for cut in cuts:
            mine = [drop for drop in drops if before < drop < cut]
            if cut >= begins and mine:
                found.append((mine[0], cut))
            before = cut
    return found


@measure("relieved", LOSS)
def _(results: Results) -> Finding:
    def relieved(run: Measured) -> float | None:
        queues = [at(run, "backlog", SWITCH, cut) for _, cut in _reactions(run)]
        return 100 * sum(queue <= CONGESTED[LOSS] for queue in queues) / len(queues) if queues else None

    def always(run: Measured) -> float:
        queues = warm(run, run.document["series"]["backlog"][SWITCH])
        return 100 * sum(queue <= CONGESTED[LOSS] for queue in queues) / len(queues)

    found = estimate(results, LOSS, relieved)
    usual = estimate(results, LOSS, always)
    more = estimate(results, LOSS, paired_in(relieved, always))
    return above(found, 20.0, f"Of all samples {shown(usual)} %: {signed(more)} at cuts. Yes is more than one in five.")


@measure("delayed-reaction", LOSS)
def _(results: Results) -> Finding:
    def delay(run: Measured) -> float | None:
        found = [cut - drop for drop, cut in _reactions(run)]
        return 1e3 * median(found) if found else None

    found = estimate(results, LOSS, delay)
    return above(
        found, 2.0, "Yes is more than 2 ms, a round trip without queues, within which ABR's answer passes switch 1."
    )


# §4.2.1


@measure("acr-low", FREE)
def _(results: Results) -> Finding:
    low = estimate(results, FREE, lambda run: percentile(rates(run), 0.01))
    least = min(min(rates(run)) for run in one(results, FREE).runs)
    return Finding(low.mean, low.half, seen=f"First percentile of the samples; the least of all is {text(least, 2)}.")


@measure("acr-high", FREE)
def _(results: Results) -> Finding:
    high = estimate(results, FREE, lambda run: percentile(rates(run), 0.99))
    most = max(max(rates(run)) for run in one(results, FREE).runs)
    return Finding(high.mean, high.half, seen=f"Last percentile of the samples; the highest of all is {text(most, 2)}.")


for plan, name in ((FREE, "fair"), (LOSS, "fair-loss")):

    @measure(name, plan)
    def _(results: Results, plan: str = plan) -> Finding:
        return above(estimate(results, plan, jain), 0.98, "Yes is more than 0.98.")


@measure.remark([LOSS], "fair-loss")
def _(results: Results) -> str:
    def of_runs(by: Callable[[list[float]], float], value: Callable[[dict[str, Any]], float]) -> str:
        """The median over the runs of something of its ten flows."""
        return text(median(by([value(flow) for flow in flows(run)]) for run in one(results, LOSS).runs), 0)

    def least(values: list[float]) -> float:
        return 100 * min(values) / max(values)

    runs = len(one(results, LOSS).runs)
    rates = of_runs(least, lambda flow: flow["abr"]["mean_acr_bps"])
    least_of, most_of = (of_runs(by, lambda flow: flow["timeouts"]) for by in (min, max))
    return (
        f"Of the ten, the least mean ACR is {rates} % of the highest, the least throughput "
        f"{of_runs(least, lambda f: f['goodput_bps'])} % of the highest, and a connection waits for {least_of} to "
        f"{most_of} timeouts (medians of {runs} runs). Without loss the ten are alike."
    )


@measure("acr-very-high", FREE, LOSS)
def _(results: Results) -> Finding:
    def most(plan: str) -> Estimate:
        return estimate(results, plan, lambda run: max(all_rates(run)))

    high, usual = most(LOSS), most(FREE)
    assert high.mean is not None
    assert usual.mean is not None
    ratio = Estimate(high.mean / usual.mean, None if high.half is None else high.half / usual.mean)
    return above(ratio, 1.5, f"{text(high.mean)} MB/s and {text(usual.mean)} MB/s; PCR is {LINE * CELL / 1e6:.1f}.")


measure("acr-while-idle", FREE, LOSS)(acr.while_idle)
measure("acr-high-idle", FREE, LOSS)(acr.high_idle)


@measure("fast", LOSS)
def _(results: Results) -> Finding:
    def fast(run: Measured) -> float | None:
        cuts = sum(len(times) for times in run.tape.cuts.values())
        return 100 * run.tape.fast / cuts if cuts else None

    return above(estimate(results, LOSS, fast), 50.0, "Yes is more than half; the others are timeouts.")


AFTER = (0.005, 0.020)
"""After a cut [s]."""


def _after_cuts(key: str, *, own: bool) -> By:
    """Of a series, its mean in that time after cuts, over its mean."""

    def by(run: Measured) -> float | None:
        begins, ends = run.document["warm_up_s"], run.document["duration_s"] - AFTER[1]
        values, means = [], []
        for flow, cuts in run.tape.cuts.items():
            name = flow if own else SWITCH
            mean = fmean(warm(run, run.document["series"][key][name]))
            for cut in cuts:
                if begins <= cut < ends and mean:
                    times = [cut + AFTER[0] + 0.001 * i for i in range(round(1e3 * (AFTER[1] - AFTER[0])))]
                    values.append(fmean(at(run, key, name, time) for time in times))
                    means.append(mean)
        return fmean(values) / fmean(means) if values else None

    return by


@measure("shrinks", LOSS)
def _(results: Results) -> Finding:
    return below(estimate(results, LOSS, _after_cuts("backlog", own=False)), 1.0)


@measure("acr-after-cut", LOSS)
def _(results: Results) -> Finding:
    return above(estimate(results, LOSS, _after_cuts("acr_bps", own=True)), 1.5, "Yes is more than 1.5.")


def unused_share(run: Measured) -> float:
    """Part of ACR that is not used [%]."""
    allowed = sum(flow["abr"]["mean_acr_bps"] for flow in flows(run))
    return float(100 * sum(flow["abr"]["unused_acr_bps"] for flow in flows(run)) / allowed)


@measure("unused", FREE, LOSS)
def _(results: Results) -> Finding:
    both = [estimate(results, plan, unused_share).mean for plan in (LOSS, FREE)]
    seen = f"{text(both[0])} and {text(both[1])} %."
    return above(paired(one(results, LOSS), one(results, FREE), unused_share), 0.0, seen)


measure("swamped", LOSS)(swamped.find)


measure("underflow", LOSS)(underflow.find)
measure("no-underflow", FREE)(underflow.none)


def again(run: Measured) -> float:
    """What goes to packets that had arrived before: those sent that neither were damaged nor count as delivered
    [% of the ceiling]."""
    begins = run.document["warm_up_s"]
    damaged = sum(time >= begins for times in run.tape.drops.values() for time in times)
    useless = sum(flow["segments_sent"] - flow["segments_delivered"] for flow in flows(run)) - damaged
    return 100 * useless * MSS / measured_time(run) / CEILING


@measure("lower-throughput", FREE, LOSS)
def _(results: Results) -> Finding:
    both = [estimate(results, plan, share).mean for plan in (LOSS, FREE)]
    found = paired(one(results, LOSS), one(results, FREE), share)
    idle, waste, twice = (estimate(results, LOSS, by).mean for by in (empty, dead, again))
    seen = (
        f"{text(both[0])} and {text(both[1])} % of 1.687e7 bytes/s. With loss the line is idle for {text(idle)} % of "
        f"the time, {text(waste)} % of the cells that it sends are of damaged packets, and {text(twice)} % of the "
        "ceiling goes to packets that arrive a second time."
    )
    return below(found, 0.0, seen)


# The open question


@measure("many-worse", openq.PLAN)
def _(results: Results) -> Finding:
    many, ten = (openq.base(results, "paper", n) for n in (50, 10))
    return above(paired(many, ten, loss_rate))


@measure("lose-unused", openq.PLAN)
def _(results: Results) -> Finding:
    return openq.use(results, unused)


@measure("lose-empty", openq.PLAN)
def _(results: Results) -> Finding:
    return openq.use(results, empty)


@measure.remark([openq.PLAN], "lose-empty")
def _(results: Results) -> str:
    return f"Over all settings in which cells are lost: {openq.in_all(results, openq.LOSES, 'lose', empty)}."


@measure.remark([openq.PLAN], "recovery-empty")
def _(results: Results) -> str:
    return f"Over all settings in which cells are lost: {openq.in_all(results, openq.KINDS, 'recover', empty)}."


@measure.remark([openq.PLAN], "recovery-unused")
def _(results: Results) -> str:
    return f"Over all settings in which cells are lost: {openq.in_all(results, openq.KINDS, 'recover', unused)}."


@measure("recovery-empty", openq.PLAN)
def _(results: Results) -> Finding:
    return openq.recovery(results, empty)


@measure("recovery-unused", openq.PLAN)
def _(results: Results) -> Finding:
    return openq.recovery(results, unused)
