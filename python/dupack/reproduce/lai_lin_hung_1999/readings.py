"""What Lai, Lin & Hung 1999 leaves open, and how it is read."""

from __future__ import annotations

from dupack.reproduce.paper import Reading

READINGS = [
    Reading(
        "Where tau lies",
        "A third of it on each of the three lines",
        'Fig. 2 is not in the text; "the one-way propagation delay" is then that from a source to its destination. It '
        "decides the case with loss: with all of it between the switches hardly a cell is lost, with a tenth before "
        "them few are, with tau on each line the line is idle most often. Thirds is a choice: which splits the text of "
        "Fig. 6 fits is tabled under Extra, where the delay lies.",
    ),
    Reading(
        "When connections start",
        "Uniformly within the first 100 ms, from the seed",
        "Not said. The random starts are what makes replications differ; all else is deterministic.",
    ),
    Reading(
        "How long a run is",
        "5 s, of which the first is not measured; 2 s in the open question",
        "Not said; the time axes of the figures are not in the text.",
    ),
    Reading(
        "TCP window",
        "The lesser of cwnd and the receiver's 64,036 bytes, which are seven segments",
        "§2.1. SSTHRESH, 65,536 bytes, is seven segments as well: slow start ends where the receiver's window does.",
    ),
    Reading(
        "TCP's clock",
        "100 ms; the least timeout is two ticks",
        "Table I gives the clock and no least timeout. A wait lasts 200 to 300 ms, some twenty round trips with their "
        "queues. What 500 ms and 1 s change is said under Extra, where the delay lies.",
    ),
    Reading(
        "Rate of the lines of sources and destinations",
        "That of the line between the switches: 365,566 cells/s",
        "§3.1 gives that one alone. It is PCR too, so a source can be allowed no more than its own line carries, and "
        "nothing waits behind switch 2.",
    ),
    Reading(
        "Rates in bytes/s",
        "Cells of 53 bytes",
        "Not said. PCR is then 19.4e6, a tenth of it 1.94e6 bytes/s. With 48 bytes per cell the range would be 0.40 to "
        "3.6e6.",
    ),
    Reading(
        "Nrm",
        "Of 32 cells one is an RM cell",
        '"Every Nrm data cells" (§2.2), but the ceiling has 31/32 (§3.1), as TM 4.0.',
    ),
    Reading(
        "When the switch is congested",
        "While more cells than the threshold wait, the one being sent not among them",
        "Not said. RM cells wait and are counted as others; CI is never set (§3.2).",
    ),
    Reading(
        "Other ABR parameters",
        "Trm, CRM and ADTF are off",
        '"The default values defined in ATM Forum 4.0" (§3.2), but use-it-or-lose-it "is optionally implemented" '
        "(§4.2.1). TM 4.0's Trm of 100 ms and ADTF of 500 ms change nothing that eight seeds show: hardly any wait is "
        "as long as ADTF. "
        "See Extra, where the delay lies.",
    ),
    Reading(
        "TM 4.0",
        "Rules 3 to 8 as Kalyanaraman's dissertation quotes them; the others from manuals and from memory",
        "The specification was not at hand: see docs/departures/rules-that-a-source-can-do-without-are-off.md. The "
        "paper uses rules 1 to 3 and 7 to 10; use-it-or-lose-it is rules 5 and 13.",
    ),
    Reading(
        "The ceiling",
        "31 of 32 cells carry data, in whole cells: 1.687e7 bytes/s",
        "§3.1's is 0.30 % higher. It holds where Nrm alone brings RM cells: Trm, with which a slow source sends more "
        "of them, is off but for one row. A plan's own goodput_fraction is over the same ceiling.",
    ),
    Reading(
        "EPD's threshold",
        "0.8 of the buffer, in the open question",
        "§5 names EPD and no threshold. 1,600 cells are just above DQT, so that EPRCA acts first. At 0.6 fifty "
        "connections gain and two pay, at 0.9 the reverse: five are tabled under Extra, the open question.",
    ),
    Reading(
        "Way back",
        "Acks and backward RM cells come back over the same lines, in unlimited queues; acks are not paced",
        "Not said; the way back is nearly idle.",
    ),
    Reading(
        "An idle line, an empty queue",
        "The line is idle when the switch has nothing to send; the queue is empty when none waits",
        "A line that is fed at its own rate is not idle, though the queue is empty. Idle time counts every pause "
        "between two "
        "cells; Figs. 5(c) and 6(c) and their rows count samples, 2 ms apart, that see no cell waiting; those of "
        "the open question 5 ms apart.",
    ),
]
