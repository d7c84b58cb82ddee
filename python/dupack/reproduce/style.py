"""The style of figures: a discipline has the same colour and mark in every figure.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish. The marks differ, too.
"""

from __future__ import annotations

COLOURS = {
    "plain": "#000000",
    "ppd": "#E69F00",
    "epd": "#D55E00",
    "bpd": "#0072B2",
    "drop-tail": "#CC79A7",
    "go-back-n": "#D55E00",
    "smart": "#E69F00",
    "packet-pair": "#0072B2",
    "tahoe": "#000000",
    "reno": "#56B4E9",
    "newreno": "#CC79A7",
    "sack": "#009E73",
    "arriving": "#000000",
    "longest-queue": "#D55E00",
    "longest-queue-head": "#0072B2",
    "longest-queue-tail": "#CC79A7",
    "scheme-0": "#000000",
    "scheme-1": "#0072B2",
    "scheme-2": "#D55E00",
    "scheme-2-drop": "#E69F00",
    "trim": "#009E73",
    "epd-push-out": "#E69F00",
    "abs-push-out": "#0072B2",
    "abs-push-out-stacks": "#56B4E9",
    "weighted-round-robin": "#000000",
    "longest-queue-drop": "#CC79A7",
    "dynamic-thresholds": "#009E73",
    "cubic": "#0072B2",
    "red": "#D55E00",
    "codel": "#0072B2",
    "fair-queueing": "#009E73",
    "theory": "#009E73",
    "published": "#6B6B6B",
    "recovers": "#009E73",
    "times out": "#F0E442",
    "depends": "#56B4E9",
    "differs": "#000000",
    "drop": "#CC79A7",
    "fast_retransmit": "#009E73",
    "timeout": "#000000",
    "upper": "#CC79A7",
    "": "#56B4E9",
}
MARKS = {
    "plain": "o",
    "ppd": "s",
    "epd": "^",
    "bpd": "D",
    "drop-tail": "v",
    "go-back-n": "^",
    "smart": "s",
    "packet-pair": "D",
    "tahoe": "o",
    "reno": "v",
    "newreno": "P",
    "sack": "X",
    "arriving": "o",
    "longest-queue": "^",
    "longest-queue-head": "D",
    "longest-queue-tail": "v",
    "scheme-0": "o",
    "scheme-1": "s",
    "scheme-2": "^",
    "scheme-2-drop": "v",
    "trim": "D",
    "epd-push-out": "s",
    "abs-push-out": "D",
    "abs-push-out-stacks": "X",
    "weighted-round-robin": "o",
    "longest-queue-drop": "v",
    "dynamic-thresholds": "P",
    "cubic": "D",
    "red": "^",
    "codel": "D",
    "fair-queueing": "s",
    "": "o",
}
PLOTLY_MARKS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "X": "x",
}
EVENTS = {"drop": ("o", 2.6, "circle"), "fast_retransmit": ("^", 3.0, "triangle-up"), "timeout": ("X", 5.0, "x")}
"""Mark and size on paper, and mark on screen."""
FAMILY = ("o", "s", "^", "D", "v", "P")
"""Marks for a family of curves of one discipline, in order."""


def colour(of: str, shade: float = 0.0) -> str:
    """The colour of a discipline, paler with ``shade`` (0..1), darker with a negative ``shade``."""
    base = COLOURS.get(of, COLOURS[""])
    channels = [int(base[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(c + (255 - c) * shade if shade >= 0 else c * (1 + shade)):02X}" for c in channels)


def rgba(of: str, shade: float, alpha: float) -> str:
    """The same colour, transparent."""
    base = colour(of, shade)
    red, green, blue = (int(base[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"
