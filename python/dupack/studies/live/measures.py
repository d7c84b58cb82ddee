"""What is read off live runs."""

from collections.abc import Mapping
from typing import Any

from dupack.reproduce.paper import Measured, Results
from dupack.reproduce.select import where


def _queue(run: Measured) -> Mapping[str, Any]:
    """The link with the queue."""
    found: Mapping[str, Any] = next(one for one in run.document["links"] if one["name"] in ("bottleneck", "trunk"))
    return found


def transfer(run: Measured) -> float | None:
    """Time of the file [ms]; none if it was not completed."""
    flow = run.document["flows"][0]
    return None if flow["completed_s"] is None else 1e3 * float(flow["completed_s"] - flow["started_s"])


def again(run: Measured) -> float | None:
    """Time from the start to the first retransmission [ms]; none if nothing was sent again."""
    flow, sockets = run.document["flows"][0], run.document["live"]["sockets"][0]
    first = sockets["first_retransmission_s"]
    return None if first is None else 1e3 * float(first - flow["started_s"])


def each_timeouts(run: Measured) -> float:
    """Timeouts per connection."""
    return float(run.document["summary"]["timeouts"] / len(run.document["flows"]))


def useful(run: Measured) -> float:
    """Share of the link's capacity for payload that was delivered."""
    return float(_queue(run)["goodput_fraction"])


def backlog(run: Measured) -> float:
    """Mean backlog of the link's queue [units]."""
    return float(_queue(run)["mean_backlog"])


def megabits(run: Measured) -> float:
    """Goodput of all flows [Mb/s]."""
    return float(run.document["summary"]["goodput_bps"] / 1e6)


READS = {
    "transfer": transfer,
    "again": again,
    "timeouts": each_timeouts,
    "useful": useful,
    "backlog": backlog,
    "goodput": megabits,
}


def short(results: Results) -> Mapping[str, Any]:
    """The numbers of the conclusions."""
    lives = [run.document["live"] for samples in results.values() for sample in samples for run in sample.runs]
    loads = [one["load"] for one in lives]

    def one(plan: str, read: str, settings: dict[str, Any]) -> float | None:
        found = where(results[plan], settings)
        return found[0].estimate(READS[read]).mean if found else None

    kinds = {"plain": "plain", "epd": "epd", "bpd": "bpd"}
    tails = {
        "tail": {"queue.kind": "drop-tail"},
        "printed": {"queue.kind": "triple-truncated", "queue.keep": "40 B"},
        "copies": {"queue.kind": "triple-truncated", "queue.keep": "41 B"},
        "trimmed": {"queue.kind": "trim"},
    }
    return {
        "runs": len(lives),
        "trusted": sum(one["trusted"] for one in lives),
        "kernel": lives[0]["kernel"],
        "least": min(loads),
        "most": max(loads),
        **{
            name: one("balanced", "timeouts", {"queue.kind": kind, "source.count": 5, "transport.kernel": "reno"})
            for name, kind in kinds.items()
        },
        **{
            f"{prefix}{name}": one("tail", "again", {**of, "sysctl.tcp_sack": sack})
            for name, of in tails.items()
            for prefix, sack in (("", 0), ("sack_", 1))
        },
    }
