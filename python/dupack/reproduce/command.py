"""The command ``dupack reproduce``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from dupack import memory, tables
from dupack.errors import OutputError, RequestError
from dupack.files import (
    check_directory,
    expanded,
    printing,
    refuse_inputs,
    refuse_links,
    to_json,
    why,
    write_json,
    write_whole,
)
from dupack.interrupts import code, word
from dupack.privileges import obtain
from dupack.progress import Progress
from dupack.readings import axes
from dupack.readings.axes import Reading, Space
from dupack.readings.record import RECORD, Record, StaleRecordError
from dupack.readings.record import load as load_record
from dupack.reproduce import papers
from dupack.reproduce.batch import Batch, data, run_live, simulate
from dupack.reproduce.folder import load
from dupack.reproduce.judging import AGREES, in_brief, judge, measured, published, undecided
from dupack.reproduce.paper import PAPERS, Figure, Paper, Results, Series, Table
from dupack.reproduce.runs import FILE, Runs, is_ours
from dupack.terminal import echo
from dupack.words import nearest


def reproduce(
    paper: str | None,
    *,
    figure: str | None,
    table: str | None,
    quick: bool,
    seeds: int | None,
    reading: Sequence[str],
    out: Path | None,
    as_json: bool,
    limit: memory.Limit | None,
    threads: int | None,
    force: bool,
) -> None:
    """Reproduces one paper, or all."""
    if figure is not None and table is not None:
        raise RequestError("--figure, --table: given together; give only one of them")
    # Errors in the request and the directory are reported before anything runs.
    chosen = [find_paper(paper)] if paper is not None else _all(figure, table)
    parts = [(one, _figures(one, figure, table)) for one in chosen]
    if any(one.live for one in chosen):
        obtain()
    for one in chosen:
        if axes.has_axes(one.directory):
            # The report has them, whatever reading is asked for.
            axes.load(one)
        _, _, unusable = _usable(one, reading)
        if unusable:
            echo(f"{one.key}: {unusable}", err=True)
    places = [out / one.key if out is not None and len(chosen) > 1 else out or home(one, quick) for one in chosen]
    for one, place in zip(chosen, places, strict=True):
        refuse_inputs([("--out", place)], [one.directory])
        check_place(place, force=force)
    from dupack.reproduce import overview

    whole = figure is None and table is None
    documents = []
    every, page = papers.all_papers(), None
    for number, ((one, figures), place) in enumerate(zip(parts, places, strict=True), 1):
        turn = f"paper {number} of {len(parts)}, {one.key}" if len(parts) > 1 else one.key
        one_paper = partial(_one, one, figures, place, turn, asked=reading, whole=whole, say=not as_json)
        with (limit or memory.default()).hold():
            documents.append(one_paper(quick=quick, seeds=seeds, threads=threads))
        if place.name == one.key and one.directory.parent == PAPERS:
            # The overview has all papers that have been reproduced so far, also by earlier commands.
            page = overview.write(every, place.parent)
    if page is not None and not as_json:
        echo(f"all papers: {page}")
    if as_json:
        with printing(f"; the results are in {', '.join(map(str, places))}"):
            click.echo(to_json(documents[0] if len(documents) == 1 else {"papers": documents}))


def home(paper: Paper, quick: bool) -> Path:
    """Where a paper's report is by default: first looks are apart from full reports."""
    return Path("out", "quick", paper.key) if quick else Path("out", paper.key)


def check_place(place: Path, *, force: bool) -> None:
    """Raises an error if a directory is not one for a report, before anything runs.

    It is new or empty, or has a report already, unless ``force``.
    """
    folders = [place / "figures", place / "data"]
    refuse_links(folders, "--out")
    check_directory(place, "--out")
    try:
        other = next((one for one in place.rglob("*") if not one.is_dir()), None)
    except OSError as error:
        raise OutputError(f"--out {place}: cannot be read: {why(error)}; nothing was run") from error
    if other is not None and not force and not is_ours(place / "data" / FILE):
        raise RequestError(
            f"--out {place}: the directory has files that are not of a report of dupack, such as "
            f"{other.relative_to(place)}; give a new or an empty directory, or --force; nothing was run"
        )
    for folder in folders:
        check_directory(folder, "--out")


def find_paper(key: str) -> Paper:
    """A paper or a study that dupack has, or that of a folder."""
    known = {one.key: one for one in (*papers.all_papers(), *papers.all_studies())}
    if key in known:
        return known[key]
    if expanded(key).is_dir() or "/" in key:
        return load(expanded(key))
    near = nearest(key, known)
    hint = f'did you mean "{near}"?' if near else "known: " + ", ".join(known)
    raise RequestError(f'unknown paper "{key}"; {hint}; or give the folder of a paper, such as ./my-paper')


def _all(figure: str | None, table: str | None) -> list[Paper]:
    """All papers; if a figure or a table is requested, only the papers that have it."""
    every = papers.all_papers()
    having = [one for one in every if figure is None or any(mine.answers(figure) for mine in one.figures)]
    having = [one for one in having if table is None or table in one.tables]
    if not having:
        what = f"figure {figure}" if table is None else f"table {table}"
        raise RequestError(f"no paper has a reproduced {what}; papers: {', '.join(o.key for o in every)}")
    return having


def _figures(paper: Paper, figure: str | None, table: str | None) -> list[Figure]:
    """The requested figures of a paper."""
    has = "it has figures " + ", ".join(one.id for one in paper.figures)
    if table is not None:
        if table not in paper.tables:
            known = f"tables {', '.join(paper.tables)} and " if paper.tables else ""
            raise RequestError(f"{paper.key} has no table {table}; {has.replace('it has ', f'it has {known}')}")
        return [one for one in paper.figures if one.id in paper.tables[table]]
    if figure is None:
        return paper.figures
    found = [one for one in paper.figures if one.answers(figure)]
    if not found:
        raise RequestError(f"{paper.key} has no reproduced figure {figure}; {has}")
    return found


def _one(
    paper: Paper,
    figures: list[Figure],
    place: Path,
    turn: str,
    *,
    asked: Sequence[str],
    whole: bool,
    say: bool,
    quick: bool,
    seeds: int | None,
    threads: int | None,
) -> dict[str, Any]:
    from dupack.reproduce import report

    began = time.monotonic()
    plans = {plan for figure in figures for plan in figure.plans}
    claims = list(paper.claims)
    if whole:
        plans |= {plan for measure in paper.measures.values() for plan in measure.plans}
    else:
        # Only the runs of these figures; claims that also need other runs need the whole paper.
        mine = {figure.id for figure in figures}
        claims = [c for c in claims if c.figure in mine and plans.issuperset(paper.measures[c.id].plans)]
    chosen, record, unusable = _usable(paper, asked)
    # What a report shows of the axes is as it was before the runs.
    space = axes.load(paper) if axes.has_axes(paper.directory) else None
    batch = Batch.of(paper, plans, quick=quick, seeds=seeds, read=chosen)
    batch.check(claims, figures)
    out = tables.console()
    if say:
        with printing("; nothing was run"):
            out.print(paper.cite, style="bold")
    results = _run(batch, place, turn, threads)
    ran = time.monotonic() - began

    # What a folder's texts say of runs is said of full runs of the best reading, or of the plans without a search.
    searched = (paper.directory / RECORD).exists()
    full = not quick and seeds is None and (record is not None or (chosen is None and not searched))
    judged = [judge(claim, paper, results, full=full) for claim in claims]
    drawn = [
        (
            figure.told(results) if full else replace(figure, ours=""),
            [one for curve in figure.series(results) for one in curve.with_singles()],
        )
        for figure in figures
    ]
    if record is not None:
        for row in judged:
            row["note"] = f"{row['note']} {record.note(row['id'])}".strip()
        drawn = [(figure, [*series, *record.others(figure, series)]) for figure, series in drawn]
    changed = record.changed(judged) if record is not None and not quick and seeds is None else []
    below = {figure.id: [table(results) for table in figure.tables] for figure in figures}
    names = {figure.id: figure.short for figure in figures}
    if whole and full:
        conclusions, *more = paper.short(results).split("\n\n")
        left = undecided(judged, names, record.claims("unsaid") if record else None)
        short = "\n\n".join([f"{conclusions} {left}".strip(), *more])
    else:
        short = in_brief(judged, names)
    document = {
        "paper": paper.key,
        "quick": quick,
        "whole": whole,
        "seeds": batch.seeds(),
        "runs": len(batch.todo()),
        "reading": chosen[0].named(chosen[1]) if chosen else None,
        "unused_record": unusable or None,
        "short": short,
        "claims": judged,
        "figures": [_figure(figure, series, below[figure.id]) for figure, series in drawn],
    }
    write_json(place / "results.json", document)
    how = report.How(
        quick=quick,
        seeds=batch.seeds(),
        runs=len(batch.todo()),
        seconds=ran,
        whole=whole,
        full=full,
        short=short,
        reading=chosen,
        space=space,
        record=record,
        changed=changed,
        unusable=unusable,
    )
    try:
        page = report.write(paper, drawn, below, claims, judged, how, place)
    except KeyboardInterrupt as stop:
        echo(f"{word(stop)}: all runs had finished; their results are in {place}; no report was written", err=True)
        sys.exit(code(stop))
    if not say:
        return document
    with printing(f"; the report was written: {page}"):
        _tell(judged, out, paper.stated)
        for one in changed:
            out.print(one)
        if quick:
            out.print(f"A first look (--quick): {paper.quick}", style="bold")
        made = f"{_several(len(batch.todo()), 'run')} and {_several(len(drawn), 'figure')}"
        out.print(f"{made} in {time.monotonic() - began:.0f} s")
        echo(f"report: {page}")
    return document


def _chosen(paper: Paper, asked: Sequence[str]) -> tuple[tuple[Space, Reading] | None, Record | None]:
    """The reading that is asked for, and the record of the search if it is the best one."""
    named = dict(one.split("=", 1) for one in asked if "=" in one)
    twice = [axis for axis in named if sum(one.startswith(f"{axis}=") for one in asked) > 1]
    if twice:
        raise RequestError(f"--reading {twice[0]}: given more than once; give each axis one value")
    words = [one for one in asked if "=" not in one]
    if len(words) + bool(named) > 1 or any(word not in ("best", "planned") for word in words):
        raise RequestError(f"--reading {' '.join(asked)}: write best, planned, or AXIS=VALUE for some axes")
    if named:
        space = axes.load(paper)
        return (space, space.reading(named, "--reading")), None
    record = None if words == ["planned"] else load_record(paper)
    if words == ["best"] and record is None:
        raise RequestError(f"--reading best: {paper.key} has no record of a search; dupack readings --record makes one")
    return ((record.space, record.best), record) if record else (None, None)


def _usable(paper: Paper, asked: Sequence[str]) -> tuple[tuple[Space, Reading] | None, Record | None, str]:
    """The same, and why the record cannot be used.

    The plans are then run as they are, unless the best reading is asked for.
    """
    try:
        return (*_chosen(paper, asked), "")
    except StaleRecordError as error:
        if asked:
            raise
        return None, None, f"The record of the search is not used, and the plans are run as they are. {error}"


def _run(batch: Batch, place: Path, turn: str, threads: int | None) -> Results:
    todo = batch.todo()
    with Runs(place / "data" / FILE) as runs:
        before = sum(runs.has(key) for key in todo)
        if before:
            echo(f"{turn}: {before:,} of {len(todo):,} runs had already finished", err=True)
        try:
            with Progress(turn, len(todo), before) as progress:
                if batch.paper.live:
                    run_live(todo, runs, then=progress.step)
                else:
                    simulate(todo, runs, threads=threads, then=progress.step)
        except KeyboardInterrupt as stop:
            results = batch.results(runs)
            _keep(results, place)
            names = ", ".join(f"{plan}.json" for plan in results) or "none"
            echo(
                f"{word(stop)}: {sum(runs.has(key) for key in todo):,} of {len(todo):,} runs had finished; the same "
                f"command goes on from there. No report was written. Experiments that are complete are in "
                f"{place / 'data'}: {names}",
                err=True,
            )
            sys.exit(code(stop))
        results = batch.results(runs)
    _keep(results, place)
    return results


def _keep(results: Results, place: Path) -> None:
    for plan, samples in results.items():
        write_whole(place / "data" / f"{plan}.json", json.dumps(data(samples), allow_nan=False) + "\n")


def _figure(figure: Figure, series: Sequence[Series], below: Sequence[Table]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": figure.id,
        "title": figure.title,
        "ours": figure.ours,
        "x": figure.x,
        "y": figure.y,
        "series": [
            {
                "name": one.name if one.panel in ("", one.name) else f"{one.panel}: {one.name}",
                "x": one.x,
                "y": one.y,
                "ci95": one.ci95,
            }
            for one in series
        ],
    }
    for table in below:
        as_json = {"heads": list(table.heads), "rows": [list(row) for row in table.rows]}
        if table.title:
            made.setdefault("tables", []).append({"title": table.title} | as_json)
        else:
            made["table"] = as_json
    return made


def _several(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _tell(rows: Sequence[dict[str, Any]], out: Console, stated: str) -> None:
    made = tables.table("", ["place", "claim", stated, "measured", "agrees?"], left=2, plain=not out.is_terminal)
    made.title = None
    made.columns[1].ratio = 1
    colours = {True: "green", False: "red", None: "dim"}
    for row in rows:
        style = colours[row["agrees"]]
        verdict = f"[{style}]{AGREES[row['agrees']]}[/]" if out.is_terminal else AGREES[row["agrees"]]
        made.add_row(row["where"], row["what"], published(row), measured(row), _markup(verdict))
    out.print(made)
    agree, differ = (sum(row["agrees"] is verdict for row in rows) for verdict in (True, False))
    out.print()
    wide = len(rows) - agree - differ
    unsaid = f", {wide} cannot be said: their intervals do not decide" if wide else ""
    verb = "does" if differ == 1 else "do"
    out.print(f"{agree} of {len(rows)} claims agree, {differ} {verb} not agree{unsaid}; notes are in the report.")


def _markup(text: str) -> Any:
    from rich.text import Text

    return Text.from_markup(text)
