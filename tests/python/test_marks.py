"""ECN marks instead of drops, from a discipline to the capture."""

from __future__ import annotations

import csv
import itertools
import json
import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import dupack as dk
from conftest import Dupack
from dupack import _native
from dupack.store import schema
from test_disciplines import DropTail
from test_traces import EVENTS, needs_tshark, tshark

ECN: dict[str, Any] = {"transport": dk.transport.newreno(mss="960 B", header="40 B", tick="10 ms", ecn=True)}


class Step(DropTail):
    """Marks departing units that leave a long queue behind; sends those that cannot be marked unchanged."""

    def __init__(self, room: int = 40, above: int = 5) -> None:
        super().__init__(room)
        self.above = above

    def pull(self, now: int, book: dk.Book) -> dk.Unit | None:
        unit = super().pull(now, book)
        if unit and len(self.waiting) >= self.above:
            before = unit.ecn
            assert book.mark(unit) == (before != "Not-ECT")
            assert unit.ecn == (before if before == "Not-ECT" else "CE")
        return unit


class Instead(DropTail):
    """Marks arrivals when five units wait; drops those that cannot be marked."""

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        if len(self.waiting) >= 5 and not book.mark(unit):
            book.drop(unit, "early")
        else:
            super().offer(now, unit, book)


class Gone(DropTail):
    """Marks what it has dropped."""

    def offer(self, now: int, unit: dk.Unit, book: dk.Book) -> None:
        book.drop(unit)
        book.mark(unit)


def network(queue: Any, carries: Any = "packets") -> dk.Network:
    return dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms", queue=queue, carries=carries)


FILES: dict[str, Any] = {"duration": "20 s", "traffic": dk.traffic.file(size="400 segments")}
"""All is over before the end, so that nothing waits any more."""


def recording(queue: Any, carries: str = "packets", **values: Any) -> tuple[dict[str, Any], _native.Recording]:
    plan, _ = network(queue, carries).read(**{**FILES, **ECN, **values})
    made = _native.record(plan, 0, 1, [("bottleneck", None)])
    [link] = [link for link in json.loads(made.document())["links"] if link["name"] == "bottleneck"]
    assert link["offered"] == link["sent"] + sum(link["dropped"].values())
    return link, made


def packets(capture: bytes) -> Iterator[tuple[bool, int, bool, bool]]:
    """For every packet except handshakes: whether it leaves, its ECN bits, ECE, CWR."""
    at = 0
    while at < len(capture):
        kind, length = struct.unpack_from("=II", capture, at)
        if kind == 6:
            [kept] = struct.unpack_from("=I", capture, at + 20)
            data = capture[at + 28 : at + 28 + kept]
            options = capture[at + 28 + -(-kept // 4) * 4 : at + length]
            flags = data[33]
            if not flags & 2:
                [direction] = struct.unpack_from("=I", options, 4)
                yield direction == 2, data[1] & 3, bool(flags & 0x40), bool(flags & 0x80)
        at += length


def events(made: _native.Recording) -> Counter[str]:
    return Counter(row["event"] for row in csv.DictReader(made.csv().splitlines()))


@pytest.mark.parametrize("queue", [Step(), Instead(40)])
def test_what_is_marked_is_seen_with_ce_and_sent(queue: dk.Discipline) -> None:
    link, made = recording(queue)
    seen = list(packets(made.capture(0, 65_535)))
    marked = sum(leaves and ecn == 3 for leaves, ecn, _, _ in seen)
    assert link["marked"] == marked == events(made)["mark"] > 10
    assert {ecn for leaves, ecn, _, _ in seen if leaves} >= {2, 3} or 1 in {ecn for _, ecn, _, _ in seen}
    # Acks are not ECT; the first ack after a mark has ECE, and the next segment has CWR.
    assert {ecn for leaves, ecn, _, _ in seen if not leaves} == {0}
    assert any(ece for leaves, _, ece, _ in seen if not leaves)
    assert any(cwr for leaves, _, _, cwr in seen if leaves)


def test_of_a_frame_every_cell_may_be_marked_and_the_packet_once() -> None:
    link, made = recording(Step(room=2000, above=50), "cells")
    seen = [ecn for leaves, ecn, _, _ in packets(made.capture(0, 65_535)) if leaves]
    assert not link["dropped"]
    assert events(made)["mark"] == seen.count(3) > 10
    # A packet has 21 cells. Some of them may have departed before the queue was long enough to mark.
    assert seen.count(3) < link["marked"] <= 21 * seen.count(3)


def test_a_mark_on_a_link_of_cells_between_edges_is_seen_behind_them() -> None:
    def link(name: str, ends: tuple[str, str], carries: str, rate: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "from": ends[0], "to": ends[1], "carries": carries, "rate": rate, "delay": "1 ms", **more}

    tables = {
        "host": [{"name": "home"}, {"name": "server"}],
        "edge": [{"name": "modem"}, {"name": "router"}],
        "link": [
            link("lan", ("home", "modem"), "packets", "100 Mb/s"),
            link("line", ("modem", "router"), "cells", "8 Mb/s", queue=Step(room=2000, above=50)),
            link("core", ("router", "server"), "packets", "100 Mb/s"),
        ],
        "flow": [{"name": "up", "from": "home", "to": "server"}],
    }
    plan, _ = dk.Network(tables).read(**{**FILES, **ECN})
    made = _native.record(plan, 0, 1, [("core", None)])
    line = next(link for link in json.loads(made.document())["links"] if link["name"] == "line")
    assert not line["dropped"]
    seen = list(packets(made.capture(0, 65_535)))
    marked = sum(leaves and ecn == 3 for leaves, ecn, _, _ in seen)
    assert events(made)["mark"] == marked > 10
    assert marked < line["marked"] <= 21 * marked
    # The sender is told, and reduces its window.
    assert any(ece for leaves, _, ece, _ in seen if not leaves)
    assert any(cwr for leaves, _, _, cwr in seen if leaves)


def test_what_is_not_ect_is_not_marked() -> None:
    link, made = recording(Instead(40), transport=dk.transport.newreno(tick="10 ms"))
    assert link["marked"] == 0
    assert link["dropped"]["early"] > 5
    assert events(made)["mark"] == 0
    assert {ecn for _, ecn, _, _ in packets(made.capture(0, 65_535))} == {0}


@pytest.mark.parametrize("carries", ["packets", "cells"])
def test_the_laws_hold_for_what_marks(carries: Any) -> None:
    dk.conformance(Step(20, above=2), cases=50, carries=carries)
    dk.conformance(Instead(20), cases=50, carries=carries)


def test_what_does_not_wait_cannot_be_marked() -> None:
    with pytest.raises(dk.RunError, match="marked does not wait here: it was sent or dropped before"):
        network(Gone()).run(**{**FILES, **ECN})


def test_marks_are_in_tables_and_in_the_store(tmp_path: Path) -> None:
    link, _ = recording(Step())
    result = network(Step()).run(**{**FILES, **ECN})
    assert result.links.filter(result.links["name"] == "bottleneck")["marked"].to_list() == [link["marked"]]


def test_the_column_of_marks_is_shown_if_something_was_marked(
    dupack: Dupack, plan: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dupack import printed, tables

    # A terminal wide enough for every column.
    monkeypatch.setenv("COLUMNS", "400")

    document = json.loads(dupack("run", plan, "--json").stdout)
    printed.show(document, tables.console())
    assert "marked" not in capsys.readouterr().out
    next(link for link in document["links"] if link["name"] == "bottleneck")["measured"]["marked"] = 76_543
    printed.show(document, tables.console())
    shown = capsys.readouterr().out
    assert "marked" in shown
    assert "76,543" in shown


def test_marks_are_a_column_of_the_store_and_a_measure(dupack: Dupack, plan: Path) -> None:
    [column] = [column for column in schema.tables()["links"] if column.name == "marked"]
    assert column.type == "int64"
    assert "each is also counted as sent, dropped, waiting or in service" in column.help
    words = [
        "compare",
        plan,
        "--vary",
        "link.bottleneck.queue=plain,epd",
        "--of",
        "links.bottleneck.marked",
        "--lowest",
    ]
    done = dupack(*words, "--seeds", "1..2", "--set", "duration=100 ms")
    assert done.returncode == 0, done.stderr
    assert "marked" in done.stdout


@needs_tshark
def test_wireshark_reads_marks_and_their_echoes(tmp_path: Path) -> None:
    _, made = recording(Step())
    file = tmp_path / "a.pcapng"
    file.write_bytes(made.capture(0, 65_535))
    seen = list(packets(file.read_bytes()))
    data = "tcp.flags.syn == 0 && "
    for at, filter_ in ((2, "tcp.flags.ece == 1"), (3, "tcp.flags.cwr == 1")):
        told = len(tshark(file, "frame.number", only=data + filter_))
        assert told == sum(bool(it[at]) for it in seen) > 0
    assert len(tshark(file, "frame.number", only="ip.dsfield.ecn == 3")) == sum(it[1] == 3 for it in seen)
    assert tshark(file, "frame.number", only='ip.checksum.status == "Bad" || tcp.checksum.status == "Bad"') == []
    assert tshark(file, "frame.number", only="_ws.malformed") == []


def test_a_log_tells_of_echoes(tmp_path: Path) -> None:
    import jsonschema

    _, made = recording(Step())
    told = 0
    for at in range(len(made.logs())):
        head, *rest = (json.loads(record) for record in made.qlog(at).split("\x1e")[1:])
        echoes = [record for record in rest if record["data"].get("ece")]
        states = [record for record in rest if record["name"] == "quic:ecn_state_updated"]
        assert len(head["trace"]["event_schemas"]) == 1 + bool(echoes)
        assert [state["data"] for state in states] == [{"new": "capable"}] * bool(echoes)
        for record in rest:
            jsonschema.validate(record["data"], EVENTS[record["name"]])
        told += len(echoes)
    echoes = [ece for leaves, _, ece, _ in packets(made.capture(0, 65_535)) if ece and not leaves]
    assert told == len(echoes) > 0


def test_without_lost_acks_a_counter_says_what_exact_echoes_say() -> None:
    def told(echo: Literal["latched", "exact", "counter"]) -> dict[str, Any]:
        transport = dk.transport.dctcp(mss="960 B", header="40 B", tick="10 ms", ecn_echo=echo)
        plan, _ = network(Step(above=3)).read(duration="5 s", transport=transport)
        return {**json.loads(_native.record(plan, 0, 1, []).document()), "cpu_s": None}

    assert told("counter") == told("exact") != told("latched")


@needs_tshark
def test_wireshark_reads_the_counters(tmp_path: Path) -> None:
    transport = dk.transport.newreno(mss="960 B", header="40 B", tick="10 ms", ecn=True, ecn_echo="counter")
    link, made = recording(Step(), transport=transport)
    file = tmp_path / "a.pcapng"
    file.write_bytes(made.capture(0, 65_535))
    flags = [f"tcp.flags.{name}" for name in ("ae", "cwr", "ece")]
    assert tshark(file, *flags, only="tcp.flags.syn == 1 && tcp.stream == 0") == [["1", "1", "1"], ["0", "1", "0"]]
    assert len(tshark(file, "frame.number", only="_ws.malformed")) == 0
    # Of each connection: the counter begins at 5, counts each mark once, and is the same in all that the sender says.
    streams = {stream for (stream,) in tshark(file, "tcp.stream")}
    grown = 0
    for stream in streams:
        acks = tshark(file, "tcp.flags.ace", only=f"tcp.stream == {stream} && tcp.srcport == 9 && tcp.flags.syn == 0")
        values = [5, *(int(ace, 0) for (ace,) in acks)]
        grown += sum((after - before) % 8 for before, after in itertools.pairwise(values))
        data = tshark(file, "tcp.flags.ace", only=f"tcp.stream == {stream} && tcp.len > 0")
        assert {int(ace, 0) for (ace,) in data} == {5}
    assert grown == link["marked"] > 10
