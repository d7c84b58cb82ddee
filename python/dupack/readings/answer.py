"""The answer of a search: what holds under every reading of a paper, what depends, and the best single reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from dupack.readings.axes import Reading, Space
from dupack.readings.search import Search, Tried, along, choose, split
from dupack.reproduce.judging import measured

LETTERS = {True: "y", False: "n", None: "-"}
STATUSES = {
    "holds": "holds under every reading",
    "depends": "depends on the reading",
    "fails": "holds under no reading that was tried",
    "unsaid": "cannot be said",
}
RULE = (
    "Of the readings that do not agree significantly less often than the one that agrees most often (McNemar's exact "
    "test, 5 %), the one with the fewest guesses, then the fewest standards, then the fewest tools; of equal ones the "
    "one that agrees most often."
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
        "screening": {
            "readings": len(search.screened),
            "combinations": search.combinations,
            "combined": search.combined(),
            "refused": len(search.refused),
            "budget_s": search.budget_s,
            "cpu_s": round(search.cpu_s(), 1),
            "seed": search.seed,
        },
        "axes": [_axis(space, at, tried, best, search) for at in range(len(space.axes))],
        "claims": [_claim(space, claim.id, tried) for claim in search.claims],
        "readings": [_reading(space, one) for one in order],
        "best": order.index(best),
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


def _axis(space: Space, at: int, tried: Sequence[Tried], best: Tried, search: Search) -> dict[str, Any]:
    axis = space.axes[at]
    beside = {one.reading[at]: one for pair in along(tried, at) for one in pair if _beside(one, best, at)}
    values = [
        {
            "name": value.name,
            "says": value.says,
            "basis": value.basis,
            "why": " ".join(value.why.split()),
            "planned": value.planned,
            "agree": beside[index].agree if index in beside else best.agree if best.reading[at] == index else None,
        }
        for index, value in enumerate(axis.value)
    ]
    return {
        "name": axis.name,
        "where": axis.where,
        "open": " ".join(axis.open.split()),
        "values": values,
        "moves": _moved(tried, at),
        "moved_in_screening": at in search.moved,
    }


def _beside(one: Tried, best: Tried, at: int) -> bool:
    """Whether a reading differs from the best in this axis at most."""
    mine, theirs = one.reading, best.reading
    return mine[:at] == theirs[:at] and mine[at + 1 :] == theirs[at + 1 :]


def _moved(tried: Sequence[Tried], at: int) -> list[str]:
    """The claims whose verdict this axis changes, the others alike."""
    pairs = [(one.verdicts, other.verdicts) for one, other in along(tried, at)]
    claims = tried[0].rows
    return [claim for claim in claims if any(one[claim] is not other[claim] for one, other in pairs)]


def _claim(space: Space, claim: str, tried: Sequence[Tried]) -> dict[str, Any]:
    found = [one.verdicts[claim] for one in tried]
    if all(verdict is None for verdict in found):
        status = "unsaid"
    elif all(verdict is True for verdict in found):
        status = "holds"
    elif not any(verdict is True for verdict in found):
        status = "fails"
    else:
        status = "depends"
    axes = [
        space.axes[at].name
        for at in range(len(space.axes))
        if any((one.verdicts[claim] is True) != (other.verdicts[claim] is True) for one, other in along(tried, at))
    ]
    return {"id": claim, "status": status, "agree": found.count(True), "axes": axes if status == "depends" else []}


def _reading(space: Space, one: Tried) -> dict[str, Any]:
    verdicts = one.verdicts
    return {
        "values": space.named(one.reading),
        "agree": one.agree,
        "differ": sum(verdict is False for verdict in verdicts.values()),
        "verdicts": "".join(LETTERS[verdict] for verdict in verdicts.values()),
    }


def _findings(one: Tried) -> dict[str, str]:
    return {claim: measured(row) for claim, row in one.rows.items()}


def counts(found: Mapping[str, Any]) -> dict[str, int]:
    """Number of claims of each status."""
    statuses = [claim["status"] for claim in found["claims"]]
    return {status: statuses.count(status) for status in STATUSES}


def sentences(found: Mapping[str, Any]) -> list[str]:
    """The answer in words."""
    readings, n = found["readings"], len(found["claims"])
    of = counts(found)
    best, planned = readings[found["best"]], readings[found["planned"]]
    told = [
        f"{len(readings):,} readings of this paper were run{'' if found['quick'] else ' in full'}. Of "
        f"{n} {'claim' if n == 1 else 'claims'}, {_counted(of['holds'], 'hold')} under every one of them, "
        f"{_counted(of['depends'], 'depend')} on the reading, {_counted(of['fails'], 'hold')} under none, and "
        f"{of['unsaid']} cannot be said.",
        f"Under the best single reading, {best['agree']} of {n} claims agree and {best['differ']} do not; as the plans "
        f"are, {planned['agree']} agree and {planned['differ']} do not.",
    ]
    screening = found["screening"]
    screened = f"{screening['readings']:,} readings were screened with the settings of a first look."
    if not any(axis["moved_in_screening"] for axis in found["axes"]):
        told.append(f"{screened} No axis moved a claim there.")
    else:
        part = screening["combined"] + screening.get("refused", 0) < screening["combinations"]
        told.append(
            f"{screened} The axes that moved a claim have {screening['combinations']:,} combinations; "
            + (
                f"{screening['combined']:,} of them were screened, within the budget of "
                f"{_time(screening['budget_s'])} of processor time."
                if part
                else "all of them were screened."
            )
        )
    if screening.get("refused"):
        told[-1] += f" Readings that a plan refuses, because their values do not go together: {screening['refused']:,}."
    if found["splits"]["count"]:
        splits = found["splits"]
        told.append(
            f"A check for fitting: in {splits['count']} splits, the reading was chosen by a random half of the "
            f"figures. On average {100 * splits['seen']:.0f} % of the claims of that half agree, and "
            f"{100 * splits['unseen']:.0f} % of the claims of the other half; as the plans are, "
            f"{100 * splits['planned']:.0f} % of the latter agree."
        )
    return told


def _counted(count: int, verb: str) -> str:
    return f"{count} {verb}{'s' if count == 1 else ''}"


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 600 else f"{seconds:.0f} s"
