"""``dupack compare``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from dupack import _native, memory, tables
from dupack.amounts import count
from dupack.comparing.rank import pairs
from dupack.comparing.trial import Trial
from dupack.errors import RequestError
from dupack.files import printing, to_json
from dupack.interrupts import code, word
from dupack.measures import SUMMARY, Measure
from dupack.progress import Progress
from dupack.regimes import note
from dupack.terminal import echo
from dupack.words import number, setting
from dupack.work import read_plan

GOODPUT = "goodput_bps"
"""What `--of` is by default."""

QUEUE = re.compile(r"link\.(?P<link>[\w-]+)\.(?P<way>back_|\*)?queue(\.kind)?")
"""Path of the queue of one link: of the way there, of the way back, or of both."""


def _under_load(plan: _native.Plan, paths: Sequence[str]) -> Iterator[str]:
    """Queueing delays of the links whose queues are varied, if the plan asks for percentiles."""
    for path in paths:
        found = QUEUE.fullmatch(path)
        if found is None:
            continue
        there, back = found["link"], f"{found['link']}.back"
        for name in {None: [there], "back_": [back], "*": [there, back]}[found["way"]]:
            measure = f"links.{name}.queue_delay_s.p99"
            try:
                Measure.find(plan, measure, "--also")
            except RequestError:
                continue  # without percentiles, or a group of links
            yield measure


def compare(
    plan: Path,
    *,
    vary: Sequence[str],
    sets: Sequence[str],
    seeds: list[int] | None,
    of: str,
    lowest: bool | None,
    also: Sequence[str],
    detuned: bool,
    limit: memory.Limit | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Runs the alternatives with the same seeds and prints their ranks."""
    axes = [_axis(text) for text in vary]
    sets = [*(["detune=0.001"] if detuned else []), *sets]
    read = read_plan(plan, [*sets, *(f"sweep.{path}=[{', '.join(values)}]" for path, values in axes)])
    paths = [path for path, _ in axes]
    lost = [path for path in paths if path not in read.axes]
    if lost:
        raise RequestError(f"--vary {lost[0]}: --set fixes the same path; give only one of them; nothing was run")
    fixed = {text.partition("=")[0].strip(): "--set" for text in sets} | dict.fromkeys(read.axes, "the plan's sweep")
    for path in paths:
        for other, by in fixed.items():
            if _is_kind(other, path):
                raise RequestError(
                    f"--vary {path}: {by} sets {other} in each alternative, so they would be alike; vary {other}, or "
                    "leave it out; nothing was run"
                )
    words = ("--of", "--seeds", "--lowest or --highest", "--also")
    if of == GOODPUT and not also:
        also = list(_under_load(read, paths))
    trial = Trial(read, paths, of, lowest=lowest, seeds=seeds, also=also, words=words)
    limit = limit or memory.default()
    limit.check(read, "compare", len(trial.seeds), threads)
    if trial.note:
        echo(trial.note, err=True)
    finished = 0
    try:
        with limit.hold(), Progress("comparing", len(trial.jobs)) as progress:

            def step() -> None:
                nonlocal finished
                finished += 1
                progress.step()

            told = trial.run(threads=threads, step=step)
    except KeyboardInterrupt as stop:
        echo(f"{word(stop)}: {finished} of {len(trial.jobs)} runs had finished; no comparison was made", err=True)
        sys.exit(code(stop))
    with printing():
        if as_json:
            click.echo(to_json({"title": read.title, **about(trial), "comparisons": told}))
        else:
            tell(trial, told, tables.console(), detuned=detuned)


def _is_kind(other: str, path: str) -> bool:
    """Whether a path is the ``kind`` of what stands at another; ``*`` in either stands for any name."""
    parts, outer = other.split("."), [*path.split("."), "kind"]
    return len(parts) == len(outer) and all(a == b or "*" in (a, b) for a, b in zip(parts, outer, strict=True))


def about(trial: Trial) -> dict[str, Any]:
    """The measure, its direction and the seeds."""
    of = trial.measure.key if trial.measure.part == SUMMARY else trial.measure.name
    return {"of": of, "better": "less" if trial.least else "more", "seeds": trial.seeds}


def _axis(text: str) -> tuple[str, list[str]]:
    """``PATH=V1,V2`` as a path and TOML values; a word needs no quotes."""
    path, equals, values = text.partition("=")
    if not equals or not path.strip():
        raise RequestError(f'--vary {text}: not PATH=VALUE,VALUE; write "link.bottleneck.queue=plain,ppd" or the like')
    found = [_toml(value.strip()) for value in _split(values)]
    if len(found) < 2 or "" in found:
        raise RequestError(f"--vary {text}: fewer than two values; give two or more")
    return path.strip(), found


def _split(text: str) -> list[str]:
    """Splits at commas outside of brackets and quotes."""
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


def tell(trial: Trial, told: list[dict[str, Any]], out: Console, *, detuned: bool = False) -> None:
    """Prints the ranked alternatives."""
    key = trial.measure.key
    name = tables.SUMMARY.get(key, key) if trial.measure.part == SUMMARY else trial.measure.name
    out.print(trial.plan.title, style="bold")
    out.print(
        f"{name}, {'lower' if trial.least else 'higher'} is better: {len(trial.seeds)} runs of each alternative, "
        f"all with the same seeds{', each with other rates of links, up to 0.1 % off' if detuned else ''}"
    )
    most = 0
    for group in told:
        out.print()
        if group["settings"]:
            at = ", ".join(f"{path} = {setting(value)}" for path, value in group["settings"].items())
            out.print(at, style="italic")
        ranked = group["alternatives"]
        most = max(most, len(ranked))
        together = _tell_together(trial, group, out)
        if not together:
            _tell_ranks(trial, group, out)
            _tell_others(trial, ranked, out)
        if trial.also and ranked:
            _tell_notes(trial, ranked, out, together=together)
        for one in ranked:
            name = ", ".join(map(str, one["alternative"].values()))
            if text := note(name, one, lambda mean: tables.measured(key, {"mean": mean, "ci95": None})):
                out.print(text)
        if still := _open(ranked):
            out.print(still)
        if not group["seeds_matter"]:
            out.print("All seeds give equal values: this measure does not depend on the seed.")
        if group["gain"] is not None and group["gain"] > 1.05:
            out.print(
                f"Without common seeds, intervals as narrow would need {number(group['gain'], 2)} times as many runs."
            )
    if not any(group["seeds_matter"] for group in told):
        return
    out.print()
    if most > 2:
        out.print(
            f"{'For each measure, the' if trial.also else 'The'} intervals of all {pairs(most)} differences hold "
            "simultaneously with 95 % confidence (Bonferroni), "
            "whichever alternative is the best."
        )
    elif most == 2:
        out.print("± is the half-width of the 95 % confidence interval (Student's t).")


def _tell_together(trial: Trial, group: dict[str, Any], out: Console) -> bool:
    """Prints the ranks and the other measures as one table; false, and nothing, if it is too wide or there are none."""
    ranked = group["alternatives"]
    if not trial.also or not ranked:
        return False
    heads = [_head(trial.measure), "difference from the best", *map(_head, trial.also)]
    rows = []
    for place, one in enumerate(ranked, 1):
        *words, significant = _row(place, one, trial.measure.key)
        words[-1] += " *" if significant == "yes" else ""
        rows.append((*words, *_others(trial, one)))
    absent = ("-", "-", *("-" for _ in trial.also))
    rows += [("-", *one.values(), *absent) for one in group["unmeasured"]]
    columns = ["", *tables.short(trial.paths), *heads]
    made = tables.table("", columns, left=1 + len(trial.paths), plain=not out.is_terminal)
    made.title = None
    if not tables.fits(made, rows, out):
        return False
    tables.fit(made, rows, out, [])
    out.print(made)
    if group["unmeasured"]:
        out.print("-: not measured in every run.")
    return True


def _tell_ranks(trial: Trial, group: dict[str, Any], out: Console) -> None:
    """Prints the ranks by the measure that is compared."""
    columns = ["", *tables.short(trial.paths), "mean ± 95 %", "difference from the best", "significant (95 %)?"]
    made = tables.table("", columns, left=1 + len(trial.paths), plain=not out.is_terminal)
    made.title = None
    rows = [_row(place, one, trial.measure.key) for place, one in enumerate(group["alternatives"], 1)]
    rows += [("-", *one.values(), "-", "", "not measured in every run") for one in group["unmeasured"]]
    left_out = tables.fit(made, rows, out, [])
    out.print(made)
    tables.say_left_out(left_out, out)


def _tell_others(trial: Trial, ranked: list[dict[str, Any]], out: Console) -> None:
    """Prints the other measures of the ranked alternatives."""
    if not trial.also or not ranked:
        return
    heads = [_head(one) for one in trial.also]
    made = tables.table(
        "", ["", *tables.short(trial.paths), *heads], left=1 + len(trial.paths), plain=not out.is_terminal
    )
    made.title = None
    rows = [(str(place), *one["alternative"].values(), *_others(trial, one)) for place, one in enumerate(ranked, 1)]
    left_out = tables.fit(made, rows, out, heads[::-1])
    out.print()
    out.print(made)
    tables.say_left_out(left_out, out)


def _tell_notes(trial: Trial, ranked: list[dict[str, Any]], out: Console, *, together: bool) -> None:
    """Says what the stars are, and of which connections the times are."""
    starred = [one["also"][measure.name] for one in ranked for measure in trial.also]
    if any(one and one["told_apart"] for one in [*starred, *(ranked if together else [])]):
        out.print(f"*: the difference from {', '.join(ranked[0]['alternative'].values())} is significant (95 %).")
    if any(one.key.startswith("connections.") and one.key.count(".") > 1 for one in trial.also):
        out.print("Times of connections are of completed connections only.")


def _head(measure: Measure) -> str:
    """``speaking mean_delay_s``, ``pages completion_s.p95``: words between which a head may break."""
    if measure.part == SUMMARY:
        return tables.SUMMARY.get(measure.key, measure.key)
    return f"{measure.of} {measure.key.removeprefix('connections.')}"


def _others(trial: Trial, one: dict[str, Any]) -> list[str]:
    """The other measures of an alternative."""
    return [_other(measure, one["also"][measure.name]) for measure in trial.also]


def _other(measure: Measure, one: dict[str, Any] | None) -> str:
    if one is None:
        return "-"
    return tables.measured(measure.key, {"mean": one["mean"], "ci95": one["ci95"]}) + (
        " *" if one["told_apart"] else ""
    )


def _open(ranked: list[dict[str, Any]]) -> str:
    """A line on connections that had not completed at the end, if there are any."""
    if not any(one.get("open") for one in ranked):
        return ""
    begun = [count(one["begun"]) for one in ranked]
    still = [count(one["open"]) for one in ranked]
    if len(set(begun)) == 1:
        told = f"{', '.join(still)} of {begun[0]}"
    else:
        told = ", ".join(f"{some} of {of}" for some, of in zip(still, begun, strict=True))
    return f"Open at the end, by rank: {told} connections (means); times are of completed connections only."


def _row(place: int, one: dict[str, Any], key: str) -> tuple[str, ...]:
    mean = tables.measured(key, {"mean": one["mean"], "ci95": one["ci95"]})
    if one["difference"] is None:
        return (str(place), *one["alternative"].values(), mean, "best", "")
    half = one["high"] - one["difference"]
    difference = tables.measured(key, {"mean": one["difference"], "ci95": half})
    return (str(place), *one["alternative"].values(), mean, difference, "yes" if one["told_apart"] else "no")
