"""Traces of a run in formats of other tools: the tape, captures of links, qlog files of flows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dupack import _native
from dupack.errors import MissingError, OutputError, RequestError
from dupack.files import check_directory, check_file, expanded, why
from dupack.options import SNAPLEN
from dupack.work import Job

PARQUET = (".parquet", ".pq")
"""Suffixes of tapes that are written as Parquet; all others are CSV."""

HEAD = b"time_s,flow,event,segment,cwnd,ssthresh\n"
"""First line of a tape as CSV."""
ABOUT = "dupack"
"""Key of the metadata of a tape as Parquet: the title and the seed of its run, and its flows in order."""
COLUMNS = ["time_ps", "time_s", "flow", "event", "segment", "cwnd", "ssthresh"]
"""Columns of a tape as Parquet."""


@dataclass(frozen=True, slots=True)
class Capture:
    """An end of a link, at which both directions are captured."""

    link: str
    node: str | None
    """Node at this end; None for the node where the link begins."""
    file: Path

    @classmethod
    def read(cls, text: str) -> Capture:
        """Parses ``LINK=FILE`` or ``LINK@NODE=FILE``; a ``ValueError`` says what is allowed."""
        end, equals, file = text.partition("=")
        link, at, node = end.partition("@")
        if not (equals and link and file) or (at and not node):
            raise ValueError(f'{text!r} is not LINK=FILE or LINK@NODE=FILE, such as "bottleneck=line.pcapng"')
        return cls(link, node or None, expanded(file))


@dataclass(frozen=True, slots=True)
class Traces:
    """Traces to record besides the document of a run."""

    tape: Path | None = None
    captures: Sequence[Capture] = ()
    snaplen: int = SNAPLEN
    qlog: Path | None = None

    def __bool__(self) -> bool:
        return bool(self.tape or self.captures or self.qlog)

    def outputs(self) -> Iterator[tuple[str, Path]]:
        """The files that may be replaced, each with its option."""
        if self.tape is not None:
            yield "--tape", self.tape
        yield from (("--pcap", capture.file) for capture in self.captures)
        if self.qlog is not None:
            yield from (("--qlog", path) for path in self.qlog.glob("*.sqlog"))

    def check(self, runs: int, out: Path | None = None, *, force: bool = False) -> None:
        """Raises an error for requests that cannot be met, before anything is run.

        ``out`` is the directory of the results. Files that dupack did not write are overwritten with ``force`` only.
        """
        asked = [name for name, it in (("--tape", self.tape), ("--pcap", self.captures), ("--qlog", self.qlog)) if it]
        if asked and runs != 1:
            said = (
                f"{asked[0]} records a single run, but there are {runs}"
                if len(asked) == 1
                else (f"{' and '.join(asked)} record a single run, but there are {runs}")
            )
            raise RequestError(f"{said}; give one seed and a plan without a sweep")
        if self.tape is not None:
            if is_parquet(self.tape):
                _pyarrow()
            check_file(self.tape, "--tape", is_tape, force=force)
        for capture in self.captures:
            check_file(capture.file, "--pcap", is_capture, force=force)
        names = [capture.file.resolve() for capture in self.captures]
        if len(set(names)) < len(names):
            raise RequestError("--pcap: two captures have the same file; give each its own")
        if self.tape is not None and self.tape.resolve() in names:
            raise RequestError("--pcap: --tape has the same file; give each its own")
        if self.tape is not None:
            names.append(self.tape.resolve())
        if out is not None and (out / "result.json").resolve() in names:
            raise RequestError("--out: a trace has the name of result.json; give each its own file")
        if self.qlog is not None:
            check_directory(self.qlog, "--qlog")
            # The names of connections are not known yet.
            try:
                there = sorted(self.qlog.glob("*.sqlog"))
            except OSError as error:
                raise OutputError(f"--qlog {self.qlog}: cannot be read: {why(error)}; nothing was run") from error
            for file in there:
                check_file(file, "--qlog", is_log, force=force)

    def record(self, job: Job) -> Recorded:
        """Runs the job; KeyboardInterrupt stops it."""
        ends = [(capture.link, capture.node) for capture in self.captures]
        try:
            return Recorded(self, _native.record(job.plan, job.point, job.seed, ends), job.plan.title)
        except ValueError as error:
            raise RequestError(f"{'--pcap' if self.captures else '--qlog'}: {error}; nothing was run") from error


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded run."""

    traces: Traces
    recording: _native.Recording
    title: str = ""
    """The title of the plan."""

    @property
    def document(self) -> dict[str, Any]:
        """Document of the run, as ``dupack run --json`` prints it, without the title."""
        return json.loads(self.recording.document())

    def files(self) -> Iterator[tuple[str, Path, str | bytes]]:
        """The requested files: option, path and content of each."""
        tape = self.traces.tape
        if tape is not None:
            yield "--tape", tape, parquet(self.recording, self._about()) if is_parquet(tape) else self.recording.csv()
        for at, capture in enumerate(self.traces.captures):
            yield "--pcap", capture.file, self.recording.capture(at, self.traces.snaplen)
        if self.traces.qlog is not None:
            # One by one: the logs of thousands of connections together would fill the memory.
            for at, name in enumerate(self.recording.logs()):
                yield "--qlog", self.traces.qlog / f"{name}.sqlog", self.recording.qlog(at)

    def _about(self) -> dict[str, Any]:
        """What a tape as Parquet says of its run."""
        told = self.document
        return {"title": self.title, "seed": told["seed"], "flows": [flow["name"] for flow in told["flows"]]}


def is_parquet(path: Path) -> bool:
    """Whether a tape of this name is written as Parquet."""
    return path.suffix.lower() in PARQUET


def is_tape(path: Path) -> bool:
    """Whether a file is a tape."""
    if _head(path, len(HEAD)) == HEAD:
        return True
    if _head(path, 4) != b"PAR1":
        return False
    pa = _pyarrow()
    try:
        with path.open("rb") as file:
            return bool(pa.parquet.read_schema(file).names == COLUMNS)
    except pa.ArrowException:
        return False


def is_capture(path: Path) -> bool:
    """Whether a file is a capture of a simulated link, or of a live run."""
    head = _head(path, 1 << 16)
    section = head[: int.from_bytes(head[4:8], "little")]
    return head[:4] == b"\n\r\r\n" and any(by in section for by in (b"Simulated by dupack", b"Captured by dupack"))


def is_log(path: Path) -> bool:
    """Whether a file is a log of a simulated flow."""
    head = _head(path, 1 << 16)
    return head[:2] == b"\x1e{" and b"simulated by dupack" in head.partition(b"\n")[0]


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingError(
            "--tape: Parquet needs pyarrow, which is not installed; install dupack[store], or give a file that ends in "
            ".csv; nothing was run"
        ) from error
    return pyarrow


def table(recording: _native.Recording) -> Any:
    """The tape as a pyarrow table: the columns of the CSV, and the exact time.

    ``time_ps`` [ps], ``time_s`` [s], ``flow`` and ``event`` (words), ``segment``, ``cwnd`` and ``ssthresh`` [segments],
    which is infinite until it is set.
    """
    pa = _pyarrow()
    columns = recording.columns()

    def column(name: str, kind: Any) -> Any:
        data = columns[name]
        return pa.Array.from_buffers(kind, len(data) * 8 // kind.bit_width, [None, pa.py_buffer(data)])

    def words(name: str, kind: Any, known: list[str]) -> Any:
        return pa.DictionaryArray.from_arrays(column(name, kind), pa.array(known, pa.string()))

    time = column("time_ps", pa.uint64())
    return pa.table(
        {
            "time_ps": time,
            "time_s": pa.compute.divide(pa.compute.cast(time, pa.float64(), safe=False), 1e12),
            "flow": words("flow", pa.uint32(), columns["names"]),
            "event": words("event", pa.uint8(), recording.events()),
            "segment": column("segment", pa.uint64()),
            "cwnd": column("cwnd", pa.float64()),
            "ssthresh": column("ssthresh", pa.float64()),
        }
    )


def parquet(recording: _native.Recording, about: dict[str, Any]) -> bytes:
    """The tape as Parquet; see `table`. Its metadata have what the columns do not say of the run, as JSON."""
    pa = _pyarrow()
    import pyarrow.compute

    assert pyarrow.compute
    sink = pa.BufferOutputStream()
    found = table(recording).replace_schema_metadata({ABOUT: json.dumps(about)})
    pa.parquet.write_table(found, sink, compression="zstd")
    return sink.getvalue().to_pybytes()
