"""The catalogue and forecasts: ``dupack list``, ``show``, ``schema``, ``new``, ``check``."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import dupack as dk
from conftest import PLAN, Dupack, of_json
from dupack import read_plan, reference, run
from dupack.cli import cli
from dupack.reproduce.folder import is_plan

ROOT = Path(__file__).parents[2]


def test_list_names_every_word_with_its_source(dupack: Dupack) -> None:
    words = of_json(dupack("list", "--json"))
    text = dupack("list").stdout
    assert {"bpd", "newreno", "packet-pair", "smart", "on-off", "burst", "reorder"} <= {word["name"] for word in words}
    for word in words:
        assert word["summary"] in text
    only = dupack("list", "loss").stdout
    assert "bernoulli" in only
    assert "newreno" not in only
    wrong = dupack("list", "queu")
    assert (wrong.returncode, wrong.stderr) == (2, "'queu': unknown family; did you mean \"queue\"?\n")


def test_show_tells_the_parameters_and_draws_the_word(dupack: Dupack) -> None:
    text = dupack("show", "bpd").stdout
    for said in ("Reuven Cohen", "required", "25 packets", "upper", 'room such as "1200 cells"'):
        assert said in text
    rows = [line for line in text.splitlines() if re.match(r" +[ABC]  [=.>epo~]{60,}$", line)]
    assert len(rows) == 3
    assert "e" in rows[2], "the flow that sends most loses packets early"
    [one] = of_json(dupack("show", "bpd", "--set", "gap=0 packets", "--json"))
    assert one["picture"]["lines"] != of_json(dupack("show", "bpd", "--json"))[0]["picture"]["lines"]


def test_every_word_and_section_can_be_shown() -> None:
    known = reference.catalogue()
    names = {entry["name"] for entry in known["entries"]} | {part["name"] or "plan" for part in known["sections"]}
    shown = {name: CliRunner().invoke(cli, ["show", name]) for name in names}
    for name, done in shown.items():
        assert done.exit_code == 0, done.output
        assert name in done.output
    assert "min_rto" in CliRunner().invoke(cli, ["show", "transport"]).output


def test_a_family_is_shown_as_a_list() -> None:
    own = {"transport", *(entry["name"] for entry in reference.catalogue()["entries"])}
    for family in reference.FAMILIES:
        shown = CliRunner().invoke(cli, ["show", family])
        assert shown.exit_code == 0, shown.output
        if family not in own:
            assert shown.output == CliRunner().invoke(cli, ["list", family]).output
            assert "`dupack show WORD` prints" in shown.output
    as_json = [CliRunner().invoke(cli, [command, "queue", "--json"]).output for command in ("show", "list")]
    assert as_json[0] == as_json[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["newrno"], "'newrno': unknown word; did you mean \"newreno\"?"),
        (["quue"], "'quue': unknown word; did you mean \"queue\"?"),
        (["framing"], "'framing' is a key of link (`dupack show link`)"),
        (["mss"], "'mss' is a parameter of all transports (`dupack show transport`)"),
        (["gap"], "'gap' is a parameter of bpd, late-in-burst (`dupack show bpd`)"),
        (["home"], "'home' is a starter plan (`dupack new --topology home`)"),
        (["descendants"], "'descendants' is a paper or a study (`dupack reproduce descendants`)"),
        (["nonsense"], "'nonsense': unknown word; `dupack list` prints all"),
        (["tcp"], "'tcp': unknown word; not here; the nearest is \"transport\""),
        (["netem"], "'netem': unknown word; not here; the nearest is \"link\""),
        (
            ["hystart++"],
            "transports have the parameters hystart_low_window, hystart_ack_delta (`dupack show transport`)",
        ),
        (["compat", "--set", "a=2"], "--set: compat is a family of words and has no picture; leave --set out"),
        (["bpd", "--set", "lowr=0.3"], 'link.line.queue.lowr: unknown key; did you mean "lower"?'),
        (["bpd", "--set", "lower=2"], "link.line.queue.lower: 2 is not from 0 to 1"),
        (["link", "--set", "rate=2"], "--set: link is a section of a plan and has no picture; leave --set out"),
    ],
)
def test_what_cannot_be_shown_is_told(dupack: Dupack, words: list[str], said: str) -> None:
    done = dupack("show", *words)
    assert done.returncode == 2
    assert said in done.stderr


def plans() -> list[Path]:
    """Every plan in the tree: of the papers, of the tests, the starters."""
    folders = ("python/dupack/papers", "crates/lab/tests/plans", "python/dupack/starters")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.toml")]
    return sorted(path for path in found if is_plan(path))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    schema = reference.schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def mistakes(validator: jsonschema.Draft7Validator, document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}"[:200] for error in validator.iter_errors(document)]


def test_every_plan_in_the_tree_fits_the_schema(validator: jsonschema.Draft7Validator) -> None:
    assert len(plans()) > 30
    for path in plans():
        assert mistakes(validator, tomllib.loads(path.read_text())) == [], path


def spoiled(document: Any, top: dict[str, Any] | None = None) -> Iterator[tuple[str, Any]]:
    """The document with one thing wrong: a key that no table knows, a value of a type that no key takes."""
    top = document if top is None else top
    if isinstance(document, list):
        for item in document:
            yield from spoiled(item, top)
        return
    for key, value in list(document.items()):
        if key in ("sweep", "title"):
            continue
        if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
            yield from spoiled(value, top)
        # No key takes a list of flags, and no key that is a number or a word takes a date.
        document[key] = [True]
        yield f"{key} = [true]", top
        document[key] = value
        document[f"{key}_"] = document.pop(key)
        yield f"{key}_", top
        document[key] = document.pop(f"{key}_")


def test_a_spoiled_plan_does_not_fit(validator: jsonschema.Draft7Validator) -> None:
    cases = 0
    for path in plans():
        if "papers" in path.parts:
            continue  # These plans are much alike.
        for what, document in spoiled(tomllib.loads(path.read_text())):
            assert not validator.is_valid(document), f"{path.name}: {what}"
            cases += 1
    assert cases > 300


BAD = """
queue = { kind = "bpd", buffer = "50 packets" }
queue = { kind = "bpd", buffer = "1200 cubits" }
queue = { kind = "bpd", buffer = 1200 }
queue = { kind = "bpd", buffer = "1200 cells", lower = 1.4 }
queue = { kind = "bdp", buffer = "1200 cells" }
queue = { kind = "drop-tail", buffer = "50 packets" }
queue = { buffer = "1200 cells" }
queue = { kind = "epd", buffer = "1200 cells", gap = "25 packets" }
loss = { kind = "bernoulli", rate = -0.1 }
loss = { kind = "script", flow = "bulk", segments = ["40"] }
reorder = { rate = 0.1 }
marker = { kind = "erica", a = 0.5 }
marker = { kind = "eprca", congested = "10 packets", very_congested = "20 packets" }
back_delay = "fast"
"""

BAD_FLOWS = """
start = "100 ms..soon"
start = 3
mpr = "15 Mbit"
abr = { icr = 1.5 }
abr = { pcr = "40 cells" }
traffic = { kind = "file" }
traffic = { kind = "greedy", size = "3 segments" }
transport = { kind = "rino" }
transport = { kind = "reno", delayed_ack = "yes" }
transport = { kind = "reno", halve = "third" }
transport = { kind = "reno", gain = 0.5 }
transport = { kind = "packet-pair", control = "reno", gain = 0.5 }
"""

GOOD_FLOWS = """
start = "100 ms .. 2 s"
abr = "none"
abr = { icr = "18278.5 cells/s", pcr = "155 Mb/s", acks = "abr" }
traffic = { access_rate = "unlimited" }
transport = { kind = "reno", control = "packet-pair", gain = 0.5 }
transport = { kind = "packet-pair", gain = 0.5 }
transport = { kind = "newreno", max_cwnd = "unlimited", max_window = "12.5 KiB" }
"""


def altered(plan: Path, section: str, line: str) -> dict[str, Any]:
    """The plan with a key of its last link, or flow, written otherwise."""
    document = tomllib.loads(plan.read_text())
    document[section][-1].update(tomllib.loads(line))
    return document


def test_the_schema_knows_what_goes_where(validator: jsonschema.Draft7Validator, plan: Path) -> None:
    assert mistakes(validator, tomllib.loads(plan.read_text())) == []
    for section, lines, fits in (("link", BAD, False), ("flow", BAD_FLOWS, False), ("flow", GOOD_FLOWS, True)):
        for line in lines.strip().splitlines():
            told = mistakes(validator, altered(plan, section, line))
            assert bool(told) != fits, f"{line}: {told}"


def test_the_schema_refuses_nothing_that_a_plan_may_say(validator: jsonschema.Draft7Validator) -> None:
    """A plan that `dupack check` accepts, with an override of any declared default, fits the schema, too."""
    known = reference.catalogue()
    plan = tomllib.loads((ROOT / "python/dupack/starters/atm.toml").read_text())
    for entry in known["entries"]:
        if any("name of a file" in parameter["written"] for parameter in entry["parameters"]):
            continue  # Without the file there is no picture.
        drawn = tomllib.loads(reference.picture(entry["family"], entry["name"])["written"])
        if entry["family"] == "topology":
            own = {key: value for key, value in plan.items() if key not in ("host", "switch", "link")}
            assert mistakes(validator, {**own, **drawn}) == [], entry["name"]
            continue
        section = "flow" if set(drawn) & {"transport", "traffic", "abr", "arrivals"} else "link"
        # A discipline is shown on the links that it declares first.
        cells = entry.get("carries", [])[:1] == ["cells"] or entry["family"] in ("marker", "abr")
        link = {**plan["link"][-1], "carries": "cells" if cells else "packets"}
        link.pop("queue", None)
        flow = dict(plan["flow"][0])
        (flow if section == "flow" else link).update(drawn)
        assert mistakes(validator, {**plan, "link": [link], "flow": [flow]}) == [], entry["name"]


@pytest.mark.parametrize("topology", reference.STARTERS)
def test_a_starter_plan_runs_as_it_is(
    dupack: Dupack, tmp_path: Path, topology: str, validator: jsonschema.Draft7Validator
) -> None:
    path = tmp_path / "mine.toml"
    assert dupack("new", path, "--topology", topology).returncode == 0
    assert mistakes(validator, tomllib.loads(path.read_text())) == []
    document = run(read_plan(path))
    assert document["summary"]["goodput_bps"] > 1e6
    assert all(flow["segments_delivered"] > 20 for flow in document["flows"])
    # The sweep in the comment at the end is valid.
    text = path.read_text()
    head, _, sweep = text.partition("# [sweep]")
    path.write_text(head + "[sweep]" + sweep.replace("\n# ", "\n"))
    assert len(read_plan(path).points) > 1
    again = dupack("new", path)
    assert (again.returncode, "the file exists and was not changed" in again.stderr) == (2, True)
    assert dupack("new", "-", "--topology", topology).stdout == text


def test_a_topology_is_not_taken_for_a_file(dupack: Dupack, tmp_path: Path) -> None:
    done = dupack("new", "leaf-spine")
    assert (done.returncode, "write `dupack new --topology leaf-spine`" in done.stderr) == (2, True)
    assert not (tmp_path / "leaf-spine").exists()


def test_check_says_what_would_be_run(dupack: Dupack, plan: Path) -> None:
    told = of_json(dupack("check", plan, "--json"))
    assert [flow["name"] for flow in told["flows"]] == ["bulk-0", "bulk-1"]
    flow = told["flows"][0]
    # Two senders of 10 Mb/s share 12 Mb/s: the bottleneck is the link on which the share is smallest.
    assert (flow["bottleneck"], flow["bottleneck_bps"]) == ("bottleneck", 12_000_000)
    assert 0.004 < flow["round_trip_s"] < 0.005
    assert flow["bdp_bytes"] == pytest.approx(12e6 * flow["round_trip_s"] / 8)
    measured = run(read_plan(plan, ["flow.bulk.transport.max_window=1 segments"]))
    assert flow["round_trip_s"] == pytest.approx(measured["flows"][0]["mean_rtt_s"], rel=0.1)
    link = next(link for link in told["links"] if link["name"] == "bottleneck")
    assert (link["buffer_units"], link["flows"]) == (300, 2)
    assert told["expected"]["cpu_s"] > 0
    text = dupack("check", plan).stdout
    assert "bottleneck" in text
    assert "1 run of 2 s: about" in text


def test_check_says_what_does_not_fit(dupack: Dupack, tmp_path: Path) -> None:
    dumbbell, fabric = tmp_path / "dumbbell.toml", tmp_path / "leaf-spine.toml"
    for path in (dumbbell, fabric):
        assert dupack("new", path, "--topology", path.stem).returncode == 0
    text = dupack("check", dumbbell).stdout
    assert "Small windows" not in text
    # 20 Mb/s for 24.9 ms make 41 segments of 1500 bytes, and the buffer holds 160.
    small = ["--set", 'flow.bulk.transport.max_window="256 KiB"', "--set", 'link.bottleneck.queue.buffer="160 packets"']
    text = " ".join(dupack("check", dumbbell, *small).stdout.split())
    assert "and 1 more with at most 181 segments; BDP and buffer of bottleneck hold 201." in text
    assert "depend on the seed" not in dupack("check", dumbbell, "--seeds", "1..2").stdout
    assert "Overloaded" not in dupack("check", fabric).stdout
    text = dupack("check", fabric, "--set", 'topology.fabric.rate="0.6 Gb/s"').stdout
    assert re.search(r"^Overloaded: fabric-\d-\d \(1\d\d\.\d+ %\), ", text, re.MULTILINE)


def test_check_says_of_which_seed_a_permutation_is(dupack: Dupack, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    net = dk.star(hosts=8, access="1 Gb/s", delay="10 us", flows="permutation")
    path.write_text(net.plan(duration="10 ms"))
    last = dupack("check", path, "--seeds", "3..4").stdout.splitlines()[-1]
    assert last == "The hosts or paths of flows depend on the seed: the flows above are those of seed 3."
    assert "depend on the seed" not in dupack("check", path).stdout


def test_check_of_a_sweep_counts_its_runs(dupack: Dupack, plan: Path) -> None:
    plan.write_text(
        plan.read_text() + '[sweep]\nseeds = "1..3"\n"link.bottleneck.queue.threshold" = [0.3, 0.5, 0.7, 0.9]\n'
    )
    told = of_json(dupack("check", plan, "--json"))
    assert (told["points"], told["seeds"], told["runs"]) == (4, [1, 2, 3], 12)
    assert "12 runs of 2 s (4 points, 3 seeds)" in dupack("check", plan).stdout
    assert of_json(dupack("check", plan, "--seeds", "1..5", "--json"))["runs"] == 20


def test_check_has_notes_on_all_points(dupack: Dupack, plan: Path) -> None:
    plan.write_text(
        PLAN.replace("cells", "packets")
        .replace('"epd", buffer = "300 packets", threshold = 0.7', '"red", buffer = "60 packets"')
        .replace("2 s", "200 ms")
        + '[sweep]\n"link.bottleneck.queue.max_th" = ["40 packets", "80 packets", "90 packets"]\n'
    )
    note = "link.bottleneck.queue.max_th: 80 packets is more than its buffer of 60 packets"
    told = of_json(dupack("check", plan, "--json"))["notes"]
    assert [line.partition(":")[0] for line in told] == 2 * ["link.bottleneck.queue.max_th"]
    assert told[0].startswith(note)
    text = " ".join(dupack("check", plan).stdout.split())
    assert note in text
    assert "(At link.bottleneck.queue.max_th = 80 packets.)" in text


def test_check_tells_everything_that_is_wrong(dupack: Dupack, plan: Path) -> None:
    plan.write_text(plan.read_text().replace("12 Mb/s", "12").replace("epd", "edp"))
    done = dupack("check", plan)
    assert done.returncode == 2
    assert "link.bottleneck.rate: " in done.stderr
    assert "link.bottleneck.queue.kind: " in done.stderr
    assert json.loads(json.dumps(done.stdout)) == ""
    assert dupack("check", plan, "--seeds", "x").returncode == 2
