"""The answer of a search: what holds under every reading of a paper, what depends, and the best single reading."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence, Set
from statistics import fmean, stdev
from typing import Any

from dupack import _native
from dupack.readings.axes import Reading, Space
from dupack.readings.search import Search, Split, Tried, along, choose, moved, split
from dupack.reproduce.judging import measured

LETTERS = {True: "y", False: "n", None: "-"}
STATUSES = {
    "holds": "holds under every reading that decides it",
    "depends": "depends on the reading",
    "fails": "holds under no reading that was tried",
    "unsaid": "cannot be said",
}
PLURALS = {
    "holds": "hold under every reading that decides them",
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
        "axes": [_axis(space, at, tried, search.center, at in search.moved) for at in range(len(space.axes))],
        "claims": [_claim(space, claim.id, tried, search.concerning(claim.id)) for claim in search.claims],
        "readings": [_reading(space, one) for one in order],
        "best": order.index(best),
        "center": _index(order, search.center),
        "planned": _index(order, space.planned),
        "preferred": _index(order, space.preferred),
        "findings": findings(best, search.full[space.planned]),
        "splits": _splits(splits),
    }


def extended(search: Search, found: Mapping[str, Any], varied: Collection[int]) -> dict[str, Any]:
    """An answer with readings that were run after its search; ``varied`` are the axes that these readings are about.

    The rules are those of the first answer, so the best reading can be another one. ``findings`` are those of the first
    answer; they are to be made anew then.
    """
    space = search.space
    before = {space.reading(one["values"], "readings"): one for one in found["readings"]}
    added = {reading: one for reading, one in search.full.items() if reading not in before}
    tried = [*(_judged(reading, one, found) for reading, one in before.items()), *added.values()]
    documents = {reading: {**one, "values": space.named(reading)} for reading, one in before.items()}
    documents |= {reading: _reading(space, one) for reading, one in added.items()}
    order = sorted(tried, key=lambda one: (one.agree, one.reading))
    center = list(before)[found["center"]]
    axes = {axis["name"]: axis for axis in found["axes"]}
    depends = {
        claim["id"]: {at for at, axis in enumerate(space.axes) if axis.name in claim["axes"]}
        for claim in found["claims"]
    }
    made = []
    for at, axis in enumerate(space.axes):
        if at in varied or axis.name in axes:
            one = _axis(space, at, tried, center, axes.get(axis.name, {}).get("moved_in_screening"))
            if at not in varied:
                # Other values were added since, and have not been tried.
                known = {value["name"] for value in axes[axis.name]["values"]}
                one["values"] = [value for value in one["values"] if value["name"] in known]
            made.append(one)
    return {
        **found,
        "added": found.get("added", 0) + len(added),
        "axes": made,
        "claims": [
            _claim(space, claim.id, tried, search.concerning(claim.id) | depends[claim.id]) for claim in search.claims
        ],
        "readings": [documents[one.reading] for one in order],
        "best": order.index(choose(space, tried)),
        "center": _index(order, center),
        "planned": _index(order, space.planned),
        "preferred": _index(order, space.preferred),
        "splits": _splits(split(space, tried, search.claims, found["screening"]["seed"])),
    }


def differing(search: Search, found: Mapping[str, Any]) -> list[str]:
    """The claims that have another verdict in these runs than in an answer, in readings that both have."""
    before = [(search.space.reading(one["values"], "readings"), one) for one in found["readings"]]
    both = [(search.full[reading], _judged(reading, one, found)) for reading, one in before if reading in search.full]
    return [claim for one, other in both for claim in one.verdicts if one.verdicts[claim] is not other.verdicts[claim]]


def _judged(reading: Reading, one: Mapping[str, Any], found: Mapping[str, Any]) -> Tried:
    """A reading of an answer with its verdicts."""
    known = {letter: verdict for verdict, letter in LETTERS.items()}
    pairs = zip(found["claims"], one["verdicts"], strict=True)
    return Tried(reading, {claim["id"]: {"agrees": known[letter]} for claim, letter in pairs})


def _splits(splits: Sequence[Split]) -> dict[str, Any]:
    """Means of the shares, and the standard deviation over the splits of what choosing gains in the unseen half."""
    if not splits:
        return {"count": 0, "seen": None, "unseen": None, "preferred": None, "spread": None}
    return {
        "count": len(splits),
        "seen": fmean(one.seen for one in splits),
        "unseen": fmean(one.unseen for one in splits),
        "preferred": fmean(one.preferred for one in splits),
        "spread": stdev(one.unseen - one.preferred for one in splits),
    }


def _index(order: Sequence[Tried], reading: Reading) -> int:
    return next(at for at, one in enumerate(order) if one.reading == reading)


def _axis(space: Space, at: int, tried: Sequence[Tried], center: Reading, screened: bool | None) -> dict[str, Any]:
    """The answer for an axis; ``screened`` says whether it changed a verdict in short runs, None if it was in none."""
    axis = space.axes[at]
    beside = {one.reading[at]: one for one in tried if _beside(one.reading, center, at)}
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
        "moves": moved(tried, at, _opposite) if along(tried, at) else None,
        "moved_in_screening": screened,
    }


def _opposite(one: bool | None, other: bool | None) -> bool:
    """Whether one verdict is a yes and the other one a no."""
    return {one, other} == {True, False}


def _beside(one: Reading, center: Reading, at: int) -> bool:
    """Whether a reading differs from the central one in this axis at most."""
    return one[:at] == center[:at] and one[at + 1 :] == center[at + 1 :]


def _claim(space: Space, claim: str, tried: Sequence[Tried], concerning: Set[int]) -> dict[str, Any]:
    """The answer for a claim; axes that are not in ``concerning`` cannot change it."""

    def differ(one: Tried, other: Tried) -> tuple[int, ...]:
        return tuple(at for at in _differ(one, other) if at in concerning)

    found = [one.verdicts[claim] for one in tried]
    status = _status(found)
    axes: Sequence[int] = []
    alone = True
    if status == "depends":
        agrees = {one.reading: one.verdicts[claim] for one in tried}

        def opposite(one: Tried, other: Tried) -> bool:
            return _opposite(agrees[one.reading], agrees[other.reading])

        pairs = [pair for at in sorted(concerning) for pair in along(tried, at)]
        changed = {at for one, other in pairs if opposite(one, other) for at in differ(one, other)}
        if not (alone := bool(changed)):
            # If no axis alone does it, in the readings that were tried, the closest two with opposite verdicts tell.
            mine = [differ(one, other) for one, other in itertools.combinations(tried, 2) if opposite(one, other)]
            closest = min(mine, key=lambda found: (len(found), found))
            changed, alone = set(closest), len(closest) == 1
        axes = sorted(changed)
    return {
        "id": claim,
        "status": status,
        "agree": found.count(True),
        "decided": len(found) - found.count(None),
        "axes": [space.axes[at].name for at in axes],
        "alone": alone,
    }


def _status(found: Sequence[bool | None]) -> str:
    """The status of a claim with these verdicts. A reading that decides nothing does not contradict the others."""
    decided = {verdict for verdict in found if verdict is not None}
    if not decided:
        return "unsaid"
    if len(decided) == 2:
        return "depends"
    return "holds" if True in decided else "fails"


def status(claim: Mapping[str, Any], readings: int) -> str:
    """The status of a claim of an answer in words, with the axes that it depends on; ``readings`` were run."""
    told = STATUSES[claim["status"]]
    if claim["axes"]:
        told += f": {depends_on(claim)}"
    undecided = readings - claim["decided"]
    does = "decides" if undecided == 1 else "decide"
    return f"{told} ({undecided} of {readings} {does} nothing)" if 0 < undecided < readings else told


def depends_on(claim: Mapping[str, Any]) -> str:
    """The axes that a claim depends on; empty for a claim that depends on none."""
    names = ", ".join(claim["axes"])
    return f"at least one of {names}" if len(claim["axes"]) > 1 and not claim["alone"] else names


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


def findings(best: Tried, planned: Tried) -> dict[str, dict[str, str]]:
    """What was measured, in words."""
    both = {"best": best, "planned": planned}
    return {name: {claim: measured(row) for claim, row in one.rows.items()} for name, one in both.items()}


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


def _beside_it(around: Mapping[str, int]) -> list[str]:
    if around["in_full"] == around["readings"]:
        return []
    return [
        "Then each axis that had changed a verdict, or that short runs cannot show, was varied alone, around the best "
        f"of the leading readings. This makes {around['readings']:,} readings. The budget sufficed to run "
        f"{around['in_full']:,} of them in full; those of the axes that changed most verdicts came first."
    ]


def _added(count: int) -> list[str]:
    if not count:
        return []
    some = "one reading was" if count == 1 else f"{count:,} readings were"
    return [f"Later, {some} added with --axis, which has no budget."]


def _in_screening(axis: Mapping[str, Any]) -> bool:
    """Whether an axis of an answer was in the short runs."""
    return axis["moved_in_screening"] is not None


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
        _screened(
            found["screening"], 2 + sum(len(axis["values"]) - 1 for axis in found["axes"] if _in_screening(axis))
        ),
        # Records of earlier searches ran all of them.
        *_leading(found.get("leading", {"readings": 0, "in_full": 0})),
        *_beside_it(found["around"]),
        *_added(found.get("added", 0)),
    ]
    if found["splits"]["count"]:
        told.append(_fitted(found["splits"], best["agree"] > readings[found["preferred"]]["agree"]))
    return told


def around(found: Mapping[str, Any]) -> str:
    """Around which reading each axis was varied."""
    if found["center"] == found["best"]:
        return "Each axis was varied alone, around the best single reading."
    which = "with the best basis on each axis" if found["quick"] else "that was the best until then"
    return f"Each axis was varied alone, around the reading {which}."


def _verdicts(reading: Mapping[str, Any], n: int) -> str:
    """How many of all claims agree, and how many do not."""
    unsaid = n - reading["agree"] - reading["differ"]
    left = f", and {unsaid} cannot be said" if unsaid else ""
    does = "does" if reading["differ"] == 1 else "do"
    return f"{reading['agree']} of {n} claims agree{',' if left else ' and'} {reading['differ']} {does} not{left}"


def _fitted(splits: Mapping[str, float], more: bool) -> str:
    """What the check for overfitting says.

    ``more`` is whether more claims agree under the best reading than under the one with the best basis on each axis.
    """
    shares = {name: f"{100 * splits[name]:.0f} %" for name in ("seen", "unseen", "preferred")}
    ahead = splits["unseen"] - splits["preferred"]
    told = (
        f"A check for overfitting: {splits['count']} times, a reading was chosen by the claims of a random half of the "
        f"figures. On average {shares['seen']} of these claims agree under it, and {shares['unseen']} of the other "
        f"claims. Of the other claims, {shares['preferred']} agree under the reading with the best basis on each axis. "
    )
    if ahead == splits["spread"] == 0:
        return f"{told}In every split this is the same share as under the chosen reading, so choosing gained nothing."
    told += (
        f"The difference of these two shares is {100 * ahead:+.0f} points, with a standard deviation of "
        f"{100 * splits['spread']:.0f} points over the splits. "
    )
    if ahead > splits["spread"]:
        return f"{told}So a reading that is chosen by some claims is better for others, too."
    worse = ahead < -splits["spread"]
    told += (
        "So choosing by some claims makes the reading worse for the others."
        if worse
        else "So choosing by some claims does not clearly make the reading better for the others."
    )
    if more:
        told += (
            " More claims agree under the best reading than under that with the best basis, but this is no evidence "
            "that it was the authors'."
        )
    return told


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
