"""Networks of common topologies; each is a plan with a ``[topology]``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dupack.discipline import Discipline
from dupack.errors import PlanError, RequestError
from dupack.files import expanded
from dupack.network import Network
from dupack.parts import Arrivals, Loss, Queue, Traffic, Transport, plain
from dupack.words import visible

Line = str | Mapping[str, Any]
"""A link: its rate, or a table of a plan with ``rate`` and other keys of a link."""

Carries = Literal["cells", "packets"]

Flows = Sequence[tuple[str, str]] | Literal["permutation", "all-to-all"]
"""Pairs of hosts; ``"permutation"``: each host sends to one and receives from one; ``"all-to-all"``: each host sends to
each other."""

Ends = Mapping[str, Mapping[str, str]]
"""The ends of flows, by their names."""

START = "0 s..100 ms"
"""Flows start at random times in this range: flows that start together would stay synchronized."""


def dumbbell(
    *,
    senders: int,
    access: Line,
    bottleneck: Line,
    delay: str,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    loss: Loss | None = None,
    receivers: int | None = None,
    access_delay: str | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """Senders at one switch, receivers at another, and one link, the bottleneck, between the two.

    Hosts are ``source-0``, ... and ``sink-0``, ... (or ``sink``, if it is one); links are ``access-0``, ...,
    ``bottleneck`` and ``exit-0``, ...; flows are ``bulk-0``, ..., one per sender. All can be named in paths, such as
    ``link.bottleneck.queue.lower``.

    Args:
        senders: Number of senders.
        access: Rate of the hosts' links, such as ``"30 Mb/s"``.
        bottleneck: Rate of the link between the switches.
        delay: One-way propagation delay of the bottleneck, such as ``"0.3 ms"``.
        carries: Unit that the links carry.
        queue: Queue discipline of the bottleneck; by default an unlimited FIFO.
        loss: Loss model of the bottleneck, behind its queue.
        receivers: Number of receivers: 1, or by default that of the senders.
        access_delay: One-way propagation delay of the hosts' links; by default that of the bottleneck.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections from
            senders to receivers.
        start: Start time of flows, or a range from which it is drawn.
    """
    shape = {
        "senders": senders,
        "receivers": receivers,
        "carries": carries,
        "access": _line(access, delay=access_delay or delay),
        "bottleneck": _line(bottleneck, delay=delay, queue=queue, loss=loss),
    }
    return _network("dumbbell", shape, {"bulk": _ends("source", "sink")}, start, transport, traffic, arrivals)


def parking_lot(
    *,
    hops: int,
    access: Line,
    bottleneck: Line,
    delay: str,
    senders: int = 1,
    cross: int = 1,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    loss: Loss | None = None,
    access_delay: str | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """A chain of bottlenecks: some flows cross all of them, others one each.

    Flows ``long-0``, ... go from ``source-0``, ... to ``sink-0``, ... over the links ``hop-0``, ``hop-1``, ...; flows
    ``cross-0``, ... cross one hop each; the first ``cross`` of them cross the first hop.

    Args:
        hops: Number of bottlenecks.
        access: Rate of the hosts' links.
        bottleneck: Rate of each hop.
        delay: One-way propagation delay of each hop.
        senders: Number of flows that cross all hops.
        cross: Number of flows per hop that cross only this hop.
        carries: Unit that the links carry.
        queue: Queue discipline of each hop; by default an unlimited FIFO.
        loss: Loss model of each hop.
        access_delay: One-way propagation delay of the hosts' links; by default that of a hop.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections from the
            first switch to the last.
        start: Start time of flows, or a range from which it is drawn.
    """
    shape = {
        "hops": hops,
        "senders": senders,
        "cross": cross,
        "carries": carries,
        "access": _line(access, delay=access_delay or delay),
        "bottleneck": _line(bottleneck, delay=delay, queue=queue, loss=loss),
    }
    flows = {"long": _ends("source", "sink"), "cross": _ends("cross-source", "cross-sink")}
    return _network("parking-lot", shape, flows, start, transport, traffic, arrivals)


def incast(
    *,
    senders: int,
    access: Line,
    delay: str,
    bottleneck: Line | None = None,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = "0 s",
) -> Network:
    """Many senders and one receiver at one switch.

    Hosts are ``source-0``, ... and ``sink``; links are ``access-0``, ... and ``bottleneck``; flows are ``bulk-0``, ...,
    one per sender.

    Args:
        senders: Number of senders.
        access: Rate of each sender's link.
        delay: One-way propagation delay of each link.
        bottleneck: Rate of the link to the receiver; by default that of the senders' links.
        carries: Unit that the links carry.
        queue: Queue discipline of the receiver's link; by default an unlimited FIFO.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections from the
            senders to the receiver.
        start: Start time of flows, or a range from which it is drawn; by default all start at once.
    """
    shape = {
        "senders": senders,
        "carries": carries,
        "access": _line(access, delay=delay),
        "bottleneck": _line(access if bottleneck is None else bottleneck, delay=delay, queue=queue),
    }
    return _network("incast", shape, {"bulk": _ends("source", "sink")}, start, transport, traffic, arrivals)


def star(
    *,
    hosts: int,
    access: Line,
    delay: str,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    flows: Flows | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """Hosts ``host-0``, ... at one switch.

    Args:
        hosts: Number of hosts.
        access: Rate of each host's link.
        delay: One-way propagation delay of each link.
        carries: Unit that the links carry.
        queue: Queue discipline of every port of the switch; by default an unlimited FIFO.
        flows: Pairs of sending and receiving host; or ``"permutation"``, drawn from the seed; or ``"all-to-all"``. By
            default each host sends to the host half of the list further on.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections, each
            between hosts drawn at random.
        start: Start time of flows, or a range from which it is drawn.
    """
    shape = {"hosts": hosts, "carries": carries, "queue": queue, "access": _line(access, delay=delay)}
    return _network("star", shape, _pairs(flows, _product(hosts), arrivals), start, transport, traffic, arrivals)


def leaf_spine(
    *,
    leaves: int,
    spines: int,
    hosts: int,
    access: Line,
    delay: str,
    fabric: Line | None = None,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    flows: Flows | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """Two layers of switches: each leaf has hosts, and a link to every spine.

    Hosts are ``host-0``, ..., leaf by leaf; links are ``access-0``, ... and ``fabric-LEAF-SPINE``. Each flow takes
    one of the equal-cost routes (ECMP).

    Args:
        leaves: Number of leaf switches.
        spines: Number of spine switches.
        hosts: Number of hosts at each leaf.
        access: Rate of each host's link.
        delay: One-way propagation delay of each link.
        fabric: Rate of the links between switches; by default that of the hosts' links.
        carries: Unit that the links carry.
        queue: Queue discipline of every port of every switch; by default an unlimited FIFO.
        flows: Pairs of sending and receiving host; or ``"permutation"``, drawn from the seed; or ``"all-to-all"``. By
            default each host sends to the host half of the list further on.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections, each
            between hosts drawn at random.
        start: Start time of flows, or a range from which it is drawn.
    """
    shape = {
        "leaves": leaves,
        "spines": spines,
        "hosts": hosts,
        "carries": carries,
        "queue": queue,
        "access": _line(access, delay=delay),
        "fabric": None if fabric is None else _line(fabric, delay=delay),
    }
    pairs = _pairs(flows, _product(leaves, hosts), arrivals)
    return _network("leaf-spine", shape, pairs, start, transport, traffic, arrivals, routing="ecmp")


def fat_tree(
    *,
    k: int,
    access: Line,
    delay: str,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    flows: Flows | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """Three layers of switches with ``k`` ports each, and k^3/4 hosts.

    Hosts are ``host-0``, ..., pod by pod; links are ``access-0``, ..., ``pod-EDGE-AGGREGATION`` and
    ``core-AGGREGATION-CORE``. Each flow takes one of the equal-cost routes (ECMP).

    Args:
        k: Number of ports of each switch; even.
        access: Rate of every link.
        delay: One-way propagation delay of each link.
        carries: Unit that the links carry.
        queue: Queue discipline of every port of every switch; by default an unlimited FIFO.
        flows: Pairs of sending and receiving host; or ``"permutation"``, drawn from the seed; or ``"all-to-all"``. By
            default each host sends to the host half of the list further on.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections, each
            between hosts drawn at random.
        start: Start time of flows, or a range from which it is drawn.
    """
    shape = {"k": k, "carries": carries, "queue": queue, "access": _line(access, delay=delay)}
    pairs = _pairs(flows, _product(k, k, k) // 4, arrivals)
    return _network("fat-tree", shape, pairs, start, transport, traffic, arrivals, routing="ecmp")


def graphml(
    file: str | os.PathLike[str],
    *,
    flows: Flows | None = None,
    access: Line,
    access_delay: str,
    trunk: Mapping[str, Any] | None = None,
    hosts: int = 1,
    carries: Carries = "packets",
    queue: Queue | Discipline | None = None,
    transport: Transport | None = None,
    traffic: Traffic | None = None,
    arrivals: Arrivals | None = None,
    start: str = START,
) -> Network:
    """The graph of a GraphML file, such as those of the Topology Zoo.

    Every node is a switch with hosts, every edge a link.

    Args:
        file: Path of the file, relative to the current directory.
        flows: Pairs of sending and receiving host, named ``host-NODE``; or ``"permutation"``, drawn from the seed; or
            ``"all-to-all"``. Required unless ``arrivals`` is given.
        access: Rate of each host's link.
        access_delay: One-way propagation delay of the hosts' links.
        trunk: Keys of the links between switches that the file does not have: ``{"rate": "1 Gb/s", "delay": "1 ms"}``.
            Rates in the file need not be given; nor delays, if the file has the positions of the nodes.
        hosts: Number of hosts at every node.
        carries: Unit that the links carry.
        queue: Queue discipline of every port of every switch; by default an unlimited FIFO.
        transport: Transport of every flow, unless `Network.run` is given one.
        traffic: Traffic of every flow; greedy by default.
        arrivals: Arrivals of connections. They replace the flows by one, ``files``, which is many connections, each
            between hosts drawn at random.
        start: Start time of flows, or a range from which it is drawn.
    """
    if flows is None and arrivals is None:
        raise RequestError(
            'flows: missing; write pairs of sending and receiving host, such as [("host-Wien", "host-Praha")], '
            'or "permutation", or "all-to-all"'
        )
    place = str(expanded(file).resolve())
    if visible(place) != place:
        raise RequestError(f"file: {visible(place)}: a plan can only name files whose names are printable and UTF-8")
    shape = {
        "file": place,
        "hosts": hosts,
        "carries": carries,
        "queue": queue,
        "trunk": dict(trunk or {}),
        "access": _line(access, delay=access_delay),
    }
    return _network("graphml", shape, _pairs(flows, 0, arrivals), start, transport, traffic, arrivals)


def _line(line: Line, **values: Any) -> dict[str, Any]:
    # Anything but a table is taken as a rate; the plan's reader reports a wrong one.
    own = dict(line) if isinstance(line, Mapping) else {"rate": line}
    return {**own, **{key: plain(value) for key, value in values.items() if value is not None and key not in own}}


def _product(*numbers: Any) -> int:
    """The product of numbers of nodes; 0 if one is not a number, which the plan's reader reports."""
    return math.prod(numbers) if all(isinstance(number, int) for number in numbers) else 0


def _pairs(flows: Flows | None, hosts: int, arrivals: Arrivals | None) -> Ends:
    if arrivals is not None:
        if flows is not None:
            raise RequestError("flows: given together with arrivals, whose hosts are drawn; leave one of the two out")
        return {"bulk": _ends("host*", "host*")}
    if isinstance(flows, str):
        return {"bulk": {**_ends("host*", "host*"), "pairs": flows}}
    if flows is None:
        flows = [(f"host-{i}", f"host-{(i + max(1, hosts // 2)) % hosts}") for i in range(hosts)]
    told = {}
    for i, pair in enumerate(flows):
        if isinstance(pair, str) or len(pair) != 2:
            raise RequestError(
                f'flows: {pair!r} is not a pair; write sending and receiving host, such as ("host-0", "host-1")'
            )
        told[f"bulk-{i}"] = _ends(pair[0], pair[1])
    return told


def _ends(source: str, sink: str) -> dict[str, str]:
    return {"from": source, "to": sink}


def _network(
    kind: str,
    shape: Mapping[str, Any],
    flows: Ends,
    start: str,
    transport: Transport | None,
    traffic: Traffic | None,
    arrivals: Arrivals | None,
    **more: Any,
) -> Network:
    if arrivals is not None:
        # The first flows are the main ones of the topology.
        flows, start = {"files": next(iter(flows.values()))}, "0 s" if start == START else start
    given = {
        key: plain(part)
        for key, part in {"arrivals": arrivals, "traffic": traffic, "transport": transport}.items()
        if part is not None
    }
    tables = {
        **more,
        "topology": {"kind": kind, **{key: plain(value) for key, value in shape.items() if value is not None}},
        "flow": [{"name": name, **ends, "start": start, **given} for name, ends in flows.items()],
    }
    made = Network(tables, kind)
    try:
        made.read()
    except PlanError as error:
        # Other errors may be resolved later: `Network.run` takes transports and traffic.
        if any(line.startswith("topology.") for line in str(error).splitlines()):
            raise
    return made
