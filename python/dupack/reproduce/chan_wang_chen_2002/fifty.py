"""Figures 13 to 15: fifty connections on five VCs."""

from __future__ import annotations

from dataclasses import replace

from dupack.reproduce.chan_wang_chen_2002.runs import (
    ALL,
    KINDS,
    RELATIVES,
    buffer,
    coarse_clock,
    goodput,
    least_vc,
    over_buffer,
    share,
    vc_fairness,
)
from dupack.reproduce.chan_wang_chen_2002.series import BUFFER_AXIS, GOODPUT, THROUGHPUT, By, curve, over_room
from dupack.reproduce.paper import Figure, Panel, Results, Series

INDEX = "Jain's index over the VCs [share]"
PANELS: dict[str, By] = {"goodput": goodput, "throughput": share, "fairness": vc_fairness, "the worst off": least_vc}
AXES = {
    "goodput": Panel(GOODPUT, (None, 100.003)),
    "throughput": Panel(THROUGHPUT, (None, 101)),
    "fairness": Panel(INDEX, (None, 1.005)),
    "the worst off": Panel("least of got / allocated [share]", (None, 1.04)),
}


def _large(results: Results) -> list[Series]:
    """The paper's three and their relatives, at the buffers that the relatives have."""
    few = {buffer(sample) for sample in over_buffer(results, "fig-13-15", next(iter(RELATIVES)))}
    made = []
    for panel, y in PANELS.items():
        for kind in (*KINDS, *RELATIVES):
            samples = [sample for sample in over_buffer(results, "fig-13-15", kind) if buffer(sample) in few]
            made.append(curve(kind, samples, buffer, y, panel=panel))
    return made


def _clocks(results: Results) -> list[Series]:
    """The paper's three with both clocks."""
    made = []
    for panel, y in PANELS.items():
        for kind in KINDS:
            slow = coarse_clock(results, kind)
            few = {buffer(sample) for sample in slow}
            fine = [sample for sample in over_buffer(results, "fig-13-15", kind) if buffer(sample) in few]
            for clock, samples, shade in (("10 ms", fine, 0.0), ("100 ms", slow, 0.55)):
                name = f"{ALL[kind]}, {clock}"
                made.append(replace(curve(kind, samples, buffer, y, panel=panel, shade=shade), name=name))
    return made


FIGURES = [
    Figure(
        "13",
        "Goodput of fifty connections",
        "Ten connections on each of five VCs of 10 to 50 Mb/s, sources of twice their share (§4.3.1). 100 % with the "
        "proposed scheme; greedy connections reduce that of the others.",
        BUFFER_AXIS,
        GOODPUT,
        ("fig-13-15",),
        over_room("fig-13-15", goodput),
        limits=(None, 100.001),
        ours="Access lines of twice the share, edges that send packets whole, clock 10 ms.",
    ),
    Figure(
        "14",
        "TCP throughput of fifty connections",
        "Throughput rises with the buffer, and push-out benefits more than EPD once the buffer is large enough "
        "(§4.3.2).",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-13-15",),
        over_room("fig-13-15", share),
        ours="As Fig. 13. With 1,000 cells the line is full with every discipline.",
    ),
    Figure(
        "15",
        "Fairness of fifty connections",
        "Jain's index of the proposed scheme is around 0.98, that of EPD lower (§4.3.3).",
        BUFFER_AXIS,
        INDEX,
        ("fig-13-15",),
        over_room("fig-13-15", vc_fairness),
        limits=(None, 1.003),
        ours="As Fig. 13. Of what each VC gets over what it was allocated. Here EPD + push-out is the fairest.",
    ),
    Figure(
        "extra-large",
        "Fifty connections, and what the guarantees are for",
        "Not in the paper: Figs. 13 to 15 with the same three.",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-13-15",),
        _large,
        panels=AXES,
        place="Extra, fifty",
        ours="Guarantees differ here. Longest-queue drop and dynamic thresholds do not know them, and share equally "
        "what was allocated unequally. Push-out with thresholds, be it the proposed or EPD's, comes much nearer, but "
        "the largest VCs miss their minimum: with 1,000 cells and the proposed scheme that of 50 Mb/s gets 48.5, in "
        "every run less than 50, and that of 10 a third more than its own. Round robin keeps all five with 600 and "
        "1,000 cells; with 200 that of 50 Mb/s gets 48.8.",
    ),
    Figure(
        "extra-clock",
        "Fifty connections with a coarser clock",
        "The paper does not say which clock its TCPs have: Figs. 13 to 15 with 10 ms, as there, and with 100 ms.",
        BUFFER_AXIS,
        THROUGHPUT,
        ("fig-13-15",),
        _clocks,
        panels=AXES,
        place="Extra, fifty's clock",
        ours="The clock hardly matters here. Throughput is the same but for chance; all three are a little fairer "
        "with 100 ms (EPD about 0.94 instead of 0.92, the others beyond 0.99), and stay in order.",
    ),
]
