"""Networks as values: made by a function of `dupack.topology` or loaded from a plan, then run."""

from __future__ import annotations

import copy
import html
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dupack import _native
from dupack.controller import Controller
from dupack.discipline import External, named
from dupack.errors import PlanError, RequestError
from dupack.files import expanded, why
from dupack.parts import Arrivals, Part, Traffic, Transport, plain
from dupack.words import visible
from dupack.work import LARGEST, whole

if TYPE_CHECKING:
    from dupack.results import RunResult

SAMPLES = 1000
"""Points of a time series by default."""
DURATION = "10 s"
"""Duration of a run if neither the network nor the call has one."""

Senders = Transport | Controller | Sequence[Transport | Controller]
"""One transport or controller for all flows, or several that are assigned to them in turn."""


class Network:
    """Nodes, links and flows of a plan. A network is immutable; `with_values` returns a new one.

    >>> import dupack as dk
    >>> net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms",
    ...                   queue=dk.queue.drop_tail(buffer="20 packets"))
    >>> net
    dumbbell: 2 hosts "source", 2 hosts "sink", 2 switches, 5 links, 2 flows
    >>> net.with_values({"link.bottleneck.delay": "5 ms"}).run(duration="1 s").links["name"].to_list()[4]
    'bottleneck'
    """

    def __init__(self, tables: Mapping[str, Any], name: str = "network") -> None:
        self._externals: dict[str, External] = {}
        self._tables: dict[str, Any] = named(plain(dict(tables)), self._externals)
        self._name = name

    @property
    def name(self) -> str:
        """Name in errors: the topology, or the file that it was loaded from."""
        return self._name

    def with_values(self, values: Mapping[str, Any]) -> Network:
        """Returns a copy with other values, each by its path in the plan: ``{"link.bottleneck.queue.lower": 0.5}``.

        A star matches any characters of a name: ``{"flow.*.transport": dupack.transport.sack()}``. An unknown path
        raises `PlanError` at once, a wrong value when the network is run.
        """
        externals = dict(self._externals)
        sets = [(path, named(plain(value), externals)) for path, value in values.items()]
        other = Network({}, self._name)
        other._externals = externals
        other._tables = _ordered(tomllib.loads(_native.plan_text(self._tables, self._name, sets)))
        return other

    def with_flow(
        self,
        name: str,
        source: str,
        sink: str,
        *,
        transport: Transport | Controller | None = None,
        traffic: Traffic | None = None,
        arrivals: Arrivals | None = None,
        start: str | None = None,
        **values: Any,
    ) -> Network:
        """Returns a copy with one more flow, or one more per member of a group of hosts.

        >>> import dupack as dk
        >>> net = dk.incast(senders=8, access="1 Gb/s", delay="10 us", queue=dk.queue.drop_tail(buffer="50 packets"),
        ...                 arrivals=dk.arrivals.rounds(limit=2), traffic=dk.traffic.file(size="20 kB"))
        >>> net = net.with_flow("rest", "source-0", "sink", traffic=dk.traffic.cbr(rate="100 Mb/s"))
        >>> net.run(duration="1 s").flows["name"].to_list()
        ['files', 'rest']

        Args:
            name: Name of the flow; flows of a group are ``name-0``, ``name-1``, ...
            source: Sending host, or a group of hosts.
            sink: Receiving host, or a group of hosts.
            transport: Transport, or a controller in Python; by default Reno. A transport given to `run` replaces that
                of all flows, also of this.
            traffic: Traffic; greedy by default.
            arrivals: Arrivals of connections; they make the flow many connections between randomly drawn hosts.
            start: Start time, or a range from which it is drawn; by default at once.
            values: Other keys of a flow in a plan: ``mpr="2 Mb/s"``.
        """
        flow: dict[str, Any] = {"name": name, "from": source, "to": sink, "start": start, "transport": transport}
        flow |= {"traffic": traffic, "arrivals": arrivals, **values}
        externals = dict(self._externals)
        one = named(plain({key: value for key, value in flow.items() if value is not None}), externals)
        other = Network({**self._tables, "flow": [*self._tables.get("flow", []), one]}, self._name)
        other._externals = externals
        return other

    def plan(
        self,
        transport: Senders | None = None,
        *,
        duration: str | None = None,
        seed: int | None = None,
        warm_up: str | None = None,
        sample: str | None = None,
        traffic: Traffic | None = None,
        sweep: Mapping[str, Any] | None = None,
    ) -> str:
        """The experiment as the text of a plan file for ``dupack run``. The arguments are those of `run`.

        Of a discipline or a controller written in Python it has only the name: such a plan can only be run from Python.
        """
        given: dict[str, Any] = {"duration": duration, "seed": seed, "warm_up": warm_up}
        given |= {"sample": sample, "traffic": traffic}
        return self._written(transport, **given, sweep=sweep)[0]

    def _written(
        self,
        transport: Senders | None = None,
        *,
        duration: str | None = None,
        seed: int | None = None,
        warm_up: str | None = None,
        sample: str | None = None,
        traffic: Traffic | None = None,
        sweep: Mapping[str, Any] | None = None,
    ) -> tuple[str, dict[str, External]]:
        """The text, and the disciplines and controllers in Python by their names in it."""
        tables = copy.deepcopy(self._tables)
        _check("transport", transport if isinstance(transport, (list, tuple)) else [transport], Transport)
        _check("traffic", [traffic], Traffic)
        if isinstance(transport, (Transport, Controller)):
            _each_flow(tables, "transport", transport)
        elif transport is not None:
            tables["flow"] = _shared_out(self._whole, list(transport))
        if traffic is not None:
            _each_flow(tables, "traffic", traffic)
        given = {"duration": duration, "seed": seed, "warm_up": warm_up, "sample": sample}
        head = {"title": tables.pop("title", visible(self._name)), "duration": tables.pop("duration", DURATION)}
        head |= {key: value for key, value in given.items() if value is not None}
        tables = {**{key: value for key, value in tables.items() if key not in head}, **head}
        if sweep is not None:
            # The axes of the plan's own sweep are kept.
            own = tables.get("sweep", {})
            grids = [{**grid, **sweep} for grid in own] if isinstance(own, list) else {**own, **sweep}
            tables["sweep"] = plain(grids)
        externals = dict(self._externals)
        return _native.plan_text(named(plain(tables), externals), self._name), externals

    def read(self, *arguments: Any, **values: Any) -> tuple[_native.Plan, str]:
        """The experiment as a checked plan, and its text; the arguments are those of `plan`."""
        plan, text, _ = self.read_all(*arguments, **values)
        return plan, text

    def read_all(self, *arguments: Any, **values: Any) -> tuple[_native.Plan, str, dict[str, External]]:
        """The same, and the disciplines and controllers in Python by their names in the plan."""
        text, externals = self._written(*arguments, **values)
        return _native.Plan(text.encode(), self._name, [], externals), text, externals

    def run(
        self,
        transport: Senders | None = None,
        *,
        duration: str | None = None,
        seed: int | None = None,
        warm_up: str | None = None,
        sample: str | None = None,
        traffic: Traffic | None = None,
        tape: bool = False,
    ) -> RunResult:
        """Runs the network once.

        Args:
            transport: Transport of every flow, or several, which are assigned to the flows in turn. By default that of
                the network, else Reno.
            duration: Simulated time, such as ``"60 s"``. By default that of the network, else 10 s.
            seed: Seed of all random numbers. By default that of the network, else 1.
            warm_up: Time at the beginning that is not measured, or ``"mser-5"``, which estimates it. By default that
                of the network, else none.
            sample: Interval between the points of time series. By default that of the network, else a thousandth of
                the duration.
            traffic: Traffic of every flow. By default that of the network.
            tape: Whether to record every event.

        Raises:
            PlanError: A value is wrong; the text names every wrong value, and nothing was run.
            RunError: The run failed.
        """
        from dupack.results import RunResult
        from dupack.stopping import many

        given: dict[str, Any] = {"duration": duration, "seed": seed, "warm_up": warm_up, "traffic": traffic}
        if sample is None and "sample" not in self._tables:
            sample = _thousandth(duration or self._tables.get("duration", DURATION))
        plan, text = self.read(transport, **given, sample=sample)
        if plan.axes or len(plan.seeds) > 1:
            raise RequestError(
                f"{self._name}: {many(plan)}, where run() makes a single one; write dupack.sweep(net, {{}})"
            )
        return RunResult.of(plan, text, tape=tape)

    @cached_property
    def _whole(self) -> dict[str, Any]:
        """The tables, with all nodes, links and flows of the topology."""
        return tomllib.loads(_native.plan_text(self._tables, self._name, whole=True))

    def __repr__(self) -> str:
        return f"{self._name}: {', '.join(self._told())}"

    def _told(self) -> list[str]:
        try:
            whole = self._whole
        except PlanError as error:
            return [f"error: {str(error).splitlines()[-1]}"]
        told = []
        groups = _groups(whole)
        for host in whole.get("host", []):
            count = host.get("count", 1)
            told.append(f'{count} host{"s" if count != 1 else ""} "{host.get("name")}"')
        for section, plural in (("switch", "es"), ("edge", "s"), ("link", "s"), ("vc", "s"), ("flow", "s")):
            ends = (
                [one.get("name")] if plural == "es" else [one.get("from"), one.get("to")]
                for one in whole.get(section, [])
                if _in_order(one)
            )
            many = sum(max(groups.get(end) or 1 for end in names) for names in ends)
            many += sum(_pairs(groups, one) for one in whole.get(section, []) if not _in_order(one))
            if many:
                told.append(f"{many} {section}{plural if many != 1 else ''}")
        return told

    def _repr_html_(self) -> str:
        try:
            links = self._whole.get("link", [])
        except PlanError as error:
            return f"<pre>{html.escape(str(error))}</pre>"
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(str(cell))}</td>' for cell in row)}</tr>"
            for row in (
                (one.get("name"), f"{one.get('from')} → {one.get('to')}", one.get("rate"), one.get("delay"), _kind(one))
                for one in links
            )
        )
        head = "".join(f"<th>{name}</th>" for name in ("link", "from → to", "rate", "delay", "queue"))
        return (
            f"<div><b>{html.escape(self._name)}</b>: {html.escape(', '.join(self._told()))}"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )


def _kind(link: Mapping[str, Any]) -> str:
    queue = link.get("queue")
    return str(queue.get("kind")) if isinstance(queue, dict) else "unlimited"


SECTIONS = ("aal5", "topology", "host", "switch", "edge", "link", "vc", "flow", "sweep")


def _ordered(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables in the usual order of a plan: first plain keys, then sections from nodes to flows."""
    return dict(sorted(tables.items(), key=lambda item: SECTIONS.index(item[0]) + 1 if item[0] in SECTIONS else 0))


def load(path: str | os.PathLike[str]) -> Network:
    """Loads the network of a plan file, with its duration, seed and sweep."""
    path = expanded(path)
    try:
        with path.open("rb") as file:
            found = whole(file)
        if len(found) > LARGEST:
            raise PlanError(f"{path}: larger than {LARGEST >> 20} MiB, so it is no plan; nothing was run")
        text = found.decode()
    except (OSError, UnicodeDecodeError) as error:
        said = why(error) if isinstance(error, OSError) else str(error).lower()
        raise PlanError(f"{path}: the plan cannot be read: {said}; nothing was run") from error
    try:
        return Network(tomllib.loads(text), str(path))
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path}: not valid TOML: {error}; nothing was run") from error


def _check(name: str, parts: Iterable[Any], of: type[Part]) -> None:
    for part in parts:
        allowed = (Transport, Controller) if of is Transport else of
        if part is not None and not isinstance(part, allowed):
            right = "reno" if of is Transport else "greedy"
            raise RequestError(
                f"{name}: {part!r} is not a {of.__name__}; write one such as dupack.{of.family}.{right}()"
            )


def _each_flow(tables: dict[str, Any], key: str, part: Part | Controller) -> None:
    for flow in tables.get("flow", []):
        flow[key] = plain(part)
        # It replaces the parts of single members, too.
        for own in _own(flow).values():
            for path in [path for path in own if path.split(".")[0] == key]:
                del own[path]


def _own(flow: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Values of single flows of a group, by their names."""
    members = flow.get("members")
    found = members if isinstance(members, dict) else {}
    return {name: own for name, own in found.items() if isinstance(own, dict)}


def _groups(tables: Mapping[str, Any]) -> dict[Any, int | None]:
    """The number of members of each node; None for a single node."""
    nodes = [node for section in ("host", "switch", "edge") for node in tables.get(section, [])]
    return {node.get("name"): node.get("count") for node in nodes}


def _in_order(one: Mapping[str, Any]) -> bool:
    return one.get("pairs", "in-order") == "in-order"


def _pairs(groups: Mapping[Any, int | None], flow: Mapping[str, Any]) -> int:
    """The number of flows of a permutation, or of all pairs."""
    members = {name for group, count in groups.items() for name in _members(group, count)}

    def named(end: str) -> set[str]:
        name: Any = flow.get(end)
        if name in groups:
            return set(_members(name, groups[name]))
        return {member for member in members if fnmatchcase(member, str(name))}

    from_, to = named("from"), named("to")
    return len(from_) if flow["pairs"] == "permutation" else len(from_) * len(to) - len(from_ & to)


def _members(name: str, count: int | None) -> list[str]:
    return [name] if count is None else [f"{name}-{i}" for i in range(count)]


def _shared_out(tables: Mapping[str, Any], transports: Sequence[Transport | Controller]) -> list[dict[str, Any]]:
    """A flow per member of a group, so that each can have its own transport; the names do not change."""
    if not transports:
        raise RequestError("transport: the list is empty; give at least one")
    counts = _groups(tables)
    flows: list[dict[str, Any]] = []
    for flow in tables.get("flow", []):
        if not _in_order(flow):
            said = f"several for flow {flow.get('name')!r}, whose pairs of hosts are drawn or all-to-all"
            raise RequestError(f"transport: {said}; give one transport, or flows with named hosts")
        ends = [counts.get(flow.get(end)) for end in ("from", "to")]
        many = max((count for count in ends if count is not None), default=None)
        if many is None or "arrivals" in flow:
            flows.append({**flow, "transport": plain(transports[len(flows) % len(transports)])})
            continue
        for i in range(many):
            own = {
                end: f"{flow[end]}-{i}" if count is not None else flow[end]
                for end, count in zip(("from", "to"), ends, strict=True)
            }
            name = f"{flow['name']}-{i}"
            transport = plain(transports[len(flows) % len(transports)])
            flows.append({**flow, "name": name, **own, **_of_member(flow, name), "transport": transport})
    return flows


def _of_member(flow: dict[str, Any], name: str) -> dict[str, Any]:
    """Keys of one flow of a group that its own values change."""
    if not _own(flow):
        return {}
    one = {key: value for key, value in flow.items() if key != "members"}
    # What is said of several members comes before what is said of one.
    for pattern, own in sorted(_own(flow).items(), key=lambda item: "*" not in item[0]):
        if fnmatchcase(name, pattern):
            sets = [(f"flow.{flow['name']}.{path}", value) for path, value in own.items()]
            one = tomllib.loads(_native.plan_text({"flow": [one]}, name, sets))["flow"][0]
    return {key: one[key] for key in one if key not in ("name", "from", "to")} | {"members": {}}


def _thousandth(duration: Any) -> str | None:
    whole = _native.picoseconds(duration) if isinstance(duration, str) else None
    if whole is None:
        # The plan's reader reports the error.
        return None
    step = max(whole // SAMPLES, 1)
    units: Iterable[tuple[str, int]] = (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1))
    return next(f"{step // size} {unit}" for unit, size in units if step % size == 0)
