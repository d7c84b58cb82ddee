"""EPD, PPD and ABR with ERICA, cell for cell, beside a simulator of ATM from the time of ATM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from verify import yats, yats_abr, yats_epd
from verify.frame import Report, Row
from verify.yats_abr import RULES, Abr, Courses, Source
from verify.yats_epd import Epd, Fates, Judged

TITLE = "Cells judged by YATS"
AGAINST = (
    "YATS, the ATM simulator of TU Dresden (1995 to 2005; github:hleuwer/luayats): its EPD multiplexer, "
    "its ABR source and destination after TM 4.0, and its ERICA switch"
)
ORDER = 14
SEEDS = range(1, 21)
RATES, USED = 0.05, 0.02
"""Bands of rates and of the use of a line."""
SETTLED, SETTLED_MS = 0.25, 20.0
"""Band of the time until sources have found their rates: a part of it, and at least some time."""

EPD = (
    Epd(2, 0.9, 60, 0.5, range(2, 7)),
    Epd(2, 1.5, 100, 0.8, range(10, 61)),
    Epd(4, 1.0, 40, 0.25, range(2, 41)),
    Epd(4, 2.0, 200, 0.7, [12]),
    Epd(4, 1.3, 20, 0.0, range(2, 21)),
    Epd(8, 0.9, 30, 0.5, range(2, 13)),
    Epd(8, 1.2, 16, 0.1, range(2, 7)),
    Epd(8, 1.1, 25, 1.0, range(5, 31)),
    Epd(8, 3.0, 500, 0.9, range(20, 193)),
    Epd(2, 1.1, 30, None, range(2, 13)),
    Epd(4, 1.5, 50, None, range(2, 61)),
    Epd(8, 3.0, 200, None, range(20, 193)),
    Epd(4, 1.5, 40, 0.5, [1], pass_last=False),
    Epd(4, 1.5, 40, 0.5, [1]),
)


@dataclass(frozen=True)
class Setting:
    """Sources behind ERICA, and what is said of them."""

    what: str
    case: Abr
    fairness: bool = False
    """Whether YATS differs for its lack of a memory, so that rates depart."""


def _equal(many: int, round_trip_ms: float) -> list[Source]:
    return [Source(round_trip_ms)] * many


ABR = (
    Setting("2 sources, 1 ms", Abr(_equal(2, 1))),
    Setting("5 sources, 5 ms", Abr(_equal(5, 5))),
    Setting("10 sources, 20 ms", Abr(_equal(10, 20))),
    Setting("4 sources, 1, 5, 10 and 20 ms", Abr([Source(it) for it in (1, 5, 10, 20)])),
    Setting("3 sources, 5 ms, the first with a PCR of 10,000", Abr([Source(5, pcr=10_000), *_equal(2, 5)]), True),
    Setting("2 sources, 5 ms, the second from 1 s on", Abr([Source(5), Source(5, 1_000_000)])),
    Setting(
        "parking lot: the first over both lines, the second over one, two over the other, 5 ms",
        Abr([Source(5, lines=it) for it in ((0, 1), (0, 0), (1, 1), (1, 1))], lines=2),
    ),
    Setting(
        "3 sources, 5 ms, the first with a PCR of 10,000, the third from 1 s on",
        Abr([Source(5, pcr=10_000), Source(5), Source(5, 1_000_000)]),
        True,
    ),
    Setting("5 sources, 5 ms, an interval of 1 ms, RIF = 1", Abr(_equal(5, 5), interval_ms=1, rif=1)),
)
RUN = "YATS was run here, at its commit {commit:.10}; its results are kept in `verify/yats.json`."
KEPT = (
    "YATS was not run here: {why}. Its results, in `verify/yats.json`, are of {kept.date}, at commit {kept.commit:.10}."
)
TEXT = """
A program of ours (`verify/yats.cc`) makes YATS' objects and connects them, without its scripts; `YATS=FOLDER make
verify` compiles it with the sources of a git repository of YATS, unchanged. {source}

**EPD and PPD.** The same {packets:,} packets, drawn from a seed, arrive cell by cell at the same times at the
bottleneck of both. A slot of YATS is a fortieth of a cell's time, and each VC has a phase of its own, because both
choose at random between cells that arrive at the same time. For every packet, two things have to be the same: whether
it is whole, and in which slot its last cell has been sent. So has, for each VC, the number of cells sent. YATS tells
only which cells it sends; which packets are whole follows by AAL5's rule that a packet without its last cell takes
the next one with it. YATS refuses a packet if THRESH cells wait, dupack if more than its threshold do; THRESH is
larger by one here, and above the buffer for PPD. With PASSEOF, YATS forwards the last cells of damaged packets, as
dupack does. Ties are cells that arrive in a slot in which one leaves: both simulators let that one leave first. To
show what a row could miss, the last column says how many packets end differently if the threshold of YATS (without
one below it, the buffer) is a cell more.

**ERICA.** Lines carry {rate:,} cells/s. Sources are greedy, with a PCR of that rate, ICR = PCR / 20, Nrm = 32, RIF =
RDF = CDF = 1/16, Trm = 100 ms, ADTF = 0.5 s and TCR = 10 unless stated otherwise. Half of each round trip (without
queues) is before the first switch and behind the last. The averaging interval is 5 ms, and the target is all of the
line. YATS has ERICA, with DYNFAIRSHARE. dupack has ERICA+, with `a = 1, b = 1, delta = 0, decay = 0`, so that the
target does not depend on the queue and only active VCs count. A seed draws the starts of sources, within {apart} ms;
each setting is run with {seeds} seeds for {end:g} s, of which {warm:g} s are not measured. Rates are cells of all
kinds that reach the destination. Of each source, the mean over the runs has to be within the band, and the least and
the largest rate of any run, too. A source has found its rate when its ACR is within 10 % of the max-min fair rate and
stays there for {stays} ms; the time is counted from the last start, until all have found theirs, and its mean has to
be within the band.

Settings, measures and bands were chosen before the results were seen, except for seeds. The time of a single run
depends on whether the load of some interval is just above the target or just below it; so single runs of 6 s were
replaced by {seeds} runs of {end:g} s after the first look.
"""
BELOW = """
Reasons of rows that depart:

- **Packets of one cell.** Both forward the last cell of a packet that is refused, since it delimits the next one. If
  a packet has only one cell, nothing of it was forwarded and nothing has to be delimited: dupack drops the cell, and
  YATS with PASSEOF forwards it. So EPD refuses nothing there. Without PASSEOF, such packets have the same fates.
- **Rates with ERICA.** A VC is allowed the fair share, or its rate divided by the load if that is more. While the
  load is the target, this confirms all rates above the fair share, equal or not. That happens where a VC cannot use
  its share and several others divide the rest. The later ERICA, and dupack's, remembers the highest rate that was
  allowed in an interval, and allows it to all VCs while the load is at most the target. With this rule added to YATS'
  switch (class `Memory` in `verify/yats_erica.h`), the rates are max-min fair there, too.
- **Times with ERICA.** The two switches differ in more: YATS answers in forward RM cells as well as in backward ones,
  lets RM cells overtake data, answers each of them anew, and does not bound the answer by the target. The last column
  has times of YATS with dupack's rules in its switch (class `Plus`), and all else as it is: sources, destinations and
  measurements are still YATS'. Within a few milliseconds these are dupack's times.

Two things in YATS are not used. Its computation of ICR divides TBE by FRTT, which its sources give in microseconds,
and takes that for cells per second; here FRTT is what makes ICR the intended one. And its AAL5 receiver, which has
sequence numbers to look at, takes a packet as whole that follows a lost last cell; AAL5 has none.
"""
Results = dict[str, dict[str, Any]]


def key_of(runs: Sequence[Abr], rules: str) -> str:
    """The digest of what YATS is asked in all runs."""
    return yats.digest([it.asked(rules).key for it in runs])


def judged(binary: Path, epd: Sequence[Epd], abr: Sequence[Sequence[Abr]]) -> Results:
    """All results of YATS, by the digests of their inputs."""
    found: Results = {}
    for case in epd:
        vcs = case.drawn()
        found[case.asked(vcs).key] = asdict(yats_epd.of_yats(binary, case, vcs))
    for runs in abr:
        for rules in RULES:
            found[key_of(runs, rules)] = asdict(yats_abr.of_yats(binary, runs, rules))
    return found


UNKNOWN = "no result of YATS is kept for this input"


def named(case: Epd) -> str:
    """A setting of packets in words."""
    least, most = min(case.sizes), max(case.sizes)
    cells = f"{least} to {most} cells" if most > least else _cells(most)
    kind = "PPD" if case.threshold is None else f"EPD with a threshold of {_cells(case.limit)}"
    own = "" if case.pass_last else ", YATS without PASSEOF"
    return f"{kind}, a buffer of {case.buffer}, {case.vcs} VCs, load {case.load:g}, packets of {cells}{own}"


def _cells(many: int) -> str:
    return f"{many} cell{'' if many == 1 else 's'}"


def epd_row(case: Epd, ours: Fates, theirs: Judged | None) -> Row:
    """Whether all packets have the same fate, at the same time."""

    def shown(fates: Fates) -> str:
        return f"{fates.whole:,} of {case.packets:,} whole, {sum(fates.left):,} cells sent"

    if theirs is None:
        return Row(named(case), shown(ours), "–", "identical", None, UNKNOWN)
    same = (ours.digest, ours.left) == (theirs.digest, theirs.left)
    note = f"{theirs.ties:,} ties; with a cell more, {theirs.changed:,} packets end differently"
    single = case.pass_last and max(case.sizes) == 1
    if single and not same:
        note = "YATS takes the only cell of a packet for its last one, and forwards it; dupack drops it early"
    return Row(named(case), shown(ours), shown(theirs), "identical", same, note, departs=single and not same)


def listed(rates: Sequence[float]) -> str:
    """Rates in words."""
    words = [f"{it:,.0f}" for it in rates]
    return f"{len(words)} × {words[0]}" if len({*words}) == 1 else ", ".join(words)


def alike(ours: Courses, theirs: Courses) -> bool:
    """Whether the rates of each source are within their band: their means, and the extremes of single runs."""
    pairs = [(ours.low, theirs.low), (ours.mean, theirs.mean), (ours.high, theirs.high)]
    return all(abs(a / b - 1) <= RATES for one, other in pairs for a, b in zip(one, other, strict=True))


def rates_row(setting: Setting, ours: Courses, theirs: Mapping[str, Courses]) -> Row:
    """Rates of sources; those that YATS lets be unequal depart if ERICA's memory makes them equal."""
    what = f"ERICA, {setting.what}: rates [cells/s]"
    if not theirs:
        return Row(what, listed(ours.mean), "–", f"±{RATES:.0%}", None, UNKNOWN)
    it, memory = theirs["yats"], theirs["memory"]
    agrees = alike(ours, it)
    departs = setting.fairness and not agrees and alike(ours, memory)
    note = f"max-min fair: {listed(setting.case.fair())}"
    if not agrees:
        spans = [f"{low:,.0f} to {high:,.0f}" for low, high in zip(it.low, it.high, strict=True)]
        note += f"; single runs of YATS: {', '.join(spans)}; with ERICA's memory {listed(memory.mean)}"
    return Row(what, listed(ours.mean), listed(it.mean), f"±{RATES:.0%}", agrees, note, departs=departs)


def used_row(setting: Setting, ours: Courses, theirs: Mapping[str, Courses]) -> Row:
    """Use of the lines behind switches."""
    what = f"ERICA, {setting.what}: utilization"
    mine = ", ".join(f"{it:.2%}" for it in ours.used)
    if not theirs:
        return Row(what, mine, "–", f"±{USED:.0%}", None, UNKNOWN)
    it = theirs["yats"].used
    agrees = all(abs(a / b - 1) <= USED for a, b in zip(ours.used, it, strict=True))
    return Row(what, mine, ", ".join(f"{share:.2%}" for share in it), f"±{USED:.0%}", agrees)


def settled_row(setting: Setting, ours: Courses, theirs: Mapping[str, Courses]) -> Row:
    """Time until all sources have found their rates; it departs if it is the same with our rules in YATS."""
    what = f"ERICA, {setting.what}: time until within 10 % of the fair rates"
    band = f"±{SETTLED:.0%} or {SETTLED_MS:g} ms"
    if not theirs:
        return Row(what, _time(ours), "–", band, None, UNKNOWN)
    it, plus = theirs["yats"], theirs["plus"]
    agrees = _near(ours, it)
    departs = not agrees and _near(ours, plus)
    return Row(what, _time(ours), _time(it), band, agrees, f"dupack's rules in YATS: {_time(plus)}", departs=departs)


def _known(it: Courses) -> list[int]:
    return [time for time in it.settled_ms if time is not None]


def _time(it: Courses) -> str:
    known = _known(it)
    never = len(it.settled_ms) - len(known)
    words = [f"{fmean(known):.0f} ms ({min(known)} to {max(known)})"] if known else []
    return ", ".join([*words, *([f"never in {never} of {len(it.settled_ms)} runs"] if never else [])])


def _near(ours: Courses, theirs: Courses) -> bool:
    if None in (*ours.settled_ms, *theirs.settled_ms):
        return False
    a, b = fmean(_known(ours)), fmean(_known(theirs))
    return abs(a - b) <= max(SETTLED * b, SETTLED_MS)


def rows_of(case: Epd, results: Mapping[str, Any]) -> Row:
    """The row of a setting of packets."""
    vcs = case.drawn()
    theirs = results.get(case.asked(vcs).key)
    return epd_row(case, yats_epd.of_dupack(case, vcs), Judged(**theirs) if theirs else None)


def check(quick: bool) -> Report:
    """The section; it takes half a minute."""
    epd, abr = (EPD[::4], ABR[4:5]) if quick else (EPD, ABR)
    runs = [[it.case.drawn(seed) for seed in SEEDS] for it in abr]
    results: Mapping[str, Any]
    if why := yats.missing():
        kept = yats.kept()
        if not kept:
            return Report(TITLE, AGAINST, skipped=why, order=ORDER)
        results, source = kept.results, KEPT.format(kept=kept, why=why)
    else:
        with yats.program() as binary:
            results = judged(binary, epd, runs)
        source = RUN.format(commit=yats.commit())
        if not quick:
            yats.keep(results)
    rows = [rows_of(case, results) for case in epd]
    for setting, seeds in zip(abr, runs, strict=True):
        ours = yats_abr.of_dupack(seeds)
        keys = {rules: key_of(seeds, rules) for rules in RULES}
        theirs = {rules: Courses(**results[key]) for rules, key in keys.items() if key in results}
        rows += [row(setting, ours, theirs) for row in (rates_row, used_row, settled_row)]
    return Report(TITLE, AGAINST, rows, _text(source), below=BELOW, order=ORDER)


def _text(source: str) -> str:
    return TEXT.format(
        source=source,
        packets=EPD[0].packets,
        rate=yats_abr.RATE,
        apart=yats_abr.APART_MS,
        seeds=len(SEEDS),
        end=yats_abr.END_MS / 1000,
        warm=yats_abr.WARM_UP_MS / 1000,
        stays=yats_abr.STAYS_MS,
    )
