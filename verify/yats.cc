// Cells in YATS, the ATM simulator of TU Dresden, without its script language: its objects are made and connected here.
//
//   yats epd SERVICE BUFFER THRESHOLD PASS_LAST < PACKETS
//   yats abr RULES SLOTS SAMPLE RATE INTERVAL TRUNK SWITCHES < SOURCES
//
// All times are in slots.
//
// `epd`: open-loop packets through one EPD multiplexer. SERVICE is the time that a cell takes on its line, and BUFFER the
// number of cells that wait at most; a packet whose first cell finds THRESHOLD cells waiting is refused. With PASS_LAST 1,
// the last cells of damaged packets pass. A line of PACKETS is `VC FIRST CELLS SPACING`: when its first cell arrives, how many
// there are, and the time between them; the packets of a VC in order. Prints for each packet `VC LEFT LAST`: how many of
// its cells left, and when the last cell of the packet did, -1 if it did not; then `ties`, how many cells arrived in a slot
// in which one left.
//
// `abr`: greedy sources behind a row of ERICA switches, whose lines send a cell per slot, which is RATE cells per second.
// RULES is `yats` for YATS' switch, or `memory` or `plus` for one of those of yats_erica.h, which show what a difference comes from.
// INTERVAL is that of the measurements. Between switches, cells take TRUNK. A line of SOURCES is
// `FROM TO IN OUT START PCR ICR RIF`: the first and the last switch, the delays before and behind them, when it begins, and
// rates in cells per second. Prints every SAMPLE slots for each source ACR and how many cells have reached its
// destination; at the end `lost`, how many cells the switches dropped.

#include "yats_abr.h"
#include "yats_epd.h"

#include <cstdio>
#include <string>

int
main(int count, char** words)
{
    data_classes();
    fill_type_check_table();
    my_srand(1);
    const std::string what = count > 1 ? words[1] : "";
    if (what == "epd" && count == 6)
    {
        return Epd(words + 2);
    }
    if (what == "abr" && count == 9)
    {
        return Abr(words + 2);
    }
    std::fprintf(stderr, "yats: see the head of verify/yats.cc\n");
    return 1;
}
