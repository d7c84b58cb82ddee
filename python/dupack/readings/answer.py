"""The answer of a search: what holds under every reading of a paper, what depends, and the best single reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from statistics import fmean
from typing import Any

from dupack import _native
from dupack.readings.axes import Reading, Space
from dupack.readings.search import Search, Tried, along, choose, moved, split
from dupack.reproduce.judging import measured

LETTERS = {True: "y", False: "n", None: "-"}
STATUSES = {
    "holds": "holds under every reading that was tried",
    "depends": "depends on the reading",
    "fails": "holds under no reading that was tried",
    "unsaid": "cannot be said",
}
PLURALS = {
    "holds": "hold under every reading that was tried",
    "depends": "depend on the reading",
    "fails": "hold under no reading that was tried",
    "unsaid": "cannot be said",
}
RULE = (
    "A reading that takes the same words in different ways in different figures, or that contradicts the paper's own "
    "numbers, cannot be the best. Of the others, the one under which most claims agree is compared with the rest. "
    "Those under which significantly fewer claims agree are left out (McNemar's exact test, 5 %). Of what remains, the "
    "best reading has the fewest guesses; among equals, the fewest standards, then the fewest tools, then the most "
    "claims that agree."
)


def answer(search: Search) -> dict[str, Any]:
    """The answer as a document; `docs` describes its keys."""
    space, tried = search.space, list(search.full.values())
    best = choose(space, tried)
    order = sorted(tried, key=lambda one: (one.agree, one.reading))
    splits = split(space, tried, search.claims, search.seed)
    return {
        "paper": space.paper.key,
        "quick": search.quick,
        "rule": RULE,
        "build": _native.__build__,
        "screening": {
            "readings": len(search.screened),
            "combinations": search.combinations - search.among_combinations(search.refused),
            "combined": search.combined(),
            "refused": len(search.refused),
            "budget_s": search.budget_s,
            "cpu_s": round(search.cpu_s(), 1),
            "seed": search.seed,
        },
        "leading": {"readings": search.leaders, "in_full": search.led},
        "around": {"readings": search.around, "in_full": 0 if search.quick else search.beside()},
        "axes": [_axis(space, at, tried, search) for at in range(len(space.axes))],
        "claims": [_claim(space, claim.id, tried, search.concerning(claim.id)) for claim in search.claims],
        "readings": [_reading(space, one) for one in order],
        "best": order.index(best),
        "center": _index(order, search.center),
        "planned": _index(order, space.planned),
        "preferred": _index(order, space.preferred),
        "findings": {"best": _findings(best), "planned": _findings(search.full[space.planned])},
        "splits": {
            "count": len(splits),
            "seen": fmean(one.seen for one in splits) if splits else None,
            "unseen": fmean(one.unseen for one in splits) if splits else None,
            "planned": fmean(one.planned for one in splits) if splits else None,
        },
    }


def _index(order: Sequence[Tried], reading: Reading) -> int:
    return next(at for at, one in enumerate(order) if one.reading == reading)


def _axis(space: Space, at: int, tried: Sequence[Tried], search: Search) -> dict[str, Any]:
    axis = space.axes[at]
    beside = {one.reading[at]: one for one in tried if _beside(one.reading, search.center, at)}
    values = [
        {
            "name": value.name,
            "says": value.says,
            "basis": value.basis,
            "why": " ".join(value.why.split()),
            "planned": value.planned,
            "excluded": " ".join(value.excluded.split()),
            "agree": beside[index].agree if index in beside else None,
        }
        for index, value in enumerate(axis.value)
    ]
    return {
        "name": axis.name,
        "where": axis.where,
        "open": " ".join(axis.open.split()),
        "values": values,
        # Nothing is known of an axis of which no two readings in full differ in nothing else.
        "moves": moved(tried, at) if along(tried, at) else None,
        "moved_in_screening": at in search.moved,
    }


def _beside(one: Reading, center: Reading, at: int) -> bool:
    """Whether a reading differs from the central one in this axis at most."""
    return one[:at] == center[:at] and one[at + 1 :] == center[at + 1 :]


def _claim(space: Space, claim: str, tried: Sequence[Tried], concerning: Set[int]) -> dict[str, Any]:
    """The answer for a claim; axes that are not in ``concerning`` cannot change it."""

    def differ(one: Tried, other: Tried) -> tuple[int, ...]:
        return tuple(at for at in _differ(one, other) if at in concerning)

    found = [one.verdicts[claim] for one in tried]
    if all(verdict is None for verdict in found):
        status = "unsaid"
    elif all(verdict is True for verdict in found):
        status = "holds"
    elif not any(verdict is True for verdict in found):
        status = "fails"
    else:
        status = "depends"
    if status != "depends":
        axes: list[int] = []
    else:
        agrees = {one.reading: one.verdicts[claim] is True for one in tried}
        pairs = [pair for at in sorted(concerning) for pair in along(tried, at)]
        changed = {differ(one, other) for one, other in pairs if agrees[one.reading] != agrees[other.reading]}
        # If no axis alone does it, in the readings that were tried, the closest two with different verdicts tell.
        closest = min(
            (differ(one, other) for one in tried for other in tried if agrees[one.reading] > agrees[other.reading]),
            key=lambda found: (len(found), found),
        )
        axes = sorted({at for found in changed or {closest} for at in found})
    names = [space.axes[at].name for at in axes]
    return {"id": claim, "status": status, "agree": found.count(True), "axes": names}


def _differ(one: Tried, other: Tried) -> tuple[int, ...]:
    """The axes in which two readings differ."""
    return tuple(at for at, (a, b) in enumerate(zip(one.reading, other.reading, strict=True)) if a != b)


def _reading(space: Space, one: Tried) -> dict[str, Any]:
    verdicts = one.verdicts
    return {
        "values": space.named(one.reading),
        "agree": one.agree,
        "differ": sum(verdict is False for verdict in verdicts.values()),
        "verdicts": "".join(LETTERS[verdict] for verdict in verdicts.values()),
        # By these, a published number can be compared by another rule without runs.
        "measured": [_rounded(row["measured"]) for row in one.rows.values()],
        "halves": [_rounded(_half(row)) for row in one.rows.values()],
    }


def _half(row: Mapping[str, Any]) -> float | None:
    """Half of the interval of a row, if it has one."""
    return None if row["high"] is None else (row["high"] - row["low"]) / 2


def _rounded(value: object) -> float | None:
    """A number with six digits; None for what is not a number."""
    return float(f"{value:.6g}") if isinstance(value, int | float) else None


def _findings(one: Tried) -> dict[str, str]:
    return {claim: measured(row) for claim, row in one.rows.items()}


def counts(found: Mapping[str, Any]) -> dict[str, int]:
    """Number of claims of each status."""
    statuses = [claim["status"] for claim in found["claims"]]
    return {status: statuses.count(status) for status in STATUSES}


def _screened(screening: Mapping[str, Any], alone: int) -> str:
    """What was screened; ``alone`` readings try each axis alone."""
    told = f"First, {screening['readings']:,} readings were tried with short runs (--quick). "
    if screening["combinations"] == 1:
        told += "No axis changed a verdict."
    elif screening["readings"] <= alone and screening["combined"] < screening["combinations"]:
        told += (
            f"The axes that changed a verdict have {screening['combinations']:,} combinations. Trying each axis alone "
            f"took the budget of {_time(screening['budget_s'])} of processor time, so no others were tried."
        )
    elif screening["combined"] < screening["combinations"]:
        told += (
            f"The axes that changed a verdict have {screening['combinations']:,} combinations; "
            f"{screening['combined']:,} of them were tried, within the budget of {_time(screening['budget_s'])} of "
            "processor time."
        )
    else:
        told += f"The axes that changed a verdict have {screening['combinations']:,} combinations; all were tried."
    if refused := screening.get("refused", 0):
        told += f" Left out, because their values do not go together and a plan refuses them: {refused:,}."
    return told


def _around(around: Mapping[str, int]) -> list[str]:
    if around["in_full"] == around["readings"]:
        return []
    return [
        "Then each axis that had changed a verdict, or that short runs cannot show, was varied alone, around the best "
        f"of the leading readings. This makes {around['readings']:,} readings. The budget sufficed to run "
        f"{around['in_full']:,} of them in full; those of the axes that changed most verdicts came first."
    ]


def _leading(leading: Mapping[str, int]) -> list[str]:
    if leading["in_full"] == leading["readings"]:
        return []
    return [
        f"Of the {leading['readings']:,} readings that led in short runs, the budget sufficed to run "
        f"{leading['in_full']:,} in full."
    ]


def in_words(of: Mapping[str, int]) -> str:
    """Numbers of claims of each status, in words; a status that no claim has is left out."""
    told = [f"{count} {(STATUSES if count == 1 else PLURALS)[status]}" for status, count in of.items() if count]
    n = sum(of.values())
    last = f"{', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else told[0]
    return f"Of {n} {'claim' if n == 1 else 'claims'}, {last}."


def sentences(found: Mapping[str, Any]) -> list[str]:
    """The answer in words."""
    readings, n = found["readings"], len(found["claims"])
    of = counts(found)
    best, planned = readings[found["best"]], readings[found["planned"]]
    told = [
        f"{len(readings):,} readings of this paper were run{'' if found['quick'] else ' in full'}. {in_words(of)}",
        f"Under the best single reading, {_verdicts(best, n)}; with the plans as they are, {_verdicts(planned, n)}.",
        # The preferred reading, the plans as they are, and every other value of each axis.
        _screened(found["screening"], 2 + sum(len(axis["values"]) - 1 for axis in found["axes"])),
        # Records of earlier searches ran all of them.
        *_leading(found.get("leading", {"readings": 0, "in_full": 0})),
        *_around(found["around"]),
    ]
    if found["splits"]["count"]:
        splits = {name: f"{100 * value:.0f} %" for name, value in found["splits"].items() if name != "count"}
        fitted = _fitted(found["splits"], best["agree"] > planned["agree"])
        told.append(
            f"A check for overfitting: {found['splits']['count']} times, a reading was chosen by the claims of a "
            f"random half of the figures. On average {splits['seen']} of these claims agree under it, and "
            f"{splits['unseen']} of the others; with the plans as they are, {splits['planned']} of the others agree. "
            f"{fitted}"
        )
    return told


def _verdicts(reading: Mapping[str, Any], n: int) -> str:
    """How many of all claims agree, and how many do not."""
    unsaid = n - reading["agree"] - reading["differ"]
    left = f", and {unsaid} cannot be said" if unsaid else ""
    return f"{reading['agree']} of {n} claims agree{',' if left else ' and'} {reading['differ']} do not{left}"


MORE = 0.02
"""A difference of two shares that is said to be one: a fraction of a claim is none."""


def _fitted(splits: Mapping[str, float], more: bool) -> str:
    """What the check for overfitting says; ``more`` is whether more claims agree under the best reading."""
    ahead = splits["unseen"] - splits["planned"]
    if ahead > MORE:
        return "So a reading that is chosen by some claims is better for others, too."
    told = f"So a reading that is chosen by some claims is {'worse' if ahead < -MORE else 'not better'} for others."
    if more:
        told += " That more claims agree under the best reading is no evidence that it was the authors'."
    return told


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
