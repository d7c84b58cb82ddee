"""Results do not change by accident: digests of the documents and tapes of every starter and every paper's plan.

Each plan is cut short and runs once, with seed 1, at up to `POINTS` points of its sweep. A digest covers the bytes of
the tapes, and every key of the documents that existed when the digests were made, but for ``cpu_s``.

To take over a change that is meant: ``python -m tests.python.golden``, in a commit that says why and does nothing else.
"""

from __future__ import annotations

import json

import pytest

from golden import DIGESTS, PLANS, digest


def test_every_plan_has_a_digest() -> None:
    assert sorted(json.loads(DIGESTS.read_text())) == sorted(PLANS)


@pytest.mark.parametrize("name", sorted(PLANS))
def test_results_have_not_moved(name: str) -> None:
    assert digest(name) == json.loads(DIGESTS.read_text())[name], "see the top of this file"
