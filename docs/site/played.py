"""Links into the playground, for the site: a page of the reference and of a paper can be tried where it is read."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dupack import _native
from dupack.errors import RequestError
from dupack.playing import PAGE
from dupack.reproduce.paper import Paper
from dupack.work import read_plan

STARTERS = Path(__file__).resolve().parents[2] / "python" / "dupack" / "starters"
PLACE = "play"
"""Where the site has the playground."""

PATHS = {
    "queue": "link.bottleneck.queue",
    "loss": "link.bottleneck.loss",
    "jitter": "link.bottleneck.jitter",
    "reorder": "link.bottleneck.reorder",
    "traffic": "flow.bulk.traffic",
}
"""Where a starter has a part of each family."""

HALVES = {"control": "sack", "repair": "reno", "compat": "reno"}
"""Parts of a transport, and a transport that most of them fit."""

_PACED = 'flow.bulk.traffic={ kind = "cbr", rate = "4 Mb/s" }'
_ABR = "flow.bulk.abr={ icr = 0.05 }"
_MARKER = '{ kind = "eprca", congested = "500 cells", very_congested = "800 cells" }'
_FAT_TREE = (
    'topology={ kind = "fat-tree", k = 4, carries = "packets", queue = { kind = "drop-tail", buffer = "200 packets" }, '
    'access = { rate = "1 Gb/s", delay = "5 us" } }'
)
_SCRIPT = '{ kind = "script", flow = "bulk-0", packets = [1000, 1001] }'
_UNREPAIRED = '{ control = "static-window", repair = "none", mss = "1448 B", header = "52 B" }'

APART: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("transport", "udp"): ("dumbbell", (_PACED, "flow.bulk.transport.kind=udp")),
    ("control", "tahoe"): ("dumbbell", ("flow.bulk.transport.kind=tahoe",)),
    ("repair", "tahoe"): ("dumbbell", ("flow.bulk.transport.kind=tahoe",)),
    ("repair", "none"): ("dumbbell", (_PACED, f"flow.bulk.transport={_UNREPAIRED}")),
    ("traffic", "file"): ("dumbbell", ('flow.bulk.traffic={ kind = "file", size = "20 MB" }',)),
    ("traffic", "random-file"): ("leaf-spine", ()),
    ("arrivals", "poisson"): ("star", ()),
    ("arrivals", "rounds"): ("incast", ()),
    ("loss", "script"): ("dumbbell", (f"link.bottleneck.loss={_SCRIPT}",)),
    ("reorder", "reorder"): ("dumbbell", ('link.bottleneck.reorder={ rate = 0.01, delay = "5 ms" }',)),
    ("grants", "grants"): ("home", ('link.uplink.grants={ delay = "10 ms" }',)),
    ("marker", "eprca"): ("atm", (f"link.bottleneck.marker={_MARKER}", _ABR)),
    ("marker", "erica"): ("atm", ('link.bottleneck.marker={ kind = "erica" }', _ABR)),
    ("abr", "abr"): ("atm", (f"link.bottleneck.marker={_MARKER}", _ABR)),
    ("topology", "dumbbell"): ("dumbbell", ()),
    ("topology", "parking-lot"): ("parking-lot", ()),
    ("topology", "star"): ("star", ()),
    ("topology", "incast"): ("incast", ()),
    ("topology", "leaf-spine"): ("leaf-spine", ()),
    ("topology", "fat-tree"): ("leaf-spine", (_FAT_TREE,)),
}
"""Words that need more than a place of their own: the starter, and what is set in it."""

USUAL = {
    "discipline": {"kind": "drop-tail", "buffer": "40 packets"},
    "factor": 2,
    "mean-packets": "10 packets",
    "packets": "10 packets",
    "rate": "10 Mb/s",
    "share": 0.01,
    "time": "5 ms",
    "window": "500 kB",
}
"""Values of parameters that must be given, by kind."""


def is_built() -> bool:
    """Whether there is a playground to link to."""
    return (PAGE / "index.html").exists()


def copy(site: Path) -> None:
    """Puts the playground beside the site's pages."""
    if is_built():
        shutil.copytree(PAGE, site / PLACE, dirs_exist_ok=True)


def link(depth: int, what: Sequence[tuple[str, str]], words: str = "Open in the playground") -> str:
    """A link from a page that is `depth` folders below the first, as HTML: the target is no page of Sphinx."""
    target = f"{'../' * depth}{PLACE}/index.html#{urlencode(what)}".replace("&", "&amp;")
    return f'<a class="play" href="{target}">{html.escape(words)}</a>\n'


@cache
def _entries() -> dict[tuple[str, str], dict[str, Any]]:
    entries = json.loads(_native.catalogue())["entries"]
    return {(entry["family"], entry["name"]): entry for entry in entries}


@cache
def example(family: str, name: str) -> tuple[tuple[str, str], ...] | None:
    """A starter with this word in it, as the playground's address names it; none if no starter can have it."""
    entry = _entries().get((family, name))
    if entry is None:
        return None
    carried = entry.get("carries") or ["packets"]
    starter = "dumbbell" if "packets" in carried else "atm"
    sets: Sequence[str]
    if (family, name) in APART:
        starter, sets = APART[family, name]
    elif family == "transport":
        sets = [f"flow.bulk.transport.kind={json.dumps(name)}"]
    elif family in HALVES:
        sets = [f"flow.bulk.transport={{ kind = {json.dumps(HALVES[family])}, {family} = {json.dumps(name)} }}"]
    elif family in PATHS:
        usual = {**USUAL, "room": "40 packets" if starter == "dumbbell" else "1200 cells"}
        needed = [one for one in entry["parameters"] if one["required"]]
        if any(one["kind"] not in usual for one in needed):
            return None
        values = {"kind": name, **{one["name"]: usual[one["kind"]] for one in needed}}
        sets = [f"{PATHS[family]}={_toml(values)}"]
    else:
        return None
    try:
        read_plan(STARTERS / f"{starter}.toml", sets)
    except (RequestError, _native.PlanError):
        return None
    return (("plan", starter), *(("set", one) for one in sets))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def in_reference(family: str, text: str) -> str:
    """A page of the reference, with a link below the head of each word that a starter can have."""

    def add(head: re.Match[str]) -> str:
        found = example(family, head[1])
        return head[0] if found is None else f"{head[0]}\n{link(1, found)}"

    return re.sub(r"^## ([a-z0-9-]+)\n", add, text, flags=re.MULTILINE)


def in_paper(paper: Paper, text: str) -> str:
    """A paper's page, with links below the head of each figure to the plans whose runs it shows."""
    plans = {figure.file: figure.plans for figure in paper.figures}

    def add(head: re.Match[str]) -> str:
        found = plans.get(head[1], ())
        words = "Open in the playground" if len(found) == 1 else "Open {} in the playground"
        links = [link(1, [("plan", f"{paper.key}/{plan}")], words.format(plan)) for plan in found]
        return "\n".join([head[0], *links])

    label = re.escape(paper.key)
    return re.sub(rf"^\({label}-([^)]*)\)=\n## .*\n", add, text, flags=re.MULTILINE)
