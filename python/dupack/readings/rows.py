"""What claims find under readings. A claim for which two readings have the same runs and options is measured once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from dupack.reproduce.batch import Batch
from dupack.reproduce.judging import judge
from dupack.reproduce.paper import Claim, Measured, Paper, Sample
from dupack.reproduce.runs import Runs


class _Asked(Mapping[str, str]):
    """Options of a reading; it notes which of them a measure asks for."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self.asked: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        self.asked[name] = self._options.get(name)
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        self.asked |= self._options
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


class _Loaded(Mapping[str, Sequence[Sample]]):
    """The samples of a reading's plans, each read when it is asked for; it notes which are."""

    def __init__(self, batch: Batch, runs: Runs, read: dict[str, list[Sample]], options: _Asked) -> None:
        self._batch, self._runs, self._read, self._options = batch, runs, read, options
        self.used: set[str] = set()

    def __contains__(self, plan: object) -> bool:
        return plan in self._batch.plans

    def __getitem__(self, plan: str) -> Sequence[Sample]:
        if plan not in self:
            raise KeyError(plan)
        self.used.add(plan)
        if plan not in self._read:
            self._read[plan] = self._batch.samples(plan, self._runs)
        # New samples, so that nothing that one claim has made of them and of its options is there for another.
        return [
            Sample(one.settings, [Measured(run.document, run.tape, self._options) for run in one.runs])
            for one in self._read[plan]
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._batch.plans)

    def __len__(self) -> int:
        return len(self._batch.plans)


@dataclass(frozen=True)
class _Row:
    """A claim's row, and what decides it."""

    runs: Mapping[str, bytes]
    """Digests of the runs of the plans that were used."""
    options: Mapping[str, str | None]
    """The options that were asked for."""
    row: dict[str, Any]


@dataclass
class Rows:
    """Measures claims under readings whose runs have finished."""

    paper: Paper
    claims: Sequence[Claim]
    runs: Runs
    _known: dict[tuple[str, bytes], list[_Row]] = field(default_factory=dict)
    """By claim and by the runs of its plans."""

    def used(self, claim: str) -> tuple[set[str], set[str]]:
        """The plans whose runs this claim has used, and the options that it has asked for."""
        rows = [row for (name, _), rows in self._known.items() if name == claim for row in rows]
        return {plan for row in rows for plan in row.runs}, {option for row in rows for option in row.options}

    def of(self, batch: Batch) -> dict[str, dict[str, Any]]:
        """The rows of all claims under a reading."""
        digests = {plan: _digest(batch, plan) for plan in batch.plans}
        read: dict[str, list[Sample]] = {}
        return {claim.id: self._row(claim, batch, digests, read) for claim in self.claims}

    def _row(
        self, claim: Claim, batch: Batch, digests: Mapping[str, bytes], read: dict[str, list[Sample]]
    ) -> dict[str, Any]:
        mine = b"".join(digests[plan] for plan in self.paper.measures[claim.id].plans)
        known = self._known.setdefault((claim.id, mine), [])
        for one in known:
            same_runs = all(digests[plan] == digest for plan, digest in one.runs.items())
            if same_runs and all(batch.options.get(name) == word for name, word in one.options.items()):
                return one.row
        options = _Asked(batch.options)
        results = _Loaded(batch, self.runs, read, options)
        row = judge(claim, self.paper, results)
        known.append(_Row({plan: digests[plan] for plan in results.used}, options.asked, row))
        return row


def _digest(batch: Batch, plan: str) -> bytes:
    """What decides the runs of a plan."""
    return sha256(repr(batch.keys(plan)).encode()).digest()
