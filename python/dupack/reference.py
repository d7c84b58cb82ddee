"""Reference and checks: ``dupack list``, ``show``, ``schema``, ``new``, ``check``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dupack import _native
from dupack.completion import one_of
from dupack.errors import RequestError
from dupack.files import check_file, from_json, to_json, write_whole
from dupack.interrupts import Importing
from dupack.machine import cores
from dupack.options import JSON, SETS, Command, Place, distinct
from dupack.terminal import echo
from dupack.words import nearest, setting

if TYPE_CHECKING:
    from dupack.document import Document

FAMILIES = {
    "queue": ("Queue disciplines", "of a link: queue = { kind = ... }"),
    "transport": ("Transports", "of a flow: transport = { kind = ... }; control or repair replaces a half"),
    "control": ("Controllers", "the congestion-control half of a transport: transport = { control = ... }"),
    "repair": ("Repairs", "the loss-recovery half of a transport: transport = { repair = ... }"),
    "compat": ("Presets", "the implementation whose defaults a transport has: transport = { compat = ... }"),
    "traffic": ("Traffic", "of a flow: traffic = { kind = ... }"),
    "arrivals": ("Arrivals", "of the connections of a flow: arrivals = { kind = ... }"),
    "loss": ("Loss models", "of a link: loss = { kind = ... }; back_loss for the reverse direction"),
    "jitter": ("Jitter", "of a link: jitter = { kind = ... }; back_jitter for the reverse direction"),
    "marker": ("Rate markers", "of a link: marker = { kind = ... }; back_marker for the reverse direction"),
    "abr": ("ABR", "of a flow: abr = { ... }"),
    "reorder": ("Reordering", "of a link: reorder = { ... }; back_reorder for the reverse direction"),
    "grants": ("Grants", "of a link: grants = { ... }; back_grants for the reverse direction"),
    "topology": ("Topologies", "of the plan, as a value or as a section: topology = { kind = ... }"),
}
"""Headings of the families of words, and where a plan uses them."""

REHEARSAL_S = 0.4
"""CPU time that `dupack check` spends to measure how long a point takes."""
REHEARSED = 5
"""Number of points that it measures, spread over the sweep."""


def catalogue() -> dict[str, Any]:
    """Every word that a plan can name and the sections of a plan: ``entries``, ``transports``, ``sections``."""
    return from_json(_native.catalogue())


def picture(family: str, name: str, sets: Sequence[str] = ()) -> dict[str, Any]:
    """A picture of a word, drawn by its own code: ``written`` (in a plan) and ``lines``; ``sets`` are ``KEY=VALUE``."""
    return from_json(_native.picture(family, name, list(sets)))


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 7) of plans."""
    return from_json(_native.schema())


@click.command("list", cls=Command)
@click.argument("family", required=False, shell_complete=one_of(lambda: FAMILIES))
@JSON
def list_words(family: str | None, as_json: bool) -> None:
    """List the words that a plan can name.

    They are queue disciplines, transports, traffic, loss models, topologies and others. With FAMILY, list only one of:
    queue, transport, control, repair, compat, traffic, arrivals, loss, jitter, reorder, grants, marker,
    abr or topology.
    """
    known = list(dict.fromkeys(word["family"] for word in catalogue()["entries"]))
    if family is not None and family not in known:
        raise RequestError(f"{family!r}: unknown family; {_instead(family, known)}")
    _list(family, as_json=as_json)


def _list(family: str | None, *, as_json: bool) -> None:
    """Prints the words of a family, or of all and the sections of a plan."""
    known = catalogue()
    words = [word for word in known["entries"] if family in (None, word["family"])]
    if as_json:
        click.echo(to_json(words))
        return
    with Importing():
        from dupack import shown

    sections = [part["name"] for part in known["sections"] if part["name"]]
    shown.words(words, [] if family else sections, FAMILIES)


def _instead(word: str, known: Sequence[str]) -> str:
    near = nearest(word, known)
    return f'did you mean "{near}"?' if near else "known: " + ", ".join(known)


@click.command(cls=Command)
@click.argument("word", shell_complete=one_of(lambda: _words(catalogue())))
@click.option(
    "--set",
    "sets",
    multiple=True,
    callback=distinct,
    metavar="KEY=VALUE",
    help="Set parameter KEY to VALUE in the picture.",
)
@JSON
def show(word: str, sets: tuple[str, ...], as_json: bool) -> None:
    """Show what WORD does, its parameters, source and a picture.

    WORD is a word that `dupack list` prints, or a section of a plan: plan, host, link, flow, ... The picture comes from
    a short run of the algorithm itself: `dupack show bpd --set gap="5 packets"`. If WORD is a family of words, such as
    queue, they are listed.
    """
    known = catalogue()
    entries = [entry for entry in known["entries"] if entry["name"] == word]
    sections = [part for part in known["sections"] if (part["name"] or "plan") == word]
    if word == "transport":
        sections = [{"name": word, "help": "Parameters of all transports.", "parameters": known["transports"]}]
    if sets and not entries and (sections or word in FAMILIES):
        what = "a section of a plan" if sections else "a family of words"
        raise RequestError(f"--set: {word} is {what} and has no picture; leave --set out")
    if not entries and not sections:
        if word not in FAMILIES:
            belongs = _belongs(word, known)
            raise RequestError(f"{word!r} {belongs}" if belongs else f"{word!r}: unknown word; {_hint(word, known)}")
        _list(word, as_json=as_json)
        return
    told = [{**entry, "picture": drawn} for entry, drawn in _pictures(entries, sets)]
    if as_json:
        click.echo(to_json([*told, *sections]))
        return
    with Importing():
        from dupack import shown

    shown.each([*told, *sections], known)


PARTS = {"tcp": "transport", "netem": "link"}
"""Words of other systems, and the part of a plan that has most of what they name."""


def _belongs(word: str, known: Document) -> str:
    """Of what a word is a key or a parameter; empty if of nothing."""
    sections = known["sections"]
    parts = [part["name"] or "plan" for part in sections if word in (key["name"] for key in part["parameters"])]
    if parts:
        return f"is a key of {' and '.join(parts)} (`dupack show {parts[0]}`)"
    if word in (key["name"] for key in known["transports"]):
        return "is a parameter of all transports (`dupack show transport`)"
    owners = [it["name"] for it in known["entries"] if word in (key["name"] for key in it["parameters"])]
    if owners:
        more = f" and {len(owners) - 3} more" if len(owners) > 3 else ""
        return f"is a parameter of {', '.join(owners[:3])}{more} (`dupack show {owners[0]}`)"
    if word in STARTERS:
        return f"is a starter plan (`dupack new --topology {word}`)"
    with Importing():
        from dupack.reproduce import papers
    if any(word == one.key for one in (*papers.all_papers(), *papers.all_studies())):
        return f"is a paper or a study (`dupack reproduce {word}`)"
    return ""


def _hint(word: str, known: Document) -> str:
    """What an unknown word may be."""
    here = _native.elsewhere(word) or PARTS.get(word.lower())
    if here:
        return f'not here; the nearest is "{here}"'
    stem = word.lower().rstrip("+").replace("-", "_")
    keys = [key["name"] for key in known["transports"] if stem and key["name"].startswith(f"{stem}_")]
    if keys:
        return f"transports have the parameters {', '.join(keys)} (`dupack show transport`)"
    near = nearest(word, _words(known))
    return f'did you mean "{near}"?' if near else "`dupack list` prints all"


def _words(known: Document) -> list[str]:
    """What `dupack show` can show."""
    sections = (part["name"] or "plan" for part in known["sections"])
    return list(dict.fromkeys([*(entry["name"] for entry in known["entries"]), *sections, *FAMILIES]))


def _pictures(entries: Iterable[Document], sets: Sequence[str]) -> Iterable[tuple[Document, Document]]:
    """The entries and their pictures. If several words have this name, a parameter may belong to only one of them."""
    entries = list(entries)
    drawn, wrong = [], []
    for entry in entries:
        try:
            drawn.append((entry, picture(entry["family"], entry["name"], sets)))
        except _native.PlanError as error:
            wrong.append(error)
    if not drawn and wrong:
        raise wrong[0]
    return drawn


@click.command("schema", cls=Command)
def print_schema() -> None:
    """Print the JSON Schema of plans. Editors use it to complete and check plans.

    Save it to FILE, and begin a plan with the line `#:schema ./FILE`. Editors with Taplo (Even Better TOML) read it.
    """
    click.echo(to_json(schema()))


STARTERS = ("dumbbell", "parking-lot", "star", "incast", "leaf-spine", "home", "atm")
"""Starter plans; each is a file in `STARTER_FILES`."""
STARTER_FILES = Path(__file__).with_name("starters")


@click.command(cls=Command)
@click.argument("file", type=Place(), default=Path("plan.toml"))
@click.option(
    "--topology", type=click.Choice(STARTERS), default=STARTERS[0], show_default=True, help="Topology of the network."
)
def new(file: Path, topology: str) -> None:
    """Write a starter plan to FILE. It runs as it is; its comments say what can be changed.  [default: plan.toml]

    If FILE is "-", print the plan.
    """
    if str(file) in STARTERS:
        raise RequestError(
            f"{file}: a topology, not a file; write `dupack new --topology {file}`, or a name such as {file}.toml"
        )
    text = (STARTER_FILES / f"{topology}.toml").read_text(encoding="utf-8")
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    if file.exists():
        raise RequestError(f"{file}: the file exists and was not changed; give another name")
    check_file(file, "FILE", ending="nothing was written")
    write_whole(file, text, "FILE")
    echo(f"{file}: written, and ready to run; `dupack check {file}` shows what it would run")


@click.command(cls=Command)
@click.argument("plan", type=Place())
@SETS
@click.option("--seeds", metavar="SEEDS", help='Seeds, as for `dupack run`: "3", "1..5", "1,2,7".')
@JSON
def check(plan: Path, sets: tuple[str, ...], seeds: str | None, as_json: bool) -> None:
    """Check PLAN, and estimate the time and the memory of its runs.

    Print what PLAN would run, or every error in it. The time is an estimate from a short trial run, in a sweep from
    trial runs of a few points. The memory is that of `dupack run` (in a sweep, of `dupack sweep`) for time series and
    records of connections; packets in buffers and open connections are not counted.
    """
    from dupack import memory
    from dupack.progress import Progress
    from dupack.running import is_large
    from dupack.work import jobs_of, read_plan

    with Progress("checking", 1):
        read = read_plan(plan, sets)
        try:
            given = None if seeds is None else _native.parse_seeds(seeds)
        except ValueError as error:
            raise RequestError(f"--seeds: {error}") from error
        jobs = jobs_of(read, given)
        points = len(read.points)
        # `dupack run` prints no tables of a million flows.
        in_rows = any(is_large(read, point) for point in range(points))
        of_run = "run by rows" if in_rows else "run"
        expected = _expected(read, jobs[0].seed, _runs(read, given, len(jobs))["runs"], of_run)
        costs = [("run", of_run, expected["threads_per_run"]), ("sweep", "sweep", 1)]
        told: Document = {
            "title": read.title,
            "points": points,
            "seeds": [job.seed for job in jobs[: len(jobs) // points]],
            **_runs(read, given, len(jobs)),
            "settings": read.points[0],
            **from_json(read.forecast(0, jobs[0].seed)),
            "expected": {
                **expected,
                "memory_bytes": {
                    command: memory.estimate(read, cost, memory.runs_of(read, given), None, parts=parts).total
                    for command, cost, parts in costs
                },
            },
        }
        notes = read.notes()
        if notes:
            told["notes"] = [note for note, _, _ in notes]
    if as_json:
        click.echo(to_json(told))
        return
    with Importing():
        from dupack import shown

    told["notes"] = _placed(notes, read.points)
    shown.check(told)
    if len(set(told["seeds"])) > 1:
        paths = [_paths(told), _paths(from_json(read.forecast(0, told["seeds"][-1])))]
        if paths[0] != paths[1]:
            echo(f"The hosts or paths of flows depend on the seed: the flows above are those of seed {jobs[0].seed}.")


NOTES = 8
"""The most notes that are printed."""


def _placed(notes: list[tuple[str, int, int]], points: list[Any]) -> list[str]:
    """Notes with the points that they are about, if those are not all."""
    made = []
    for note, many, first in notes[:NOTES]:
        where = ", ".join(f"{path} = {setting(value)}" for path, value in points[first].items())
        others = "" if many == 1 else f" and {many - 1} more"
        made.append(note if many == len(points) else f"{note} (At {where}{others}.)")
    more = len(notes) - len(made)
    return [*made, *([f"{more} more notes; --json has all."] if more else [])]


def _paths(told: Document) -> list[list[str]]:
    return [flow["path"] for flow in told["flows"]]


def _runs(plan: _native.Plan, seeds: list[int] | None, runs: int) -> Document:
    """The number of runs; with a stopping rule, the least number."""
    if plan.stop is None or seeds is not None:
        return {"runs": runs}
    from dupack.stopping import rule

    relative, of, least, _ = plan.stop
    told = {"relative_ci": relative, "of": of, "min": least, "max": len(plan.seeds), "says": rule(plan)}
    return {"runs": len(plan.points) * min(least, len(plan.seeds)), "stop": told}


def _expected(plan: _native.Plan, seed: int, runs: int, of_run: str) -> Document:
    """An estimate of the time of all runs, from a few points spread over the sweep; ``of_run`` is the cost of one."""
    from dupack import memory

    points = len(plan.points)
    tried = sorted({round(i * (points - 1) / max(REHEARSED - 1, 1)) for i in range(min(REHEARSED, points))})
    budget = REHEARSAL_S / len(tried) if len(tried) > 1 else REHEARSAL_S
    told = [plan.rehearse(point, seed, budget) for point in tried]
    cpu_s = sum(cpu for _, cpu in told) / len(told) * runs
    at_once = min(cores(), runs)
    # A sweep's runs are not divided.
    each = memory.of_process().threads_for_each(plan, of_run, runs, None) if points == 1 else 1
    parts, gain, undivided = plan.divided(0, seed, each) if each > 1 else (1, 1.0, None)
    return {
        "cpu_s": cpu_s,
        "elapsed_s": cpu_s / (at_once * gain),
        "cores": at_once * parts,
        "threads_per_run": parts,
        **({} if undivided is None else {"undivided": undivided}),
        "points_tried": len(tried),
        "simulated_s": sum(simulated for simulated, _ in told),
    }


COMMANDS = (list_words, show, print_schema, new, check)
