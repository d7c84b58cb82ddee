"""Networks by the name of their shape; each is a plan with a ``[topology]``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from dupack.discipline import Discipline
from dupack.errors import PlanError, RequestError
from dupack.network import Network
from dupack.parts import Arrivals, Loss, Queue, Traffic, Transport, plain

Line = str | Mapping[str, Any]
"""What a link is like: its rate, or a table of a plan with ``rate`` and whatever else is to be said of it."""

Carries = Literal["cells", "packets"]

Flows = Sequence[tuple[str, str]] | Literal["permutation", "all-to-all"]
"""Pairs of hosts; or all hosts, each sending to one and receiving from one, or each sending to each."""

Ends = Mapping[str, Mapping[str, str]]
"""By the name of a flow where it goes."""

START = "0 s..100 ms"
"""Flows start within this time, drawn from the seed: flows that start together would stay in step."""


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
    """Senders behind one switch, receivers behind another, and one link between the two.

    Hosts are ``source-0``, ... and ``sink-0``, ... (or ``sink``, if it is one); links are ``access-0``, ...,
    ``bottleneck`` and ``exit-0``, ...; flows are ``bulk-0``, ..., one per sender. All can be named in paths, such as
    ``link.bottleneck.queue.lower``.

    Args:
        senders: Their number.
        access: Rate of the links of the hosts, such as ``"30 Mb/s"``.
        bottleneck: Rate of the link between the switches.
        delay: Propagation delay of the bottleneck one way, such as ``"0.3 ms"``.
        carries: What the links carry.
        queue: The discipline before the bottleneck; an unlimited FIFO if not given.
        loss: What the bottleneck loses of what leaves the queue.
        receivers: Their number: 1, or if not given that of the senders.
        access_delay: Propagation delay of the links of the hosts; if not given that of the bottleneck.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go from senders to
            receivers.
        start: When flows start: a time, or a range from which it is drawn.
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
    """A chain of bottlenecks: some flows pass all of them, others one each.

    Flows ``long-0``, ... go from ``source-0``, ... to ``sink-0``, ... over the links ``hop-0``, ``hop-1``, ...; flows
    ``cross-0``, ... pass one hop each, the first ``cross`` of them the first hop.

    Args:
        hops: Number of the bottlenecks.
        access: Rate of the links of the hosts.
        bottleneck: Rate of each hop.
        delay: Propagation delay of each hop one way.
        senders: Number of the flows that pass all hops.
        cross: Number of the flows that pass a hop alone, at each.
        carries: What the links carry.
        queue: The discipline before each hop; an unlimited FIFO if not given.
        loss: What each hop loses.
        access_delay: Propagation delay of the links of the hosts; if not given that of a hop.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go from the first
            switch to the last.
        start: When flows start: a time, or a range from which it is drawn.
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
    """Many senders and one receiver around one switch.

    Hosts are ``source-0``, ... and ``sink``; links are ``access-0``, ... and ``bottleneck``; flows are ``bulk-0``, ...,
    one per sender.

    Args:
        senders: Their number.
        access: Rate of the link of each sender.
        delay: Propagation delay of each link one way.
        bottleneck: Rate of the link to the receiver; if not given that of the senders'.
        carries: What the links carry.
        queue: The discipline before the receiver's link; an unlimited FIFO if not given.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go from the senders to
            the receiver.
        start: When flows start: all at once, unless a range is given from which it is drawn.
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
    """Hosts, ``host-0``, ..., around one switch.

    Args:
        hosts: Their number.
        access: Rate of the link of each.
        delay: Propagation delay of each link one way.
        carries: What the links carry.
        queue: The discipline of every port of the switch; an unlimited FIFO if not given.
        flows: From which host to which; or ``"permutation"``, which the seed draws; or ``"all-to-all"``; if not given
            from each to the one half-way round.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go
            between hosts drawn anew.
        start: When flows start: a time, or a range from which it is drawn.
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

    Hosts are ``host-0``, ..., leaf by leaf; links are ``access-0``, ... and ``fabric-LEAF-SPINE``. Each flow has one of
    the equal routes (ECMP).

    Args:
        leaves: Number of the lower switches.
        spines: Number of the upper switches.
        hosts: Their number at each leaf.
        access: Rate of the link of each host.
        delay: Propagation delay of each link one way.
        fabric: Rate of the links between switches; if not given that of the hosts'.
        carries: What the links carry.
        queue: The discipline of every port of every switch; an unlimited FIFO if not given.
        flows: From which host to which; or ``"permutation"``, which the seed draws; or ``"all-to-all"``; if not given
            from each to the one half-way round.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go
            between hosts drawn anew.
        start: When flows start: a time, or a range from which it is drawn.
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
    ``core-AGGREGATION-CORE``. Each flow has one of the equal routes (ECMP).

    Args:
        k: Ports of each switch, an even number.
        access: Rate of every link.
        delay: Propagation delay of each link one way.
        carries: What the links carry.
        queue: The discipline of every port of every switch; an unlimited FIFO if not given.
        flows: From which host to which; or ``"permutation"``, which the seed draws; or ``"all-to-all"``; if not given
            from each to the one half-way round.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go
            between hosts drawn anew.
        start: When flows start: a time, or a range from which it is drawn.
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
    """A graph of a GraphML file, such as those of the Topology Zoo.

    Every node is a switch with hosts, every edge a link.

    Args:
        file: The file, relative to where the program runs.
        flows: From which host to which; hosts are named ``host-NODE``; or ``"permutation"``, which the seed draws; or
            ``"all-to-all"``. Needed unless there are ``arrivals``.
        access: Rate of the link of each host.
        access_delay: Propagation delay of the links of the hosts one way.
        trunk: What of the links between switches the file does not say: ``{"rate": "1 Gb/s", "delay": "1 ms"}``. Rates
            and, from the places of the nodes, delays need not be given if they are in the file.
        hosts: Their number at every node.
        carries: What the links carry.
        queue: The discipline of every port of every switch; an unlimited FIFO if not given.
        transport: That of every flow, unless `Network.run` is given one.
        traffic: That of every flow; greedy if not given.
        arrivals: Instead of these flows one, ``files``, that is many connections which come and go
            between hosts drawn anew.
        start: When flows start: a time, or a range from which it is drawn.
    """
    if flows is None and arrivals is None:
        raise RequestError(
            'flows: missing; write from which host to which, such as [("host-Wien", "host-Praha")], '
            'or "permutation", or "all-to-all"'
        )
    shape = {
        "file": str(Path(file).resolve()),
        "hosts": hosts,
        "carries": carries,
        "queue": queue,
        "trunk": dict(trunk or {}),
        "access": _line(access, delay=access_delay),
    }
    return _network("graphml", shape, _pairs(flows, 0, arrivals), start, transport, traffic, arrivals)


def _line(line: Line, **values: Any) -> dict[str, Any]:
    # What is no table is told, as a rate, by the plan's reader.
    own = dict(line) if isinstance(line, Mapping) else {"rate": line}
    return {**own, **{key: plain(value) for key, value in values.items() if value is not None and key not in own}}


def _product(*numbers: Any) -> int:
    """Of numbers of nodes; none of what is no number, which the plan's reader tells."""
    return math.prod(numbers) if all(isinstance(number, int) for number in numbers) else 0


def _pairs(flows: Flows | None, hosts: int, arrivals: Arrivals | None) -> Ends:
    if arrivals is not None:
        if flows is not None:
            raise RequestError("flows: with arrivals the hosts are drawn; leave one of the two out")
        return {"bulk": _ends("host*", "host*")}
    if isinstance(flows, str):
        return {"bulk": {**_ends("host*", "host*"), "pairs": flows}}
    if flows is None:
        flows = [(f"host-{i}", f"host-{(i + max(1, hosts // 2)) % hosts}") for i in range(hosts)]
    told = {}
    for i, pair in enumerate(flows):
        if isinstance(pair, str) or len(pair) != 2:
            raise RequestError(
                f'flows: {pair!r} is no pair; write from which host to which, such as ("host-0", "host-1")'
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
        # The first flows are those that the shape is about.
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
        # Of the rest more may be said later: `Network.run` takes transports and traffic.
        if any(line.startswith("topology.") for line in str(error).splitlines()):
            raise
    return made
