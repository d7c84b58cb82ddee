"""The studies that dupack has: reports in the form of papers, which run only when they are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Dupack
from dupack.reproduce.papers import all_papers, all_studies


def test_studies_are_no_papers() -> None:
    keys = [study.key for study in all_studies()]
    assert keys == ["descendants", "live"]
    assert not {paper.key for paper in all_papers()} & set(keys)


def test_a_study_has_a_report(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack(
        "reproduce",
        "descendants",
        "--figure",
        "late",
        "--quick",
        "--seeds",
        "2",
        "--json",
        "--out",
        str(tmp_path / "out"),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["runs"] == 42
    # Each claim has a difference with an interval, and what follows from it.
    claims = {claim["id"]: claim for claim in document["claims"]}
    assert len(claims) == 18
    assert all(isinstance(claim["measured"], float) for claim in claims.values())
    [figure] = document["figures"]
    assert {series["name"] for series in figure["series"]} == {"Reno", "CUBIC", "BBR"}
    assert (tmp_path / "out" / "report.html").exists()


def test_its_plan_fills_the_link(dupack: Dupack) -> None:
    study = next(study for study in all_studies() if study.key == "descendants")
    one = ["flow.*.transport.kind=reno", "link.bottleneck.queue=bpd", "duration=12 s"]
    sets = [word for value in one for word in ("--set", value)]
    done = dupack("run", study.plan_file("mix"), *sets, "--seeds", "1", "--json")
    assert done.returncode == 0, done.stderr
    [run] = json.loads(done.stdout)["runs"]
    long = [flow for flow in run["flows"] if flow["name"].startswith("bulk")]
    assert len(long) == 8
    assert sum(flow["goodput_bps"] for flow in long) > 10e6


@pytest.mark.parametrize("plan", ["guard", "flood"])
def test_its_call_is_protected_from_a_flow_that_claims_nqb(dupack: Dupack, plan: str) -> None:
    study = next(study for study in all_studies() if study.key == "descendants")

    def delay_ms(queue: str) -> float:
        one = [f"link.bottleneck.queue={queue}", "duration=12 s"]
        sets = [word for value in one for word in ("--set", value)]
        done = dupack("run", study.plan_file(plan), *sets, "--seeds", "1", "--json")
        assert done.returncode == 0, done.stderr
        [run] = json.loads(done.stdout)["runs"]
        return float(1e3 * next(flow for flow in run["flows"] if flow["name"] == "call")["mean_delay_s"])

    # On an empty network a packet takes 10.1 ms.
    assert 10.1 < delay_ms("queue-protection") < 13
    assert delay_ms('{ kind = "drop-tail", buffer = "100 packets" }') > 40
