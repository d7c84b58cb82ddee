"""The figures that ns-3's program `tcp-validation` publishes for CUBIC."""

from __future__ import annotations

import csv
import io
import json

from verify.frame import Report, Row
from verify.runs import runs

TITLE = "CUBIC over CoDel, as ns-3 publishes it"
AGAINST = "the figures at the head of ns-3's examples/tcp/tcp-validation.cc, which ns-3's own tests check"
ORDER = 12
TEXT = """
One flow over 50 Mb/s with a base round trip of 50 ms and a CoDel queue (5 ms, 100 ms). Segments of 1448 bytes with
54 bytes of headers (IP, TCP with time stamps, PPP), an initial window of 10 segments, delayed acks of two segments,
slow start that counts segments, proportional rate reduction, and a least timeout of 1 s, as the program and ns-3's
defaults have them. Its sender starts at 5 s and needs a round trip to connect; ours starts a round trip later.

ns-3 ends CUBIC's first slow start at 511 segments by its HyStart. Linux' HyStart, which dupack has, ends it earlier
here. So the initial ssthresh is 511 segments, the first of its figures, and the rows are what follows from there. The
bands were stated before the first run: those of ns-3's own test where it has one, else 5 % and 0.5 s.

The figures are of 2020. ns-3's CUBIC had no Reno-friendly region before ns-3.41, so the rows that claim something are
without it (`reno_friendly = false`). We found this after the first run, which had it and whose maxima were earlier and
lower; the last rows, which claim nothing, show that run.
"""
PLAN = """
duration = "20 s"
warm_up = "0 s"
host = [{ name = "server" }, { name = "client" }]
switch = [{ name = "wan" }, { name = "lan" }]
[[link]]
name = "access"
from = "server"
to = "wan"
carries = "packets"
rate = "1 Gb/s"
delay = "1 us"
[[link]]
name = "bottleneck"
from = "wan"
to = "lan"
carries = "packets"
rate = "50 Mb/s"
delay = "TRIP ms"
back_rate = "1 Gb/s"
queue = QUEUE
[[link]]
name = "exit"
from = "lan"
to = "client"
carries = "packets"
rate = "1 Gb/s"
delay = "1 us"
[[flow]]
name = "tcp"
from = "server"
to = "client"
start = "START s"
transport = TRANSPORT
"""
TRANSPORT = {
    "control": "cubic",
    "beta_of": "window",
    "reno_friendly": False,
    "initial_ssthresh": "511 segments",
    "repair": "rack-tlp",
    "reduction": "prr",
    "mss": "1448 B",
    "header": "54 B",
    "max_window": "32 MB",
    "initial_window": "10 segments",
    "delayed_ack": True,
    "ack_delay": "200 ms",
    "counted": "segments",
    "samples": "each",
    "tick": "1 ms",
    "min_rto": "1 s",
}
CODEL = '{ kind = "codel", buffer = "1000 packets" }'
RTT_MS = 50
SHARE = 0.05
"""Band of a window."""
SOON_S = 0.5
"""Band of a time."""


def plan(**more: bool) -> str:
    """The text of the plan, with `more` of the transport."""
    values = ", ".join(f"{name} = {json.dumps(value)}" for name, value in (TRANSPORT | more).items())
    text = PLAN.replace("TRANSPORT", f"{{ {values} }}").replace("TRIP", f"{RTT_MS / 2}")
    return text.replace("START", f"{5 + RTT_MS / 1000}").replace("QUEUE", CODEL)


def windows(text: str) -> list[tuple[float, float]]:
    """Every change of the window: when [s], and to what [segments]."""
    (run,) = runs(text, tape=True)
    assert run.tape is not None
    rows = csv.DictReader(io.StringIO(run.tape))
    return [(float(it["time_s"]), float(it["cwnd"])) for it in rows if it["event"] == "cwnd"]


def largest(found: list[tuple[float, float]], begin: float, end: float) -> tuple[float, float]:
    """The largest window between two times, and when it was."""
    cwnd, at = max((cwnd, -at) for at, cwnd in found if begin <= at <= end)
    return -at, cwnd


MAXIMA = (("a", 12.0, 16.5, 14.2815, 236), ("another", 16.5, 19.5, 18.048, 234))
"""Their names, the time in which they are looked for, when they are published to be, and their values."""


def rows() -> list[Row]:
    """The rows."""
    found = windows(plan())
    low = min(cwnd for at, cwnd in found if 5.795 < at < 6)
    made = [Row("window after the first losses, 5.8 to 6 s", f"{low:.0f}", "173", "at most 190", low <= 190)]
    for name, begin, end, when, cwnd in MAXIMA:
        at, ours = largest(found, begin, end)
        fits = abs(ours / cwnd - 1) <= SHARE and abs(at - when) <= SOON_S
        what, band = f"{name} maximum between {begin:g} and {end:g} s", f"±{SHARE:.0%}, ±{SOON_S} s"
        made.append(Row(what, f"{ours:.0f} at {at:.2f} s", f"{cwnd} at {when:.2f} s", band, fits))
    found = windows(plan(reno_friendly=True))
    for name, begin, end, when, cwnd in MAXIMA:
        at, ours = largest(found, begin, end)
        what = f"{name} maximum, with the Reno-friendly region"
        made.append(Row(what, f"{ours:.0f} at {at:.2f} s", f"{cwnd} at {when:.2f} s", "nothing claimed", None))
    return made


def check(_: bool) -> Report:
    """The section; it takes seconds."""
    return Report(TITLE, AGAINST, rows(), TEXT, order=ORDER)
