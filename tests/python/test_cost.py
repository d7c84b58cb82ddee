"""No change costs unseen: the instructions of eight small plans are those in ``cost/instructions.json``, within 2 %.

The instructions of the simulation alone are counted, in the native module that is installed; they do not depend on how
busy the machine is. To take over a change that is meant, in either direction: ``python -m tests.python.cost``, in the
commit that makes it. Where they go: ``cargo bench -p dupack-lab --bench instructions -- cost``.
"""

from __future__ import annotations

import pytest

import cost


def test_plans_cost_what_they_did() -> None:
    if reason := cost.missing():
        pytest.skip(reason)
    compiler, before = cost.kept()
    if (here := cost.compiler()) != compiler:
        pytest.skip(f"the instructions were counted with {compiler}, and this is {here}")
    changed = cost.changes(before, cost.count())
    assert not changed, "by so much; see the top of this file"


def test_a_change_beyond_the_tolerance_is_named() -> None:
    before = {"a": 1000, "b": 1000, "c": 1000}
    assert cost.changes(before, {"a": 1019, "b": 1021, "c": 979}) == {
        "b": pytest.approx(0.021),
        "c": pytest.approx(-0.021),
    }
    with pytest.raises(ValueError, match="there are"):
        cost.changes(before, {"a": 1000})
