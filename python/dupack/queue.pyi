# Written by `make generate` from the declarations in crates/core; do not change it here.
"""Queue disciplines: which units join a buffer, and which are dropped or marked.

One function per word of a plan, made from its declaration; its help lists the parameters (see `dupack.parts`).
"""

from collections.abc import Sequence
from typing import Literal

from dupack.parts import Queue

__all__ = [
    "abs_push_out",
    "abs_push_out_stacks",
    "ack_filter",
    "afd",
    "bpd",
    "cake",
    "choke",
    "cobalt",
    "codel",
    "drop_tail",
    "drr",
    "dualpi2",
    "dynamic_thresholds",
    "epd",
    "epd_push_out",
    "fair_queueing",
    "flow_queueing",
    "fq_codel",
    "fq_pie",
    "fred",
    "longest_queue_drop",
    "pie",
    "plain",
    "policer",
    "ppd",
    "queue_protection",
    "red",
    "sfq",
    "strict_priority",
    "token_bucket",
    "trim",
    "triple_buffering",
    "triple_truncated",
    "weighted_round_robin",
    "wfq",
]

def abs_push_out(
    *,
    buffer: str,
    max_packet: str | None = None,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """Admits a packet if the buffer has room for all of it; a VC below its threshold pushes out the last packet of
    the VC furthest above its own.

    Runs on links that carry cells.

    Args:
        buffer: Q: capacity of the buffer, without the cell being transmitted. [in cells, packets; required]
        max_packet: M: length of the longest packet in cells. [in cells, packets; if not given: that of the flows
            which pass]
        excess: Division of what the guarantees leave: in proportion to them (the paper's formula), or equally
            (its text). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §3.2
    """

def abs_push_out_stacks(
    *,
    buffer: str,
    max_packet: str | None = None,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """Works like `abs-push-out`, with a stack of illegal packets per VC: the top of the stack with the most packets
    is pushed out.

    Runs on links that carry cells.

    Args:
        buffer: Q: capacity of the buffer, without the cell being transmitted. [in cells, packets; required]
        max_packet: M: length of the longest packet in cells. [in cells, packets; if not given: that of the flows
            which pass]
        excess: Division of what the guarantees leave: in proportion to them (the paper's formula), or equally
            (its text). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §3.3
    """

def ack_filter(
    *,
    buffer: str,
    keep: str | int = "0 packets",
) -> Queue:
    """Drops waiting acks when a newer one of their flow says all that they say.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        keep: Number of acks that stay although a newer one says all that they say: the newest of them. [in
            packets; default 0 packets]

    Source: H. Balakrishnan, V. Padmanabhan, G. Fairhurst, M. Sooriyabandara. "TCP Performance Implications of
        Network Path Asymmetry". RFC 3449. 2002, §5.2.1
    """

def afd(
    *,
    buffer: str,
    target: str | int | None = None,
    shadow: int = 500,
    sample: float = 0.2,
    update: str = "6.25 ms",
    alpha: str = "1.7",
    beta: str = "1.8",
    ecn: bool = False,
) -> Queue:
    """Drops arrivals of flows that send more than a fair rate, by a sample of recent arrivals.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        target: Queue to which the fair rate is controlled. [in packets; if not given: half of `buffer`]
        shadow: Number of entries of the shadow buffer, at most 1000000. [default 500]
        sample: Share of arrivals that are noted. [default 0.2]
        update: Interval between updates of the fair rate: 160 in a second. [in ps, ns, us, µs, ms, s, min, h;
            default 6.25 ms]
        alpha: Change of the fair rate per update and packet of the queue above the target at the update before.
            [default 1.7]
        beta: Change of the fair rate, down, per update and packet of the queue above the target. [default 1.8]
        ecn: Marking of ECN-capable packets instead of dropping them. [default false]

    Source: Rong Pan, Lee Breslau, Balaji Prabhakar, Scott Shenker. "Approximate Fairness through Differential
        Dropping". ACM SIGCOMM Computer Communication Review 33 (2), pp. 23-39. 2003
    """

def bpd(
    *,
    buffer: str,
    lower: float = 0.4,
    upper: float = 0.9,
    gap: str | int = "25 packets",
) -> Queue:
    """Drops packets beyond a threshold of the backlog, which is higher for flows that lost one of their latest
    packets; on cells as EPD does.

    Runs on links that carry cells or packets.

    Args:
        buffer: Capacity of the buffer, without the cell being transmitted. [in cells, packets; required]
        lower: LT: share of the buffer above which a regular flow (on cells, a VC) may begin no packet. [default
            0.4]
        upper: UT: share of the buffer above which a damaged flow may begin no packet. [default 0.9]
        gap: Gap: number of packets of a flow after a lost one for which UT applies to it. [in packets; default 25
            packets]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §4
    """

def cake(
    *,
    buffer: str = "10240 packets",
    rate: str | None = None,
    framing: Literal[
        "raw",
        "ethernet",
        "ether-vlan",
        "docsis",
        "pppoe-ptm",
        "bridged-ptm",
        "ipoa-vcmux",
        "ipoa-llcsnap",
        "pppoa-vcmux",
        "pppoa-llc",
        "bridged-vcmux",
        "bridged-llcsnap",
        "pppoe-vcmux",
        "pppoe-llcsnap",
        "conservative",
    ] = "raw",
    tins: Literal["besteffort", "diffserv3", "diffserv4"] = "diffserv3",
    isolation: Literal["flows", "dual-source", "dual-destination", "triple"] = "triple",
    ack_filter: Literal["off", "on", "aggressive"] = "off",
    target: str = "5 ms",
    rtt: str = "100 ms",
    ecn: bool = True,
) -> Queue:
    """Shapes, serves classes by their shares, hosts and flows equally, and drops by a COBALT per flow.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; default 10240 packets]
        rate: Rate of the shaper, of packets with their framing. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not
            given: unlimited]
        framing: Framing of the link behind the shaper, whose bytes count. [default raw]
        tins: Classes, by the `dscp` of flows. [default diffserv3]
        isolation: Whose shares are equal, beside those of flows. [default triple]
        ack_filter: Acks that are dropped for a later one. [default off]
        target: Acceptable sojourn time; more at a low rate. [in ps, ns, us, µs, ms, s, min, h; default 5 ms]
        rtt: Round-trip time that most flows do not exceed: the interval of COBALT. [in ps, ns, us, µs, ms, s,
            min, h; default 100 ms]
        ecn: Marking of ECN-capable packets instead of dropping them. [default true]

    Source: Jonathan Morton, Toke Høiland-Jørgensen, Dave Täht, others. "Linux: net/sched/sch_cake.c". the
        kernel's source, version 5.10. 2020
    """

def choke(
    *,
    buffer: str,
    min_th: str | int | None = None,
    max_th: str | int | None = None,
    max_p: float = 0.02,
    weight: float = 0.002,
    packet_size: str = "1500 B",
) -> Queue:
    """Drops an arrival and a packet drawn from the queue if they are of one flow, and else drops at random by the
    average queue.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        min_th: Average queue up to which nothing is dropped early. [in packets; if not given: a third of
            `max_th`]
        max_th: Average queue from which on every arrival is dropped. [in packets; if not given: three times
            `min_th`, or a quarter of `buffer`]
        max_p: Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 -
            count p_b). [default 0.02]
        weight: Weight of the current queue in the average. [default 0.002]
        packet_size: Size of a usual packet, headers included: idle time is counted in such packets. Write the
            size of the senders' packets. [in B, kB, KiB, MB, MiB, GB, GiB; default 1500 B]

    Source: Rong Pan, Balaji Prabhakar, Konstantinos Psounis. "CHOKe, A Stateless Active Queue Management Scheme
        for Approximating Fair Bandwidth Allocation". IEEE INFOCOM 2000, pp. 942-951; not at hand, cited from
        memory. 2000
    """

def cobalt(
    *,
    buffer: str = "1000 packets",
    target: str = "5 ms",
    interval: str = "100 ms",
    increment: float = 0.00390625,
    decrement: float = 0.000244140625,
    ecn: bool = True,
) -> Queue:
    """Drops packets as they depart while the sojourn time exceeds a target, and at random after the buffer has
    overflowed.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; default 1000
            packets]
        target: Acceptable sojourn time, and the least time between two changes of the random drop probability.
            [in ps, ns, us, µs, ms, s, min, h; default 5 ms]
        interval: Time between the first packet above `target` and the first signal. [in ps, ns, us, µs, ms, s,
            min, h; default 100 ms]
        increment: Increase of the random drop probability when the buffer overflows: 1/256. [default 0.00390625]
        decrement: Decrease of the random drop probability while the queue is empty, once per `target`: 1/4096.
            [default 0.000244140625]
        ecn: Marking of ECN-capable packets in place of the drops of the CoDel part. [default true]

    Source: Jendaipou Palmei, Shefali Gupta, Pasquale Imputato, Jonathan Morton, Mohit P. Tahiliani, Stefano
        Avallone, Dave Täht. "Design and Evaluation of COBALT Queue Discipline". IEEE LANMAN 2019, pp. 1-6. 2019,
        §II
    """

def codel(
    *,
    buffer: str = "1000 packets",
    target: str = "5 ms",
    interval: str = "100 ms",
    ecn: bool = False,
) -> Queue:
    """Drops packets as they depart, more and more often, while the sojourn time has exceeded a target for an
    interval.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; default 1000
            packets]
        target: Acceptable sojourn time of a standing queue. [in ps, ns, us, µs, ms, s, min, h; default 5 ms]
        interval: Time for which the sojourn time may exceed `target` before the first drop: an RTT that most
            flows do not exceed. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        ecn: Marking of ECN-capable packets instead of dropping them, except on overflow. [default false]

    Source: K. Nichols, V. Jacobson, A. McGregor, J. Iyengar. "Controlled Delay Active Queue Management". RFC
        8289. 2018, §5
    """

def drop_tail(
    *,
    buffer: str,
) -> Queue:
    """Drops a packet that arrives at a full buffer.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]

    Source: common practice
    """

def drr(
    *,
    buffer: str,
    quantum: str = "1500 B",
    flows: int | None = None,
) -> Queue:
    """Serves flows in turn by bytes, and drops a packet of the longest queue when the buffer is full.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; required]
        quantum: Bytes that a flow may send in its turn. [in B, kB, KiB, MB, MiB, GB, GiB; default 1500 B]
        flows: Number of queues to which flows are hashed, at most 65536. [if not given: one for each]

    Source: M. Shreedhar, George Varghese. "Efficient Fair Queuing Using Deficit Round-Robin". IEEE/ACM
        Transactions on Networking 4 (3), pp. 375-385, doi:10.1109/90.502236. 1996, §3
    """

def dualpi2(
    *,
    buffer: str = "10000 packets",
    target: str = "15 ms",
    update: str = "16 ms",
    alpha: str = "0.16",
    beta: str = "3.2",
    step: str = "1 ms",
    range: str = "0 s",
    th_len: str | int | None = None,
    coupling: float = 2.0,
    classic: float | None = None,
    signals: Literal["rfc9332", "linux"] = "rfc9332",
) -> Queue:
    """Keeps L4S packets in a queue of their own, which it marks early, and couples its marks to the drops or marks
    of all others.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that both queues share, without the packet being transmitted. [in cells,
            packets; default 10000 packets]
        target: Queueing delay to which the base probability is controlled. [in ps, ns, us, µs, ms, s, min, h;
            default 15 ms]
        update: Interval between updates of the base probability. [in ps, ns, us, µs, ms, s, min, h; default 16
            ms]
        alpha: Change of the base probability per update and second of delay beyond the target. [default 0.16]
        beta: Change of the base probability per update and second of delay beyond that of the update before.
            [default 3.2]
        step: Queueing delay from which L4S packets are marked whatever waits in the other queue. [in ps, ns, us,
            µs, ms, s, min, h; default 1 ms]
        range: Delay beyond `step` at which all of them are; between, the share rises linearly. RFC 9332 has a
            `step` of 800 us and a `range` of 400 us. [in ps, ns, us, µs, ms, s, min, h; default 0 s]
        th_len: `step` marks an L4S packet only if more L4S packets than this wait when it departs, itself
            included. With `signals = "linux"`, it marks one only if at least this number wait when it arrives.
            [in packets; if not given: 1, or 0 with the rules of Linux]
        coupling: Marks of an L4S packet per unit of base probability. [default 2]
        classic: Share of the link's bytes for classic packets, while both queues have packets. [if not given:
            0.0625, or 0.1 with the rules of Linux]
        signals: Choice of the packets that are marked or dropped: as regular as their probability allows, with
            the rules of RFC 9332, or at random, with those of Linux. [default rfc9332]

    Source: K. De Schepper, B. Briscoe, G. White. "Dual-Queue Coupled Active Queue Management (AQM) for Low
        Latency, Low Loss, and Scalable Throughput (L4S)". RFC 9332. 2023, §A
    """

def dynamic_thresholds(
    *,
    buffer: str,
    alpha: Literal["1/8", "1/4", "1/2", "1", "2", "4", "8", "16"] = "1",
) -> Queue:
    """Admits no new packet of a flow that holds alpha times the free room or more.

    Runs on links that carry packets or cells.

    Args:
        buffer: Capacity of the buffer that all flows share, without the unit being transmitted. [in cells,
            packets; required]
        alpha: Room that a flow may hold, as a multiple of the free room. [default 1]

    Source: Abhijit K. Choudhury, Ellen L. Hahne. "Dynamic Queue Length Thresholds for Shared-Memory Packet
        Switches". IEEE/ACM Transactions on Networking 6 (2), pp. 130-140. 1998
    """

def epd(
    *,
    buffer: str,
    threshold: float = 0.5,
) -> Queue:
    """Drops a packet, except for its last cell, if its first cell arrives while the backlog exceeds a threshold.

    Runs on links that carry cells.

    Args:
        buffer: Capacity of the buffer, without the cell being transmitted. [in cells, packets; required]
        threshold: Share of the buffer above which no new packet is admitted. [default 0.5]

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
    pushes: Literal["until-below", "one-packet"] = "until-below",
) -> Queue:
    """Applies EPD; a VC below its own threshold pushes out the last packet of the VC furthest above its own.

    Runs on links that carry cells.

    Args:
        buffer: Capacity of the buffer, without the cell being transmitted. [in cells, packets; required]
        threshold: Share of the buffer from which on a packet is admitted only by pushing out another. [default
            0.5]
        max_packet: M: length of the longest packet in cells. [in cells, packets; if not given: that of the flows
            which pass]
        excess: Division of what the guarantees leave: in proportion to them (the paper's formula), or equally
            (its text). [default proportional]
        overflow: What is dropped when a cell that is not the first of its packet arrives at a full buffer.
            [default push-out]
        pushes: What makes room for a packet that begins above the threshold: packets are pushed out until the
            backlog is below it, or one is. [default until-below]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §4.1
    """

def fair_queueing(
    *,
    buffer: str,
    overflow: Literal["arriving", "longest-queue", "longest-queue-head", "longest-queue-tail"] = "arriving",
) -> Queue:
    """Keeps a queue per flow in one buffer, and serves them round robin by bytes.

    Runs on links that carry packets or cells.

    Args:
        buffer: Capacity of the buffer that all flows share, without the unit being transmitted. [in cells,
            packets; required]
        overflow: What is dropped when a unit arrives at a full buffer: that unit, or units (all, the first or the
            last) of the flow with the most units waiting. [default arriving]

    Source: Alan Demers, Srinivasan Keshav, Scott Shenker. "Analysis and Simulation of a Fair Queueing Algorithm".
        ACM SIGCOMM '89, pp. 1-12. 1989, §2
    """

def flow_queueing(
    *,
    buffer: str = "10240 packets",
    flows: int = 1024,
    collisions: bool = True,
    quantum: str = "1514 B",
    inner: Queue | None = None,
) -> Queue:
    """Serves flows in turn by bytes, those that queue nothing first, with any discipline inside the queue of each
    flow.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; default 10240 packets]
        flows: Number of queues to which flows are hashed, at most 65536. [default 1024]
        collisions: Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue
            of its own. [default true]
        quantum: Bytes that a queue may send in its turn. [in B, kB, KiB, MB, MiB, GB, GiB; default 1514 B]
        inner: Discipline inside each queue, with a buffer of its own. [if not given: drop-tail]

    Source: T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet. "The Flow Queue CoDel Packet
        Scheduler and Active Queue Management Algorithm". RFC 8290. 2018, §4
    """

def fq_codel(
    *,
    buffer: str = "10240 packets",
    flows: int = 1024,
    collisions: bool = True,
    quantum: str = "1514 B",
    target: str = "5 ms",
    interval: str = "100 ms",
    ecn: bool = True,
    ce_threshold: str | None = None,
    drop_batch: str | int = "64 packets",
) -> Queue:
    """Serves flows in turn by bytes, those that queue nothing first, and drops packets as they depart by a CoDel per
    flow.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; default 10240 packets]
        flows: Number of queues to which flows are hashed, at most 65536. [default 1024]
        collisions: Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue
            of its own. [default true]
        quantum: Bytes that a queue may send in its turn. [in B, kB, KiB, MB, MiB, GB, GiB; default 1514 B]
        target: Acceptable sojourn time of a standing queue. [in ps, ns, us, µs, ms, s, min, h; default 5 ms]
        interval: Time for which the sojourn time may exceed `target` before the first drop: an RTT that most
            flows do not exceed. [in ps, ns, us, µs, ms, s, min, h; default 100 ms]
        ecn: Marking of ECN-capable packets instead of dropping them, except on overflow. [default true]
        ce_threshold: Sojourn time above which every ECN-capable packet is marked. [in ps, ns, us, µs, ms, s, min,
            h; if not given: none]
        drop_batch: Number of packets dropped at once from the queue with the most bytes when the buffer
            overflows, up to half of its bytes. [in packets; default 64 packets]

    Source: T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet. "The Flow Queue CoDel Packet
        Scheduler and Active Queue Management Algorithm". RFC 8290. 2018, §4
    """

def fq_pie(
    *,
    buffer: str = "10240 packets",
    flows: int = 1024,
    collisions: bool = True,
    quantum: str = "1514 B",
    target: str = "15 ms",
    update: str = "15 ms",
    alpha: str = "0.125",
    beta: str = "1.25",
    max_burst: str = "150 ms",
    derandomize: bool = True,
    cap: bool = True,
    ecn: bool = False,
    mark_ecnth: float = 0.1,
    packet_size: str = "1500 B",
) -> Queue:
    """Serves flows in turn by bytes, those that queue nothing first, and drops arrivals at random by a PIE per flow.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; default 10240 packets]
        flows: Number of queues to which flows are hashed, at most 65536. [default 1024]
        collisions: Hashing of flows to `flows` queues, so that two can share one; if false, each flow has a queue
            of its own. [default true]
        quantum: Bytes that a queue may send in its turn. [in B, kB, KiB, MB, MiB, GB, GiB; default 1514 B]
        target: Queueing delay to which the drop probability of a queue is controlled. [in ps, ns, us, µs, ms, s,
            min, h; default 15 ms]
        update: Interval between updates of the drop probabilities. [in ps, ns, us, µs, ms, s, min, h; default 15
            ms]
        alpha: Change of a drop probability per update and second of delay beyond the target. [default 0.125]
        beta: Change of a drop probability per update and second of delay beyond that of the update before.
            [default 1.25]
        max_burst: Time for which nothing is dropped early when congestion begins. [in ps, ns, us, µs, ms, s, min,
            h; default 150 ms]
        derandomize: Drops as regular as the drop probability allows. [default true]
        cap: Increases of at most 0.02 when the drop probability is 0.1 or more. [default true]
        ecn: Marking of ECN-capable packets instead of dropping them, while the drop probability is below
            `mark_ecnth`. [default false]
        mark_ecnth: Drop probability from which on ECN-capable packets are dropped. [default 0.1]
        packet_size: Size of a usual packet, headers included: nothing is dropped early while twice as many bytes
            wait in a queue, or fewer. [in B, kB, KiB, MB, MiB, GB, GiB; default 1500 B]

    Source: Mohit P. Tahiliani, Sachin D. Patil, others. "Linux: net/sched/sch_fq_pie.c". the kernel's source,
        version 6.1. 2022
    """

def fred(
    *,
    buffer: str,
    min_th: str | int | None = None,
    max_th: str | int | None = None,
    max_p: float = 0.02,
    minq: str | int = "2 packets",
    weight: float = 0.002,
    many_flows: bool = True,
    packet_size: str = "1500 B",
) -> Queue:
    """Drops arrivals of flows that use more than their part of the buffer, and others at random by the average
    queue.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        min_th: Average queue from which on arrivals are dropped at random; also the most packets of one flow. [in
            packets; if not given: a quarter of `buffer`]
        max_th: Average queue from which on every arrival is dropped, or, with `many_flows`, those of flows with
            two packets. [in packets; if not given: twice `min_th`]
        max_p: Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 -
            count p_b). [default 0.02]
        minq: Packets that a flow may have waiting without random drops: 2 for small buffers, 4 for large ones.
            [in packets; default 2 packets]
        weight: Weight of the current queue in the average. [default 0.002]
        many_flows: Support for more flows than the buffer has room for: from `max_th` on each flow may have two
            packets. [default true]
        packet_size: Size of a usual packet, headers included: idle time is counted in such packets. [in B, kB,
            KiB, MB, MiB, GB, GiB; default 1500 B]

    Source: Dong Lin, Robert Morris. "Dynamics of Random Early Detection". ACM SIGCOMM '97, pp. 127-137. 1997, §4
    """

def longest_queue_drop(
    *,
    buffer: str,
    unit: Literal["packet", "unit"] = "packet",
) -> Queue:
    """Pushes out the last packet, or unit, of the flow with the most units waiting when a unit arrives at a full
    buffer.

    Runs on links that carry packets or cells.

    Args:
        buffer: Capacity of the buffer that all flows share, without the unit being transmitted. [in cells,
            packets; required]
        unit: What is dropped from the longest queue. [default packet]

    Source: Bernhard Suter, T. V. Lakshman, Dimitrios Stiliadis, Abhijit K. Choudhury. "Design Considerations for
        Supporting TCP with Per-flow Queueing". IEEE INFOCOM '98. 1998
    """

def pie(
    *,
    buffer: str = "1000 packets",
    target: str = "15 ms",
    update: str = "15 ms",
    alpha: str = "0.125",
    beta: str = "1.25",
    max_burst: str = "150 ms",
    estimator: Literal["timestamp", "departure-rate"] = "timestamp",
    dq_threshold: str = "16384 B",
    decay: Literal["idle", "below-half"] = "idle",
    derandomize: bool = False,
    cap: bool = False,
    ecn: bool = False,
    mark_ecnth: float = 0.1,
    packet_size: str = "1500 B",
) -> Queue:
    """Drops or marks arrivals at random, with a probability that follows the queueing delay and its trend.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; default 1000
            packets]
        target: Queueing delay to which the drop probability is controlled. [in ps, ns, us, µs, ms, s, min, h;
            default 15 ms]
        update: Interval between updates of the drop probability. [in ps, ns, us, µs, ms, s, min, h; default 15
            ms]
        alpha: Change of the drop probability per update and second of delay beyond the target. [default 0.125]
        beta: Change of the drop probability per update and second of delay beyond that of the update before.
            [default 1.25]
        max_burst: Time for which nothing is dropped early when congestion begins. [in ps, ns, us, µs, ms, s, min,
            h; default 150 ms]
        estimator: Source of the current delay: the packet that departed last, or the backlog and the measured
            departure rate. [default timestamp]
        dq_threshold: Bytes over which the departure rate is measured. [in B, kB, KiB, MB, MiB, GB, GiB; default
            16384 B]
        decay: Delays at which the drop probability decays by 2 % per update in addition: none (the RFC's text),
            or below half of the target (its pseudocode). [default idle]
        derandomize: Drops as regular as the drop probability allows: none before its sum over arrivals is 0.85,
            and one when the sum is 8.5. [default false]
        cap: Increases of at most 0.02 when the drop probability is 0.1 or more. [default false]
        ecn: Marking of ECN-capable packets instead of dropping them, while the drop probability is below
            `mark_ecnth`. [default false]
        mark_ecnth: Drop probability from which on ECN-capable packets are dropped. [default 0.1]
        packet_size: Size of a usual packet, headers included: nothing is dropped early while twice as many bytes
            wait, or fewer. [in B, kB, KiB, MB, MiB, GB, GiB; default 1500 B]

    Source: R. Pan, P. Natarajan, F. Baker, G. White. "Proportional Integral Controller Enhanced (PIE): A
        Lightweight Control Scheme to Address the Bufferbloat Problem". RFC 8033. 2017, §4
    """

def plain(
    *,
    buffer: str,
) -> Queue:
    """Drops a cell that arrives at a full buffer, whatever packet it belongs to.

    Runs on links that carry cells.

    Args:
        buffer: Capacity of the buffer, without the cell being transmitted. [in cells, packets; required]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def policer(
    *,
    buffer: str,
    rate: str,
    burst: str = "15000 B",
    excess_burst: str = "0 B",
    peak_rate: str | None = None,
    peak_burst: str = "15000 B",
    yellow_room: str | int | None = None,
    aware: bool = False,
    each: bool = False,
) -> Queue:
    """Drops packets that exceed a rate and a burst (RFC 2697), or two rates (RFC 2698), before they come to a FIFO.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer behind it, without the packet being transmitted. [in cells, packets;
            required]
        rate: Committed information rate: packets below it are green. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s;
            required]
        burst: Committed burst size: bytes that may come at once and be green. [in B, kB, KiB, MB, MiB, GB, GiB;
            default 15000 B]
        excess_burst: Excess burst size of the meter with one rate: bytes beyond `burst` that are yellow. [in B,
            kB, KiB, MB, MiB, GB, GiB; default 0 B]
        peak_rate: Peak information rate, for the meter with two rates: packets above it are red, those between it
            and `rate` yellow. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; if not given: one rate]
        peak_burst: Peak burst size, for the meter with two rates. [in B, kB, KiB, MB, MiB, GB, GiB; default 15000
            B]
        yellow_room: Number of waiting packets from which on yellow packets are dropped. [in packets; if not
            given: `buffer`]
        aware: Colours that packets bring in their `dscp`: AFx2 is yellow at best, AFx3 is red. [default false]
        each: A meter for each flow; else one for all. [default false]

    Source: Juha Heinanen, Roch Guerin. "A Single Rate Three Color Marker". RFC 2697. 1999, §3
    """

def ppd(
    *,
    buffer: str,
) -> Queue:
    """Drops the rest of a packet, except for its last cell, after one of its cells is dropped.

    Runs on links that carry cells.

    Args:
        buffer: Capacity of the buffer, without the cell being transmitted. [in cells, packets; required]

    Source: Reuven Cohen, Yaniv Hamo. "Balanced packet discard for improving TCP performance in ATM networks".
        Computer Communications, Elsevier; an earlier version at IEEE INFOCOM 2000,
        doi:10.1109/INFCOM.2000.832554. 2001, §3
    """

def queue_protection(
    *,
    buffer: str = "10000 packets",
    critical_delay: str | None = None,
    critical_score: str = "4 ms",
    aging: str = "4194304 b/s",
    max_threshold: str = "1 ms",
    range: str = "524288 ns",
    max_frame: str = "2000 B",
    buckets: int = 32,
    attempts: int = 2,
    protect: bool = True,
    target: str = "15 ms",
    update: str = "16 ms",
    alpha: str = "0.16",
    beta: str = "3.2",
    coupling: float = 2.0,
    classic: float = 0.0625,
) -> Queue:
    """Sends packets of flows that queue in the L queue of a DualPI2 to its C queue.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that both queues share, without the packet being transmitted. [in cells,
            packets; default 10000 packets]
        critical_delay: Delay of the L queue up to which nothing is redirected for it. [in ps, ns, us, µs, ms, s,
            min, h; if not given: end of the ramp]
        critical_score: Score of a flow from which on its packets are redirected, at that delay. [in ps, ns, us,
            µs, ms, s, min, h; default 4 ms]
        aging: Rate of marked bytes below which the score of a flow does not grow: 2^19 bytes per second. [in b/s,
            kb/s, Mb/s, Gb/s, Tb/s, cells/s; default 4194304 b/s]
        max_threshold: Delay of the L queue at which the ramp of its own marks ends. [in ps, ns, us, µs, ms, s,
            min, h; default 1 ms]
        range: Width of the ramp. [in ps, ns, us, µs, ms, s, min, h; default 524288 ns]
        max_frame: Longest frame: the ramp begins at the time of two of them, or later. [in B, kB, KiB, MB, MiB,
            GB, GiB; default 2000 B]
        buckets: Number of buckets for scores, a power of two, at most 65536. [default 32]
        attempts: Number of buckets in which a flow looks for its score. [default 2]
        protect: Redirecting; without it the discipline is DualPI2 with this ramp. [default true]
        target: Queueing delay to which the base probability is controlled. [in ps, ns, us, µs, ms, s, min, h;
            default 15 ms]
        update: Interval between updates of the base probability. [in ps, ns, us, µs, ms, s, min, h; default 16
            ms]
        alpha: Change of the base probability per update and second of delay beyond the target. [default 0.16]
        beta: Change of the base probability per update and second of delay beyond that of the update before.
            [default 3.2]
        coupling: Marks of an L4S packet per unit of base probability. [default 2]
        classic: Share of the link's bytes for classic packets, while both queues have packets. [default 0.0625]

    Source: Bob Briscoe, Greg White. "The DOCSIS Queue Protection Algorithm to Preserve Low Latency". RFC 9957.
        2026, §4
    """

def red(
    *,
    buffer: str,
    min_th: str | int | None = None,
    max_th: str | int | None = None,
    max_p: float = 0.02,
    weight: float = 0.002,
    gentle: bool = False,
    adaptive: bool = False,
    ecn: bool = False,
    hard_drop: bool = True,
    mode: Literal["packets", "bytes"] = "packets",
    packet_size: str = "1500 B",
) -> Queue:
    """Drops or marks arrivals at random, with a probability that grows with the average queue.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        min_th: Average queue below which nothing is dropped early. [in packets; if not given: a third of
            `max_th`]
        max_th: Average queue from which on every arrival is dropped, or marked if `hard_drop` is false. [in
            packets; if not given: three times `min_th`, or a quarter of `buffer`]
        max_p: Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 -
            count p_b). [default 0.02]
        weight: Weight of the current queue in the average. [default 0.002]
        gentle: Rise of p_b from `max_p` to 1 between `max_th` and twice that, instead of a step. [default false]
        adaptive: Adaptation of `max_p` that keeps the average in the middle between the thresholds. [default
            false]
        ecn: Marking of ECN-capable packets instead of dropping them, while the average queue is below `max_th`,
            or below twice that with `gentle`. What happens above is told by `hard_drop`. [default false]
        hard_drop: With `ecn`: dropping of all packets from `max_th` on, or twice that with `gentle`, ECN-capable
            or not. If false, ECN-capable packets are marked there. [default true]
        mode: Unit in which the queue is measured. With bytes, p_b is proportional to the size of the packet.
            [default packets]
        packet_size: Size of a usual packet, headers included: idle time is counted in such packets, and
            thresholds in bytes are multiples of it. Write the size of the senders' packets. [in B, kB, KiB, MB,
            MiB, GB, GiB; default 1500 B]

    Source: Sally Floyd, Van Jacobson. "Random Early Detection Gateways for Congestion Avoidance". IEEE/ACM
        Transactions on Networking 1 (4), pp. 397-413. 1993, §4
    """

def sfq(
    *,
    buffer: str = "127 packets",
    depth: str | int = "127 packets",
    flows: int = 1024,
    quantum: str = "1514 B",
    perturb: str | None = None,
    headdrop: bool = False,
) -> Queue:
    """Hashes flows to queues that are served in turn by bytes, and drops the last packet of the longest queue.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all flows share, without the packet being transmitted. [in cells,
            packets; default 127 packets]
        depth: Largest number of packets in a queue. [in packets; default 127 packets]
        flows: Number of queues to which flows are hashed, at most 65536. [default 1024]
        quantum: Bytes that a queue may send in its turn. [in B, kB, KiB, MB, MiB, GB, GiB; default 1514 B]
        perturb: Interval after which flows are hashed anew. [in ps, ns, us, µs, ms, s, min, h; if not given:
            never]
        headdrop: Drops at the head of a queue instead of its tail. [default false]

    Source: Paul E. McKenney. "Stochastic Fairness Queuing". IEEE INFOCOM '90, pp. 733-740. 1990
    """

def strict_priority(
    *,
    buffer: str,
    classes: Literal["diffserv4", "precedence", "acks"] = "diffserv4",
    inner: Queue | None = None,
) -> Queue:
    """Keeps a queue per class, and sends a packet only if none of a higher class waits.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all classes share, without the packet being transmitted. [in cells,
            packets; required]
        classes: Classes: by the `dscp` of flows, or acks and trimmed packets before data. [default diffserv4]
        inner: Discipline inside each class. [if not given: drop-tail]

    Source: Jozef Babiarz, Kwok Chan, Fred Baker. "Configuration Guidelines for DiffServ Service Classes". RFC
        4594. 2006, §1.4
    """

def token_bucket(
    *,
    buffer: str,
    rate: str,
    burst: str = "15000 B",
    inner: Queue | None = None,
) -> Queue:
    """Holds packets back so that no more than a burst and what a rate allows is sent in any time.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer, without the packet being transmitted. [in cells, packets; required]
        rate: Rate of the tokens. [in b/s, kb/s, Mb/s, Gb/s, Tb/s, cells/s; required]
        burst: Size of the bucket: bytes that may be sent at once after a pause. [in B, kB, KiB, MB, MiB, GB, GiB;
            default 15000 B]
        inner: Discipline that chooses the packets. If it is a scheduler, each class or flow can have a discipline
            of its own. [if not given: drop-tail]

    Source: Alexey Kuznetsov, Dmitry Torokhin. "Linux: net/sched/sch_tbf.c". the kernel's source, version 6.1.
        2022
    """

def trim(
    *,
    buffer: str,
    headers: str | int = "1000 packets",
    keep: str = "40 B",
    ratio: int = 10,
    victim: Literal["arriving", "either"] = "arriving",
) -> Queue:
    """Trims a packet that arrives at a full buffer to its header, which departs before data.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the data queue, without the packet being transmitted. [in cells, packets; required]
        headers: Capacity of the header queue. [in packets; default 1000 packets]
        keep: Length of what is kept of a packet: the IP and TCP headers. [in B, kB, KiB, MB, MiB, GB, GiB;
            default 40 B]
        ratio: Number of headers sent per data packet while both wait; a very large ratio is strict priority.
            [default 10]
        victim: Packet that is trimmed. [default arriving]

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
    """Admits the next three packets of a flow that would be dropped, after it has dropped one of that flow.

    Runs on links that carry packets.

    Args:
        inner: Discipline that decides which packets are dropped, with its own parameters. [required]
        duplicates: Number of duplicate acks that are to reach the sender. [default 3]
        interval: Number of packets after the start of an episode in which no other starts for the same flow. [in
            packets; default 25 packets]
        interval_counts: Packets that `interval` counts: those of the flow that are to be dropped, or all of the
            flow. [default candidates]
        table: Number of flows (pairs of hosts) that the table can hold. [default 1024]
        age: Time without a packet to be dropped after which a flow is forgotten. [in ps, ns, us, µs, ms, s, min,
            h; if not given: never]
        when_full: Treatment of a flow when the table is full: it is passed over (its packets are dropped as
            without the scheme), or takes the place of the flow whose last packet to be dropped is the oldest.
            [default pass]
        trigger: Share of the buffer from which on packets are to be dropped early, which leaves room for those
            that are admitted: without it drop-tail leaves no room, and none are admitted. [if not given: never]
        early: Packets that are to be dropped early: all that arrive, or those that begin an episode. [default
            drop]

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
    """Sends three copies of a packet's header in place of a packet that is dropped.

    Runs on links that carry packets.

    Args:
        inner: Discipline that decides which packets are dropped, with its own parameters. [required]
        duplicates: Number of duplicate acks that are to reach the sender. [default 3]
        interval: Number of packets after the start of an episode in which no other starts for the same flow. [in
            packets; default 25 packets]
        interval_counts: Packets that `interval` counts: those of the flow that are to be dropped, or all of the
            flow. [default candidates]
        table: Number of flows (pairs of hosts) that the table can hold. [default 1024]
        age: Time without a packet to be dropped after which a flow is forgotten. [in ps, ns, us, µs, ms, s, min,
            h; if not given: never]
        when_full: Treatment of a flow when the table is full: it is passed over (its packets are dropped as
            without the scheme), or takes the place of the flow whose last packet to be dropped is the oldest.
            [default pass]
        keep: Length of what is kept of the packet: the IP and TCP headers. [in B, kB, KiB, MB, MiB, GB, GiB;
            default 40 B]
        reserve: Room for copies alone, beside the buffer. [in packets; default 30 packets]

    Source: Murali K. Viswanathan, Ahmed E. Kamal. "Router Assisted Schemes for Performance Improvement in the
        Internet". 14-16 October 2002, pp. 150-156 (IEEE ICCCN 2002). 2002, §III.4
    """

def weighted_round_robin(
    *,
    buffer: str,
    excess: Literal["proportional", "equal"] = "proportional",
) -> Queue:
    """Keeps a queue per VC in one buffer, and serves them in turn with weights from the guarantees.

    Runs on links that carry packets or cells.

    Args:
        buffer: Capacity of the buffer that all VCs share, without the unit being transmitted. [in cells, packets;
            required]
        excess: Division of what the guarantees leave: in proportion to them (the paper's formula), or equally
            (its text). [default proportional]

    Source: Chia-Tai Chan, Pi-Chung Wang, Yaw-Chung Chen. "An efficient traffic control scheme for TCP over ATM
        GFR services". Computer Networks 38, Elsevier, pp. 645-662. 2002, §2.3
    """

def wfq(
    *,
    buffer: str,
    classes: Literal["diffserv4", "precedence", "acks"] = "diffserv4",
    weights: Sequence[int] | None = None,
    inner: Queue | None = None,
) -> Queue:
    """Keeps a queue per class, and sends bytes of each in proportion to its weight.

    Runs on links that carry packets.

    Args:
        buffer: Capacity of the buffer that all classes share, without the packet being transmitted. [in cells,
            packets; required]
        classes: Classes: by the `dscp` of flows, or acks and trimmed packets apart from data. [default diffserv4]
        weights: Weights of the classes, from the least; 1 each. [if not given: equal]
        inner: Discipline inside each class. [if not given: drop-tail]

    Source: Pawan Goyal, Harrick M. Vin, Haichen Cheng. "Start-time Fair Queuing: A Scheduling Algorithm for
        Integrated Services Packet Switching Networks". ACM SIGCOMM '96, pp. 157-168. 1996, §2
    """
