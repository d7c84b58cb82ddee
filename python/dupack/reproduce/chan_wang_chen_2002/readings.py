"""What Chan, Wang & Chen 2002 leaves open, and how it is read."""

from __future__ import annotations

from dupack.reproduce.paper import Reading

READINGS = [
    Reading(
        "What TCP throughput counts",
        "Cells on the line of the packets delivered",
        "Tables 1 and 3 sum to 142.5 and 147.8 Mb/s, more than the payload (124.8) or the IP packets (134.5) that 155 "
        "Mb/s of cells can carry. 1 Mb/s of cells is 0.805 Mb/s of payload and 0.868 Mb/s of IP packets.",
    ),
    Reading(
        "What goodput counts",
        "Share of the cells on the shared line that are of complete packets",
        '"None of the partially received packet" is 100 % (§4.2.1). In the chain: of the cells that reach the hosts.',
    ),
    Reading(
        "How sources keep to 15.5 and 45 Mb/s",
        "Figs. 7, 8 and the chain: a sender spaces its packets at that rate of IP packets, on lines of 155 Mb/s. "
        "Figs. 9 to 11 and Table 1: access lines of these rates",
        "Not said; by the text the host's line is 155 Mb/s like all. Only bursts at that speed damage packets under "
        "EPD; only with lines of its own does the tenth source get more than the others under EPD. See Extra, "
        "readings.",
    ),
    Reading(
        "Which clock the TCPs have",
        "10 ms; 500 ms in Figs. 9 and 11 and the chain",
        "Not said. The line is idle for 8 % of the time in Table 1, which needs coarse clocks; with these chance "
        "decides who waits, and rows as even as the table's need fine ones. With 1 ms some runs lock in phase. Other "
        "clocks: Extra, readings, chain, and fifty's clock.",
    ),
    Reading(
        "Sources of the large network",
        "Access lines of twice the tenth of the VC's rate, edges that send packets whole",
        '"Twice of allowed transmission rate" (§4.3).',
    ),
    Reading(
        "The chain, Fig. 16",
        "UDP and TCP 1 to 4 over all three links, five other TCPs on each; TCP 5 to 9 are those of the first",
        "The figure is not in the text. So there are twenty sources, and ten VCs of 15.5 Mb/s on each link fill it.",
    ),
    Reading(
        "UDP's rate",
        "31 Mb/s of cells",
        "Twice the allowed rate; Table 3 has 28.96. The TCPs beside it are "
        "held to 15.5 Mb/s of IP packets, which are 17.9 Mb/s of cells. UDP of 31 Mb/s of IP packets: Extra, chain.",
    ),
    Reading(
        "W and MPR_i",
        "155 Mb/s and 15.5 Mb/s (10 to 50 Mb/s on shared VCs)",
        '"15.5 Mbps is allocated for each connection" (§4.1). W is then all guaranteed, so that the printed w_i and '
        "equal sharing are the same. On shared VCs 150 of 155 Mb/s are, and the printed w_i are used: they differ from "
        "equal ones by less than 1 % of the line.",
    ),
    Reading(
        "EPD",
        "Packets are dropped whole, with their end marks, unless cells of them went through",
        '"The entire higher-layer protocol data unit is dropped" (§2.2).',
    ),
    Reading(
        "EPD + push-out when the buffer is full",
        "The arriving cell is dropped",
        "§4.1 lets the first cell of a packet push out, and says nothing of others. If all cells did, hardly any "
        "packet would be damaged.",
    ),
    Reading(
        "Who may be pushed out",
        "Whoever is furthest beyond its threshold of all others, even if it is below it",
        "So §3.2: the greatest NC_j - TL_j, j not i. §3.3 keeps only packets of VCs beyond their thresholds in stacks, "
        "and the others cannot be discarded: that is abs-push-out-stacks. With few VCs it matters. Where two share a "
        "line and one overruns it, the cells of one that find the buffer full push out the other's packets, however "
        "few, and greedy TCPs on the other VC get nothing; with stacks they get a part (Extra, two VCs).",
    ),
    Reading("Slot", "2.735 us", "53 bytes at 155 Mb/s; the text says about 2.78 us. Delays are multiples of it."),
    Reading(
        "Length of a run",
        "10 s, Figs. 9 and 11 15 s, goodput and the large network 8 s, of which the first one or two seconds are not "
        "measured",
        "The paper has 54 s of one run; ours are shorter and have three to eight seeds, so that intervals can be "
        "given: eight where clocks of 500 ms make chance large. "
        '"More than 1.2 Gb" in its 54 s (§4.1) is no bound: the rates of Table 1 make 7 Gb.',
    ),
    Reading("Starts", "Uniformly within the first 100 ms, from the seed", "Not said. Sources in step stay so."),
    Reading(
        "Window, SSTHRESH",
        "64 KiB, and unlimited",
        "SSTHRESH is typically 65,535 bytes (§2.1), as large as the window.",
    ),
]
