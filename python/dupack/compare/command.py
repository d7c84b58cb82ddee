"""``dupack compare``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from dupack import tables
from dupack._start import code, word
from dupack.compare.rank import Ranked, gain, pairs, rank
from dupack.errors import RequestError
from dupack.files import printing, to_json
from dupack.progress import Progress
from dupack.words import nearest
from dupack.work import Plan, Run, jobs_of, read_plan, run_jobs

SEEDS = 10
"""So many, where neither the plan nor the user gives several."""


def compare(
    plan: Path,
    *,
    vary: Sequence[str],
    sets: Sequence[str],
    seeds: list[int] | None,
    of: str,
    least: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Runs the alternatives with the same seeds, and prints them ranked."""
    axes = [_axis(text) for text in vary]
    read = read_plan(plan, [*sets, *(f"sweep.{path}=[{', '.join(values)}]" for path, values in axes)])
    paths = [path for path, _ in axes]
    lost = [path for path in paths if path not in read.axes]
    if lost:
        raise RequestError(f"--vary {lost[0]}: --set holds it fast; give one of them; nothing was run")
    used = seeds or _seeds(read)
    if len(used) < 2:
        raise RequestError("--seeds: one seed has no interval; give at least two; nothing was run")
    jobs = jobs_of(read, used)
    documents: list[dict[str, Any] | None] = [None] * len(jobs)

    def done(index: int, run: Run) -> None:
        if not index and of not in run.document["summary"]:
            raise _unknown(of, run.document["summary"])
        documents[index] = run.document["summary"]

    try:
        with Progress("comparing", len(jobs)) as progress:
            run_jobs(jobs, threads=threads, done=progress.then(done))
    except KeyboardInterrupt as stop:
        finished = sum(document is not None for document in documents)
        click.echo(f"{word(stop)}: {finished} of {len(jobs)} runs had finished; nothing can be compared", err=True)
        sys.exit(code(stop))
    groups = _groups(read, paths, documents, len(used), of)
    told = [_group(settings, values, paths, least=least) for settings, values in groups]
    with printing():
        if as_json:
            head = {"title": read.title, "of": of, "better": "less" if least else "more", "seeds": used}
            click.echo(to_json({**head, "comparisons": told}))
        else:
            _tell(read, told, of, len(used), paths, tables.console())


def _axis(text: str) -> tuple[str, list[str]]:
    """``PATH=V1,V2`` as a path and values of TOML; a word needs no quotes."""
    path, equals, values = text.partition("=")
    if not equals or not path.strip():
        raise RequestError(f'--vary {text}: write PATH=VALUE,VALUE such as "link.bottleneck.queue=plain,ppd"')
    found = [_toml(value.strip()) for value in _split(values)]
    if len(found) < 2 or "" in found:
        raise RequestError(f"--vary {text}: there is nothing to compare; give two or more values")
    return path.strip(), found


def _split(text: str) -> list[str]:
    """At the commas that stand in no brackets and no quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "," and depth == 0:
            parts.append("")
            continue
        else:
            depth += (letter in "[{") - (letter in "]}")
        parts[-1] += letter
    return parts


def _toml(value: str) -> str:
    import tomllib

    try:
        tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"' if value else ""
    return value


def _seeds(plan: Plan) -> list[int]:
    if plan.stop is not None:
        # The rule would give the alternatives different ones.
        return plan.seeds[: plan.stop[2]]
    return plan.seeds if len(plan.seeds) > 1 else list(range(plan.seeds[0], plan.seeds[0] + SEEDS))


def _unknown(of: str, summary: dict[str, Any]) -> RequestError:
    near = nearest(of, summary)
    hint = f'did you mean "{near}"?' if near else "known: " + ", ".join(summary)
    return RequestError(f"--of {of}: unknown; {hint}")


Values = dict[tuple[Any, ...], list[Any]]


def _groups(
    plan: Plan, paths: Sequence[str], documents: Sequence[dict[str, Any] | None], seeds: int, of: str
) -> list[tuple[dict[str, Any], Values]]:
    """Per setting of the axes that are not compared the values of each alternative, one per seed."""
    groups: dict[str, tuple[dict[str, Any], Values]] = {}
    for at, settings in enumerate(plan.points):
        others = {path: value for path, value in settings.items() if path not in paths}
        name = tuple(tables.setting(settings.get(path)) for path in paths)
        mine = [document[of] for document in documents[at * seeds : (at + 1) * seeds] if document is not None]
        groups.setdefault(repr(others), (others, {}))[1][name] = mine
    return list(groups.values())


def _group(settings: dict[str, Any], values: Values, paths: Sequence[str], *, least: bool) -> dict[str, Any]:
    measured = {name: mine for name, mine in values.items() if None not in mine}
    ranked = rank(measured, least=least) if measured else []
    return {
        "settings": settings,
        "alternatives": [_alternative(one, paths) for one in ranked],
        "unmeasured": [dict(zip(paths, name, strict=True)) for name in values if name not in measured],
        "gain": gain(measured),
    }


def _alternative(one: Ranked, paths: Sequence[str]) -> dict[str, Any]:
    best = one.half is None
    return {
        "alternative": dict(zip(paths, one.name, strict=True)),
        "mean": one.mean,
        "ci95": one.ci95,
        "difference": None if best else one.difference,
        "low": None if best else one.difference - (one.half or 0),
        "high": None if best else one.difference + (one.half or 0),
        "told_apart": None if best else one.told_apart,
    }


def _tell(plan: Plan, told: list[dict[str, Any]], of: str, seeds: int, paths: Sequence[str], out: Console) -> None:
    out.print(plan.title, style="bold")
    out.print(f"{tables.SUMMARY.get(of, of)}: {seeds} runs of each alternative, all with the same seeds")
    most = 0
    for group in told:
        out.print()
        if group["settings"]:
            at = ", ".join(f"{path} = {tables.setting(value)}" for path, value in group["settings"].items())
            out.print(at, style="italic")
        ranked = group["alternatives"]
        most = max(most, len(ranked))
        columns = ["", *tables.short(paths), "mean ± 95 %", "difference to the best", "is that chance?"]
        made = tables.table("", columns, left=1 + len(paths), plain=not out.is_terminal)
        made.title = None
        rows = [_row(place, one, of) for place, one in enumerate(ranked, 1)]
        rows += [("-", *one.values(), "-", "", "was not measured in every run") for one in group["unmeasured"]]
        left_out = tables.fit(made, rows, out, [])
        out.print(made)
        tables.say_left_out(left_out, out)
        if group["gain"] is not None and group["gain"] > 1.05:
            out.print(f"Without common seeds this would take {group['gain']:.2g} times the runs.")
    out.print()
    if most > 2:
        out.print(
            f"The intervals of all {pairs(most)} differences hold together with 95 % (Bonferroni): "
            "they hold for the best, whichever that is."
        )
    else:
        out.print("The interval of the difference holds with 95 %.")


def _row(place: int, one: dict[str, Any], of: str) -> tuple[str, ...]:
    mean = tables.measured(of, {"mean": one["mean"], "ci95": one["ci95"]})
    if one["difference"] is None:
        return (str(place), *one["alternative"].values(), mean, "", "the best")
    half = one["high"] - one["difference"]
    difference = tables.measured(of, {"mean": one["difference"], "ci95": half})
    return (str(place), *one["alternative"].values(), mean, difference, "no" if one["told_apart"] else "may be")
