"""Applications and what their users notice: calls, videos, requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dupack as dk

CALL = dk.traffic.real_time(interval="20 ms", size="80 B", deadline="100 ms")
UDP = dk.transport.udp()


def network(rate: str = "10 Mb/s", queue: Any = None, loss: Any = None) -> dk.Network:
    net = dk.dumbbell(senders=1, access="1 Gb/s", bottleneck=rate, delay="10 ms", queue=queue)
    values = {"flow.bulk.start": "0 s"} | ({} if loss is None else {"link.bottleneck.loss": loss})
    return net.with_values(values)


def flow(result: dk.RunResult) -> dict[str, Any]:
    found: dict[str, Any] = result.document["flows"][0]
    return found


def test_a_call_on_an_empty_network_misses_nothing() -> None:
    whole = flow(network().run(UDP, traffic=CALL, duration="10.01 s", warm_up="1 s"))
    found = whole["frames"]
    # One every 20 ms from 1 s on, of which two are on their way.
    assert (found["generated"], found["complete"], found["late"]) == (451, 449, 0)
    assert found["missed_fraction"] == 0
    # All frames take as long: what the network takes for their packets.
    assert found["delay_s"]["max"] == pytest.approx(found["delay_s"]["mean"], abs=1e-9)
    assert found["delay_s"]["mean"] == pytest.approx(whole["mean_delay_s"], abs=1e-9)
    assert 0.01 < whole["mean_delay_s"] < 0.04


def test_lost_frames_are_missed_over_udp_and_late_over_tcp() -> None:
    loss = dk.loss.bernoulli(rate=0.02)
    udp = flow(network(loss=loss).run(UDP, traffic=CALL, duration="100 s"))["frames"]
    assert udp["late"] == 0
    assert udp["generated"] == 5000
    assert 0.01 < udp["missed_fraction"] < 0.03
    assert udp["missed_fraction"] == pytest.approx(1 - udp["complete"] / 5000, abs=2e-3)
    tcp = flow(network(loss=loss).run(dk.transport.linux_cubic(), traffic=CALL, duration="100 s"))["frames"]
    assert tcp["complete"] > 4990
    assert tcp["late"] > 50
    assert tcp["missed_fraction"] == pytest.approx(tcp["late"] / 5000, abs=2e-3)
    assert tcp["delay_s"]["p50"] < 0.1 < tcp["delay_s"]["max"]


def test_frames_of_a_video_call_are_cut_into_packets() -> None:
    video = dk.traffic.real_time(interval="40 ms", size="4 kB", key_every=25, key_size="20 kB", deadline="200 ms")
    found = flow(network().run(dk.transport.udp(mss="1000 B"), traffic=video, duration="9.99 s"))
    # 10 key frames of 20 packets, 240 others of 4.
    assert found["frames"]["generated"] == 250
    assert found["segments_sent"] == 10 * 20 + 240 * 4
    assert found["goodput_bps"] == pytest.approx((10 * 20_000 + 240 * 4_000) * 8 / 9.99, rel=5e-3)
    # A key frame takes 16.6 ms of a line of 10 Mb/s, another one 3.3 ms.
    spread = found["frames"]["delay_s"]
    assert spread["max"] - spread["p50"] == pytest.approx(16 * 1040 * 8 / 10e6, rel=0.01)


def test_a_video_takes_the_highest_rate_that_fits_and_stalls_where_none_does() -> None:
    film = dk.traffic.video(
        chunk="2 s", buffer="30 s", reservoir="6 s", cushion="18 s", lowest="400 kb/s", highest="6 Mb/s"
    )
    fast = flow(network("20 Mb/s").run(dk.transport.linux_cubic(), traffic=film, duration="200 s", warm_up="60 s"))[
        "video"
    ]
    assert fast["mean_rate_bps"] == pytest.approx(6e6, rel=1e-6)
    assert (fast["stalls"], fast["stalled_s"], fast["switches"]) == (0, 0, 0)
    assert fast["chunks"] == pytest.approx(70, abs=1)
    middle = flow(network("3 Mb/s").run(dk.transport.linux_cubic(), traffic=film, duration="200 s", warm_up="60 s"))[
        "video"
    ]
    assert 1e6 < middle["mean_rate_bps"] < 3e6
    assert middle["stalls"] == 0
    slow = flow(network("300 kb/s").run(dk.transport.linux_cubic(), traffic=film, duration="200 s"))["video"]
    assert slow["mean_rate_bps"] == pytest.approx(400e3, rel=1e-6)
    assert slow["stalls"] > 5
    # A chunk of 2 s takes 2.67 s and the headers' share, so a quarter of the time or a little more is lost.
    assert 0.25 < slow["stalled_s"] / 200 < 0.33
    assert slow["startup_s"] > 2.67


def test_responses_take_a_round_trip_and_their_length() -> None:
    pages = dk.traffic.request_response(size="1000 B", think="100 ms", thinking="constant")
    net = network()
    found = flow(net.run(dk.transport.reno(mss="1000 B"), traffic=pages, duration="20 s"))
    times = found["responses"]["time_s"]
    assert times["p50"] == pytest.approx(found["mean_rtt_s"], rel=1e-3)
    assert times["mean"] == pytest.approx(found["mean_message_s"], rel=1e-9)
    assert found["responses"]["complete"] == found["messages"]
    assert found["messages"] == pytest.approx(20 / (0.1 + times["mean"]), abs=1)
    drawn = dk.traffic.request_response(sizes="web-search", think="100 ms")
    spread = flow(net.run(dk.transport.linux_cubic(), traffic=drawn, duration="60 s"))["responses"]["time_s"]
    assert spread["p99"] > 5 * spread["p50"]


def test_only_such_flows_have_these_keys(tmp_path: Path) -> None:
    assert not {"frames", "video", "responses"} & flow(network().run(duration="1 s")).keys()
    net = network().with_flow("call", "source-0", "sink-0", transport=UDP, traffic=CALL)
    result = dk.sweep(
        net, {"link.bottleneck.rate": ["1 Mb/s", "2 Mb/s"]}, seeds=2, duration="2 s", out=tmp_path / "store"
    )
    flows = result.flows
    missed = flows.filter(flows["name"] == "call")["frames_missed_fraction"]
    assert missed.null_count() == 0
    assert flows.filter(flows["name"] != "call")["frames_missed_fraction"].null_count() == 4
    told = dk.compare(
        net, {"link.bottleneck.rate": ["1 Mb/s", "2 Mb/s"]}, of="flows.call.frames.delay_s.p99", seeds=2, duration="2 s"
    )
    assert told.better == "less"


def test_what_does_not_fit_is_told() -> None:
    for traffic in (dk.traffic.video(), dk.traffic.request_response()):
        with pytest.raises(
            dk.PlanError, match="udp has no acks, and this traffic goes on when its data is acknowledged"
        ):
            network().run(UDP, traffic=traffic)
    with pytest.raises(dk.PlanError, match="key_size"):
        dk.traffic.real_time(key_size="3 kB")
    with pytest.raises(dk.PlanError, match="highest"):
        dk.traffic.video(lowest="2 Mb/s", highest="1 Mb/s")
    with pytest.raises(dk.PlanError, match="buffer"):
        dk.traffic.video(chunk="4 s", buffer="3 s")


def test_the_tables_show_them(tmp_path: Path, dupack: Any) -> None:
    net = network().with_flow("film", "source-0", "sink-0", traffic=dk.traffic.video(chunk="1 s", highest="400 kb/s"))
    net = net.with_flow("pages", "source-0", "sink-0", traffic=dk.traffic.request_response(think="200 ms"))
    plan = tmp_path / "plan.toml"
    plan.write_text(net.with_flow("call", "source-0", "sink-0", transport=UDP, traffic=CALL).plan(duration="5 s"))
    for arguments in ((), ("--seeds", "1..3")):
        said = dupack("run", plan, *arguments).stdout
        for title in ("Frames and their delays", "Responses and their times", "Videos"):
            assert title in said
        lines = said[said.index("Frames and their delays") :].splitlines()
        row = next(line.split() for line in lines if line.startswith("call"))
        # One every 20 ms for 5 s, none of them late.
        assert row[1:3] == ["250", "0"]
    alone = tmp_path / "alone.toml"
    alone.write_text(network().plan(duration="1 s"))
    assert "Videos" not in dupack("run", alone).stdout
