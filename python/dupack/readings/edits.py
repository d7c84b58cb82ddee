"""Edits of a plan: what a reading changes in each point of the sweep."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from typing import Any

from dupack.work import Plan


@dataclass(frozen=True)
class Edits:
    """New values by path; a star in a path stands for any letters of a name or key."""

    set: Sequence[tuple[str, Any]] = ()
    """A value each."""
    replace: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """New values for old ones, as the plan or a value that is set writes them; a part may be named by its kind. Other
    values are kept."""

    def __bool__(self) -> bool:
        return bool(self.set or self.replace)

    def new(self, path: str) -> list[Mapping[str, Any]]:
        """The new values for old ones at a path."""
        return [values for pattern, values in self.replace if _compiled(pattern).fullmatch(path)]

    def without(self, paths: Sequence[str]) -> Edits:
        """The edits of other paths than these."""
        return Edits(
            [edit for edit in self.set if edit[0] not in paths], [edit for edit in self.replace if edit[0] not in paths]
        )

    def told(self, plan: Plan) -> list[str]:
        """The edits that change a point of a plan, a line each; none that could be left out."""
        single = {f"{path} = {toml(value)}": Edits([(path, value)]) for path, value in self.set} | {
            f"{path} = {toml(new)}   # instead of {old}": Edits(replace=[(path, {old: new})])
            for path, values in self.replace
            for old, new in values.items()
        }

        def made(some: Collection[Edits]) -> list[dict[str, Any]]:
            both = Edits([one for edits in some for one in edits.set], [one for edits in some for one in edits.replace])
            return [both.values(plan, point) for point in range(len(plan.points))]

        # An edit may do nothing: another one sets a whole table, sets another value, or is the same.
        kept = list(single)
        every = made(single.values())
        for line in reversed(single):
            others = [other for other in kept if other != line]
            if made([single[other] for other in others]) == every:
                kept = others
        return kept

    def values(self, plan: Plan, point: int) -> dict[str, Any]:
        """What they set at a point of a plan. A path that the point does not have is left out.

        A table that one edit sets can have paths that the plan does not have: the other edits change these, too.
        """
        if not self:
            return {}
        key = plan.key(point)
        found = self._values(_known(key), lambda path: written(plan, point, path))
        leaves = (leaf for table, whole in found.items() for leaf in _leaves(whole, table))
        new = {path: value for path, value in leaves if path not in _lines(key)}
        if new:
            more = self._values(_known("\n".join(f"{path} = " for path in new)), new.get)
            found |= {path: value for path, value in more.items() if path in new}
        return found

    def _values(self, known: _Paths, now: Callable[[str], Any]) -> dict[str, Any]:
        """What they set at these paths; ``now`` tells the value that is there."""
        # Values are replaced after all others are set, so that one axis can set a value and another one replace it.
        before = {path: value for pattern, value in self.set for path in known.matching(pattern)}
        found = dict(before)
        for pattern, values in self.replace:
            for path in known.matching(pattern):
                for old in texts(before[path] if path in before else now(path)):
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


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    """The paths that a pattern means; a star stands for any letters of a name or key."""
    keys = pattern.split(".")
    return re.compile(r"\.".join(".*".join(map(re.escape, key.split("*"))).replace(".*", "[^.]*") for key in keys))


class _Paths:
    """The paths of an experiment; what a pattern means is looked for once."""

    def __init__(self, key: str) -> None:
        self._all = [line.partition(" = ")[0].split(".") for line in key.splitlines()]
        self._heads: dict[int, list[str]] = {}
        self._found: dict[str, list[str]] = {}

    def matching(self, pattern: str) -> list[str]:
        """The paths that a pattern means: values of the experiment, or tables of them."""
        if pattern not in self._found:
            self._found[pattern] = self._look_for(pattern)
        return self._found[pattern]

    def _look_for(self, pattern: str) -> list[str]:
        keys, of = pattern.split("."), _compiled(pattern)
        found = [head for head in self._at_depth(len(keys)) if of.fullmatch(head)]
        if keys[-1] == "kind" and not found:
            # A transport's kind stands for its control and its repair.
            found = [f"{head}.kind" for head in self.matching(".".join(keys[:-1]))]
        return found

    def _at_depth(self, depth: int) -> list[str]:
        if depth not in self._heads:
            heads = (".".join(path[:depth]) for path in self._all if len(path) >= depth)
            self._heads[depth] = list(dict.fromkeys(heads))
        return self._heads[depth]


_known = lru_cache(maxsize=10_000)(_Paths)


@lru_cache(maxsize=10_000)
def _lines(key: str) -> frozenset[str]:
    """The paths of an experiment's values."""
    return frozenset(line.partition(" = ")[0] for line in key.splitlines())


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values in a table, with their paths; none for what is not a table."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, f"{path}.{key}") if isinstance(one, dict) else [(f"{path}.{key}", one)]


@lru_cache(maxsize=1_000)
def _tables(text: bytes) -> dict[str, Any]:
    return tomllib.loads(text.decode())


def written(plan: Plan, point: int, path: str) -> Any:
    """A value as the plan writes it at a point, or None."""
    settings = plan.points[point]
    keys = path.split(".")
    over = [at for at in settings if _compiled(at).fullmatch(".".join(keys[: at.count(".") + 1]))]
    if over:
        longest = max(over, key=lambda at: at.count("."))
        found = inside(settings[longest], keys[longest.count(".") + 1 :])
        # A part that is given by its kind alone keeps the other values of the plan.
        if found is not None or isinstance(settings[longest], dict):
            return found
    section, *rest = path.split(".")
    found = _tables(plan.text).get(section)
    if isinstance(found, list):
        found = next((thing for thing in found if thing.get("name") == rest[0]), None)
        rest = rest[1:]
    return inside(found, rest)


def inside(found: Any, keys: Sequence[str]) -> Any:
    """A value in tables, by its keys, or None."""
    for key in keys:
        if key:
            found = found.get(key) if isinstance(found, dict) else None
    return found


def texts(value: Any) -> list[str]:
    """The texts by which `Edits.replace` may name a value: a part by its kind or as a whole."""
    if value is None:
        return []
    kind = value.get("kind") if isinstance(value, dict) else None
    return [value if isinstance(value, str) else toml(value), *([kind] if isinstance(kind, str) else [])]


def toml(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, dict):
        inside = (f"{json.dumps(key)} = {toml(one)}" for key, one in value.items())
        return f"{{ {', '.join(inside)} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return value.isoformat() if isinstance(value, date | time) else repr(value)
