"""Why numbers of the simulator and of the kernel differ: each reason is tried in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    # Linux' Reno counts the segments that an ack covers; without delayed acks, so does the simulator's.
    "reno": ("flow.reno.transport.delayed_ack=false",),
}
"""Per sender, what to set in the simulated plan so that the known difference is gone."""


def sets(senders: Sequence[str]) -> list[str]:
    """The changes that remove what is known of these senders."""
    return [one for sender in senders for one in EVIDENCE.get(sender, ())]


BELOW = """
"""
