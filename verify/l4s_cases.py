"""The set-ups of l4s-tests whose results `l4s_tests.toml` has, as plans.

The testbed was three network namespaces in a row: client, middlebox, server, with a kernel of the L4S team of August
2020 (commit b256daedc767 of L4STeam/linux, which is Linux 5.4 and later changes of theirs). Its files `l4s.batch` and
`fl` say what follows here, and where they are silent the kernel's and `tc`'s defaults hold.
"""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dupack.discipline import External
from dupack.work import Job, Plan, Run
from verify.linux_cases import PACKET, ewma

FILE = Path(__file__).with_name("l4s_tests.toml")

PLAN = """
title = "{title}"
duration = "{end} s"
warm_up = "{begin} s"
[[host]]
name = "to"
[[switch]]
name = "router"
[[link]]
name = "bottleneck"
carries = "packets"
from = "router"
to = "to"
rate = "{rate} Mb/s"
delay = "0 s"
queue = {queue}
"""
FLOW = """
[[host]]
name = "from-{n}"
[[link]]
name = "access-{n}"
carries = "packets"
from = "from-{n}"
to = "router"
rate = "100 Gb/s"
delay = "{delay} ms"
[[flow]]
name = "flow-{n}"
from = "from-{n}"
to = "to"
# The source says "simultaneously"; two processes do not start in the same microsecond.
start = "0 s..100 ms"
transport = {{ {transport}, header = "{header} B" }}
"""
HEADER = PACKET - 1448
"""IP, TCP with time stamps, and Ethernet [B]: `htb` counts all of them."""

PRAGUE = 'control = "prague", repair = "rack-tlp", compat = "linux", rtt_virt_min = "0 s"'
"""Prague of that kernel: `prague_rtt_scaling` is 0 by default (RTT_CONTROL_NONE), so there is no virtual round trip,
and so is `prague_ecn_fallback`."""
ACCECN = 'ecn = true, ecn_echo = "counter"'
"""`tcp_ecn` is 3: all connections count marks (AccECN); those that are not Prague's have ECT(0)."""
SENDERS = {
    "prague": PRAGUE,
    "cubic": f'kind = "linux-cubic", {ACCECN}',
    "cubic-ecn": f'kind = "linux-cubic", {ACCECN}',
    "cubic-noecn": 'kind = "linux-cubic"',
    "reno-ecn": f'kind = "linux-reno", {ACCECN}',
    "reno-noecn": 'kind = "linux-reno"',
}
"""The middlebox clears the ECN field of the packets of `noecn` before its queue."""


def _red(limit: int) -> str:
    """RED as `tc` completes `limit B avpkt 1000 adaptive bandwidth 50Mbit ecn`, thresholds rounded to packets."""
    most = limit / 4
    least = most / 3
    shift = ewma(int(least), int((2 * least + most) / 3000), 1000)
    values = {
        "buffer": f'"{limit // PACKET} packets"',
        "min_th": f'"{round(least / PACKET)} packets"',
        "max_th": f'"{round(most / PACKET)} packets"',
        "weight": 2.0**-shift,
        "mode": '"bytes"',
        "packet_size": f'"{PACKET} B"',
        "adaptive": "true",
        "ecn": "true",
        # As without `harddrop`.
        "hard_drop": "false",
    }
    return f'{{ kind = "red", {", ".join(f"{name} = {value}" for name, value in values.items())} }}'


PIE = f'derandomize = true, cap = true, ecn = true, packet_size = "{PACKET} B", estimator = "departure-rate"'
"""PIE of Linux 5.4, which measures the departure rate; the time stamps came with 5.5."""
QUEUES = {
    # An L4S packet is marked for its delay if two others waited when it arrived.
    "dualpi2": '{ kind = "dualpi2", signals = "linux", th_len = "2 packets" }',
    "fq_codel": '{ kind = "fq-codel" }',
    "pfifo(1000)": '{ kind = "drop-tail", buffer = "1000 packets" }',
    "pfifo(200)": '{ kind = "drop-tail", buffer = "200 packets" }',
    "fq_codel(1q)": '{ kind = "fq-codel", flows = 1 }',
    "fq_codel(1q,1ms/20ms)": '{ kind = "fq-codel", flows = 1, target = "1 ms", interval = "20 ms" }',
    "pie": f'{{ kind = "pie", {PIE} }}',
    "pie(100p/5ms)": f'{{ kind = "pie", buffer = "100 packets", target = "5 ms", update = "32 ms", {PIE} }}',
    "red(150000b)": _red(150_000),
    "red(400000b)": _red(400_000),
}
"""By the names in the tables."""


@dataclass(frozen=True)
class Variant:
    """What is changed in a plan to try a reason."""

    sets: tuple[str, ...] = ()
    externals: Mapping[str, External] = field(default_factory=dict)
    """Parts in Python, by their names in it."""
    senders: Mapping[str, str] = field(default_factory=dict)
    """Transports in place of those of `SENDERS`."""

    def __add__(self, other: Variant) -> Variant:
        return Variant(self.sets + other.sets, {**self.externals, **other.externals}, {**self.senders, **other.senders})


@dataclass(frozen=True)
class Setting:
    """Two flows over a queue, with what was published for them."""

    table: str
    begin: int
    """The measured part is from here [s]"""
    end: int
    """to here [s]."""
    rate: int
    """Mb/s."""
    qdisc: str
    senders: tuple[str, str]
    rtts: tuple[int, int]
    """Round trips of the empty network [ms]."""
    found: tuple[tuple[float, float], ...] = field(compare=False)
    """Delivery rates [Mb/s]: of one run, or of two where a table has the set-up in both orders."""
    rows: tuple[int, ...] = field(compare=False)
    """Of the table."""

    @property
    def name(self) -> str:
        """What a row calls it."""
        kinds = [
            kind.replace("cubic", "CUBIC").replace("prague", "Prague").replace("reno", "Reno").split("-")
            for kind in self.senders
        ]
        words = [
            " ".join([kind, *({"ecn": "with ECN", "noecn": "without ECN"}[it] for it in rest)]) for kind, *rest in kinds
        ]
        flows = f"{words[0]} {self.rtts[0]} ms, {words[1]} {self.rtts[1]} ms"
        place = f"{self.table} row{'s' if len(self.rows) > 1 else ''} {', '.join(map(str, self.rows))}"
        return f"{self.qdisc}, {self.rate} Mb/s: {flows} ({place})"

    @property
    def ratio(self) -> float:
        """First flow's rate over the second's, as published; of two runs the geometric mean."""
        return statistics.geometric_mean(first / second for first, second in self.found)

    def plan(self, senders: Mapping[str, str] = SENDERS) -> str:
        """The plan: a delay before the bottleneck, and one as long for acks."""
        parts = [PLAN.format(title=self.name, begin=self.begin, end=self.end, rate=self.rate, queue=QUEUES[self.qdisc])]
        for n, (kind, rtt) in enumerate(zip(self.senders, self.rtts, strict=True)):
            parts.append(FLOW.format(n=n, delay=rtt / 2, transport=senders[kind], header=HEADER))
        return "".join(parts)

    def jobs(self, seeds: Sequence[int], variant: Variant | None = None) -> list[Job]:
        """Runs of the plan, or of a variant."""
        own = variant or Variant()
        text = self.plan({**SENDERS, **own.senders})
        plan = Plan(text.encode(), "l4s-tests", list(own.sets), dict(own.externals))
        return [Job(plan, 0, seed) for seed in seeds]


def goodputs(run: Run) -> tuple[float, float]:
    """Of the two flows [Mb/s]."""
    found = {flow["name"]: flow["goodput_bps"] * 1e-6 for flow in run.document["flows"]}
    return found["flow-0"], found["flow-1"]


def settings() -> list[Setting]:
    """All set-ups. Rows that are mirror images are one, because both flows start at the same time."""
    made: dict[tuple[object, ...], Setting] = {}
    for table in tomllib.loads(FILE.read_text(encoding="utf-8"))["table"]:
        for cell in table["cells"]:
            one = _setting(table, cell)
            mirrored = tuple(reversed(tuple(zip(one.senders, one.rtts, strict=True))))
            key = (one.table, one.rate, one.qdisc, *zip(one.senders, one.rtts, strict=True))
            other = (one.table, one.rate, one.qdisc, *mirrored)
            if other in made and other != key:
                first = made[other]
                found = (*first.found, *((second, first) for first, second in one.found))
                made[other] = Setting(**{**vars(first), "found": found, "rows": (*first.rows, *one.rows)})
            else:
                made[key] = one
    return list(made.values())


def _setting(table: Mapping[str, Any], cell: Mapping[str, Any]) -> Setting:
    first, second = cell["senders"]
    one, two = cell["rtts"]
    return Setting(
        table["name"],
        table["from"],
        table["to"],
        cell["rate"],
        cell["qdisc"],
        (first, second),
        (one, two),
        ((cell["found"][0], cell["found"][1]),),
        (cell["row"],),
    )
