"""The page of benchmarks, and the goodput of htsim beside ours; `make bench` measures the costs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from verify.bench import htsim
from verify.bench.__main__ import of_dupack, of_peers
from verify.bench.cases import CASES, FIVE, Case, Found, delivered
from verify.bench.page import BAND, page

MBPS = 1e6


def rows(found: Found, version: str | None = None) -> list[str]:
    """Lines of the page with one case."""
    return page("", [found], [], "here", [], version).splitlines()


def test_a_simulator_that_was_not_measured_has_no_column() -> None:
    found = Found(CASES[0], 140, 70 * MBPS, {"ns-2": (900, 70 * MBPS)})
    lines = rows(found)
    assert "| case | unit of work | dupack | target | ns-2 | goodput: dupack, ns-2 |" in lines
    assert not any("htsim" in it for it in lines)
    found.peers["htsim"] = (500, 69 * MBPS)
    lines = rows(found, "commit 841d9e7 of 2026-03-23")
    assert "| case | unit of work | dupack | target | ns-2 | htsim | goodput: dupack, ns-2, htsim |" in lines
    assert any(it.endswith("| 900 ns | 500 ns | 70.0, 70.0, 69.0 Mb/s |") for it in lines)
    assert any("htsim is commit 841d9e7 of 2026-03-23" in it for it in lines)


def test_the_cost_of_another_goodput_is_in_brackets() -> None:
    (row,) = [it for it in rows(Found(CASES[0], 140, 70 * MBPS, {"htsim": (500, 62 * MBPS)})) if it.startswith("| (a)")]
    assert "| (500 ns) |" in row


def test_the_bench_says_why_htsim_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HTSIM", raising=False)
    assert str(htsim.missing()).startswith("HTSIM= names no build of htsim")
    monkeypatch.setenv("HTSIM", str(tmp_path))
    assert htsim.missing() == "there is no libhtsim.a where HTSIM= says"
    with htsim.program() as binary:
        assert binary is None
    assert htsim.version() == "a build that git does not know"


@pytest.mark.skipif(htsim.missing() is not None, reason=str(htsim.missing()))
def test_htsim_has_our_goodput() -> None:
    short = replace(FIVE, duration_s=4)
    ours = of_dupack(Case("short", short.plan(), None, delivered), 1).goodput_bps
    with htsim.program() as binary:
        _, theirs = of_peers(short, None, binary)["htsim"]
    assert theirs == pytest.approx(ours, rel=BAND)
