"""The printed form of the document of ``dupack run``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from rich.console import Console
from rich.table import Table

from dupack import percentiles, points, trust
from dupack.amounts import count, fraction, kind, seconds, share
from dupack.connections import JAIN, lone
from dupack.document import estimates
from dupack.tables import (
    COMPLETED,
    SUMMARY,
    WIDTHS,
    Document,
    done,
    fit,
    grouped,
    measured,
    of_all,
    over_runs,
    regime_note,
    say_left_out,
    table,
)


def show(document: Document, out: Console, *, titled: bool = True) -> None:
    """Prints the document of `dupack run`, with its title if ``titled``."""
    # Before all else, and not lost in a pipe to `head`.
    trust.say_doubts(trust.runs_of(document), out)
    if titled:
        out.print(document["title"], style="bold")
    if "points" in document:
        points.show(document, out)
        return
    runs = document.get("runs", [document])
    seeds = ", ".join(str(run["seed"]) for run in runs[:8]) + (", ..." if len(runs) > 8 else "")
    word = "seeds" if len(runs) > 1 else "seed"
    measured = document["duration_s"] - document["warm_up_s"]
    kernel = next((run["live"]["kernel"] for run in runs if "live" in run), None)
    how = "simulated" if kernel is None else f"on traffic of Linux {kernel}"
    out.print(
        f"{word} {seeds}; {seconds(document['duration_s'])} {how}, {seconds(measured)} of it measured; "
        f"{seconds(document['cpu_s'])} of CPU time"
    )
    if len(runs) > 1:
        out.print(f"Means over {len(runs)} runs {WIDTHS}.")
    out.print()
    unshown: list[str] = []
    abr = [_sources(runs, out)] if any("abr" in flow for run in runs for flow in run["flows"]) else []
    spread = (told for told in (percentiles.connections(runs, out), percentiles.percentiles(runs, out)) if told)
    # A command ran on the hosts instead of flows.
    flows = any(run["flows"] for run in runs)
    # Nor are there flows and links in the document of a run of which the summary alone is wanted.
    links = any(run["links"] for run in runs)
    ends = ([_flows(runs, out)] if flows else [], [_summary(runs, out)] if flows or not links else [])
    noticed = percentiles.applications(runs, out)
    lines = [_links(runs, out)] if links else []
    for made, left_out in (*ends[0], *noticed, *abr, *lines, *spread, *ends[1]):
        out.print(made)
        out.print()
        unshown += left_out
    if len(runs) > 1 and all(_told(run) == _told(runs[0]) for run in runs):
        out.print(f"All {len(runs)} runs are equal: this plan does not depend on the seed.")
    for warning in (*trust.lateness(trust.runs_of(document)), *_regimes(runs), *_correlated(runs)):
        out.print(warning)
    say_left_out(unshown, out)


def _told(run: Document) -> Document:
    """The measures of a run."""
    return {key: run[key] for key in ("flows", "links", "summary")}


def _flows(runs: Sequence[Document], out: Console) -> tuple[Table, list[str]]:
    columns = ["flow", "transport", "goodput", "segments sent", "retrans.", "delivered"]
    columns += ["timeouts", "fast retransmits", "active", "mean RTT", "mean delay"]
    # Flows that send message after message never complete.
    talk = any(flow["messages"] > 1 for run in runs for flow in run["flows"])
    columns += ["messages", "mean message"] if talk else ["completed at"]
    made = table("Flows", columns, left=2, plain=not out.is_terminal)
    rows = grouped([[_lived(flow) for flow in run["flows"]] for run in runs], ("transport",))
    numbers = ["goodput_bps", "segments_sent", "segments_retransmitted", "segments_delivered", "timeouts"]
    numbers += ["fast_retransmits", "active_fraction", "mean_rtt_s", "mean_delay_s"]
    numbers += ["messages", "mean_message_s"] if talk else ["completed_s"]
    told = [(name, flows[0]["transport"], *_cells(flows, numbers, len(runs))) for name, flows in rows]
    if len(rows) < len(runs[0]["flows"]):
        made.caption = "Numbers of a group are means over its members."
        made.caption_justify = "left"
    # No information is lost with the times of flows that never complete.
    never = [columns[-1]] if all(row[-1] == "-" for row in told) else []
    drop = ["mean delay", "delivered", "active", "fast retransmits", "segments sent", "mean RTT"]
    drop += ["transport", "retrans.", *columns[11:]]
    return made, fit(made, told, out, drop, never, first=2)


def _began(flow: Document) -> bool:
    """Whether a flow had a connection while it was measured."""
    connections = flow.get("connections")
    return connections is None or bool(
        flow["segments_sent"] or any(connections[key] for key in ("begun", "completed", "open"))
    )


def _lived(flow: Document) -> Document:
    """A flow, without the active part of its time if it had none."""
    return flow if _began(flow) else {**flow, "active_fraction": None}


def _sources(runs: Sequence[Document], out: Console) -> tuple[Table, list[str]]:
    most = "max backlog" + of_all(len(runs))
    columns = ["flow", "mean ACR", "unused ACR", "rate-based", "window-based", "mean backlog", most]
    columns += ["RM cells sent", "RM cells returned"]
    made = table("Sources (ABR)", columns, plain=not out.is_terminal)
    told = []
    for name, flows in grouped([[flow for flow in run["flows"] if "abr" in flow] for run in runs], ("transport",)):
        sources = [flow["abr"] for flow in flows]
        rates = ["mean_acr_bps", "unused_acr_bps", "rate_based_fraction", "window_based_fraction", "mean_backlog"]
        cells = [*_cells(sources, rates, len(runs)), count(max(source["max_backlog"] for source in sources))]
        told.append((name, *cells, *_cells(sources, ["forward_rm", "backward_rm"], len(runs))))
    return made, fit(made, told, out, ["window-based", "RM cells returned", most, "mean backlog", "RM cells sent"])


def _links(runs: Sequence[Document], out: Console) -> tuple[Table, list[str]]:
    most = "max backlog" + of_all(len(runs))
    columns = ["link", "queue", "carries", "offered", "sent", "dropped"]
    # Few disciplines do anything else to units than drop them.
    fates = ("minted", "trimmed", "marked")
    done = [what for what in fates if any(link["measured"][what] for run in runs for link in run["links"])]
    columns += [*done, "dead", "utilization", "goodput", "mean backlog", most]
    made = table("Links", columns, left=3, plain=not out.is_terminal)
    notes = []
    if any(run["warm_up_s"] for run in runs):
        notes.append("dead and max backlog cover the whole run, all else the time after the warm-up.")
    if any(link["goodput_fraction"] > 1 + 1e-9 for run in runs for link in run["links"]):
        notes.append("A goodput above 100 %: data sent during the warm-up was delivered after it.")
    if notes:
        made.caption = " ".join(notes)
        made.caption_justify = "left"
    # A reverse direction that dropped nothing is left out.
    kept = [[link for link in run["links"] if not _dull(link)] for run in runs]
    if len({len(links) for links in kept}) > 1:
        kept = [run["links"] for run in runs]
    told = []
    for name, links in grouped(kept, ("queue", "carries")):
        counts = [link["measured"] for link in links]
        causes = list(dict.fromkeys(cause for one in counts for cause in one["dropped"]))
        dropped = [f"{cause} {over_runs(counts, _dropped(cause), len(runs), count)}" for cause in causes]
        row = (
            name,
            links[0]["queue"],
            links[0]["carries"],
            *_cells(counts, ["offered", "sent"], len(runs)),
            ", ".join(dropped) or "0",
            *_cells(counts, done, len(runs)),
            *_cells(links, ["dead_units", "utilization", "goodput_fraction", "mean_backlog"], len(runs)),
            count(max(link["max_backlog"] for link in links)),
        )
        told.append(row)
    drop = ["carries", *done, "dead", most, "goodput", "offered", "mean backlog", "sent", "queue"]
    return made, fit(made, told, out, drop, first=1)


def _cells(ones: Sequence[Document], keys: Sequence[str], runs: int) -> list[str]:
    """The numbers with these keys, each over all runs; fractions in percent."""
    told = (share if (one := kind(key)) is fraction else one for key in keys)
    return [over_runs(ones, itemgetter(key), runs, how) for key, how in zip(keys, told, strict=True)]


def _dropped(cause: str) -> Callable[[Document], float]:
    return lambda link: float(link["dropped"].get(cause, 0))


def _dull(link: Document) -> bool:
    return link["queue"] == "unlimited" and link["name"].endswith(".back") and not link["dropped"]


def _summary(runs: Sequence[Document], out: Console) -> tuple[Table, list[str]]:
    batches = runs[0].get("batches")
    head = "mean ± 95 %" if len(runs) > 1 else f"± 95 %, {batches['count']} batches" if batches else ""
    made = table("Summary", ["", head], plain=not out.is_terminal)
    untold = JAIN if lone(runs) else ""
    cells = {key: cell for key, cell in estimates(runs).items() if key != untold}
    if runs[0]["flows"] and not any(_began(flow) for run in runs for flow in run["flows"]):
        cells["active_fraction"] = {"mean": None, "ci95": None}
    told = [(SUMMARY.get(key, key), measured(key, cell)) for key, cell in cells.items()]
    completed = done(runs)
    if completed is not None:
        told.append((COMPLETED, measured("_s", completed)))
    return made, fit(made, told, out, ())


def _regimes(runs: Sequence[Document]) -> list[str]:
    """A sentence for each number of the summary whose runs fall into two groups."""
    return [text for key, cell in estimates(runs).items() if (text := regime_note(key, cell))]


def _correlated(runs: Sequence[Document]) -> list[str]:
    """A warning if successive batches of a single run are correlated: then their intervals are too narrow."""
    batches = runs[0].get("batches")
    if len(runs) > 1 or not batches:
        return []
    # Independent batches exceed it with probability 1/40.
    bound = 1.96 / batches["count"] ** 0.5
    found = [(SUMMARY[key], r) for key, r in batches["correlation"].items() if r is not None and r > bound]
    if not found:
        return []
    names = ", ".join(f"{name} ({r:.2f})" for name, r in found)
    return [f"Successive batches are correlated in {names}: these intervals are too narrow. Use fewer batches."]
