"""How each claim of Keshav & Morgan 1997 (``published.toml``) is measured."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from statistics import median

from dupack._native import packets_lost_per_loss_event, potential_goodput, tcp_goodput_loss
from dupack.reproduce.keshav_morgan_1997.extras import GO_BACK_N, MIX, SMART, Change, changed
from dupack.reproduce.keshav_morgan_1997.figures import latest_watched
from dupack.reproduce.keshav_morgan_1997.runs import (
    BURSTS,
    KIND,
    RATE,
    SHARES,
    WINDOW,
    alike,
    at_load,
    buffer,
    circuit,
    fits,
    goodput,
    goodputs,
    load,
    loss_rate,
    mixed,
    overflow,
    overloaded,
    setting,
    tcp,
    window,
    with_buffer,
)
from dupack.reproduce.paper import Estimate, Finding, Measured, Measures, Results, Sample

MEASURES = measure = Measures()

Intervals = Callable[[Measured], Sequence[float]]

ISOLATED, CLUSTERED = BURSTS


def _values(sample: Sample, y: Intervals = goodput) -> list[float]:
    return [value for run in sample.runs for value in y(run)]


def _difference(one: Sample, other: Sample, y: Intervals = goodput, z: Intervals | None = None) -> Estimate:
    """Over the intervals, which both have in common."""
    return Estimate.of_intervals([a - b for a, b in zip(_values(one, y), _values(other, z or y), strict=True)])


def _mean(samples: Sequence[Sample], y: Intervals = goodput) -> Estimate:
    """Over the samples, interval by interval."""
    columns = zip(*(_values(sample, y) for sample in samples), strict=True)
    return Estimate.of_intervals([sum(column) / len(column) for column in columns])


def _of(sample: Sample, y: Intervals = goodput) -> float:
    return sample.intervals(y).mean or 0.0


def _best(samples: Sequence[Sample]) -> Sample:
    return max(samples, key=_of)


def _holds(values: Sequence[Estimate]) -> bool:
    """From each to the next no rise, as far as the intervals tell."""
    ends = [((e.mean or 0.0) - (e.half or 0.0), (e.mean or 0.0) + (e.half or 0.0)) for e in values]
    return all(high >= low for (_, high), (low, _) in itertools.pairwise(ends))


def _falls(values: Sequence[Estimate]) -> bool:
    """From each to the next, as far as the intervals tell, and from the first to the last."""
    return _holds(values) and (values[0].mean or 0.0) > (values[-1].mean or 0.0)


def _words(estimate: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    assert estimate.mean is not None
    mean = f"{estimate.mean:{'+' if sign else ''}.{digits}f}"
    return mean if estimate.half is None else f"{mean} ± {estimate.half:.{digits}f}"


def _listed(values: Sequence[float], digits: int = 2) -> str:
    return ", ".join(f"{value:z.{digits}f}" for value in values)


def _per_buffer(samples: Sequence[Sample]) -> list[list[Sample]]:
    return [with_buffer(samples, size) for size in SHARES]


# Go-back-n


for size in SHARES:

    @measure(f"gbn-peak-{size}", "fig-02")
    def _(results: Results, size: int = size) -> Finding:
        best = _best(with_buffer(results["fig-02"], size))
        found = best.intervals(goodput)
        return Finding(found.mean, found.half, seen=f"At load {load(best):.3g}.")

    @measure(f"pair-asymptote-{size}", "fig-04")
    def _(results: Results, size: int = size) -> Finding:
        return Finding.of(at_load(with_buffer(results["fig-04"], size), 5).intervals(goodput))


@measure("gbn-peak-load", "fig-02")
def _(results: Results) -> Finding:
    return Finding(round(median(load(_best(mine)) for mine in _per_buffer(results["fig-02"])), 3))


@measure("gbn-collapses", "fig-02")
def _(results: Results) -> Finding:
    shares = [_of(at_load(mine, 1)) / _of(_best(mine)) for mine in _per_buffer(results["fig-02"])]
    ends = [_of(at_load(mine, 5)) / _of(_best(mine)) for mine in _per_buffer(results["fig-02"])]
    text = f"{_listed(shares)} of the maximum with B = 0.25, 0.5, 1"
    return Finding(text, agrees=max(shares) <= 0.5, seen=f"At load 5: {_listed(ends)}.")


@measure("gbn-stays-collapsed", "fig-02")
def _(results: Results) -> Finding:
    worst = []
    for mine in _per_buffer(results["fig-02"]):
        one = at_load(mine, 1)
        worst.append(max(((_difference(s, one)) for s in overloaded(mine, 1.1)), key=lambda d: d.mean or 0.0))
    rises = [d for d in worst if (d.mean or 0.0) - (d.half or 0.0) > 0]
    text = f"at most {', '.join(f'{d.mean:+z.2f}' for d in worst)} with B = 0.25, 0.5, 1"
    return Finding(text, agrees=not rises)


@measure("gbn-busy-in-vain", "fig-02")
def _(results: Results) -> Finding:
    sample = at_load(with_buffer(results["fig-02"], 25), 5)
    backbone = next(link for link in sample.runs[0].document["links"] if link["name"] == "backbone")
    use, good = backbone["utilization"], _of(sample)
    return Finding(f"{use:.2f} busy, {good:.2f} useful", agrees=good <= use / 2)


@measure("gbn-peak-falls-with-buffer", "fig-02")
def _(results: Results) -> Finding:
    peaks = [_best(mine).intervals(goodput) for mine in _per_buffer(results["fig-02"])]
    return Finding(_listed([p.mean or 0.0 for p in peaks]), agrees=_falls(peaks[::-1]))


@measure("gbn-peak-load-falls-with-buffer", "fig-02")
def _(results: Results) -> Finding:
    loads = [load(_best(mine)) for mine in _per_buffer(results["fig-02"])]
    return Finding(_listed(loads), agrees=loads == sorted(loads) and loads[0] < loads[-1])


# Static windows with SMART


@measure("smart-half", "fig-03")
def _(results: Results) -> Finding:
    each = [_mean(overloaded(mine)).mean or 0.0 for mine in _per_buffer(results["fig-03"])]
    found = _mean(overloaded(results["fig-03"]))
    return Finding(found.mean, found.half, seen=f"With B = 0.25, 0.5, 1: {_listed(each)}.")


@measure("smart-no-collapse", "fig-03")
def _(results: Results) -> Finding:
    gains = [_difference(at_load(mine, 5), at_load(mine, 1)) for mine in _per_buffer(results["fig-03"])]
    text = f"{', '.join(f'{gain.mean:+.2f}' for gain in gains)} with B = 0.25, 0.5, 1"
    return Finding(text, agrees=all((gain.mean or 0.0) >= -0.02 for gain in gains))


@measure("smart-buffers", "fig-03")
def _(results: Results) -> Finding:
    ends = [at_load(mine, 5).intervals(goodput) for mine in _per_buffer(results["fig-03"])]
    return Finding(_listed([end.mean or 0.0 for end in ends]), agrees=_falls(ends[::-1]))


@measure("smart-beats-gbn", "fig-02", "fig-03")
def _(results: Results) -> Finding:
    smart, gbn = (at_load(with_buffer(results[plan], 25), 5) for plan in ("fig-03", "fig-02"))
    return _ahead(_difference(smart, gbn))


def _ahead(found: Estimate) -> Finding:
    """Whether the first is ahead, by more than chance."""
    return Finding(found.mean, found.half, (found.mean or 0.0) - (found.half or 0.0) > 0)


# Packet-pair with SMART


@measure("pair-close-to-all", "fig-04")
def _(results: Results) -> Finding:
    return Finding.of(_best(with_buffer(results["fig-04"], 25)).intervals(goodput))


@measure("pair-no-collapse", "fig-04")
def _(results: Results) -> Finding:
    drops = [_of(_best(mine)) - _of(at_load(mine, 5)) for mine in _per_buffer(results["fig-04"])]
    return Finding(max(drops), agrees=max(drops) <= 0.05)


@measure("pair-buffers", "fig-04")
def _(results: Results) -> Finding:
    ends = [at_load(mine, 5).intervals(goodput) for mine in _per_buffer(results["fig-04"])]
    means = [end.mean or 0.0 for end in ends]
    return Finding(_listed(means, 3), agrees=_falls(ends[::-1]) and means[-1] - means[0] <= 0.15)


@measure("pair-beats-static", "fig-03", "fig-04")
def _(results: Results) -> Finding:
    pair, static = (at_load(with_buffer(results[plan], 25), 5) for plan in ("fig-04", "fig-03"))
    return _ahead(_difference(pair, static))


@measure("two-packets-each", "section-5-buffer")
def _(results: Results) -> Finding:
    enough = [buffer(s) for s in alike(results, "section-5-buffer", "packet-pair") if _of(s) >= 0.8]
    return Finding(min(enough) if enough else None)


# Mixtures

PAIR, STATIC = goodputs("pair", each=True), goodputs("static", each=True)


def _lead(samples: Sequence[Sample]) -> list[Estimate]:
    """Of packet-pair over static windows per source, on the mean over loads of 1 and more, for each buffer."""

    def lead(run: Measured) -> list[float]:
        return [a - b for a, b in zip(PAIR(run), STATIC(run), strict=True)]

    return [_mean(overloaded(mine), lead) for mine in _per_buffer(samples)]


for count, claim in ((9, "mix-majority"), (1, "mix-minority")):

    @measure(claim, "fig-05")
    def _(results: Results, count: int = count) -> Finding:
        leads = _lead(mixed(results, "fig-05", count))
        ahead = [(lead.mean or 0.0) - (lead.half or 0.0) > 0 for lead in leads]
        text = f"{', '.join(_words(lead, 3, sign=True) for lead in leads)} with B = 0.25, 0.5, 1"
        return Finding(text, agrees=all(ahead))


HEAVY = 2.5
"""The least load that counts as heavy."""


def _heavy(samples: Sequence[Sample], y: Intervals = goodput) -> Estimate:
    return _mean(overloaded(samples, HEAVY), y)


@measure("mix-driven-out", "fig-05")
def _(results: Results) -> Finding:
    left = [_heavy(mine, STATIC).mean or 0.0 for mine in _per_buffer(mixed(results, "fig-05", 9))]
    return Finding(f"{_listed(left, 3)} with B = 0.25, 0.5, 1", agrees=max(left) <= 0.02)


@measure("mix-gains-at-the-expense", "fig-03", "fig-05")
def _(results: Results) -> Finding:
    pairs = [_heavy(mine, PAIR).mean or 0.0 for mine in _per_buffer(mixed(results, "fig-05", 9))]
    alone = [_heavy(mine, goodputs(each=True)).mean or 0.0 for mine in _per_buffer(results["fig-03"])]
    text = f"{_listed(pairs, 3)} against {_listed(alone, 3)}"
    return Finding(text, agrees=all(a > b for a, b in zip(pairs, alone, strict=True)))


def _single(results: Results) -> list[Estimate]:
    return [_heavy(mine, PAIR) for mine in _per_buffer(mixed(results, "fig-05", 1))]


@measure("mix-single-pair", "fig-05")
def _(results: Results) -> Finding:
    return Finding.of(min(_single(results), key=lambda found: found.mean or 0.0))


@measure("mix-single-pair-small-buffer", "fig-05")
def _(results: Results) -> Finding:
    found = _single(results)
    return Finding(f"{', '.join(_words(one) for one in found)}", agrees=_falls(found))


# Drop the longest queue


def _populations(results: Results, rule: str) -> list[list[Sample]]:
    """All static, all packet-pair, nine and one packet-pair."""
    same = [alike(results, "section-5", kind) for kind in ("smart", "packet-pair")]
    both = [mixed(results, "section-5-mix", count) for count in (9, 1)]
    return [overloaded(overflow(mine, rule), HEAVY) for mine in (*same, *both)]


@measure("longest-lower", "section-5", "section-5-mix")
def _(results: Results) -> Finding:
    last, longest = (_populations(results, rule) for rule in ("arriving", "longest-queue"))
    lost = [(_mean(a).mean or 0.0) - (_mean(b).mean or 0.0) for a, b in zip(last, longest, strict=True)]
    text = f"{', '.join(f'{one:+.3f}' for one in lost)} with 0, 10, 9, 1 packet-pair sources"
    return Finding(text, agrees=sum(lost) > 0 and min(lost) >= -0.05 and max(lost) <= 0.15)


@measure("longest-harder-on-static", "section-5-mix")
def _(results: Results) -> Finding:
    def kept(count: int, y: Intervals) -> float:
        mine = mixed(results, "section-5-mix", count)
        last, longest = (_heavy(overflow(mine, rule), y).mean or 0.0 for rule in ("arriving", "longest-queue"))
        return longest / last if last else 0.0

    changes = [(kept(count, PAIR), kept(count, STATIC)) for count in (9, 1)]
    text = "; ".join(f"packet-pair times {pair:.2f}, static times {static:.2f}" for pair, static in changes)
    return Finding(text, agrees=all(static < pair for pair, static in changes))


# TCP under random losses


@measure("parameter", "fig-06")
def _(results: Results) -> Finding:
    return Finding(round(tcp_goodput_loss(0.01, WINDOW), 12))


for burst, claim in ((ISOLATED, "tahoe-few-percent-1"), (CLUSTERED, "tahoe-few-percent-5")):

    @measure(claim, "fig-06")
    def _(results: Results, burst: str = burst) -> Finding:
        return Finding.of(_at_rate(tcp(results, "tahoe", burst), 1).intervals(goodput))


def _at_rate(samples: Sequence[Sample], percent: float) -> Sample:
    return next(sample for sample in samples if abs(loss_rate(sample) - percent) < 1e-9)


@measure("reno-similar", "fig-06")
def _(results: Results) -> Finding:
    far = []
    for burst in BURSTS:
        pairs = zip(tcp(results, "reno", burst), tcp(results, "tahoe", burst), strict=True)
        far += [_difference(reno, tahoe) for reno, tahoe in pairs]
    most = max(far, key=lambda found: abs(found.mean or 0.0))
    return Finding(most.mean, most.half, abs(most.mean or 0.0) <= 0.1)


@measure("tahoe-falls", "fig-06")
def _(results: Results) -> Finding:
    found = [sample.intervals(goodput) for sample in tcp(results, "tahoe", ISOLATED)]
    tenth = _of(_at_rate(tcp(results, "tahoe", ISOLATED), 0.1))
    text = f"{tenth:.2f} at r = 0.1 %, {found[-1].mean:.2f} at 1 %"
    return Finding(text, agrees=_falls(found) and tenth < 0.5)


@measure("gbn-random", "fig-06")
def _(results: Results) -> Finding:
    ends = {"circuit.transport": None, "mean_burst": None, RATE: None}
    found = [_of(sample) for sample in results["fig-06"] if fits(sample, ends)]
    return Finding(f"{_listed(found)} with isolated losses, bursts of 5", agrees=max(found) <= 0.35)


@measure("equation-4", "section-6")
def _(results: Results) -> Finding:
    def cost(kind: str) -> int:
        one, none = (run for run in results["section-6"] if setting(run, KIND) == kind)
        sent = [sample.runs[0].document["flows"][0]["segments_delivered"] for sample in (none, one)]
        return sent[0] - sent[1]

    assert packets_lost_per_loss_event(WINDOW) == 1250
    return Finding(cost("reno"), seen=f"Tahoe: {cost('tahoe'):,}.")


@measure("equation-5", "extra-rare")
def _(results: Results) -> Finding:
    rate = 0.00005
    sample = next(s for s in results["extra-rare"] if fits(s, {KIND: "reno", "*loss.rate": rate}))
    lost, said = Estimate.of_intervals([1 - value for value in _values(sample)]), tcp_goodput_loss(rate, WINDOW)
    return Finding((lost.mean or 0.0) / said, (lost.half or 0.0) / said)


# Packet-pair under random losses


def _circuit(results: Results, burst: str, limit: int) -> list[Sample]:
    return circuit(results, "fig-07", burst, max_window=window(limit))


@measure("pair-buffers-alike", "fig-07")
def _(results: Results) -> Finding:
    beyond = total = 0
    for burst in BURSTS:
        whole = {loss_rate(sample): sample for sample in _circuit(results, burst, 600)}
        for sample in results["fig-07"]:
            ends = {"queue.buffer": None, "max_window": None, "mean_burst": burst, RATE: None}
            if fits(sample, ends):
                found = _difference(sample, whole[loss_rate(sample)])
                total += 1
                beyond += abs(found.mean or 0.0) > (found.half or 0.0) + 1e-6
    return Finding(f"{beyond} of {total} differences larger than their interval", agrees=beyond <= total / 10)


for burst, claim in ((ISOLATED, "pair-nearly-maximum-1"), (CLUSTERED, "pair-nearly-maximum-5")):

    @measure(claim, "fig-07")
    def _(results: Results, burst: str = burst) -> Finding:
        shares = []
        for sample in _circuit(results, burst, 1200)[1:]:
            found, limit = sample.intervals(goodput), potential_goodput(loss_rate(sample) / 100)
            shares.append(Estimate((found.mean or 0.0) / limit, (found.half or 0.0) / limit))
        return Finding.of(min(shares, key=lambda share: share.mean or 0.0))


@measure("pair-tends", "fig-07", "extra-lost")
def _(results: Results) -> Finding:
    def ends(of: Callable[[Results, str, int], list[Sample]]) -> list[list[Estimate]]:
        return [[_at_rate(of(results, b, w), 5).intervals(goodput) for w in (300, 600, 1200)] for b in BURSTS]

    def told(found: list[list[Estimate]]) -> str:
        named = zip(found, BURSTS.values(), strict=True)
        return "; ".join(f"{_listed([e.mean or 0.0 for e in es], 3)} ({name})" for es, name in named)

    found, latest = ends(_circuit), ends(latest_watched)
    seen = f"If only the latest retransmission is watched: {told(latest)}."
    limit = potential_goodput(0.05)
    grows = all(_holds(es[::-1]) for es in found)
    return Finding(
        told(found), agrees=grows and all(abs((es[-1].mean or 0.0) - limit) <= 0.02 for es in found), seen=seen
    )


@measure("pair-quicker-isolated", "fig-07")
def _(results: Results) -> Finding:
    def missing(burst: str) -> float:
        """Of what the largest window brings, with the smallest."""
        some, all_ = ([_of(s) for s in _circuit(results, burst, limit)] for limit in (300, 1200))
        return sum(1 - a / b for a, b in zip(some, all_, strict=True)) / len(some)

    one, five = missing(ISOLATED), missing(CLUSTERED)
    return Finding(f"{100 * one:.2f} % missing for isolated losses, {100 * five:.2f} % for bursts", agrees=five > one)


@measure("better-than-tcp", "fig-06", "fig-07")
def _(results: Results) -> Finding:
    pair = _at_rate(_circuit(results, ISOLATED, 600), 1)
    tahoe = _at_rate(tcp(results, "tahoe", ISOLATED), 1)
    gain = _of(pair) - _of(tahoe)
    return Finding(gain, agrees=gain >= 0.5)


@measure("best-window", "fig-07")
def _(results: Results) -> Finding:
    some, more = (_at_rate(_circuit(results, ISOLATED, limit), 1) for limit in (300, 600))
    found = _difference(more, some)
    return Finding(found.mean, found.half, (found.mean or 0.0) <= 0.05)


# What other runs say of a disagreement


def _reading(results: Results, plan: str, change: Change, at: float, y: Intervals = goodput) -> str:
    return f"{_of(at_load(changed(results, plan, change), at), y):.2f}"


@measure.remark(("extra-go-back-n",), "gbn-collapses", "gbn-peak-100", "gbn-peak-25")
def _(results: Results) -> str:
    def course(words: str) -> str:
        return ", ".join(_reading(results, "extra-go-back-n", GO_BACK_N[words], at) for at in (0.5, 1, 5))

    return (
        f"At loads of 0.5, 1 and 5 with B = 0.5: {course('as in Fig. 2')}; without doubling of timeouts "
        f"{course('timeouts never double')}; with a receiver that keeps what is out of order "
        f"{course('receiver keeps what is out of order')} (see Extra, readings of go-back-n)."
    )


@measure.remark(("extra-smart",), "smart-half", "smart-no-collapse")
def _(results: Results) -> str:
    def end(words: str) -> str:
        return _reading(results, "extra-smart", SMART[words], 5)

    return (
        f"At load 5 with B = 0.5: {end('as in Fig. 3')}; {end('all retransmissions watched')} if every "
        "retransmission is "
        f"watched, {end('timeouts never double')} if timeouts never double (see Extra, readings of SMART)."
    )


@measure.remark(("extra-mix",), "mix-majority", "mix-driven-out")
def _(results: Results) -> str:
    samples = {"extra-mix": mixed(results, "extra-mix", 9)}
    mine = with_buffer(changed(samples, "extra-mix", MIX["longest queue dropped"]), 100)
    return (
        f"Where the longest queue is dropped, with B = 1 and load 5: packet-pair {_of(mine[0], PAIR):.2f} per "
        "source, the "
        f"static one {_of(mine[0], STATIC):.2f} (see Extra, who gains)."
    )


@measure.remark(("fig-06",), "tahoe-few-percent-1", "tahoe-few-percent-5")
def _(results: Results) -> str:
    found = []
    for burst, name in BURSTS.items():
        ends = {KIND: "tahoe", ".tick": None, "mean_burst": burst, RATE: None}
        sample = next(s for s in results["fig-06"] if fits(s, ends))
        found.append(f"{100 * _of(sample):.1f} % ({name})")
    return f"With the clock of BSD, 500 ms: {', '.join(found)}."


def in_short(results: Results) -> dict[str, float]:
    """The numbers of the summary."""
    end = {plan: at_load(with_buffer(results[plan], 25), 5) for plan in ("fig-02", "fig-04")}
    smart = {
        words: at_load(changed(results, "extra-smart", SMART[words]), 5)
        for words in ("as in Fig. 3", "as Fig. 7 is read")
    }
    return {
        "gbn": _of(end["fig-02"]),
        "pair": _of(end["fig-04"]),
        "tahoe": _of(_at_rate(tcp(results, "tahoe", ISOLATED), 1)),
        "lossy": _of(_at_rate(_circuit(results, ISOLATED, 600), 1)),
        "letter": _of(smart["as in Fig. 3"]),
        "brisk": _of(smart["as Fig. 7 is read"]),
    }
