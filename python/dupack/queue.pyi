# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Disciplines of a buffer: who may wait, who is dropped.

A function per word of a plan, made from the declarations; its help says what it takes (see `dupack.parts`).
"""

from typing import Literal

from dupack.parts import Queue

__all__ = [
    "abs_push_out",
    "abs_push_out_stacks",
    "bpd",
    "codel",
    "drop_tail",
    "dynamic_thresholds",
    "epd",
    "epd_push_out",
    "fair_queueing",
    "longest_queue_drop",
    "plain",
    "ppd",
    "red",
    "trim",
    "triple_buffering",
    "triple_truncated",
    "weighted_round_robin",
]

def abs_push_out(
    *,
    buffer: str,
    max_packet: str | None = None,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """A packet comes in while buffer space is available to all of it; a VC below its threshold pushes out the last
    packet of the VC furthest beyond its.

    Runs on links that carry cells.

    Args:
        buffer: Q: room of the buffer, without the cell being sent. [in cells, packets; required]
        max_packet: M: cells of the longest packet. [in cells, packets; if not given: that of the flows which
            pass]
        excess: Who gets what the guarantees leave: VCs in proportion to them (as printed), or all equally (as
            said). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §3.2
    """

def abs_push_out_stacks(
    *,
    buffer: str,
    max_packet: str | None = None,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """The same by stacks of illegal packets, one per VC: the top of the stack with the most of them is pushed out.

    Runs on links that carry cells.

    Args:
        buffer: Q: room of the buffer, without the cell being sent. [in cells, packets; required]
        max_packet: M: cells of the longest packet. [in cells, packets; if not given: that of the flows which
            pass]
        excess: Who gets what the guarantees leave: VCs in proportion to them (as printed), or all equally (as
            said). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §3.3
    """

def bpd(
    *,
    buffer: str,
    lower: float = 0.4,
    upper: float = 0.9,
    gap: str | int = "25 packets",
) -> Queue:
    """EPD with a second, higher threshold for VCs that have lost one of their latest packets.

    Runs on links that carry cells.

    Args:
        buffer: Room of the buffer, without the cell being sent. [in cells, packets; required]
        lower: LT: share of the buffer beyond which a regular VC may begin no packet. [default 0.4]
        upper: UT: share of the buffer beyond which a damaged VC may begin no packet. [default 0.9]
        gap: Gap: packets of a VC after a lost one during which it is held against UT. [in packets; default 25
            packets]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §4
    """

def codel(
    *,
    buffer: str = "1000 packets",
    target: str = "5 ms",
    interval: str = "100 ms",
    ecn: bool = False,
) -> Queue:
    """While packets have waited too long for an interval, some that are to be sent are dropped, more and more often.

    Runs on links that carry packets.

    Args:
        buffer: Room of the buffer, without the packet being sent. [in cells, packets; default 1000 packets]
        target: Time that packets may wait for good. [in ps, ns, us, µs, ms, s, min, h; default 5 ms]
        interval: So long they may wait longer than that before the first is dropped: a round trip that most flows
            do not exceed. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        ecn: Packets that can be marked are, and not dropped, but for those that find the buffer full. [default
            false]

    Source: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar. "Controlled Delay Active Queue Management". RFC
        8289. 2018, §5
    """

def drop_tail(
    *,
    buffer: str,
) -> Queue:
    """A packet that finds the buffer full is dropped.

    Runs on links that carry packets.

    Args:
        buffer: Room of the buffer, without the packet being sent. [in cells, packets; required]

    Source: common practice
    """

def dynamic_thresholds(
    *,
    buffer: str,
    alpha: Literal["1/8", "1/4", "1/2", "1", "2", "4", "8", "16"] = "1",
) -> Queue:
    """A flow that holds as much as alpha times the free room may begin no packet.

    Runs on links that carry cells or packets.

    Args:
        buffer: Room of the buffer that all flows share, without the unit being sent. [in cells, packets;
            required]
        alpha: What a flow may hold, as a multiple of the room that is free. [default 1]

    Source: Abhijit K. Choudhury, Ellen L. Hahne. "Dynamic Queue Length Thresholds for Shared-Memory Packet
        Switches". IEEE/ACM Transactions on Networking 6 (2), pp. 130-140. 1998
    """

def epd(
    *,
    buffer: str,
    threshold: float = 0.5,
) -> Queue:
    """A packet whose first cell finds the buffer filled beyond a threshold is dropped, but for its last cell.

    Runs on links that carry cells.

    Args:
        buffer: Room of the buffer, without the cell being sent. [in cells, packets; required]
        threshold: Share of the buffer beyond which no new packet is let in. [default 0.5]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def epd_push_out(
    *,
    buffer: str,
    threshold: float = 0.5,
    max_packet: str | None = None,
    excess: Literal["proportional", "equal"] = "proportional",
    overflow: Literal["push-out", "arriving"] = "push-out",
) -> Queue:
    """EPD in which a VC below its own threshold pushes out the last packet of the VC furthest beyond its.

    Runs on links that carry cells.

    Args:
        buffer: Room of the buffer, without the cell being sent. [in cells, packets; required]
        threshold: Share of the buffer from which on no packet is let in without pushing out. [default 0.5]
        max_packet: M: cells of the longest packet. [in cells, packets; if not given: that of the flows which
            pass]
        excess: Who gets what the guarantees leave: VCs in proportion to them (as printed), or all equally (as
            said). [default proportional]
        overflow: What goes when a cell that is not its packet's first finds the buffer full. [default push-out]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §4.1
    """

def fair_queueing(
    *,
    buffer: str,
    overflow: Literal["arriving", "longest-queue", "longest-queue-head", "longest-queue-tail"] = "arriving",
) -> Queue:
    """A queue per flow, served round robin by bytes, in one buffer.

    Runs on links that carry cells or packets.

    Args:
        buffer: Room of the buffer that all flows share, without the unit being sent. [in cells, packets;
            required]
        overflow: Who is dropped when a unit finds the buffer full: the unit itself, or (all, the first or the
            last of) what waits of the flow with the most units waiting. [default arriving]

    Source: Alan Demers, Srinivasan Keshav, Scott Shenker. "Analysis and Simulation of a Fair Queueing Algorithm".
        ACM SIGCOMM '89, pp. 1-12. 1989, §2
    """

def longest_queue_drop(
    *,
    buffer: str,
    unit: Literal["packet", "unit"] = "packet",
) -> Queue:
    """What finds the buffer full pushes out the last packet, or unit, of the flow with the most units waiting.

    Runs on links that carry cells or packets.

    Args:
        buffer: Room of the buffer that all flows share, without the unit being sent. [in cells, packets;
            required]
        unit: What the longest queue loses. [default packet]

    Source: Bernhard Suter, T. V. Lakshman, Dimitrios Stiliadis, Abhijit K. Choudhury. "Design Considerations for
        Supporting TCP with Per-flow Queueing". IEEE INFOCOM '98. 1998
    """

def plain(
    *,
    buffer: str,
) -> Queue:
    """A cell that finds the buffer full is dropped, whatever packet it belongs to.

    Runs on links that carry cells.

    Args:
        buffer: Room of the buffer, without the cell being sent. [in cells, packets; required]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def ppd(
    *,
    buffer: str,
) -> Queue:
    """After a cell of a packet is dropped, its further cells are dropped too, but for the last.

    Runs on links that carry cells.

    Args:
        buffer: Room of the buffer, without the cell being sent. [in cells, packets; required]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def red(
    *,
    buffer: str,
    min_th: str | int | None = None,
    max_th: str | int | None = None,
    max_p: float = 0.02,
    weight: float = 0.002,
    gentle: bool = False,
    ecn: bool = False,
    mode: Literal["packets", "bytes"] = "packets",
    packet_size: str = "1500 B",
) -> Queue:
    """The longer the queue has been on average, the more of what arrives is dropped or marked, at random.

    Runs on links that carry packets.

    Args:
        buffer: Room of the buffer, without the packet being sent. [in cells, packets; required]
        min_th: Below this average nothing is dropped early. [in packets; if not given: a third of `max_th`]
        max_th: From this average on everything is dropped. [in packets; if not given: three times `min_th`, or a
            quarter of `buffer`]
        max_p: Share of the arrivals that begin a gap between drops, as the average comes to `max_th`. [default
            0.02]
        weight: Weight of the newest queue in the average. [default 0.002]
        gentle: From `max_th` to twice that the share rises from `max_p` to all. [default false]
        ecn: Packets that can be marked are, and not dropped, where that is done at random: below `max_th`, or
            twice that of a gentle one. [default false]
        mode: What queues are measured in. [default packets]
        packet_size: Of a usual packet, headers included: idle time counts as so many of them, and thresholds in
            bytes are multiples of it. Write what the senders' segments are. [in B, kB, KiB, MB, MiB, GB, GiB;
            default 1500 B]

    Source: Sally Floyd, Van Jacobson. "Random Early Detection Gateways for Congestion Avoidance". IEEE/ACM
        Transactions on Networking 1 (4), pp. 397-413. 1993, §4
    """

def trim(
    *,
    buffer: str,
    headers: str | int = "1000 packets",
    keep: str = "40 B",
    ratio: int = 10,
    victim: Literal["arriving", "either"] = "arriving",
) -> Queue:
    """A packet that finds the buffer full is trimmed to its header, which goes before data.

    Runs on links that carry packets.

    Args:
        buffer: Room of the data queue, without the packet being sent. [in cells, packets; required]
        headers: Room of the header queue. [in packets; default 1000 packets]
        keep: What is kept of a packet: IP's and TCP's headers. [in B, kB, KiB, MB, MiB, GB, GiB; default 40 B]
        ratio: Headers sent per data packet while both wait; a very large ratio is strict priority. [default 10]
        victim: Which packet is trimmed. [default arriving]

    Source: Mark Handley, Costin Raiciu, Alexandru Agache, Andrei Voinescu, Andrew W. Moore, Gianni Antichi,
        Marcin Wójcik. "Re-architecting Datacenter Networks and Stacks for Low Latency and High Performance". ACM
        SIGCOMM '17, pp. 29-42, doi:10.1145/3098822.3098825. 2017, §3.1
    """

def triple_buffering(
    *,
    inner: Queue,
    duplicates: int = 3,
    interval: str | int = "25 packets",
    interval_counts: Literal["candidates", "packets"] = "candidates",
    table: int = 1024,
    age: str | None = None,
    when_full: Literal["pass", "oldest"] = "pass",
    trigger: float | None = None,
    early: Literal["drop", "start"] = "drop",
) -> Queue:
    """After a packet of a flow is dropped, the next three of it that would be dropped are let in.

    Runs on links that carry packets.

    Args:
        inner: What decides that a packet is dropped, with its own parameters. [required]
        duplicates: Duplicate acks that are to reach the sender. [default 3]
        interval: So long after an episode has begun none begins for the same flow. [in packets; default 25
            packets]
        interval_counts: What `interval` counts: packets of the flow that are to be dropped, or all. [default
            candidates]
        table: Flows that the table can hold: pairs of hosts. [default 1024]
        age: A flow that has had no packet to be dropped for longer than that is forgotten. [in ps, ns, us, µs,
            ms, s, min, h; if not given: never]
        when_full: A flow that finds the table full is passed over (its packets are dropped as if there was no
            scheme), or takes the place of the one whose last packet to be dropped is the oldest. [default pass]
        trigger: Share of the buffer from which packets are to be dropped early, so that there is room for those
            that are let in: without it there is none around drop-tail, and nothing is let in. [if not given:
            never]
        early: What is to be dropped early: all that arrives, or what begins an episode. [default drop]

    Source: Murali K. Viswanathan, Ahmed E. Kamal. "Router Assisted Schemes for Performance Improvement in the
        Internet". 14-16 October 2002, pp. 150-156 (IEEE ICCCN 2002). 2002, §III.3
    """

def triple_truncated(
    *,
    inner: Queue,
    duplicates: int = 3,
    interval: str | int = "25 packets",
    interval_counts: Literal["candidates", "packets"] = "candidates",
    table: int = 1024,
    age: str | None = None,
    when_full: Literal["pass", "oldest"] = "pass",
    keep: str = "40 B",
    reserve: str | int = "30 packets",
) -> Queue:
    """In the place of a packet that is dropped, three copies of its header go on.

    Runs on links that carry packets.

    Args:
        inner: What decides that a packet is dropped, with its own parameters. [required]
        duplicates: Duplicate acks that are to reach the sender. [default 3]
        interval: So long after an episode has begun none begins for the same flow. [in packets; default 25
            packets]
        interval_counts: What `interval` counts: packets of the flow that are to be dropped, or all. [default
            candidates]
        table: Flows that the table can hold: pairs of hosts. [default 1024]
        age: A flow that has had no packet to be dropped for longer than that is forgotten. [in ps, ns, us, µs,
            ms, s, min, h; if not given: never]
        when_full: A flow that finds the table full is passed over (its packets are dropped as if there was no
            scheme), or takes the place of the one whose last packet to be dropped is the oldest. [default pass]
        keep: What is kept of the packet: IP's and TCP's headers. [in B, kB, KiB, MB, MiB, GB, GiB; default 40 B]
        reserve: Room beside the buffer for copies alone. [in packets; default 30 packets]

    Source: Murali K. Viswanathan, Ahmed E. Kamal. "Router Assisted Schemes for Performance Improvement in the
        Internet". 14-16 October 2002, pp. 150-156 (IEEE ICCCN 2002). 2002, §III.4
    """

def weighted_round_robin(
    *,
    buffer: str,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """A queue per VC, served in turn by weights from the guarantees, in one buffer.

    Runs on links that carry cells or packets.

    Args:
        buffer: Room of the buffer that all VCs share, without the unit being sent. [in cells, packets; required]
        excess: Who gets what the guarantees leave: VCs in proportion to them (as printed), or all equally (as
            said). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §2.3
    """
