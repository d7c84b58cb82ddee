"""A store: finished and missing runs of a sweep, and where finished runs are written."""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

import pyarrow as pa

from dupack import _native
from dupack.errors import OutputError, RequestError
from dupack.files import check_directory, from_json, read_regular, refuse_links, sync_folder, to_json, why, write_whole
from dupack.measures import Measure
from dupack.store import journal, rows, segments
from dupack.store.journal import Journal
from dupack.store.rows import Tables
from dupack.store.schema import RUNS, tables
from dupack.store.segments import NAME, Damaged, Segment
from dupack.store.slots import RUNS_PER_FILE, Slots

SWEEP, PLAN, LOCK, JOURNAL, EARLIER = "sweep.json", "plan.toml", ".lock", "journal", "earlier"
JOURNAL_NAME = re.compile(r"[0-9a-f]{16}-\d{6,}\.jsonl")
OURS = {SWEEP, PLAN, LOCK, JOURNAL, EARLIER, *tables()}
PART = re.compile(rf"\.(?:dupack|sweep\.json|plan\.toml|{JOURNAL_NAME.pattern}|{NAME.pattern})\.\d+\.part")
"""Names of files that a killed process leaves."""
DIGEST = re.compile(r"[0-9a-f]{32}")


class State(IntEnum):
    """Where a run is."""

    MISSING = 0
    PLACED = 1
    """In its Parquet file."""
    WRITTEN = 2
    """In the journal."""
    EARLIER = 3
    """In a file of earlier sweeps."""
    VOID = 4
    """Not to be run: the stopping rule was met without it."""


class Store:
    """A store that is being filled, by one process at a time."""

    def __init__(self, root: Path, slots: Slots, *, option: str = "--out") -> None:
        self.root, self.slots = root, slots
        self.notes: list[str] = []
        """Notes for the user on what was found."""
        self.values: dict[int, Any] = {}
        """The measure of the stopping rule, in runs that are already stored."""
        self._watch = _watched(slots)
        self._state = bytearray(len(slots))
        self._sources: dict[Path, Segment] = {}
        self._source_of: dict[int, Path] = {}
        self._damaged = 0
        self._lost = 0
        _check(root, option)
        check_directory(root, option)
        self._lock = _lock(root, option)
        try:
            check_directory(root / JOURNAL, option)
            self._journal = Journal(root / JOURNAL)
            sync_folder(root)
            with suppress(PermissionError):
                sync_folder(root.resolve().parent)
            # From here on the directory is a store, and files may move.
            self._describe(stored=0)
            write_whole(root / PLAN, slots.plan.text)
            self._tidy()
            self._adopt_segments()
            self._adopt_journals()
            self._adopt_earlier()
            if self._damaged:
                these = "1 line" if self._damaged == 1 else f"{self._damaged} lines"
                self.notes.append(f"{root / JOURNAL}: {these} damaged or incomplete; those runs are repeated")
            if self._lost:
                these = "1 damaged line" if self._lost == 1 else f"{self._lost} damaged lines"
                self.notes.append(f"{root / JOURNAL}: {these} of earlier sweeps; those runs are not kept")
            if others := self._others():
                these = "1 run of another sweep is" if others == 1 else f"{others:,} runs of another sweep are"
                self.notes.append(f"{these} kept in {root / EARLIER}, and not shown")
            self._describe(stored=self.count(State.PLACED))
        except OutputError:
            self._lock.close()
            raise
        except OSError as error:
            self._lock.close()
            raise OutputError(f"{option} {root}: {why(error)}; nothing was run") from error

    # What there is.

    def missing(self) -> Iterator[int]:
        """The slots to run, in order; slots that are filled meanwhile are skipped."""
        for slot in range(len(self.slots)):
            if self._state[slot] == State.MISSING:
                yield slot

    def state(self, slot: int) -> State:
        """Where a run is."""
        return State(self._state[slot])

    def count(self, *states: State) -> int:
        """The number of runs in these states."""
        return sum(self._state.count(state) for state in states)

    def there(self) -> int:
        """The number of finished runs."""
        return self.count(State.PLACED, State.WRITTEN, State.EARLIER)

    # What comes.

    def add(self, slot: int, document: str) -> None:
        """Commits a run to disk."""
        if self._state[slot] != State.MISSING:
            # An engine that has lost a worker may repeat a job; the result is the same.
            return
        job = self.slots.job(slot)
        settings = self.slots.points[job.point]
        line = rows.line(self.slots.run(slot), self.slots.plan.title, job.point, job.seed, settings, document)
        self._journal.append(self._journal_of(self.slots.segment(slot)), *line)
        self._set(slot, State.WRITTEN)
        # After the run is known to be written: if this ends the sweep, it is kept.
        self._journal.check()

    def void(self, slots: Iterable[int]) -> None:
        """Marks slots as not to be run."""
        for slot in slots:
            if self._state[slot] == State.MISSING:
                self._set(slot, State.VOID)

    def settle(self) -> None:
        """Writes every segment whose runs are all stored already. Called once, before anything is run."""
        for segment in range(self.slots.segments()):
            self._complete(segment)

    def close(self) -> None:
        """Writes Parquet files of incomplete segments too, so that all finished runs can be read."""
        try:
            for segment in range(self.slots.segments()):
                states = {self._state[slot] for slot in self.slots.of(segment)}
                if states & {State.WRITTEN, State.EARLIER}:
                    self._write(segment)
            self._prune()
        finally:
            self._journal.close()
            self._lock.truncate(0)
            self._lock.close()

    # How.

    def _set(self, slot: int, state: State) -> None:
        self._state[slot] = state
        if state in (State.WRITTEN, State.VOID):
            self._complete(self.slots.segment(slot))

    def _complete(self, segment: int) -> None:
        mine = self._state[self.slots.of(segment).start : self.slots.of(segment).stop]
        missing = mine.count(State.MISSING)
        if missing == 0 and mine.count(State.WRITTEN) + mine.count(State.EARLIER):
            self._write(segment)

    def _write(self, segment: int) -> None:
        """Writes the rows of a segment, and removes their sources."""
        mine = self.slots.of(segment)
        by_run = {self.slots.run(slot): slot for slot in mine}
        made = self._rows(segment, by_run)
        there = set(made[RUNS]["run"].to_pylist())
        made = rows.ordered(made, [run for run in by_run if run in there])
        whole = all(run in there or self._state[slot] == State.VOID for run, slot in by_run.items())
        segments.write(self.root, segment, self.slots.digest, made, whole=whole)
        # Runs that could not be read again are missing again.
        for run, slot in by_run.items():
            if run in there:
                self._state[slot] = State.PLACED
            elif self._state[slot] != State.VOID:
                self._state[slot] = State.MISSING
        self._describe(stored=self.count(State.PLACED))
        # The folders of the tables may be new. After a power cut, they or the journal must be there.
        sync_folder(self.root)
        self._journal.remove(self._journal_of(segment))

    def _rows(self, segment: int, by_run: dict[str, int]) -> Tables:
        seen: set[str] = set()

        def written() -> Iterator[tuple[str, int, int, dict[str, Any]]]:
            path = self.root / JOURNAL / self._journal_of(segment)
            for entry in journal.read(path) if path.exists() else ():
                if entry is not None and entry["run"] in by_run and entry["run"] not in seen:
                    seen.add(entry["run"])
                    job = self.slots.job(by_run[entry["run"]])
                    yield entry["run"], job.point, job.seed, entry["document"]

        parts = [self.slots.shape.tables(written())]
        earlier: dict[Path, list[str]] = {}
        for run, slot in by_run.items():
            if run not in seen and slot in self._source_of:
                earlier.setdefault(self._source_of[slot], []).append(run)
        for path, runs in earlier.items():
            found = self._sources[path].read(runs)
            found[RUNS] = self.slots.shape.adopt(found[RUNS], lambda run: self.slots.job(by_run[run]).point)
            parts.append(found)
        schemas = self.slots.shape.schemas
        return {
            name: pa.concat_tables([part[name].cast(schema) for part in parts if name in part])
            for name, schema in schemas.items()
        }

    def _journal_of(self, segment: int) -> str:
        return f"{self.slots.digest[:16]}-{segment:06d}.jsonl"

    # What is found at the beginning.

    def _tidy(self) -> None:
        """Removes partial files of a killed process; they do not have their final names."""
        earlier = self.root / EARLIER
        for folder in [
            self.root,
            self.root / JOURNAL,
            *(root / table for table in tables() for root in (self.root, earlier)),
        ]:
            for entry in folder.glob(".*.part") if folder.is_dir() else ():
                if PART.fullmatch(entry.name):
                    entry.unlink(missing_ok=True)

    def _adopt_segments(self) -> None:
        """Keeps complete segments of this sweep; moves others to those of earlier sweeps."""
        earlier = self.root / EARLIER
        placed: dict[int, Segment] = {}
        for found in segments.read_all(self.root, earlier):
            if isinstance(found, Damaged):
                self._mend(found)
            elif found.sweep == self.slots.digest and found.whole and found.number not in placed:
                placed[found.number] = found
            else:
                found.move(earlier)
        for number, segment in placed.items():
            self._place(number, segment)
        _drop_others(self.root, placed.values())

    def _place(self, number: int, segment: Segment) -> None:
        mine = self.slots.of(number)
        values = segment.values(self._watch) if self._watch else itertools.repeat(None)
        for (point, seed), value in zip(segment.places(), values, strict=False):
            slot = self.slots.slot(point, seed)
            if slot is not None:
                self._state[slot] = State.PLACED
                self.values[slot] = value
        for slot in mine:
            if self._state[slot] == State.MISSING:
                self._state[slot] = State.VOID
        # It was written, but the process was killed before this was done.
        self._journal.remove(self._journal_of(number))

    def _mend(self, damaged: Damaged) -> None:
        """Keeps runs without damaged rows among those of earlier sweeps; the others are missing now."""
        rest = damaged.rest()
        again = "its runs are repeated"
        if rest is not None:
            had, tables = rest
            kept = tables[RUNS].num_rows
            again = f"{had - kept} of its {had} runs are repeated"
            segments.write(self.root / EARLIER, 0, damaged.runs.stem, tables, whole=False)
        self.notes.append(f"{damaged.told()}; {again}")
        damaged.runs.unlink(missing_ok=True)

    def _adopt_journals(self) -> None:
        for path in sorted((self.root / JOURNAL).glob("*.jsonl")):
            if not path.name.startswith(self.slots.digest[:16]):
                self._retire(path)
                continue
            damaged = False
            for entry, ended in journal.lines(path):
                slot = None if entry is None else self.slots.slot(entry["point"], entry["seed"])
                if entry is None or slot is None or self.slots.run(slot) != entry["run"]:
                    self._damaged += 1
                    damaged |= entry is None and ended
                elif self._state[slot] == State.MISSING:
                    self._state[slot] = State.WRITTEN
                    if self._watch:
                        self.values[slot] = self._watch.value(entry["document"])
            if damaged:
                # From here on the journal can be queried again.
                journal.mend(path)

    def _retire(self, path: Path) -> None:
        """Converts an unfinished journal to a segment among those of earlier sweeps."""

        def sound() -> Iterator[dict[str, Any]]:
            for entry, ended in journal.lines(path):
                if entry is not None:
                    yield entry
                self._lost += entry is None and ended

        entries = sound()
        for number in itertools.count():
            some = list(itertools.islice(entries, RUNS_PER_FILE))
            if not some:
                break
            segments.write(self.root / EARLIER, number, path.stem, rows.of_entries(some), whole=False)
        path.unlink()

    def _adopt_earlier(self) -> None:
        root = self.root / EARLIER
        # The sound part of a damaged segment is written beside it.
        for found in [*segments.read_all(root)]:
            if isinstance(found, Damaged):
                self._mend(found)
            else:
                self._sources[found.path(RUNS)] = found
        _drop_others(root, self._sources.values())
        slot_of = {self.slots.run(slot): slot for slot in self.missing()} if self._sources else {}
        for path, source in self._sources.items():
            mine = [(at, slot_of.pop(run)) for at, run in enumerate(source.runs()) if run in slot_of]
            values = source.values(self._watch) if self._watch and mine else None
            for at, slot in mine:
                self._state[slot] = State.EARLIER
                self._source_of[slot] = path
                if values is not None:
                    self.values[slot] = values[at]

    def _others(self) -> int:
        """The number of runs that are stored, but do not belong to this sweep."""
        if not self._sources:
            return 0
        here = {self.slots.run(slot) for slot, state in enumerate(self._state) if state != State.MISSING}
        return len({run for source in self._sources.values() for run in source.runs()} - here)

    def _prune(self) -> None:
        """Removes segments of earlier sweeps whose runs are all in this one."""
        if not self._sources:
            return
        placed = {self.slots.run(slot) for slot, state in enumerate(self._state) if state == State.PLACED}
        for segment in self._sources.values():
            if placed.issuperset(segment.runs()):
                segment.remove()
        for folder in [*(self.root / EARLIER).glob("*"), self.root / EARLIER]:
            with suppress(OSError):
                folder.rmdir()

    def _describe(self, *, stored: int) -> None:
        """Writes the description of the sweep into the store, with the least number of runs in its Parquet files."""
        plan = self.slots.plan
        about = {
            "title": plan.title,
            "sets": plan.sets,
            "seeds": self.slots.seeds,
            "axes": plan.axes,
            "points": len(self.slots.points),
            "version": _native.__build__,
            "sweep": self.slots.digest,
            "stored": stored,
        }
        write_whole(self.root / SWEEP, to_json(about) + "\n", sync=True)


def _watched(slots: Slots) -> Measure | None:
    return Measure.find(slots.plan, slots.stop[1], "stop.of") if slots.stop else None


def _drop_others(root: Path, known: Iterable[Segment]) -> None:
    """Removes files without a segment: it was damaged, or a process was killed before it was complete."""
    names = {(table, name) for segment in known for table, name in segment.files.items()}
    for table in tables():
        for path in (root / table).glob("*.parquet"):
            if (table, path.name) not in names:
                path.unlink()


def description(root: Path) -> dict[str, Any] | None:
    """The description of the sweep in a store; None for a directory that is not a store."""
    try:
        found = from_json(read_regular(root / SWEEP, links=False))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    # These keys are there in stores of every version. No file of somebody else has such a digest by chance.
    kinds = {"title": str, "sets": list, "seeds": list, "axes": list, "points": int, "version": str, "sweep": str}
    if not isinstance(found, dict) or not all(isinstance(found.get(key), kind) for key, kind in kinds.items()):
        return None
    return found if DIGEST.fullmatch(found["sweep"]) else None


def check_kinds(root: Path) -> None:
    """Raises an error for a link in a store, or for what is neither a file nor a folder.

    A link leads elsewhere, a device has no end, and for a pipe a reader would wait.
    """
    folders = [place / name for place in (root, root / EARLIER) for name in tables()] + [root / JOURNAL, root / EARLIER]
    for folder in folders:
        if _is_kind(folder, stat.S_ISDIR, "a folder") and folder.name != EARLIER:
            # A running sweep may remove a folder of earlier sweeps.
            with suppress(FileNotFoundError):
                for entry in folder.iterdir():
                    _is_kind(entry, stat.S_ISREG, "a file")
    for name in (SWEEP, PLAN, LOCK):
        _is_kind(root / name, stat.S_ISREG, "a file")


def _is_kind(path: Path, is_kind: Callable[[int], bool], kind: str) -> bool:
    """Whether there is something of this kind; an error if it is of another one."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISLNK(mode):
        raise RequestError(f"{path}: a link, and nothing is read through a link in a store")
    if not is_kind(mode):
        raise RequestError(f"{path}: not {kind}, so it is not of a store")
    return True


def _check(root: Path, option: str) -> None:
    """Raises an error if the directory has files of others.

    They would be overwritten, or changed through a link, or data tools would read them together with ours.
    """
    try:
        inside = list(root.iterdir()) if root.exists() else []
        refuse_links([root / SWEEP], option)
        # A process that is killed at its start leaves only these.
        ours = {LOCK, JOURNAL}
        foreign = [entry for entry in inside if entry.name not in ours and not PART.fullmatch(entry.name)]
        if foreign and description(root) is None:
            raise RequestError(
                f"{option} {root}: the directory has files that are not of a store, such as {foreign[0].name}; "
                "give a new or an empty directory; nothing was run"
            )
        refuse_links((entry for entry in inside if entry.name in OURS), option)
        for name in (JOURNAL, EARLIER, *tables()):
            refuse_links((root / name).rglob("*"), option)
        check_kinds(root)
        names = {root / JOURNAL: JOURNAL_NAME}
        names |= {place / table: NAME for place in (root, root / EARLIER) for table in tables()}
        for folder, named in names.items():
            for entry in folder.iterdir() if folder.is_dir() else ():
                if not named.fullmatch(entry.name) and not PART.fullmatch(entry.name):
                    raise RequestError(
                        f"{option} {entry}: not a file of a store, but it would be read as one; "
                        "move it elsewhere; nothing was run"
                    )
    except OSError as error:
        raise OutputError(f"{option} {root}: cannot be read: {why(error)}; nothing was run") from error


def _lock(root: Path, option: str) -> Any:
    """Locks the store for writing; the lock ends with the process."""
    try:
        file = journal.open_own(root / LOCK)
    except OSError as error:
        raise OutputError(f"{option} {root}: cannot be written: {why(error)}; nothing was run") from error
    by = os.pread(file.fileno(), 100, 0)
    if not re.fullmatch(rb"\d{0,20}\s*", by):
        file.close()
        raise RequestError(
            f"{option} {root / LOCK}: not a file of a store; give a new or an empty directory; nothing was run"
        )
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if not isinstance(error, BlockingIOError):
            raise OutputError(
                f"{option} {root}: the file system has no locks, so that two sweeps could write there at once: "
                f"{why(error)}; give a directory on another one; nothing was run"
            ) from error
        who = f" (process {by.decode().strip()})" if by.strip() else ""
        raise RequestError(f"{option} {root}: another sweep is writing there{who}; nothing was run") from None
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return file
