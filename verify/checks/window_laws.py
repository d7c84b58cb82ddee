"""Laws of windows and shares: CUBIC's window, exponents of the round trip, BBR's data in flight, DCTCP's sawtooth."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from dupack.work import Run
from verify.frame import Report, Row
from verify.runs import documents, runs

TITLE = "Laws of windows and shares"
AGAINST = "RFC 9438, Lakshman & Madhow 1997, Cardwell et al. 2016, Ware et al. 2019, Alizadeh et al. 2010 and 2011"
TEXT = """
**Average window.** One packet in 1/p is lost on a long line, at equal distances, as the formulas assume. The
average window is packets sent per second times the mean round trip. Reno's is sqrt(3 / (2 p)). CUBIC's is (C (3 +
beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4) (RFC 9438 §5.1), or Reno's if that is larger. Band: ±5 %.

**Exponents of the round trip.** With the same p, throughput is proportional to RTT^-e, where e is 1 for Reno and
1/4 for CUBIC, by the same formulas. Band: ±0.05, of a fit over round trips of 50 to 400 ms. Two flows with unequal
round trips share a FIFO queue of 1 BDP of the longer one: e lies between that of equal p and that of losses that
always hit both flows at once, which is 2 for Reno (Lakshman & Madhow 1997) and 1 for CUBIC, whose window then
depends on time alone. The round trips are those measured, with the queue. Band: from the one to the other, ±0.05,
for the mean of the seeds.

**BBR alone.** Data in flight, which is throughput times the mean round trip, is 1.0 BDP (Cardwell et al. 2016). The
buffer has 4 BDP. Band: ±10 %.

**BBRv1 beside CUBIC** (Ware et al. 2019). BBR is limited by its cap of two estimated BDPs. It measures the round
trip while it has four packets in flight itself, and only the others' packets wait. If the buffer of q packets, X
BDP deep, is full, the others have p = 1/2 - 1/(2 X) - 4/q of it and of the link. BBR has the rest, less the time in
ProbeRTT, which is (q / c + 0.2 s + RTT) of each 10 s. One flow of each shares 20 Mb/s with a round trip of 40 ms,
for 400 s. The paper was not at hand: this is its model as others cite it, and we derived it again. Band: ±0.1 of
the link, for the mean of the seeds.

**DCTCP** (Alizadeh et al. 2010 §3.3). The queue of one flow, at a threshold of K packets, is a sawtooth. With W* =
C RTT + K, its top is K + 1 packets, its amplitude sqrt(2 W*) / 2, its period sqrt(2 W*) / 2 round trips, and alpha
is sqrt(2 / W*). The stability and fairness of Alizadeh et al. 2011 rest on this law. alpha is read from the
reductions of the window. Bands: ±10 %, and ±0.05 for the exponents 1/2 over W*.
"""
BELOW = """
Reasons for rows outside their bands, each by a run that was added when these rows had been seen:

1. CUBIC's formula is that of an equilibrium in which every loss comes at the last maximum, and it has no fast
   convergence. In the cubic function's plateau the maximum changes by less than 0.1 % per loss, so that 30 losses
   do not reach the equilibrium from slow start. Runs that begin at the equilibrium, without fast convergence, are
   within the band. With it the window falls to nine tenths of the formula from there, too.
2. BBRv1 as in Linux adds three bursts to its volume in flight (`bbr_quantization_budget`), and a burst is two
   packets or, above 24 Mb/s, a millisecond: at 10 Mb/s they are up to 8 packets, with rounding, of a BDP of 34; at
   50 Mb/s they are 3 of 20 ms. They stand in the queue. With packets of a quarter of the size (10 Mb/s), and with a
   round trip of 80 ms (50 Mb/s), the rows are within the band. BBRv3's ProbeBW_UP lasts three round trips or more,
   and begins every two to three seconds: of round trips of 200 ms that is a fifth of the time; with 80 and 100 ms
   the rows are within the band.
3. Ware's model has a buffer that is always full, and so a constant window of the others. Beside a sender with a
   constant window of w packets, BBR's cap is 2 w' c / (w + w') (w + 4) / c, so that w' = w + 8: BBR's share is (w +
   8) / (2 w + 8), less the time in ProbeRTT. These rows are within the band. CUBIC's window is 0.7 to 1 times its
   maximum, and BBR's filter takes the shortest round trip of 10 s, of the time when it is low. In deep buffers the
   difference is small.
4. DCTCP's law has a constant alpha, which needs g < 1.386 / sqrt(2 W*) (Alizadeh et al. 2010 §3.4); the default of
   1/16 is larger for W* above 246. alpha then decays between marks, and a reduction uses its lowest value. With g =
   1/256 the rows are within the band, but for one: at the smallest W* a round trip more is a seventh of the period.
5. The two flows keep in step with the FIFO queue: whose packets find it full depends on the phases of their
   packets, which differ little from seed to seed (Floyd & Jacobson 1992). With RED, which drops at random, the rows
   are within the band.
"""
HEAD = """
duration = "{duration} s"
warm_up = "{warm_up} s"
{more}
"""
LINE = """
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
carries = "packets"
from = "a"
to = "b"
rate = "10 Gb/s"
delay = "{delay} ms"
queue = {{ kind = "drop-tail", buffer = "1000000 packets" }}
loss = {{ kind = "script", flow = "f", packets = {lost} }}
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = {{ kind = "greedy" }}
transport = {{ {transport}, mss = "1460 B", max_window = "100000 segments", min_rto = "1 s" }}
"""
SHARED = """
[[host]]
name = "r"
[[switch]]
name = "s"
[[link]]
name = "bottleneck"
carries = "packets"
from = "s"
to = "r"
rate = "{rate:.6g} Mb/s"
delay = "1 ms"
queue = {queue}
"""
FLOW = """
[[host]]
name = "{name}"
[[link]]
name = "to-{name}"
carries = "packets"
from = "{name}"
to = "s"
rate = "10 Gb/s"
delay = "{delay:.6f} ms"
queue = {{ kind = "drop-tail", buffer = "100000 packets" }}
[[flow]]
name = "{name}"
from = "{name}"
to = "r"
start = "0 s..2 s"
traffic = {{ kind = "greedy" }}
transport = {{ {transport}, mss = "{mss} B", max_window = "100000 segments" }}
"""
RENO = 'kind = "newreno"'
CUBIC = 'control = "cubic", repair = "sack", pipe = "rfc6675", fast_convergence = {}'
DEFAULT, PLAIN = CUBIC.format("true"), CUBIC.format("false")
BETA, C = 0.7, 0.4
"""Of CUBIC."""
WINDOW, EXPONENT, FLIGHT, SHARE, SAW = 0.05, 0.05, 0.1, 0.1, 0.1
"""Bands."""
EPOCHS = 30
"""Losses that a run measures."""
TRIPS = (0.05, 0.1, 0.2, 0.4)
"""Round trips [s] of the exponents with equal p."""
RATE, TRIP = 20.0, 40.0
"""Link that BBR and others share [Mb/s], and its round trip [ms]."""
HEADER = 40


def reno_window(p: float) -> float:
    """Average window of Reno [segments]."""
    return math.sqrt(1.5 / p)


def cubic_window(p: float, rtt: float) -> float:
    """Average window of CUBIC by RFC 9438 [segments]."""
    return max(reno_window(p), (C * (3 + BETA) / (4 * (1 - BETA))) ** 0.25 * (rtt / p) ** 0.75)


def predicted(transport: str, p: float, rtt: float) -> float:
    """Average window of a transport [segments]."""
    return cubic_window(p, rtt) if "cubic" in transport else reno_window(p)


def exponent(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Slope of log y over log x, by least squares."""
    return statistics.linear_regression([math.log(x) for x in xs], [math.log(y) for y in ys]).slope


def within(found: float, want: float, band: float) -> bool:
    """Whether a value is within a band around another, as a share of that."""
    return abs(found / want - 1) <= band


def window(transport: str, p: float, rtt: float, *, settled: bool = False) -> tuple[float, float]:
    """Average window with one loss in 1/p packets [segments], and packets sent per second.

    ``settled``: the first loss comes as soon as slow start has reached the maximum of the equilibrium.
    """
    every, want = round(1 / p), predicted(transport, p, rtt)
    epoch, peak = every / (want / rtt), round(want * 4 / (3 + BETA))
    warm_up, seconds = math.ceil(8 * epoch), math.ceil(EPOCHS * epoch)
    first = round(2.2 * peak) if settled else every
    lost = [first + every * i for i in range(4 * EPOCHS)]
    if settled:
        transport += f', initial_ssthresh = "{peak} segments"'
    text = HEAD.format(duration=warm_up + seconds, warm_up=warm_up, more="")
    (document,) = documents(text + LINE.format(delay=rtt * 500, lost=lost, transport=transport), [1])
    flow = document["flows"][0]
    rate = flow["segments_sent"] / seconds
    return rate * flow["mean_rtt_s"], rate


def windows(quick: bool) -> list[Row]:
    """Average windows."""
    settings = [(1e-3, 0.1), (1e-4, 0.1)] if quick else [(1e-3, 0.1), (1e-4, 0.1), (1e-4, 0.2), (1e-5, 0.1)]
    rows = []
    for p, rtt in settings:
        cases = [("newreno", RENO, False), ("cubic", DEFAULT, False)]
        if cubic_window(p, rtt) > reno_window(p):
            cases += [("cubic from its equilibrium, without fast convergence", PLAIN, True)]
            cases += [("cubic from its equilibrium", DEFAULT, True)]
        for name, transport, settled in cases:
            got, want = window(transport, p, rtt, settled=settled)[0], predicted(transport, p, rtt)
            agrees = within(got, want, WINDOW)
            what = f"{name}, p = {p:g}, RTT {rtt * 1e3:g} ms: average window"
            note = f"{got / want - 1:+.1%}" + ("" if agrees else "; reason 1")
            rows.append(Row(what, f"{got:.1f}", f"{want:.1f}", "±5 %", agrees, note))
    return rows


def same_loss(quick: bool) -> list[Row]:
    """Exponents of the round trip with the same losses."""
    trips, p = TRIPS[:2] if quick else TRIPS, 1e-4 if quick else 1e-5
    rows = []
    for name, transport, want in (("newreno", RENO, 1.0), ("cubic without fast convergence", PLAIN, 0.25)):
        rates = [window(transport, p, rtt, settled="cubic" in transport)[1] for rtt in trips]
        got = -exponent(trips, rates)
        agrees = abs(got - want) <= EXPONENT
        rows.append(Row(f"{name}, p = {p:g}: exponent of the RTT", f"{got:.3f}", f"{want:g}", "±0.05", agrees))
    return rows


def fifo(packets: float) -> str:
    """A queue."""
    return f'{{ kind = "drop-tail", buffer = "{round(packets)} packets" }}'


def shared(
    queue: str,
    flows: Sequence[tuple[str, float]],
    rate: float,
    seconds: tuple[int, int],
    mss: int = 1460,
    more: str = "",
) -> str:
    """A plan of flows over one link of ``rate`` [Mb/s].

    A flow is a transport and a round trip [ms]; ``seconds`` are the time that is measured, and the warm-up.
    """
    text = HEAD.format(duration=sum(seconds), warm_up=seconds[1], more=more) + SHARED.format(rate=rate, queue=queue)
    for i, (transport, rtt) in enumerate(flows):
        text += FLOW.format(name=f"f{i}", delay=(rtt - 2) / 2, transport=transport, mss=mss)
    return text


def unequal(seeds: range) -> list[Row]:
    """Exponents of the round trip of two flows that share a queue: FIFO, or RED."""
    rows = []
    for name, transport, low, high in (("newreno", RENO, 1.0, 2.0), ("cubic", DEFAULT, 0.25, 1.0)):
        for short, long in ((20, 40), (20, 80)):
            bdp = 100 * long / 12
            for kind, queue in (("FIFO", fifo(bdp)), ("RED", red(bdp))):
                text = shared(queue, [(transport, short), (transport, long)], 100, (300, 60))
                found = []
                for document in documents(text, seeds):
                    trips, rates = zip(
                        *((it["mean_rtt_s"], it["goodput_bps"]) for it in document["flows"]), strict=True
                    )
                    found.append(exponent(trips, rates))
                got = -statistics.mean(found)
                agrees = low - EXPONENT <= got <= high + EXPONENT
                what = f"two {name}, 100 Mb/s, {short} and {long} ms, {kind}: exponent of the RTT"
                note = "" if agrees else "reason 5"
                rows.append(Row(what, f"{got:.2f}", f"{low:g} to {high:g}", "between, ±0.05", agrees, note))
    return rows


def red(bdp: float) -> str:
    """RED with an average queue of at most half of the BDP [packets]."""
    thresholds = f'min_th = "{round(bdp / 6)} packets", max_th = "{round(bdp / 2)} packets"'
    return f'{{ kind = "red", buffer = "{round(2 * bdp)} packets", {thresholds}, max_p = 0.05, gentle = true }}'


def in_flight(kind: str, rate: float, rtt: float, mss: int) -> float:
    """Data in flight of a BBR alone [BDP]."""
    bits = (mss + HEADER) * 8
    least = rtt + bits / rate / 1e3
    bdp = rate * least * 1e3 / bits
    (document,) = documents(shared(fifo(4 * bdp), [(f'kind = "{kind}"', rtt)], rate, (100, 30), mss), [1])
    flow = document["flows"][0]
    return float(flow["segments_sent"] / 100 * flow["mean_rtt_s"] / bdp)


def alone(quick: bool) -> list[Row]:
    """BBR's data in flight."""
    settings = [(10, 40, 1460), (50, 20, 1460), (100, 100, 1460), (20, 200, 1460), (10, 40, 336), (50, 80, 1460)]
    rows = []
    for kind in ("bbr1", "bbr3"):
        for rate, rtt, mss in settings[:1] if quick else settings:
            got = in_flight(kind, rate, rtt, mss)
            agrees = within(got, 1, FLIGHT)
            what = f"{kind} alone, {rate} Mb/s, {rtt} ms, packets of {mss + HEADER} B: data in flight"
            rows.append(Row(what, f"{got:.3f} BDP", "1 BDP", "±10 %", agrees, "" if agrees else "reason 2"))
    return rows


def probing(queue: float, bits: float) -> float:
    """Share of its time that BBR spends in ProbeRTT, after it has drained a queue of this many packets."""
    return float((queue * bits / RATE / 1e6 + 0.2 + TRIP / 1e3) / 10)


def beside(seeds: range, depths: Sequence[int]) -> list[Row]:
    """BBRv1's share of the link beside CUBIC, and beside a constant window."""
    bits = (1460 + HEADER) * 8
    bdp = RATE * TRIP * 1e3 / bits
    rows = []

    def row(what: str, text: str, want: float, reason: str) -> None:
        shares = []
        for document in documents(text, seeds):
            one, two = (flow["goodput_bps"] for flow in document["flows"])
            shares.append(one / (one + two))
        got = statistics.mean(shares)
        agrees = abs(got - want) <= SHARE
        rows.append(Row(what, f"{got:.3f}", f"{want:.3f}", "±0.1", agrees, "" if agrees else reason))

    for depth in depths:
        queue = depth * bdp
        others = 0.5 - 1 / (2 * depth) - 4 / queue
        want = (1 - others) * (1 - probing(queue, bits))
        flows = [('kind = "bbr1"', TRIP), ('control = "cubic", repair = "rack-tlp"', TRIP)]
        text = shared(fifo(queue), flows, RATE, (400, 60))
        row(f"bbr1 beside cubic, buffer of {depth} BDP: share", text, want, "reason 3")
    for depth in depths:
        w = round(depth * bdp)
        want = (w + 8) / (2 * w + 8) * (1 - probing(w, bits))
        flows = [('kind = "bbr1"', TRIP), (f'kind = "static-window", window = "{w} segments"', TRIP)]
        row(f"bbr1 beside a window of {depth} BDP: share", shared(fifo(1e5), flows, RATE, (400, 60)), want, "")
    return rows


def sawtooth(bdp: int, k: int, g: float) -> dict[str, float]:
    """Top and amplitude of DCTCP's queue [packets], its alpha, and its period [round trips]."""
    rtt, warm_up = 20.0, 30
    rate = bdp * 12 / rtt
    red = f'kind = "red", min_th = "{k} packets", max_th = "{k + 1} packets", gentle = true, max_p = 1, weight = 1'
    queue = f'{{ {red}, ecn = true, buffer = "100000 packets" }}'
    flows = [(f'kind = "dctcp", g = {g}', rtt - 12 / rate)]
    (run,) = runs(shared(queue, flows, rate, (50, warm_up), more='sample = "2 ms"'), [1], tape=True)
    series = run.document["series"]
    waiting = [n for t, n in zip(series["time_s"], series["backlog"]["bottleneck"], strict=True) if t > warm_up]
    cuts = reductions(run, warm_up)
    periods = [after[0] - before[0] for before, after in pairwise(cuts)]
    return {
        "top": max(waiting),
        "amplitude": max(waiting) - min(waiting),
        "alpha": statistics.mean(2 * (1 - after / before) for _, before, after in cuts),
        "period": statistics.mean(periods) / (rtt / 1e3 * (bdp + k) / bdp),
    }


def reductions(run: Run, since: float) -> list[tuple[float, float, float]]:
    """Reductions of the window after ``since`` [s]: when, from and to."""
    assert run.tape is not None
    lines = [line for line in csv.DictReader(io.StringIO(run.tape)) if line["event"] == "cwnd"]
    steps = [(float(line["time_s"]), float(line["cwnd"])) for line in lines]
    return [(t, was, now) for (_, was), (t, now) in pairwise(steps) if now < was - 0.5 and t > since]


def dctcp(quick: bool) -> list[Row]:
    """DCTCP's sawtooth for several W*."""
    rows: list[Row] = []
    bdps = (120, 960) if quick else (60, 120, 240, 480, 960)
    for g, name in ((1 / 16, "1/16"), (1 / 256, "1/256")):
        found: dict[str, list[float]] = {"amplitude": [], "alpha": []}
        wants = [bdp + bdp // 3 for bdp in bdps]
        for bdp, w in zip(bdps, wants, strict=True):
            got, half = sawtooth(bdp, bdp // 3, g), math.sqrt(2 * w) / 2
            laws = {"top": bdp // 3 + 1, "amplitude": half, "alpha": math.sqrt(2 / w), "period": half}
            for what, want in laws.items():
                # Queues are whole packets.
                whole = 1 if what in ("top", "amplitude") else 0
                agrees = abs(got[what] - want) <= max(SAW * want, whole)
                band = "±10 %, or a packet" if whole else "±10 %"
                text = f"dctcp, g = {name}, W* = {w}: {what}"
                rows.append(_saw(text, f"{got[what]:.4g}", f"{want:.4g}", band, agrees))
            for what, values in found.items():
                values.append(got[what])
        for what, want in (("amplitude", 0.5), ("alpha", -0.5)):
            slope = exponent(wants, found[what])
            agrees = abs(slope - want) <= EXPONENT
            rows.append(
                _saw(f"dctcp, g = {name}: exponent of {what} over W*", f"{slope:.3f}", f"{want:g}", "±0.05", agrees)
            )
    return rows


def _saw(what: str, ours: str, theirs: str, band: str, agrees: bool) -> Row:
    return Row(what, ours, theirs, band, agrees, "" if agrees else "reason 4")


DEPARTS = frozenset(
    {
        "cubic, p = 0.0001, RTT 100 ms: average window",
        "cubic from its equilibrium, p = 0.0001, RTT 100 ms: average window",
        "cubic, p = 0.0001, RTT 200 ms: average window",
        "cubic from its equilibrium, p = 0.0001, RTT 200 ms: average window",
        "cubic, p = 1e-05, RTT 100 ms: average window",
        "cubic from its equilibrium, p = 1e-05, RTT 100 ms: average window",
        "bbr1 alone, 10 Mb/s, 40 ms, packets of 1500 B: data in flight",
        "bbr1 alone, 50 Mb/s, 20 ms, packets of 1500 B: data in flight",
        "bbr3 alone, 20 Mb/s, 200 ms, packets of 1500 B: data in flight",
        "bbr1 beside cubic, buffer of 2 BDP: share",
        "bbr1 beside cubic, buffer of 4 BDP: share",
        "dctcp, g = 1/16, W* = 80: amplitude",
        "dctcp, g = 1/16, W* = 80: alpha",
        "dctcp, g = 1/16, W* = 160: amplitude",
        "dctcp, g = 1/16, W* = 160: alpha",
        "dctcp, g = 1/16, W* = 320: amplitude",
        "dctcp, g = 1/16, W* = 320: alpha",
        "dctcp, g = 1/16, W* = 320: period",
        "dctcp, g = 1/16, W* = 640: amplitude",
        "dctcp, g = 1/16, W* = 640: alpha",
        "dctcp, g = 1/16, W* = 640: period",
        "dctcp, g = 1/16, W* = 1280: amplitude",
        "dctcp, g = 1/16, W* = 1280: alpha",
        "dctcp, g = 1/16, W* = 1280: period",
        "dctcp, g = 1/16: exponent of alpha over W*",
        "dctcp, g = 1/256, W* = 80: period",
        "two newreno, 100 Mb/s, 20 and 40 ms, FIFO: exponent of the RTT",
        "two cubic, 100 Mb/s, 20 and 40 ms, FIFO: exponent of the RTT",
    }
)
"""Rows that were outside their bands when they were first seen, with a reason below; any other one is an error."""


def check(quick: bool) -> Report:
    """Runs all of it."""
    seeds = range(1, 2 if quick else 6)
    rows = windows(quick) + same_loss(quick) + ([] if quick else unequal(seeds)) + alone(quick)
    rows += beside(seeds, (4,) if quick else (2, 4, 8, 16)) + dctcp(quick)
    rows = [replace(row, departs=row.agrees is False and row.what in DEPARTS) for row in rows]
    return Report(TITLE, AGAINST, rows, TEXT, below=BELOW, order=41)
