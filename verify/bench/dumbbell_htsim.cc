// Greedy TCPs of htsim through one bottleneck: sources - router - sink.
//
//   dumbbell_htsim FLOWS ACCESS ACCESS_DELAY RATE DELAY BUFFER SEGMENT HEADER WINDOW SPREAD DURATION
//
// Rates in bit/s, times in seconds, BUFFER in packets, SEGMENT and HEADER in bytes, WINDOW in segments. The flows start one after the other
// within SPREAD. Prints `delivered SEGMENTS`: what the receivers got in order. What is not said here is as htsim has it.

#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <vector>

namespace
{

// htsim's sender begins with a SYN. It takes the time since the start of the simulation for the round trip of that SYN, because a SYN has no
// time stamp. This sender begins established, as those of ns-2 and dupack do.
class Established : public TcpSrc
{
  public:
    explicit Established(EventList& events)
        : TcpSrc(nullptr, nullptr, events)
    {
    }

    void doNextEvent() override
    {
        if (_established)
        {
            TcpSrc::doNextEvent();
            return;
        }
        _established = true;
        send_packets();
    }
};

// One direction of a link. A queue counts the packet that is being transmitted; BUFFER does not.
struct Line
{
    Queue queue;
    Pipe pipe;

    Line(linkspeed_bps rate, simtime_picosec delay, mem_b room, EventList& events)
        : queue(rate, room, events, nullptr),
          pipe(delay, events)
    {
    }

    void append_to(Route& route)
    {
        route.push_back(&queue);
        route.push_back(&pipe);
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 12)
    {
        return 2;
    }
    const int flows = std::atoi(argv[1]);
    const linkspeed_bps access(std::atof(argv[2]));
    const simtime_picosec access_delay = timeFromSec(std::atof(argv[3]));
    const linkspeed_bps rate(std::atof(argv[4]));
    const simtime_picosec delay = timeFromSec(std::atof(argv[5]));
    const int buffer = std::atoi(argv[6]);
    // A packet of htsim has no header: its senders count what is on the line.
    const int packet = std::atoi(argv[7]) + std::atoi(argv[8]);
    const uint32_t window = std::atoi(argv[9]) * packet;
    const double spread = std::atof(argv[10]);
    const double duration = std::atof(argv[11]);
    const mem_b endless = std::numeric_limits<mem_b>::max() / 2;

    // htsim writes a line for each timeout, which would be measured, too.
    std::cout.setstate(std::ios::failbit);
    Packet::set_packet_size(packet);
    EventList& events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(duration));
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    Line bottleneck(rate, delay, mem_b(buffer + 1) * packet, events);
    Line back(rate, delay, endless, events);

    std::vector<TcpSink*> sinks;
    for (int n = 0; n < flows; n++)
    {
        auto* source = new Established(events);
        source->set_cwnd(packet);
        source->set_ssthresh(std::numeric_limits<uint32_t>::max());
        source->_maxcwnd = window;
        source->_rto = timeFromSec(1);
        timers.registerTcp(*source);
        sinks.push_back(new TcpSink());

        auto* there = new Route();
        auto* home = new Route();
        (new Line(access, access_delay, endless, events))->append_to(*there);
        bottleneck.append_to(*there);
        there->push_back(sinks.back());
        back.append_to(*home);
        (new Line(access, access_delay, endless, events))->append_to(*home);
        home->push_back(source);
        source->connect(*there, *home, *sinks.back(), timeFromSec(spread * n / flows));
    }
    while (EventList::doNextEvent())
    {
    }
    uint64_t bytes = 0;
    for (const TcpSink* sink : sinks)
    {
        bytes += sink->_cumulative_ack;
    }
    std::printf("delivered %llu\n", static_cast<unsigned long long>(bytes / packet));
    return 0;
}
