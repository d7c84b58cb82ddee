"""Edits of a plan: what a reading changes in each point of the sweep."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dupack.work import Plan


@dataclass(frozen=True)
class Edits:
    """New values by path; a star in a path stands for any letters of a name or key."""

    set: Mapping[str, Any]
    """A value each."""
    replace: Mapping[str, Mapping[str, Any]]
    """New values for old ones, which are written as the plan writes them; other values are kept."""

    def __bool__(self) -> bool:
        return bool(self.set or self.replace)

    def paths(self) -> list[str]:
        """The paths as they are written."""
        return list(dict.fromkeys([*self.set, *self.replace]))

    def values(self, plan: Plan, point: int) -> dict[str, Any]:
        """What they set at a point of a plan. A path that the point does not have is left out."""
        if not self:
            return {}
        known = _known(plan.key(point))
        found = {path: value for pattern, value in self.set.items() for path in _matching(known, pattern)}
        for pattern, values in self.replace.items():
            for path in _matching(known, pattern):
                old = _text(_written(plan, point, path))
                if old in values:
                    found[path] = values[old]
        return found


def edited(plan: Plan, point: int, edits: Edits) -> Plan:
    """A plan of one point: that point of a plan with edits.

    Raises ``PlanError`` if the plan refuses an edit.
    """
    sets = [*plan.sets, "sweep={}"]
    for values in (plan.points[point], edits.values(plan, point)):
        # A whole table is set before the values in it.
        by_depth = sorted(values.items(), key=lambda setting: setting[0].count("."))
        sets += [f"{path}={toml(value)}" for path, value in by_depth]
    return _plan(plan.text, plan.origin, tuple(sets))


@lru_cache(maxsize=10_000)
def _plan(text: bytes, origin: str, sets: tuple[str, ...]) -> Plan:
    return Plan(text, origin, list(sets))


@lru_cache(maxsize=10_000)
def _known(key: str) -> tuple[str, ...]:
    """The paths of an experiment."""
    return tuple(line.partition(" = ")[0] for line in key.splitlines())


def _matching(known: Sequence[str], pattern: str) -> list[str]:
    """The paths that a pattern means: values of the experiment, or tables of them."""
    keys = pattern.split(".")
    of = re.compile(r"\.".join(".*".join(map(re.escape, key.split("*"))).replace(".*", "[^.]*") for key in keys))
    heads = dict.fromkeys(".".join(path.split(".")[: len(keys)]) for path in known if path.count(".") + 1 >= len(keys))
    found = [head for head in heads if of.fullmatch(head)]
    if keys[-1] == "kind" and not found:
        # A transport's kind stands for its control and its repair.
        found = [f"{head}.kind" for head in _matching(known, ".".join(keys[:-1]))]
    return found


@lru_cache(maxsize=1_000)
def _tables(text: bytes) -> dict[str, Any]:
    return tomllib.loads(text.decode())


def _written(plan: Plan, point: int, path: str) -> Any:
    """A value as the plan writes it at a point, or None."""
    settings = plan.points[point]
    over = [at for at in settings if path == at or path.startswith(f"{at}.")]
    if over:
        longest = max(over, key=len)
        inside = _inside(settings[longest], path[len(longest) :].strip(".").split("."))
        if inside is not None:
            return inside
    section, *rest = path.split(".")
    found = _tables(plan.text).get(section)
    if isinstance(found, list):
        found = next((thing for thing in found if thing.get("name") == rest[0]), None)
        rest = rest[1:]
    return _inside(found, rest)


def _inside(found: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        if key:
            found = found.get(key) if isinstance(found, dict) else None
    return found


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return toml(value)


def toml(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, dict):
        inside = (f"{json.dumps(key)} = {toml(one)}" for key, one in value.items())
        return f"{{ {', '.join(inside)} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)
