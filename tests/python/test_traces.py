"""Traces of a run: tapes, captures and logs, read by other programs."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest

from conftest import Dupack, of_json

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def tape(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def tshark(file: Path, *fields: str, only: str = "") -> list[list[str]]:
    """Fields of the packets that a filter lets through, checksums looked at."""
    words: list[Any] = ["tshark", "-r", file, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
    words += ["-o", "udp.check_checksum:TRUE", "-T", "fields", "-Y", only or "frame"]
    for field in fields:
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_a_tape_as_parquet_is_the_one_as_csv(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    for name in ("tape.csv", "tape.parquet"):
        assert dupack("run", plan, "--tape", tmp_path / name).returncode == 0
    rows = tape(tmp_path / "tape.csv")
    table = pyarrow.parquet.read_table(tmp_path / "tape.parquet")
    kept = table.to_pylist()
    assert len(kept) == len(rows) > 1000
    for row, same in zip(rows, kept, strict=True):
        seconds, _, rest = row["time_s"].partition(".")
        assert same["time_ps"] == int(seconds + rest)
        assert same["time_s"] == pytest.approx(float(row["time_s"]))
        assert (same["flow"], same["event"], same["segment"]) == (row["flow"], row["event"], int(row["segment"]))
        assert (same["cwnd"], same["ssthresh"]) == (float(row["cwnd"]), float(row["ssthresh"]))


@needs_tshark
@pytest.mark.parametrize(("kind", "cells"), [("sack", False), ("reno", True)])
def test_wireshark_finds_the_retransmissions(
    dupack: Dupack, plan: Path, tmp_path: Path, kind: str, cells: bool
) -> None:
    text = plan.read_text().replace("count = 2", "count = 1").replace('"10 Mb/s"', '"40 Mb/s"')
    text = text.replace('kind = "reno"', f'kind = "{kind}", header = "52 B"')
    if not cells:
        text = text.replace('"cells"', '"packets"').replace(
            'kind = "epd", buffer = "300 cells", threshold = 0.7', 'kind = "drop-tail", buffer = "25 packets"'
        )
    plan.write_text(text)
    capture, events = tmp_path / "a.pcapng", tmp_path / "tape.csv"
    of_json(dupack("run", plan, "--pcap", f"access-0={capture}", "--tape", events, "--json"))
    told = Counter(row["event"] for row in tape(events))
    assert told["retransmit"] > 5
    # By its time, Wireshark takes an old segment for late or for retransmitted, but it notices every one.
    again = "tcp.analysis.retransmission || tcp.analysis.out_of_order"
    late = told["send"] + told["retransmit"] - len(tshark(capture, "frame.number", only="tcp.len > 0"))
    assert 0 <= told["retransmit"] - len(tshark(capture, "frame.number", only=again)) <= late
    fast = tshark(capture, "tcp.seq", only="tcp.analysis.fast_retransmission")
    assert fast
    assert tshark(capture, "frame.number", only='ip.checksum.status == "Bad" || tcp.checksum.status == "Bad"') == []
    assert tshark(capture, "frame.number", only="_ws.malformed") == []
    assert len(tshark(capture, "frame.number", only="tcp.len == 0 && tcp.srcport == 9 && tcp.flags.syn == 0")) == (
        told["ack"] + told["dup_ack"]
    )
    blocks = tshark(capture, "tcp.options.sack_le", only="tcp.options.sack_le")
    assert bool(blocks) == (kind == "sack")
    [syn] = tshark(
        capture, "tcp.options.mss_val", "tcp.options.sack_perm", only="tcp.flags.syn == 1 && tcp.flags.ack == 0"
    )
    assert (syn[0], bool(syn[1])) == ("548", kind == "sack")
    # The first segment is captured at the end of its transmission, less than 1 ms after its row on the tape.
    times = tshark(capture, "frame.time_epoch", only="tcp.len > 0")
    first = next(float(row["time_s"]) for row in tape(events) if row["event"] == "send")
    assert 0 <= float(times[0][0]) - 946_684_800 - first < 0.001


@needs_tshark
def test_wireshark_reads_datagrams_and_headers_that_were_cut(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    text = plan.read_text().replace('"cells"', '"packets"')
    text = text.replace('kind = "epd", buffer = "300 cells", threshold = 0.7', 'kind = "trim", buffer = "5 packets"')
    text = text.replace('{ kind = "greedy" }', '{ kind = "cbr", rate = "9 Mb/s" }')
    plan.write_text(text.replace('{ kind = "reno" }', '{ kind = "udp", header = "28 B" }'))
    capture = tmp_path / "a.pcapng"
    done = dupack("run", plan, "--set", "duration=200 ms", "--pcap", f"bottleneck@sink={capture}", "--json")
    document = of_json(done)
    whole = tshark(capture, "frame.len", only="udp && frame.len == 564")
    cut = tshark(capture, "frame.len", "ip.len", "ip.dsfield.dscp", only="frame.len < 564")
    assert len(whole) > 100
    # The packets are trimmed to 40 bytes, but their headers still give the original length.
    assert {tuple(packet) for packet in cut} == {("40", "564", "48")}
    link = next(link for link in document["links"] if link["name"] == "bottleneck")
    assert 0 <= link["trimmed"] - len(cut) < 50
    assert tshark(capture, "frame.number", only='udp.checksum.status == "Bad" && frame.len == 564') == []


CROWD = """
duration = "0.5 s"
routing = "ecmp"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts = 2
carries = "packets"
queue = { kind = "drop-tail", buffer = "6 packets" }
access = { rate = "10 Mb/s", delay = "50 us" }
[[flow]]
name = "web"
from = "host-*"
to = "host-*"
arrivals = { kind = "poisson", every = "3 ms" }
traffic = { kind = "file", size = "12345 B" }
transport = { kind = "sack", mss = "948 B", header = "52 B", tick = "10 ms" }
"""


@needs_tshark
def test_wireshark_tells_connections_that_come_and_go_apart(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    plan.write_text(CROWD)
    capture, events, logs = tmp_path / "a.pcapng", tmp_path / "tape.csv", tmp_path / "logs"
    words = ["--pcap", f"access-0={capture}", "--tape", events, "--qlog", logs, "--json"]
    document = of_json(dupack("run", plan, *words))
    assert document["flows"][0]["connections"]["begun"] > 100
    rows = tape(events)
    names = {row["flow"] for row in rows}
    assert {file.stem for file in logs.iterdir()} == names
    # Each conversation begins with a SYN of its own, and no SYN belongs to an earlier conversation.
    fields = ("tcp.stream", "ip.src", "tcp.srcport", "ip.dst")
    syns = tshark(capture, *fields, only="tcp.flags.syn == 1 && tcp.flags.ack == 0")
    streams = {stream for (stream,) in tshark(capture, "tcp.stream", only="tcp")}
    assert len(syns) == len(streams) == len({tuple(syn[1:]) for syn in syns}) > 40
    assert tshark(capture, "frame.number", only="tcp.analysis.reused_ports") == []
    assert tshark(capture, "frame.number", only='ip.checksum.status == "Bad" || tcp.checksum.status == "Bad"') == []
    assert tshark(capture, "frame.number", only="_ws.malformed") == []
    # The capture has all segments and retransmissions that host-0 sends, except those still held at the end.
    ends = {name: json.loads((logs / f"{name}.sqlog").read_text().split("\x1e")[1]) for name in names}
    own = {name for name, head in ends.items() if head["trace"]["vantage_point"]["name"] == "host-0"}
    # This is the host's own link, so the host is at one end of every conversation.
    [host] = set.intersection(*map(set, tshark(capture, "ip.src", "ip.dst")))
    told = Counter(row["event"] for row in rows if row["flow"] in own)
    sent = tshark(capture, "frame.number", only=f"tcp.len > 0 && ip.src == {host}")
    held = told["send"] + told["retransmit"] - len(sent)
    assert 0 <= held <= 20
    again = f"(tcp.analysis.retransmission || tcp.analysis.out_of_order) && ip.src == {host}"
    assert told["retransmit"] > 5
    assert 0 <= told["retransmit"] - len(tshark(capture, "frame.number", only=again)) <= held


NUMBER = {"type": "integer", "minimum": 0}
HEADER = {
    "type": "object",
    "required": ["packet_type", "packet_number"],
    "properties": {"packet_type": {"const": "1RTT"}, "packet_number": NUMBER},
}
RAW = {"type": "object", "properties": {"length": NUMBER, "payload_length": NUMBER}, "additionalProperties": False}
RANGES = {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1, "maxItems": 2, "items": NUMBER}}


def shape(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


STREAM = shape(
    ["frame_type", "stream_id", "offset", "length"],
    frame_type={"const": "stream"}, stream_id=NUMBER, offset=NUMBER, length=NUMBER,
)  # fmt: skip
ACK = shape(["frame_type"], frame_type={"const": "ack"}, acked_ranges=RANGES)
EVENTS = {
    "quic:recovery_parameters_set": shape(
        [], reordering_threshold=NUMBER, timer_granularity=NUMBER, max_datagram_size=NUMBER,
        initial_congestion_window=NUMBER,
    ),
    "quic:packet_sent": shape(
        ["header"], header=HEADER, raw=RAW, frames={"type": "array", "items": STREAM},
        trigger={"enum": ["retransmit_reordered", "retransmit_timeout", "pto_probe"]},
    ),
    # ``ece`` is dupack's own field, and the header of the log names its schema.
    "quic:packet_received": shape(
        ["header"], header=HEADER, raw=RAW, frames={"type": "array", "items": ACK}, ece={"const": True}
    ),
    "quic:ecn_state_updated": shape(["new"], new={"enum": ["testing", "unknown", "failed", "capable"]}),
    "quic:packet_lost": shape(
        [], header=HEADER, trigger={"enum": ["reordering_threshold", "time_threshold", "pto_expired"]},
    ),
    "quic:loss_timer_updated": shape(
        ["event_type"], timer_type={"enum": ["ack", "pto"]}, event_type={"enum": ["set", "expired", "cancelled"]},
    ),
    "quic:recovery_metrics_updated": shape(
        [], congestion_window=NUMBER, ssthresh=NUMBER, bytes_in_flight=NUMBER, packets_in_flight=NUMBER,
    ),
}  # fmt: skip
"""The events that are written, as draft-ietf-quic-qlog-quic-events-13 defines them."""


def validators() -> dict[str, jsonschema.Draft202012Validator]:
    """One for each event, with its schema checked once: `jsonschema.validate` checks it for each record."""
    for event in EVENTS.values():
        jsonschema.Draft202012Validator.check_schema(event)
    return {name: jsonschema.Draft202012Validator(event) for name, event in EVENTS.items()}


def test_a_log_is_qlog_and_agrees_with_the_tape(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    logs, events = tmp_path / "logs", tmp_path / "tape.csv"
    assert dupack("run", plan, "--qlog", logs, "--tape", events).returncode == 0
    assert {file.name for file in logs.iterdir()} == {"bulk-0.sqlog", "bulk-1.sqlog"}
    known = validators()
    for flow in ("bulk-0", "bulk-1"):
        text = (logs / f"{flow}.sqlog").read_text()
        assert text.startswith("\x1e")
        # The log is a sequence of JSON texts: each begins with a record separator and ends with a new line.
        records = [json.loads(record) for record in text.split("\x1e")[1:] if record.endswith("\n")]
        head, *rest = records
        assert head["file_schema"] == "urn:ietf:params:qlog:file:sequential"
        assert head["serialization_format"] == "application/qlog+json-seq"
        assert head["trace"]["vantage_point"]["type"] == "client"
        for record in rest:
            assert set(record) == {"time", "name", "data"}
            known[record["name"]].validate(record["data"])
        told = Counter(row["event"] for row in tape(events) if row["flow"] == flow)
        names = Counter(record["name"] for record in rest)
        assert names["quic:packet_sent"] == told["send"] + told["retransmit"]
        assert names["quic:packet_received"] == told["ack"] + told["dup_ack"]
        assert names["quic:loss_timer_updated"] == told["timeout"]
        assert names["quic:packet_lost"] >= told["fast_retransmit"] > 0
        assert [record["time"] for record in rest] == sorted(record["time"] for record in rest)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pcap", "bottleneck"], "is not LINK=FILE or LINK@NODE=FILE"),
        (["--pcap", "botleneck=a.pcapng"], 'there is no link "botleneck"; did you mean "bottleneck"?'),
        (["--pcap", "bottleneck@source-0=a.pcapng"], 'does not end at "source-0"; it joins "gray" and "sink"'),
        (["--pcap", "bottleneck=a.pcapng", "--pcap", "access-0=a.pcapng"], "two captures have the same file"),
        (["--pcap", "bottleneck=a.pcapng", "--tape", "a.pcapng"], "--tape has the same file; give each its own"),
        (["--pcap", "bottleneck=a.pcapng", "--seeds", "1..2"], "--pcap records a single run, but there are 2"),
        (["--qlog", "plan.toml"], "--qlog plan.toml: cannot be written"),
        (["--tape", "no/such/tape.parquet"], "--tape no/such/tape.parquet: cannot be written"),
    ],
)
def test_what_cannot_be_recorded_is_told(dupack: Dupack, plan: Path, words: list[str], said: str) -> None:
    done = dupack("run", plan, *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_recorded_run_is_the_same_run(dupack: Dupack, plan: Path, tmp_path: Path) -> None:
    plain = of_json(dupack("run", plan, "--json"))
    words = ["--pcap", f"bottleneck={tmp_path / 'a.pcapng'}", "--snaplen", "60", "--json"]
    recorded = of_json(dupack("run", plan, *words))
    for document in (plain, recorded):
        del document["cpu_s"]
    assert recorded == plain
    short = (tmp_path / "a.pcapng").stat().st_size
    assert dupack("run", plan, "--pcap", f"bottleneck={tmp_path / 'b.pcapng'}").returncode == 0
    assert short < (tmp_path / "b.pcapng").stat().st_size / 3
