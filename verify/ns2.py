"""ns-2 and dupack under the same losses: one connection, one link, the kinds of losses in turn."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import dupack
from dupack.work import cores, jobs_of, run_jobs

SCRIPT = Path(__file__).with_name("ns2.tcl")
AGENTS = {
    "tahoe": ("Agent/TCP", "Agent/TCPSink"),
    "reno": ("Agent/TCP/Reno", "Agent/TCPSink"),
    "newreno": ("Agent/TCP/Newreno", "Agent/TCPSink"),
    "sack": ("Agent/TCP/Sack1", "Agent/TCPSink/Sack1"),
}
"""Transports of dupack, the ns-2 agents they are compared with, and those agents' receivers."""


@dataclass(frozen=True)
class Variant:
    """A variant of an agent."""

    transport: str
    settings: str
    """Variables of the agent, each followed by its value."""
    own: str
    """Our parameters, as a plan writes them."""


VARIANTS = {
    "newreno, slow-but-steady": Variant("newreno", "newreno_changes1_ 0", 'partial_timer = "every"'),
    "newreno, no partial window deflation": Variant("newreno", "partial_window_deflation_ 0", 'deflate = "none"'),
    "newreno, exit recovery fix": Variant("newreno", "exit_recovery_fix_ 1", 'recovered = "outstanding"'),
    "newreno, less careful": Variant("newreno", "lessCareful_ 1", "less_careful = true"),
    "sack, two segments for each partial ack": Variant("sack", "partial_ack_ 1", 'pipe = "sack1-partial"'),
}
"""Variants that both the agents and dupack have."""
FAST = {"FAST_RETX", "RENO_FAST_RETX", "NEWRENO_FAST_RETX", "FAST_RECOVERY"}
"""What ns-2's agents call the beginning of a fast retransmit."""


@dataclass(frozen=True)
class Case:
    """A connection, and what it loses."""

    transport: str
    window: int
    """The receiver's window [segments]."""
    tick_ms: int
    rate_kbps: int
    delay_us: int
    segments: int
    """Length of the transfer."""
    seed: int
    """From which ns-2 draws the phase of the clock."""
    pattern: str
    """A short name of the losses."""
    lost: tuple[int, ...]
    """Data packets lost, counted from 0 in the order in which they are sent."""
    variant: str = ""
    """A word of `VARIANTS`, if it is one."""


@dataclass(frozen=True)
class Event:
    """What a sender does."""

    kind: str
    """`send`, `fast` or `timeout`."""
    time_us: int
    segment: int = -1


def installed() -> str | None:
    """Where ns-2 is, if it is."""
    return shutil.which("ns")


def of_ns2(case: Case) -> tuple[float, list[Event]]:
    """Runs a case in ns-2: the phase of the sender's clock [s], and what the sender does."""
    agent, sink = AGENTS[case.transport]
    values = [case.window, case.tick_ms / 1e3, case.rate_kbps * 1000, case.delay_us / 1e6, case.segments, case.seed]
    settings = VARIANTS[case.variant].settings if case.variant else ""
    words = [installed() or "ns", str(SCRIPT), agent, sink, *map(str, [*values, settings, *case.lost])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode or done.stderr:
        raise RuntimeError(f"ns-2 failed on {case}: {done.stderr or done.stdout[-200:]}")
    first, *lines = done.stdout.splitlines()
    events = []
    for line in lines:
        word, time, *rest = line.split()
        us = round(float(time) * 1e6)
        if word == "+" and int(rest[8]) < case.segments:
            # For a partial ack, `partial_ack_` sends two segments even beyond the end of the transfer.
            events.append(Event("send", us, int(rest[8])))
        elif word == "E" and rest[3] in FAST:
            events.append(Event("fast", us))
        elif word == "E" and rest[3] == "TIMEOUT":
            events.append(Event("timeout", us))
    return float(first.split()[1]), events


PLAN = """
title = "The same as in ns-2"
duration = "3000 s"
seed = 1
host = [{{ name = "from" }}, {{ name = "to" }}]

[[link]]
name = "path"
from = "from"
to = "to"
carries = "packets"
rate = "{rate} kb/s"
delay = "{delay} us"
back_rate = "100 Gb/s"
queue = {{ kind = "drop-tail", buffer = "100000 packets" }}
{loss}

[[flow]]
name = "transfer"
from = "from"
to = "to"
traffic = {{ kind = "file", size = "{segments} segments" }}
transport = {{ kind = "{kind}", compat = "ns2", mss = "960 B", max_window = "{window} segments", {own} }}
"""


def plan(case: Case, phase: float, own: str = "") -> dupack.Plan:
    """The plan of a case; `own` goes before what the preset says."""
    lost = ", ".join(map(str, case.lost))
    if case.variant:
        own = ", ".join(filter(None, [own, VARIANTS[case.variant].own]))
    text = PLAN.format(
        rate=case.rate_kbps,
        delay=case.delay_us,
        loss=f'loss = {{ kind = "script", flow = "transfer", packets = [{lost}] }}' if lost else "",
        segments=case.segments,
        kind=case.transport,
        window=case.window,
        own=f'tick = "{case.tick_ms} ms", tick_phase = "{round(phase * 1e12)} ps"' + (own and ", ") + own,
    )
    return dupack.Plan(text.encode(), "ns2", [])


def of_dupack(cases: Sequence[tuple[Case, float]], own: str = "") -> list[list[Event]]:
    """Runs cases in dupack, each with the phase of its clock: what the sender does."""
    jobs = [job for case, phase in cases for job in jobs_of(plan(case, phase, own))]
    found: list[list[Event]] = [[] for _ in jobs]

    def done(index: int, run: dupack.Run) -> None:
        events = found[index]
        for line in (run.tape or "").splitlines()[1:]:
            time, _, event, segment, *_ = line.split(",")
            us = round(float(time) * 1e6)
            if event in ("send", "retransmit"):
                events.append(Event("send", us, int(segment)))
            elif event in ("fast_retransmit", "timeout"):
                events.append(Event(event.split("_")[0], us))

    run_jobs(jobs, tape=True, done=done)
    return found


def sends(events: Sequence[Event]) -> list[int]:
    """The segments sent, in order."""
    return [event.segment for event in events if event.kind == "send"]


def happened(events: Sequence[Event], kind: str) -> list[int]:
    """How many packets had been sent at each event of a kind."""
    sent, all_of = 0, []
    for event in events:
        sent += event.kind == "send"
        if event.kind == kind:
            all_of.append(sent)
    return all_of


def difference(ours: Sequence[Event], theirs: Sequence[Event]) -> str | None:
    """Where two senders part: in what they send, or in when, or in why; `None` if nowhere."""
    mine, other = sends(ours), sends(theirs)
    for at, (one, two) in enumerate(zip(mine, other, strict=False)):
        if one != two:
            return f"packet {at} carries segment {one}, in ns-2 {two}"
    if len(mine) != len(other):
        return f"{len(mine)} packets are sent, in ns-2 {len(other)}"
    for kind in ("timeout", "fast"):
        here, there = happened(ours, kind), happened(theirs, kind)
        if here != there:
            return f"{kind} after packets {here}, in ns-2 {there}"
    times = zip(ours, theirs, strict=True)
    late = [(a, b) for a, b in times if abs(a.time_us - b.time_us) > 2]
    if late:
        a, b = late[0]
        return f"{a.kind} of {a.segment} at {a.time_us} us, in ns-2 at {b.time_us}"
    return None


def patterns(rng: random.Random, window: int, segments: int) -> list[tuple[str, list[int]]]:
    """Losses of each kind: its name, and the packets by their place among all that are sent."""
    count = rng.randint(1, 6)
    base = rng.randint(2, min(80, segments - window - 8))
    step = rng.randint(2, 7)
    first = rng.randint(0, 3)
    edge = base + window
    return [
        ("one", [base]),
        ("adjacent", [base + n for n in range(count)]),
        ("spaced", [base + step * n for n in range(count)]),
        ("anywhere in a window", sorted(rng.sample(range(base, base + max(window, count)), count))),
        ("first packets", sorted({first, *rng.sample(range(8), min(count, 3))})),
        ("last packets", sorted(rng.sample(range(segments - 6, segments), min(count, 6)))),
        ("edges of a window", sorted({base, edge - 1, edge, edge + 1}.difference([base] if count < 3 else []))),
        ("lost retransmission", [base + step * n for n in range(min(count, 4))]),
        ("retransmission lost twice", [base]),
    ]


def cases(number: int, seed: int, *, variants: bool = False) -> list[Case]:
    """This many cases, with the transports in turn, or with their variants."""
    rng = random.Random(seed)
    made: list[Case] = []
    names = list(VARIANTS if variants else AGENTS)
    for index in range(number):
        name = names[index % len(names)]
        transport = VARIANTS[name].transport if variants else name
        window = rng.randint(4, 40)
        segments = rng.randint(90, 140)
        # Each transport gets every kind in turn, with packets of this case's window and length.
        kinds = patterns(rng, window, segments)
        pattern, lost = kinds[index // len(names) % len(kinds)]
        made.append(
            Case(
                transport=transport,
                window=window,
                tick_ms=rng.choice([10, 10, 100]),
                # Prime numbers, so that no ack arrives at the very instant at which a timer expires.
                rate_kbps=rng.choice([797, 1493, 4003, 9973]),
                delay_us=rng.choice([7_013, 25_007, 50_021, 120_011]),
                segments=segments,
                seed=rng.randint(10**6, 2 * 10**9),
                pattern=pattern,
                lost=tuple(lost),
                variant=name if variants else "",
            )
        )
    return made


def with_lost_retransmissions(case: Case) -> Case:
    """The same case with the first retransmission lost, too, and the one after it, as its pattern asks."""
    times = {"lost retransmission": 1, "retransmission lost twice": 2}.get(case.pattern, 0)
    for _ in range(times):
        segments = sends(of_ns2(case)[1])
        again = [at for at, one in enumerate(segments) if one in segments[:at] and at not in case.lost]
        if not again:
            break
        case = replace(case, lost=tuple(sorted({*case.lost, again[0]})))
    return case


@dataclass(frozen=True)
class Verdict:
    """What came of a case."""

    case: Case
    difference: str | None
    ours: list[Event]
    theirs: list[Event]


def compare(all_cases: Sequence[Case], own: str = "") -> list[Verdict]:
    """Runs cases in both simulators."""
    with ThreadPoolExecutor(cores()) as pool:
        whole = list(pool.map(with_lost_retransmissions, all_cases))
        theirs = list(pool.map(of_ns2, whole))
    pairs = [(case, phase) for case, (phase, _) in zip(whole, theirs, strict=True)]
    ours = of_dupack(pairs, own)
    return [
        Verdict(case, difference(mine, events), mine, events)
        for case, mine, (_, events) in zip(whole, ours, theirs, strict=True)
    ]
