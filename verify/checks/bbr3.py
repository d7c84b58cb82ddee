"""The test cases of BBR's draft as plans: each is run once, its qlog is kept, and what the run shows is judged."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from verify.bbr3_cases import CASES
from verify.bbr3_seen import Seen, UnseenError, watch
from verify.frame import Report, Row

TITLE = "BBR's draft: its test cases as plans"
AGAINST = "draft-ietf-ccwg-bbr-06, appendix A: all 22"
ORDER = 21
PLANS = Path(__file__).parents[1] / "bbr3"
LOGS = Path("out/verify/bbr3")
"""Where plans and logs of a check are kept."""

TEXT = """
Each case of the appendix is a plan in `verify/bbr3`, `case-01.toml` to `case-22.toml`, which `dupack run` runs like any
other; its comment says what the case asks for. This check runs each plan once, and writes its qlog to
`out/verify/bbr3`, such as `case-01.sqlog`, with a copy of the plan beside it. A plan with two flows has two logs.

The controller's state, its pacing rate and its window are sampled every millisecond (in case 14 every 5 ms). They
show the bandwidth, because BBR paces at 0.99 of it times the gain of the state; `inflight_longterm` where it bounds
the window; and `extra_acked`, the part of the window above two products. Packets in flight, rounds, delivery rates
and losses are counted from the log. `full_bw_count` is the number of rounds whose delivery rate, from the log, has
grown by less than a quarter. Variables that show in none of these, such as the saved ones of cases 18 and 19 and
`idle_restart` of case 11, are in the [scripted tests](#bbrv3-the-drafts-test-cases) of the same cases.

"theirs" has the demands, in our words, each with its band; "band" says which bands are not the draft's. Ours are
those of the scripted tests, which are older than the plans. Where these have none, the band was chosen with the plan,
whose states had been seen by then. A plan cannot wait for a state, so steps of a schedule have times: those at which
this run is in the state that the case names. The rows check that it was. A first plan of case 15 had a single flow,
with `inflight_longterm` set, which found the bandwidth in 18 rounds. The bound of 16 is of the test without it, so the
plan has a flow of either kind now, and the bound holds for the one without it.
"""


def title(plan: Path) -> str:
    """What a plan's title says after the number of the case."""
    said: str = tomllib.loads(plan.read_text())["title"]
    return said.partition(": ")[2]


def plan_of(number: int) -> Path:
    """The plan of a case."""
    return PLANS / f"case-{number:02}.toml"


def row(number: int, flows: Mapping[str, Seen]) -> Row:
    """What the flows of a plan show of its case."""
    case = CASES[number]
    what = f"§A.{number}: {title(plan_of(number))}"
    try:
        signs = case.judge(flows)
    except UnseenError as error:
        return Row(what, f"{error}", "", case.band, False, case.note)
    missed = "; ".join(it.ours for it in signs if not it.holds)
    note = "; ".join(it for it in (f"not met: {missed}" if missed else "", case.note) if it)
    return Row(
        what, "; ".join(it.ours for it in signs), "; ".join(it.theirs for it in signs), case.band, not missed, note
    )


def judged(number: int, sets: Sequence[str] = ()) -> Row:
    """The row of a case, whose plan may be run with other values."""
    return row(number, watch(plan_of(number), sets))


def keep(number: int, flows: Mapping[str, Seen], where: Path) -> None:
    """Writes the logs of a case."""
    for name, seen in flows.items():
        flow = f"-{name}" if len(flows) > 1 else ""
        (where / f"case-{number:02}{flow}.sqlog").write_text(seen.log)


def check(quick: bool) -> Report:
    """All cases, also if `quick`: each is a short run."""
    shutil.copytree(PLANS, LOGS, dirs_exist_ok=True)
    rows = []
    for number in CASES:
        flows = watch(plan_of(number))
        keep(number, flows, LOGS)
        rows.append(row(number, flows))
    return Report(TITLE, AGAINST, rows, TEXT, order=ORDER)
