"""What random lines and token buckets do on average or at most, in closed form."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from dupack.work import Run
from verify.frame import Report, Row
from verify.runs import marks, runs

TITLE = "Random lines and token buckets"
AGAINST = "moments and probabilities of the models of jitter and loss, and conformance of token buckets, in closed form"
TEXT = """
A source of datagrams of 1,000 B at a constant rate is alone on a line; its tape says when each was sent and delivered.
**Jitter `wifi`**: N1 deferrals of 1 ms (Poisson, mean 1), less a uniform part of the last; a share x of the packets has
also N2 pauses of 7.5 ms (Poisson, mean 12). Packets are a second apart, so that none waits for the one before. **Loss
`gilbert-elliott`**: a Markov chain with p = 0.05, r = 0.25. Runs of losses and the packets between them have geometric
lengths if a bad line loses all packets and a good one none; else two losses at a distance of k packets are correlated
by (1 - p - r)^k. A row has the mean of {seeds} seeds with its 99 % interval, and agrees if the closed form is inside.
**Token buckets**: rate 1 Mb/s, burst 10,000 B. Of the shaper, the most that was sent in any interval beyond what the
rate allows is the burst, and it is reached; tokens are whole bytes, so that an interval can have one more. Under an
overload it sends the k-th packet at (k L - burst) / rate. A policer passes the burst and what the rate allows, less
than a packet, and with two rates the same of the lower.
"""
SIZE = 1000
"""Of the packets [bytes]."""
RATE, BURST = 1e6, 10_000
"""Of the token buckets [bit/s, bytes]."""
T99 = {5: 4.604, 20: 2.861}
"""Student's quantiles for 99 %, by the number of seeds."""
LINE = 1e9
"""Rate of the line [bit/s]."""
PLAN = """
duration = "{seconds} s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "1 Gb/s"
delay = "1 ms"
{line}
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = {traffic}
transport = {{ kind = "udp", mss = "972 B", header = "28 B" }}
"""
TO_BAD, TO_GOOD = 0.05, 0.25
BAD = TO_BAD / (TO_BAD + TO_GOOD)
"""Share of packets that a bad line carries."""


def cbr(rate: str) -> str:
    """A source at a constant rate."""
    return f'{{ kind = "cbr", rate = "{rate}" }}'


def plan(line: str, traffic: str, seconds: float) -> str:
    """The plan of a line with these keys and this traffic."""
    return PLAN.format(line=line, traffic=traffic, seconds=seconds)


def extra(run: Run) -> list[float]:
    """Delays of packets [ms] beyond transmission and propagation."""
    sent, found = {}, []
    least = 1e9 + SIZE * 8e12 / LINE
    for mark in marks(run):
        if mark.event == "send":
            sent[mark.segment] = mark.at
        elif mark.event == "deliver":
            found.append((mark.at - sent[mark.segment] - least) / 1e9)
    return found


def lost(run: Run) -> list[bool]:
    """Whether each packet was lost, in their order, up to the last that was delivered."""
    here = [mark.segment for mark in marks(run) if mark.event == "deliver"]
    arrived = set(here)
    return [segment not in arrived for segment in range(max(here) + 1)]


def delivered(run: Run) -> list[float]:
    """Times at which transmissions began [s]."""
    whole = 1e9 + SIZE * 8e12 / LINE
    return [(mark.at - whole) / 1e12 for mark in marks(run) if mark.event == "deliver"]


def mean_row(what: str, found: Sequence[float], closed: float, unit: str = "") -> Row:
    """The mean over seeds against a closed form."""
    mean = statistics.mean(found)
    half = T99[len(found)] * statistics.stdev(found) / math.sqrt(len(found))
    agrees = abs(mean - closed) <= half
    return Row(what, f"{mean:.4f} ± {half:.4f}{unit}", f"{closed:.4f}{unit}", "99 % interval", agrees)


def jitter(seeds: range, seconds: int) -> list[Row]:
    """Moments of `wifi`."""
    rows = []
    for mean in (2, 7, 40):
        text = plan(f'jitter = {{ kind = "wifi", mean = "{mean} ms" }}', cbr("8 kb/s"), seconds)
        found = [extra(run) for run in runs(text, seeds, tape=True)]
        x, some = (mean - 1) / 90, 1 - math.exp(-1)
        # Of N1 deferrals less a part of the last, and of the pauses.
        first, second = 1 - some / 2, 2 - 1 + some / 3
        pauses, squares = x * 12 * 7.5, x * (12 + 12**2) * 7.5**2
        variance = second - first**2 + squares - pauses**2
        none = math.exp(-1) * (1 - x + x * math.exp(-12))
        name = f"`wifi`, mean {mean} ms"
        rows += [
            mean_row(f"{name}: mean", [statistics.mean(it) for it in found], first + pauses, " ms"),
            mean_row(f"{name}: variance", [statistics.variance(it) for it in found], variance, " ms²"),
            mean_row(f"{name}: share without delay", [sum(d < 1e-6 for d in it) / len(it) for it in found], none),
        ]
    return rows


def lengths(pattern: list[bool], kind: bool) -> list[int]:
    """Lengths of runs of losses, or of packets between them, without those at the ends."""
    every = [(lost_here, len(list(run))) for lost_here, run in groupby(pattern)]
    return [length for lost_here, length in every[1:-1] if lost_here is kind]


def pairs(pattern: list[bool], distance: int) -> float:
    """Share of packets that were lost, and that at a distance behind them, too."""
    both = sum(a and b for a, b in zip(pattern, pattern[distance:], strict=False))
    return both / (len(pattern) - distance)


def losses(seeds: range, seconds: int) -> list[Row]:
    """Run lengths and correlations of `gilbert-elliott`."""
    chain = f'kind = "gilbert-elliott", to_bad = {TO_BAD}, to_good = {TO_GOOD}'

    def patterns(more: str) -> list[list[bool]]:
        text = plan(f"loss = {{ {chain}{more} }}", cbr("8 Mb/s"), seconds)
        return [lost(run) for run in runs(text, seeds, tape=True)]

    def over(found: list[list[bool]], measure: Callable[[list[bool]], float]) -> list[float]:
        return [measure(pattern) for pattern in found]

    whole = patterns("")
    rows = [
        mean_row("`gilbert-elliott`: share lost", over(whole, lambda it: sum(it) / len(it)), BAD),
        mean_row(
            "mean length of a run of losses", over(whole, lambda it: statistics.mean(lengths(it, True))), 1 / TO_GOOD
        ),
        mean_row("packets between two runs", over(whole, lambda it: statistics.mean(lengths(it, False))), 1 / TO_BAD),
        mean_row(
            "share of runs of at least 8",
            over(whole, lambda it: sum(n >= 8 for n in lengths(it, True)) / len(lengths(it, True))),
            (1 - TO_GOOD) ** 7,
        ),
    ]
    bad, good = 0.6, 0.02
    partly = patterns(f", loss_bad = {bad}, loss_good = {good}")
    share = BAD * bad + (1 - BAD) * good
    rows.append(mean_row("with losses of 0.6 and 0.02: share lost", over(partly, lambda it: sum(it) / len(it)), share))
    for k in (1, 3, 10):
        both = share**2 + BAD * (1 - BAD) * (bad - good) ** 2 * (1 - TO_BAD - TO_GOOD) ** k
        found = [pairs(it, k) for it in partly]
        rows.append(mean_row(f"with losses of 0.6 and 0.02: two lost at a distance of {k}", found, both))
    return rows


def beyond(times: list[float]) -> float:
    """The most that was sent in any interval, beyond what the rate allows [bytes]."""
    # The largest sum of a run of neighbours, each worth its size less the tokens since the one before.
    most = here = float(SIZE)
    for before, at in pairwise(times):
        here = max(here - (at - before) * RATE / 8, 0) + SIZE
        most = max(most, here)
    return most


def buckets(seconds: int) -> list[Row]:
    """Conformance of the shaper and of the policer."""
    bucket = f'rate = "{RATE / 1e6:g} Mb/s", burst = "{BURST} B"'
    shaper = f'queue = {{ kind = "token-bucket", buffer = "100000 packets", {bucket} }}'
    comes_and_goes = '{ kind = "on-off", on = "40 packets", off = "400 ms", rate = "20 Mb/s" }'
    [there] = runs(plan(shaper, comes_and_goes, seconds), range(1, 2), tape=True)
    most = beyond(delivered(there))
    rows = [
        Row(
            "`token-bucket`, a source that comes and goes: sent beyond the rate in any interval",
            f"{most:.3f} B",
            f"{BURST} B",
            "the burst, to a token",
            abs(most - BURST) <= 1,
        )
    ]
    [full] = runs(plan(shaper, cbr("20 Mb/s"), seconds), range(1, 2), tape=True)
    times = delivered(full)
    # The k-th packet comes at (k - 1) of these, and is sent when it is there and has its tokens.
    gap = SIZE * 8 / 20e6
    ideal = [max((k - 1) * gap, (k * SIZE - BURST) * 8 / RATE) for k in range(1, len(times) + 1)]
    late = max(abs(at - there - times[0] + ideal[0]) for at, there in zip(times, ideal, strict=True))
    token = 8 / RATE
    rows.append(
        Row(
            f"`token-bucket`, overload: {len(times)} departures, the largest difference from (k L - burst) / rate",
            f"{late * 1e6:.3f} us",
            "0",
            f"a token, {token * 1e6:.0f} us",
            late <= token,
        )
    )
    two = f'{bucket}, peak_rate = "2 Mb/s", peak_burst = "3000 B", yellow_room = "0 packets"'
    for name, keys in (("one rate", bucket), ("two rates", two)):
        policer = f'queue = {{ kind = "policer", buffer = "1000 packets", {keys} }}'
        [run] = runs(plan(policer, cbr("20 Mb/s"), seconds), range(1, 2), tape=True)
        times = delivered(run)
        allowed = BURST + (times[-1] - times[0]) * RATE / 8
        # With two rates, the burst passes no faster than the peak rate allows; in the end it has.
        passed = len(times) * SIZE
        near = allowed - SIZE <= passed <= allowed + 1
        rows.append(
            Row(
                f"`policer`, {name}: passed in {seconds} s",
                f"{passed} B",
                f"{allowed:.0f} B",
                "less than a packet",
                near,
            )
        )
    return rows


def check(quick: bool) -> Report:
    """All of them."""
    seeds = range(1, 6) if quick else range(1, 21)
    rows = jitter(seeds, 500 if quick else 5000) + losses(seeds, 5 if quick else 50) + buckets(5 if quick else 60)
    return Report(TITLE, AGAINST, rows, TEXT.format(seeds=len(seeds)), order=42)
