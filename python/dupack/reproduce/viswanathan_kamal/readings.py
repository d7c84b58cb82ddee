"""What Viswanathan & Kamal leave open, and how it is read."""

from __future__ import annotations

from dupack.reproduce.paper import Reading

READINGS = [
    Reading(
        "Segment size",
        "536 B; in Figs. 10 and 11 1460 B",
        "Not said. TCP's default. With 1460 B scheme 0 of Table 1 fills 97 % of the link, so that no scheme could "
        "gain 19 %, and in Figs. 13 and 14 nobody is locked out. Over the DS1 link of Figs. 10 and "
        "11 a source with segments of 536 B, whose packets come in step with those that leave, shuts all others out.",
    ),
    Reading(
        "Headers",
        "48 B: TCP's 20, IP's 20, PPP's 8",
        'The sources are "PPP sources" (§IV.1); there is no other reason. A truncated copy has PPP\'s 8 B too. Four '
        "claims hang on it: delays-near, delays-far and delays-fairer, and how large delays-bias is (Figs. 13 and 14). "
        "That the near source locks the others out is a matter of phase: with 48 B its round trip is a whole number of "
        "packet times, with 40 B it is not, nobody is locked out and the far source gains nothing (Extra, the phase of "
        "Figs. 13 and 14). What agrees there agrees by that chance. Tables 1 and 2 hardly hang on it, but for "
        "some runs of Table 1 with 40 B, in which two sources lose nothing and the third gets nothing.",
    ),
    Reading(
        "Window",
        "64 KiB",
        "Not said, but each source is restricted by it. Three windows of 32 KiB fit into the path: nothing is lost.",
    ),
    Reading("Acks", "Of every packet", "Not said. §II counts one for each. See Extra, segments and windows."),
    Reading(
        "Half of what, when a loss is found",
        "Of what is unacknowledged, at least two segments",
        "Eq. (1).",
    ),
    Reading(
        "Clock and least timeout",
        "100 ms, 200 ms",
        "Not said. Round trips are below the least timeout, so that the clock changes nothing, and the least timeout "
        "little. See Extra, readings.",
    ),
    Reading(
        "When scheme 1 begins to discard",
        "At nine tenths of the buffer: beyond it all is to be dropped, but for the three",
        '"Discarding of packets before the buffer is actually full, similar to RED" (§III.3), no more. Around RED, '
        "which discards while there is room, it needs no trigger. See Extra, the trigger.",
    ),
    Reading(
        "What the invocation interval counts",
        "Packets of the flow that arrive",
        '"A fixed number of packets from the same flow" (§III.3). Figs. 2 and 3 and the text of scheme 2 (§III.4) '
        "count only those that are to be dropped: two places out of three. But then the schemes act on one loss in 27 "
        "and do next to nothing. See Extra, the interval.",
    ),
    Reading(
        "Where the copies of scheme 2 wait",
        "At the end of the queue, with room for 30 of them beside the buffer",
        "Not said. In a full buffer there is no other room, and without room no copy is made.",
    ),
    Reading(
        "Scheme 2's table",
        "An entry is made with the first drop",
        "Fig. 3 clears it instead, and so would never have one: every drop would bring three copies.",
    ),
    Reading(
        "RED",
        "max_p = 0.02, weight 0.002, not gentle, in packets",
        'The text says "p_a of 0.02"; p_a is what RED computes from it. The rest as Floyd and Jacobson have it.',
    ),
    Reading(
        "Starts",
        "Uniformly within the first second, from the seed",
        "Not said. Without them all runs of tail drop would be the same.",
    ),
    Reading(
        "The link to the server in Figs. 10 and 11",
        "DS1; DS3 beside it, also with windows of 256 KiB",
        '"The router bandwidth is far lower, at DS1". That source 2 does worse than sources on DS1 links is so with '
        "DS1 only, that source 1 uses its link fully with DS3 only.",
    ),
    Reading(
        "Source 2 in Figs. 13 and 14",
        "5 ms; the source at 9 ms is source 3",
        "The text gives delays of sources 1 and 3, and later calls the one at 9 ms source 2.",
    ),
    Reading(
        "The delays saved in Table 1",
        "21.57 % by scheme 1, 12.18 % by scheme 2",
        "By the table. The text has them the other way round.",
    ),
    Reading(
        "Eqs. 6, 8 and 9",
        "As printed for Fig. 1, and mended beside it",
        "Eq. 9 leaves out a term, eqs. 6 and 8 together count P(N > 0) twice.",
    ),
]
