"""The figures that ns-3's program `tcp-validation` publishes for DCTCP."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from verify import ns3
from verify.checks.ns3_published import PLAN, TRANSPORT
from verify.frame import Report, Row
from verify.runs import runs

TITLE = "DCTCP over CoDel, as ns-3 publishes it"
AGAINST = "the figures at the head of ns-3's examples/tcp/tcp-validation.cc, and ns-3 where it is installed"
ORDER = 13
TEXT = """
The network and the sender of the section on CUBIC, with base round trips of 10 and 80 ms; FQ-CoDel with ECN and
`ce_threshold = "1 ms"`, which with one flow is CoDel with that threshold. The rate is that of segments handed to the
application in each 200 ms, as in ns-3's program; rows name the extremes. Bands of rates are ns-3's own.

ns-3 also publishes DCTCP's alpha, the moving average of the share of marked segments. The published values are below
our share, and nothing is claimed for them: the program uses ns-3's dynamic queue limits, with which packets leave CoDel
for the queue of the device in batches, so that many leave before they have waited for 1 ms. The last rows run ns-3
(`verify/ns3_dctcp.cc`) with these limits and without them. Without them, packets leave CoDel one by one, as here; the
band of 15 % was stated after the first look.

The rate of 46.8 Mb/s is of one sample, at 33 s: when the queue reaches the threshold again, at 32.5 s, alpha is nearly
0, so the first cut is small and marks go on until a second cut takes 4 % of the window. ns-3 without dynamic queue
limits has 47.7 Mb/s there (`ns3_dctcp 0.08 41 32 40 0`). The reason for this difference is not known.
"""
SAMPLE_S = 0.2
BAND = 0.15


@dataclass(frozen=True)
class Case:
    """A base round trip."""

    rtt_ms: int
    duration_s: int
    rates: Sequence[tuple[float, float, float, float]]
    """From when to when [s] the rate is in which band [Mb/s]."""
    alpha: tuple[float, float, float, float]
    """From when to when [s] alpha is in which band."""


CASES = (
    Case(10, 15, [(5.6, 15, 48, 49)], (7, 14, 0.06, 0.085)),
    Case(80, 40, [(5, 14, 0, 20), (5, 30, 0, 48), (32, 40, 47.5, 48.5)], (34, 39, 0.015, 0.025)),
)


def plan(case: Case) -> str:
    """The text of the plan."""
    own = ("beta_of", "reno_friendly", "initial_ssthresh")
    told = {name: value for name, value in TRANSPORT.items() if name not in own}
    values = {**told, "control": "dctcp", "ecn": True, "ecn_echo": "exact"}
    transport = ", ".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
    words = {
        'duration = "20 s"': f'duration = "{case.duration_s} s"',
        "TRANSPORT": f"{{ {transport} }}",
        "TRIP": f"{case.rtt_ms / 2}",
        "START": f"{5 + case.rtt_ms / 1000}",
        "QUEUE": '{ kind = "fq-codel", ecn = true, ce_threshold = "1 ms", buffer = "1000 packets" }',
    }
    text = PLAN
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@dataclass(frozen=True)
class Found:
    """A run of ours."""

    rates: dict[float, float]
    """Ends of samples [s], and rates [Mb/s]."""
    share: float
    """Of marked packets, in the time of alpha."""


def ours(case: Case) -> Found:
    """Runs a case."""
    (run,) = runs(plan(case), tape=True)
    assert run.tape is not None
    samples: Counter[int] = Counter()
    counted: Counter[str] = Counter()
    begin, end, *_ = case.alpha
    for row in csv.DictReader(io.StringIO(run.tape)):
        at, event = float(row["time_s"]), row["event"]
        if event == "deliver":
            samples[int(at / SAMPLE_S)] += 1
        if begin <= at < end:
            counted[event] += 1
    bits = 1448 * 8
    rates = {(sample + 1) * SAMPLE_S: number * bits / SAMPLE_S / 1e6 for sample, number in samples.items()}
    return Found(rates, counted["mark"] / counted["deliver"])


def rows_of(case: Case, found: Found) -> list[Row]:
    """Those that need no ns-3."""
    made = []
    for begin, end, low, high in case.rates:
        # A sample belongs to the time at its end. The last may be cut off by the end of the run.
        within = [rate for at, rate in found.rates.items() if begin + 1e-9 < at < end - 1e-9]
        least, most = min(within), max(within)
        said = f"below {high:g} Mb/s" if low == 0 else f"{low:g} to {high:g} Mb/s"
        shown = f"at most {most:.1f} Mb/s" if low == 0 else f"{least:.1f} to {most:.1f} Mb/s"
        what = f"{case.rtt_ms} ms: rate between {begin:g} and {end:g} s"
        made.append(Row(what, shown, said, "as published", low <= least and most <= high))
    begin, end, low, high = case.alpha
    what = f"{case.rtt_ms} ms: share of packets marked between {begin:g} and {end:g} s, beside alpha"
    made.append(Row(what, f"{found.share:.3f}", f"{low:g} to {high:g}", "nothing claimed", None))
    return made


def rows_of_ns3(binary: str, case: Case, found: Found) -> list[Row]:
    """Those that run it."""
    begin, end, *_ = case.alpha
    made = []
    for limits, name in ((1, "with dynamic queue limits"), (0, "without them")):
        words = [case.rtt_ms / 1000, case.duration_s, begin, end, limits]
        done = subprocess.run([binary, *map(str, words)], capture_output=True, text=True, timeout=600, check=True)
        least, share, alpha = map(float, done.stdout.split())
        agrees, band = (None, "nothing claimed") if limits else (abs(found.share / share - 1) <= BAND, f"±{BAND:.0%}")
        theirs = f"{share:.3f}, alpha {alpha:.3f}"
        what = f"{case.rtt_ms} ms: share of packets marked, ns-3 {name}"
        note = f"ns-3's least rate in this time is {least:.1f} Mb/s"
        made.append(Row(what, f"{found.share:.3f}", theirs, band, agrees, note))
    return made


def check(quick: bool) -> Report:
    """The section; it takes seconds, and ns-3 half a minute."""
    found = [(case, ours(case)) for case in CASES]
    rows = [row for case, run in found for row in rows_of(case, run)]
    if not quick and ns3.missing() is None:
        with ns3.program(ns3.HERE / "ns3_dctcp.cc") as binary:
            rows += [row for case, run in found for row in rows_of_ns3(str(binary), case, run)]
    return Report(TITLE, AGAINST, rows, TEXT, order=ORDER)
