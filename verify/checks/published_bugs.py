"""Bugs that other projects published: each is put into the referee of a queue, and the comparison must see it."""

from __future__ import annotations

from collections.abc import Mapping

from verify import rust
from verify.frame import Report, Row

TITLE = "Published bugs of CoDel and PIE"
AGAINST = "the issues of Shadow, mahimahi and rattan, as mutants of the RFCs' pseudocode"
TEXT = """
Elsewhere on this page the pseudocode of RFC 8289 and RFC 8033 runs beside `codel` and `pie` on random arrivals, and no
fate of a packet differs. Here a bug is put into that pseudocode, and the same comparison must find a difference.
"ours" is the number of comparisons that find one. The tests are in `crates/core/src/queue/tests/referees`.
"""
REFEREES = "dupack_core::queue::tests::referees"
BUGS = {
    "codel::shadows_issue_2478_is_found": "Shadow, issue 2478: CoDel's next drop is at (t + interval) / sqrt(count), "
    "not at t + interval / sqrt(count)",
    "codel::mahimahis_issue_165_is_found": "mahimahi, issue 165: a variable of the same name hides the packet that was "
    "dequeued, so that CoDel drops the packet behind it",
    "pie::the_threshold_of_rattans_issue_197_is_found": "rattan, issue 197: the backlog below which PIE drops nothing "
    "is counted in packets, not in bytes",
    "pie::the_updates_of_rattans_issue_197_are_found": "rattan, issue 197: PIE's probability is updated when a packet "
    "arrives, once for all the updates that were due",
}
"""What each is, by the Rust test."""


def row(test: str, says: str, ran: Mapping[str, rust.Outcome]) -> Row:
    """A bug."""
    outcome = ran.get(f"{REFEREES}::{test}", rust.Outcome("was not run", ""))
    found = outcome.state == "ok" and bool(outcome.said)
    return Row(says, outcome.said if found else outcome.state, f"`{test}`", "at least one differs", found)


def check(quick: bool) -> Report:
    """One row a bug; `quick` runs nothing."""
    if missing := "this is a quick look" if quick else rust.missing():
        return Report(TITLE, AGAINST, text=TEXT, skipped=missing, order=69)
    return Report(TITLE, AGAINST, [row(test, says, rust.tests()) for test, says in BUGS.items()], TEXT, order=69)
