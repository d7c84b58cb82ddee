"""What Keshav & Morgan 1997 leaves open, and how it is read."""

from __future__ import annotations

from dupack.reproduce.paper import Reading

READINGS = [
    Reading(
        "Size of the static window",
        "600 packets, the error-control window",
        "Any value from the round-trip window (100) to the error-control window is allowed (§3), and 600 is the "
        "only number in the text of §2. With 100 static windows lose less, with SMART and with go-back-n.",
    ),
    Reading(
        "Speed of the access lines, S_a",
        "80 Mb/s; 10 Mb/s in Fig. 2",
        "Only S_a >= S_b = 8 Mb/s is said. Exactly 8 Mb/s is an artefact: all packets come in step with the "
        "backbone, and the same sources always find room. Slow lines let the retransmissions of several sources "
        "interleave, which is what makes go-back-n collapse; fast ones make bursts.",
    ),
    Reading(
        "Delays",
        "20 ms on the backbone, the rest on the access lines",
        "Only the unloaded round trip of 50 ms is given; the plans add up to it, with the times of sending a packet "
        "and its ack.",
    ),
    Reading(
        "What go-back-n's receiver does with packets out of order",
        "Discards them in Fig. 2",
        "The text has a receiver that keeps 600 of them, for SMART; strict go-back-n needs none. If they are kept "
        "there is no collapse.",
    ),
    Reading(
        "Which acks measure the round trip",
        "Fig. 2: all, from the latest transmission of the packet. Figs. 3 to 5: one packet at a time, none that was "
        "sent again. Fig. 7: all, by their id",
        '"From the acknowledgments [...] as in TCP" (§2). TCP\'s way, of [WRIG95], keeps a doubled timeout long '
        "when everything has to be sent again; with it go-back-n sources wait instead of colliding, and there is no "
        "collapse.",
    ),
    Reading(
        "What undoes a doubled timeout",
        "A measured round trip",
        "Not said; so it is in TCP. If any ack that advances undid it, static windows with SMART would get well "
        "over a half.",
    ),
    Reading(
        "Whether SMART's last-resort timeout doubles",
        "Yes",
        "§2 doubles the timeout; §4 changes nothing but the retransmission. If it does not double, SMART's sources "
        "waste no time and use over nine tenths of the backbone.",
    ),
    Reading(
        "Which lost fast retransmissions are noticed when several are out",
        "Figs. 3 to 5: the latest. Fig. 7: all",
        "§3 has one pair of variables, which the next fast retransmission overwrites. By that letter Fig. 7 cannot "
        "be had (Extra, lost fast retransmissions); if all are watched, Fig. 3 and Fig. 5 cannot.",
    ),
    Reading(
        "By what a lost fast retransmission is found",
        "The id",
        "The version that the paper used (footnote 1). The timer does as well if all are watched.",
    ),
    Reading(
        "How a message enters the transport",
        "Packet by packet, at the rate S_b",
        '"A source generates bits at a rate equal to the rate of the bottleneck link" (§2). Handed over at once, '
        "it makes bursts, and static windows get less.",
    ),
    Reading(
        "Timeout before a round trip has been measured, and clock",
        "100 ms, which is 2 T_RT; a clock of 1 µs and no least timeout",
        "Not said. A connection measures once and lives long, so it hardly matters.",
    ),
    Reading(
        "Packet-pair's set-point and filter",
        "2 packets; a fixed gain of 0.25",
        "Left to [KESH91, KESH95]. Little depends on them.",
    ),
    Reading(
        "Starts",
        "Uniformly within the first 2 s, from the seed",
        "Not said. The first 20 s are not measured.",
    ),
    Reading(
        "Goodput",
        "P for each packet delivered in order, over what the backbone carries",
        "As the figures' axes must be meant: 1 is all of the backbone.",
    ),
    Reading(
        "TCP's clock in Fig. 6",
        "100 ms, least timeout 200 ms",
        "Not said. With BSD's 500 ms isolated losses cost nearly the same, bursts more.",
    ),
    Reading(
        "Mean run of good packets",
        "(1/r - 1) L",
        "The text prints (1 - 1/r) L, which is negative (§6).",
    ),
    Reading(
        "Numbers of sections",
        "As printed",
        "SMART is §3 and the baseline §2; the introduction has them the other way round.",
    ),
]
