"""The printed form of words, of their pictures, and of what a plan would run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console

from dupack import amounts, forecasts, tables
from dupack.document import Document
from dupack.words import setting


def words(entries: Sequence[Document], sections: Sequence[str], headings: Mapping[str, tuple[str, str]]) -> None:
    """Prints the words of ``dupack list`` by family, and the sections of a plan if there are any."""
    out = tables.console()
    plain = not out.is_terminal
    for family in dict.fromkeys(entry["family"] for entry in entries):
        heading, where = headings.get(family, (family, ""))
        made = tables.table(
            f"{heading} ({where})" if where else heading, ["word", "what it does", "source"], left=3, plain=plain
        )
        for entry in entries:
            if entry["family"] == family:
                source = entry["source"] if out.width > NARROW else _at_hyphens(entry["source"])
                made.add_row(entry["name"], entry["summary"], source)
        out.print(made)
        out.print()
    if sections:
        out.print(f"Sections of a plan: plan, {', '.join(sections)}.")
    out.print("`dupack show WORD` prints the parameters of a word and a picture of what it does.")


NARROW, LONG = 100, 28
"""Columns of a terminal up to which a table with summaries has room for only that number of characters of a key."""


def _at_hyphens(source: str) -> str:
    """A source whose key, if it is long, goes on in a second line, after a hyphen."""
    at = source.rfind("-", 0, LONG) + 1 if len(source.split()[0]) > LONG else 0
    return f"{source[:at]}\n{source[at:]}" if at else source


def each(several: Iterable[Document], known: Document) -> None:
    """Prints what `dupack show` found."""
    out = tables.console()
    for number, one in enumerate(several):
        if number:
            out.print()
            out.rule(characters="─")
        _one(one, known, out)


def _one(one: Document, known: Document, out: Console) -> None:
    family = one.get("family")
    name = one["name"] or "plan"
    if family is None:
        out.print(f"{name}: {one['help']}", style="bold")
    else:
        noun = {
            "queue": "a queue discipline",
            "control": "a controller",
            "loss": "a loss model",
            "jitter": "a model of jitter",
            "marker": "a rate marker",
            "topology": "a topology",
            "compat": "a preset of transports",
        }.get(family, family)
        on = f", on {' or '.join(one['carries'])}" if one.get("carries") else ""
        out.print(f"{name} ({noun}{on})", style="bold")
        out.print(one["summary"])
        out.print(f"Source: {one['source']}" + (f". {one['published']}" if one["published"] else ""))
    parameters = list(one["parameters"])
    if family == "transport":
        control, repair = one["halves"]
        preset = f" The defaults are those of the preset {one['preset']}." if one.get("preset") else ""
        out.print(f"Combines the controller {control} with the repair {repair}.{preset}")
        halves = {("control", control), ("repair", repair)}
        every = [p for e in known["entries"] if (e["family"], e["name"]) in halves for p in e["parameters"]]
        # A stack has those of its halves, with other defaults.
        parameters = parameters or every
    out.print()
    if parameters:
        made = tables.table("", ["key", "default", "meaning", "written as"], left=4, plain=not out.is_terminal)
        for parameter in parameters:
            default = "required" if parameter["required"] else parameter["default"] or "none"
            made.add_row(parameter["name"], default, parameter["help"], parameter["written"])
        out.print(made)
        out.print()
    if family == "topology":
        _links(one["links"], out)
    if family in ("transport", "control", "repair"):
        out.print("Further parameters, common to all transports: `dupack show transport`.")
        out.print()
    drawn = one.get("picture")
    if drawn:
        out.print(drawn["written"], soft_wrap=True)
        out.print()
        for line in drawn["lines"]:
            out.print(line, soft_wrap=line.startswith(" "))


def _links(links: Iterable[Document], out: Console) -> None:
    """The tables of a topology's links."""
    made = tables.table("", ["table", "default", "links"], left=3, plain=not out.is_terminal)
    for links_of in links:
        default = "required" if links_of["required"] else f"as {links_of['like']}" if links_of["like"] else "none"
        made.add_row(links_of["name"], default, links_of["help"])
    out.print(made)
    out.print()
    out.print(
        "A table has the keys of a link (`dupack show link`): rate, delay, queue, ... Outside the tables, `carries` "
        "and `queue` are defaults for all links; `queue` is that of every port of every switch."
    )
    out.print()


def check(told: Document) -> None:
    """Prints what `dupack check` found."""
    out = tables.console()
    out.print(told["title"], style="bold")
    if told["points"] > 1:
        at = ", ".join(f"{path} = {setting(value)}" for path, value in told["settings"].items())
        out.print(f"{told['points']} points; shown is the first: {at}")
    left_out = []
    arriving = told.get("arrivals", [])
    for made, rows, drop in (
        *([forecasts.flows(told["flows"])] if told["flows"] else []),
        *([forecasts.arrivals(arriving)] if arriving else []),
        forecasts.links(told["links"], loads=bool(arriving), flows=bool(told["flows"])),
    ):
        out.print()
        left_out += tables.fit(made, rows, out, drop)
        out.print(made)
    out.print()
    out.print(
        "RTT: of a full segment on an empty network. "
        + ("BDP: rate of the bottleneck times that RTT. Window: the largest that is allowed. " if told["flows"] else "")
        + ("Load: offered by connections, headers and acks included, over the rate of the link. " if arriving else "")
        + (
            "Rounds that wait for the one before have no fixed load. "
            if any(f["every_s"] is None for f in arriving)
            else ""
        )
        + "Buffer in time: how long a full buffer takes to drain."
    )
    tables.say_left_out(left_out, out)
    notes = told.get("notes", [])
    for line in (forecasts.overloaded(told["links"]), forecasts.short_windows(told["flows"], told["links"]), *notes):
        if line:
            out.print(line)
    expected = told["expected"]
    runs, seeds, stop = told["runs"], len(told["seeds"]), told.get("stop")
    each, points = amounts.seconds(told["duration_s"]), told["points"]
    many = f"{runs} {'run' if runs == 1 else 'runs'} of {each}"
    if stop:
        at = f"At each of {points} points " if points > 1 else ""
        out.print(f"{at}{stop['says']}.")
        many = f"The first {runs} runs of {each}"
    elif runs > 1:
        many += f" ({points} points, {seeds} {'seed' if seeds == 1 else 'seeds'})"
    time = f"about {amounts.seconds(_about(expected['cpu_s']))} of CPU time"
    if expected["cores"] > 1:
        time += f", {amounts.seconds(_about(expected['elapsed_s']))} on {expected['cores']} cores"
    needs = expected["memory_bytes"]["sweep" if points > 1 else "run"]
    time += f", {amounts.size_of(needs)} of memory"
    most = f"; {points * stop['max']:,} would take {stop['max'] / stop['min']:.3g} times as long" if stop else ""
    out.print(f"{many}: {time}{most}.")


def _about(value: float) -> float:
    """Rounded to two digits."""
    return float(f"{value:.2g}")
