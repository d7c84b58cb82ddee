"""The command ``dupack readings``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from dupack import memory, tables
from dupack.engines import engine
from dupack.errors import RequestError
from dupack.files import check_file, from_json, printing, refuse_inputs, to_json, write_json
from dupack.interrupts import code, word
from dupack.progress import Progress
from dupack.readings import axes, report
from dupack.readings.answer import answer, around, differing, extended, findings, sentences, status
from dupack.readings.axes import Reading, Space
from dupack.readings.record import RECORD, Record, curves
from dupack.readings.record import load as load_record
from dupack.readings.search import Search, choose
from dupack.reproduce.command import check_place, find_paper, home
from dupack.reproduce.paper import Claim, Paper
from dupack.reproduce.runs import FILE, Runs
from dupack.terminal import echo
from dupack.words import nearest

BUDGET = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|min|h)")
UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
CORES = 2
"""The budget is a time on this number of cores, so that the readings that it allows do not depend on the machine."""


def readings(
    key: str,
    *,
    claims: Sequence[str],
    added: Sequence[str],
    budget: str,
    quick: bool,
    on: str,
    out: Path | None,
    record: bool,
    as_json: bool,
    limit: memory.Limit | None,
    threads: int | None,
    force: bool,
) -> None:
    """Searches the readings of a paper."""
    time = BUDGET.fullmatch(budget.strip())
    if time is None:
        raise RequestError(f'--budget {budget}: not a time; write a number with s, m or h, such as "20m"')
    # An unknown engine is refused even if no run needs one: those with a tape are run here.
    engine(on, threads=threads)
    paper = find_paper(key)
    if record and (quick or claims):
        raise RequestError("--record: it needs full runs of all claims; leave out --quick and --claim")
    if added and (quick or claims):
        raise RequestError("--axis: it adds full runs of all claims to a record; leave out --quick and --claim")
    wanted = _claims(paper, claims)
    space = axes.load(paper)
    axes.check(space, space.plans)
    varied = [_axis(space, name) for name in added]
    before = _record(paper) if added else None
    if claims:
        space = axes.concerning(space, _plans(paper, wanted))
        if not space.axes:
            raise RequestError(f"--claim: no axis of {paper.directory / axes.FILE} changes what these claims need")
    place = out or home(paper, quick)
    refuse_inputs([("--out", place)], [paper.directory])
    check_place(place, force=force)
    kept = paper.directory / RECORD
    if record:
        check_file(kept, "--record", _is_record, force=force)
    with Runs(place / "data" / FILE) as runs:
        search = Search(
            space,
            wanted,
            runs,
            budget_s=CORES * float(time[1]) * UNITS[time[2]],
            quick=quick,
            threads=threads,
            on=on,
            progress=Progress,
        )
        try:
            with (limit or memory.default()).hold():
                found = _searched(search, whole=not claims) if before is None else _extended(search, before, varied)
        except KeyboardInterrupt as stop:
            echo(
                f"{word(stop)}: no answer was written. Finished runs are in {place / 'data' / FILE}; the same command "
                "goes on from there",
                err=True,
            )
            sys.exit(code(stop))
    # The answer for some claims does not replace that for all.
    name = "readings-of-claims" if claims else "readings"
    write_json(place / f"{name}.json", found)
    if record:
        write_json(kept, found)
    page = report.write(paper, wanted, found, place, name)
    with printing(f"; the answer is in {place}"):
        if as_json:
            click.echo(to_json(found))
            return
        _tell(paper, found)
        echo(f"report: {page}")


def _is_record(path: Path) -> bool:
    """Whether a file is the answer of a search."""
    try:
        found = from_json(path.read_bytes())
    except ValueError:
        return False
    return isinstance(found, dict) and {"axes", "claims", "readings"} <= set(found)


def _searched(search: Search, *, whole: bool) -> dict[str, Any]:
    """The answer of a search; ``whole`` is whether it is for all claims."""
    search.run()
    found = answer(search)
    if whole:
        found["curves"] = _curves(search, choose(search.space, list(search.full.values())).reading)
    return found


def _extended(search: Search, before: Record, varied: Sequence[int]) -> dict[str, Any]:
    """The answer of a record, with readings around the same one that differ from it in one of these axes.

    Raises ``RequestError`` if the program or the plans have changed since, so that verdicts are others.
    """
    space, place = search.space, str(search.space.paper.directory / RECORD)
    known = [space.reading(one["values"], place) for one in before.found["readings"]]
    center = known[before.found["center"]]
    search.vary(center, varied, known)
    # The check for overfitting needs this reading, which is another one if a new value has a better basis.
    search.run_in_full(one for one in (space.preferred, space.planned) if one not in known)
    if center not in search.full:
        raise RequestError(f"--axis: a plan refuses the reading around which {place} varied its axes; search again")
    _check_verdicts(search, before, place)
    found = extended(search, before.found, varied)
    best = space.reading(found["readings"][found["best"]]["values"], place)
    if best != before.best:
        search.run_in_full([best, space.planned])
        _check_verdicts(search, before, place)
        found["findings"] = findings(search.full[best], search.full[space.planned])
        found["curves"] = _curves(search, best)
    return found


def _check_verdicts(search: Search, before: Record, place: str) -> None:
    """Raises ``RequestError`` if a reading that was run again has other verdicts than in the record."""
    if changed := differing(search, before.found):
        have = "claim has" if len(changed) == 1 else "claims have"
        raise RequestError(
            f"--axis: in these runs, {len(changed)} {have} another verdict than in {place}: {', '.join(changed)}. "
            "The program or the plans have changed since; search again without --axis"
        )


def _curves(search: Search, best: Reading) -> dict[str, list[dict[str, Any]]]:
    """The curves to keep, of the figures that the runs of the search suffice for."""
    by_best, planned = (search.results(reading) for reading in (best, search.space.planned))
    drawn = [figure for figure in search.space.paper.figures if planned.keys() >= set(figure.plans)]
    return curves([(figure, figure.series(by_best), figure.series(planned)) for figure in drawn])


def _record(paper: Paper) -> Record:
    """The record of a paper, to which axes are added.

    Raises ``RequestError`` if there is none.
    """
    record = load_record(paper)
    if record is None:
        raise RequestError(f"--axis: {paper.directory / RECORD} does not exist; search with --record first")
    return record


def _axis(space: Space, asked: str) -> int:
    """The place of an axis.

    Raises ``RequestError`` if there is no such axis.
    """
    known = [axis.name for axis in space.axes]
    if asked not in known:
        near = nearest(asked, known)
        hint = f'did you mean "{near}"?' if near else f"known: {', '.join(known)}"
        raise RequestError(f"--axis: {space.paper.directory / axes.FILE} has no axis {asked}; {hint}")
    return known.index(asked)


def _plans(paper: Paper, claims: Sequence[Claim]) -> list[str]:
    return list(dict.fromkeys(plan for claim in claims for plan in paper.measures[claim.id].plans))


def _claims(paper: Paper, asked: Sequence[str]) -> list[Claim]:
    known = {claim.id: claim for claim in paper.claims}
    for name in asked:
        if name not in known:
            near = nearest(name, known)
            hint = f'did you mean "{near}"?' if near else f"its claims are in {paper.directory / 'published.toml'}"
            raise RequestError(f'--claim: {paper.key} has no claim "{name}"; {hint}')
    return [known[name] for name in dict.fromkeys(asked)] or list(paper.claims)


def _tell(paper: Paper, found: Mapping[str, Any]) -> None:
    out = tables.console()
    out.print(paper.cite, style="bold")
    out.print()
    for sentence in sentences(found):
        out.print(sentence)
        out.print()
    out.print(_axes(found, plain=not out.is_terminal))
    out.print()
    out.print(f"{around(found)} The last column: claims that agree with this value.")
    out.print()
    if any(claim["status"] != "holds" for claim in found["claims"]):
        out.print(_unsettled(paper, found, plain=not out.is_terminal))
        out.print()


def _axes(found: Mapping[str, Any], *, plain: bool) -> Table:
    """Every value of every axis."""
    shown = tables.table("", ["axis", "value", "meaning", "basis", "claims that agree"], left=4, plain=plain)
    shown.title = None
    shown.columns[2].ratio = 1
    best = found["readings"][found["best"]]["values"]
    for axis in found["axes"]:
        for value in axis["values"]:
            chosen = best[axis["name"]] == value["name"] and len(axis["values"]) > 1
            shown.add_row(
                axis["name"] if value is axis["values"][0] else "",
                value["name"],
                f"{value['says']}{' (best)' if chosen else ''}",
                value["basis"],
                "not run" if value["agree"] is None else str(value["agree"]),
            )
    return shown


def _unsettled(paper: Paper, found: Mapping[str, Any], *, plain: bool) -> Table:
    """The claims that do not hold under every reading."""
    heads = ["place", "claim", "over all readings", "agrees under"]
    shown = tables.table("", heads, left=3, plain=plain)
    shown.title = None
    shown.columns[1].ratio = 1
    known = {claim.id: claim for claim in paper.claims}
    for one in found["claims"]:
        if one["status"] != "holds":
            claim, readings = known[one["id"]], len(found["readings"])
            shown.add_row(claim.where, claim.what, status(one, readings), f"{one['agree']} of {readings}")
    return shown
