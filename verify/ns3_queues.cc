// Queue discs of ns-3, alone or below TCPs.
//
//   ns3_queues alone QUEUE RATE [NAME=VALUE...]
//   ns3_queues tcp QUEUE RATE DELAY SSTHRESH WARM_UP DURATION SEED TRACE [NAME=VALUE...] START:EXIT...
//
// QUEUE is the name of a disc without `ns3::` and `QueueDisc`, such as `Pie`; NAME=VALUE is an attribute of it. With `@` before its
// name, it is the default of an attribute of any class. A quantum is `Quantum=BYTES`.
//
// `alone` reads its packets from standard input: for each run a line `run SEED END`, then lines `TIME FLOW BYTES CAPABLE`, with times
// in ns. A line of RATE bit/s takes them from the disc; of what happens at one instant, the end of a transmission comes first. It
// prints a line `run`, and then, with N as the number of the packet from 0 on:
//
//   sent TIME N            its transmission begins
//   drop TIME N CAUSE      CAUSE is `overflow` or `early`
//   mark TIME N
//   p TIME P DELAY         after each update of PIE: the drop probability, and the delay [s] from which it was made
//
// `tcp` has hosts - router - router - hosts, as ns3.cc has, and senders of ns3_sender.h with all put right. RATE is in bit/s, SSTHRESH in
// segments, times are in seconds. Prints a line `flow BYTES TIMEOUTS` for each connection, then `queue ARRIVED DROPPED DELAY CLASSES`: DELAY is the
// mean queueing delay [s] of the packets sent, CLASSES the number of queues to which FQ-PIE has hashed flows. All but this is of the time
// after WARM_UP. If TRACE is 1, before these are lines `send TIME FLOW SEGMENT` as those of ns3.cc.
//
// ns-3 hands a packet to the device while the device still sends the one before, and the disc does not see it any more. Here the device
// is stopped while it sends, so that all packets that wait do so in the disc.

#include "ns3_sender.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

// The name of the class of ns-3's own test, which PIE lets read its state.
class PieQueueDiscTestCase
{
  public:
    static double Probability(Ptr<PieQueueDisc> disc)
    {
        return disc->m_dropProb;
    }

    static double Delay(Ptr<PieQueueDisc> disc)
    {
        return disc->m_qDelayOld.GetSeconds();
    }
};

namespace
{

using Words = std::vector<std::string>;

long long
Nanoseconds()
{
    return Simulator::Now().GetNanoSeconds();
}

Words
Split(const std::string& text, char at)
{
    Words words;
    std::istringstream from(text);
    for (std::string word; std::getline(from, word, at);)
    {
        words.push_back(word);
    }
    return words;
}

// Sets attributes from words NAME=VALUE of a disc that is made but not begun.
void
Set(Ptr<QueueDisc> disc, const Words& attributes)
{
    for (const std::string& word : attributes)
    {
        const size_t at = word.find('=');
        const std::string name = word.substr(0, at);
        const std::string value = word.substr(at + 1);
        if (name == "Quantum")
        {
            DynamicCast<FqPieQueueDisc>(disc)->SetQuantum(std::stoul(value));
        }
        else if (name[0] != '@')
        {
            disc->SetAttribute(name, StringValue(value));
        }
    }
}

void
SetDefaults(const Words& attributes)
{
    for (const std::string& word : attributes)
    {
        const size_t at = word.find('=');
        if (word[0] == '@')
        {
            Config::SetDefault(word.substr(1, at - 1), StringValue(word.substr(at + 1)));
        }
    }
}

std::string
Name(const std::string& queue)
{
    return "ns3::" + queue + "QueueDisc";
}

// --- alone

class Item : public QueueDiscItem
{
  public:
    Item(uint32_t number, uint32_t flow, uint32_t bytes, bool capable)
        : QueueDiscItem(Create<Packet>(bytes), Address(), 0),
          m_number(number),
          m_flow(flow),
          m_capable(capable)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        return m_capable;
    }

    uint32_t Hash(uint32_t) const override
    {
        return m_flow;
    }

    const uint32_t m_number;

  private:
    const uint32_t m_flow;
    const bool m_capable;
};

uint32_t
Number(Ptr<const QueueDiscItem> item)
{
    return DynamicCast<const Item>(item)->m_number;
}

void
Dropped(Ptr<const QueueDiscItem> item, const char* reason)
{
    const std::string why = reason;
    // Those of a disc within FQ-PIE have words before them.
    const bool full = why.find("Forced") != std::string::npos || why.find("Overlimit") != std::string::npos;
    std::printf("drop %lld %u %s\n", Nanoseconds(), Number(item), full ? "overflow" : "early");
}

void
Marked(Ptr<const QueueDiscItem> item, const char*)
{
    std::printf("mark %lld %u\n", Nanoseconds(), Number(item));
}

// The transmitter. It asks the disc when it has sent a packet and when one arrives while it is idle, as ns-3's devices do.
struct Line
{
    Ptr<QueueDisc> disc;
    double rate;
    EventId ends;

    void Take()
    {
        if (const Ptr<QueueDiscItem> item = disc->Dequeue())
        {
            std::printf("sent %lld %u\n", Nanoseconds(), Number(item));
            ends = Simulator::Schedule(NanoSeconds(int64_t(item->GetSize() * 8e9 / rate + 0.5)), &Line::Take, this);
        }
    }

    void Offer(Ptr<Item> item)
    {
        if (ends.IsRunning() && ends.GetTs() == uint64_t(Nanoseconds()))
        {
            ends.Cancel();
            Take();
        }
        disc->Enqueue(item);
        if (!ends.IsRunning())
        {
            Take();
        }
    }
};

void
Sample(Ptr<PieQueueDisc> disc, Time every)
{
    std::printf("p %lld %.17g %.12g\n", Nanoseconds(), PieQueueDiscTestCase::Probability(disc), PieQueueDiscTestCase::Delay(disc));
    Simulator::Schedule(every, &Sample, disc, every);
}

void
Run(const std::string& queue, double rate, const Words& attributes, uint32_t seed, int64_t end, const Words& packets)
{
    std::printf("run\n");
    RngSeedManager::SetSeed(seed);
    ObjectFactory factory(Name(queue));
    Line line{factory.Create<QueueDisc>(), rate, EventId()};
    Set(line.disc, attributes);
    line.disc->Initialize();
    line.disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&Dropped));
    line.disc->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Dropped));
    line.disc->TraceConnectWithoutContext("Mark", MakeCallback(&Marked));
    if (const auto pie = DynamicCast<PieQueueDisc>(line.disc))
    {
        TimeValue every;
        pie->GetAttribute("Tupdate", every);
        Simulator::Schedule(NanoSeconds(1), &Sample, pie, every.Get());
    }
    for (uint32_t number = 0; number < packets.size(); number++)
    {
        std::istringstream words(packets[number]);
        int64_t at;
        uint32_t flow;
        uint32_t bytes;
        bool capable;
        words >> at >> flow >> bytes >> capable;
        Simulator::Schedule(NanoSeconds(at), &Line::Offer, &line, Create<Item>(number, flow, bytes, capable));
    }
    Simulator::Stop(NanoSeconds(end));
    Simulator::Run();
    line.disc->Dispose();
    Simulator::Destroy();
}

int
Alone(const std::string& queue, double rate, const Words& attributes)
{
    SetDefaults(attributes);
    Words packets;
    uint32_t seed = 0;
    int64_t end = 0;
    for (std::string text; std::getline(std::cin, text);)
    {
        if (text.rfind("run ", 0) != 0)
        {
            packets.push_back(text);
            continue;
        }
        if (seed)
        {
            Run(queue, rate, attributes, seed, end, packets);
        }
        packets.clear();
        std::istringstream(text.substr(4)) >> seed >> end;
    }
    Run(queue, rate, attributes, seed, end, packets);
    return 0;
}

// --- below TCPs

double g_warmUp = 0;

bool
Counts()
{
    return Simulator::Now().GetSeconds() > g_warmUp;
}

struct Found
{
    uint64_t arrived = 0;
    uint64_t dropped = 0;
    uint64_t sent = 0;
    double delay = 0;
};

struct Sender
{
    uint64_t bytes = 0;
    uint64_t timeouts = 0;
};

void
Joined(Found* found, Ptr<const QueueDiscItem>)
{
    found->arrived += Counts();
}

void
Refused(Found* found, Ptr<const QueueDiscItem>, const char*)
{
    found->arrived += Counts();
    found->dropped += Counts();
}

void
Left(Found* found, Ptr<const QueueDiscItem> item)
{
    if (Counts())
    {
        found->sent++;
        found->delay += (Simulator::Now() - item->GetTimeStamp()).GetSeconds();
    }
}

// It has left, too.
void
LeftInVain(Found* found, Ptr<const QueueDiscItem> item, const char*)
{
    if (Counts())
    {
        found->dropped++;
        found->sent--;
        found->delay -= (Simulator::Now() - item->GetTimeStamp()).GetSeconds();
    }
}

void
Delivered(Sender* sender, Ptr<const Packet> packet, const Address&)
{
    sender->bytes += Counts() ? packet->GetSize() : 0;
}

void
RanOut(Sender* sender)
{
    sender->timeouts += Counts();
}

void
Sent(int flow, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() > 0)
    {
        // Byte 0 is the SYN's.
        std::printf("send %lld %d %u\n", Nanoseconds(), flow, (header.GetSequenceNumber().GetValue() - 1) / SEGMENT);
    }
}

void
Busy(Ptr<NetDeviceQueue> queue, Ptr<const Packet>)
{
    queue->Stop();
}

void
Idle(Ptr<NetDeviceQueue> queue, Ptr<const Packet>)
{
    // Not within the trace, because the device has not finished with the packet.
    Simulator::ScheduleNow(&NetDeviceQueue::Wake, queue);
}

int
Tcp(const Words& words)
{
    const std::string queue = words.at(0);
    const DataRate rate(std::stoull(words.at(1)));
    const Time delay = Seconds(std::stod(words.at(2)));
    g_warmUp = std::stod(words.at(4));
    RngSeedManager::SetSeed(std::stoul(words.at(6)));
    const bool trace = words.at(7) == "1";
    Words attributes;
    Words flows;
    for (size_t at = 8; at < words.size(); at++)
    {
        (words[at].find('=') == std::string::npos ? flows : attributes).push_back(words[at]);
    }
    SetDefaults(attributes);

    g_right = {true, true, true, true};
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(std::stoul(words.at(3)) * SEGMENT));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2000000));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));

    NodeContainer routers(2);
    NodeContainer sources(flows.size());
    NodeContainer sinks(flows.size());
    InternetStackHelper internet;
    internet.InstallAll();
    // No other device has a disc.
    const auto bare = [](const NetDeviceContainer& ends) {
        for (auto it = ends.Begin(); it != ends.End(); it++)
        {
            const auto control = (*it)->GetNode()->GetObject<TrafficControlLayer>();
            if (control->GetRootQueueDiscOnDevice(*it))
            {
                control->DeleteRootQueueDiscOnDevice(*it);
            }
        }
    };
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    // The way back is so fast that the length of an ack does not matter: ns-3's grow with the blocks that they report.
    const auto address = [&](const NetDeviceContainer& ends) {
        ends.Get(1)->SetAttribute("DataRate", DataRateValue(DataRate(10'000'000'000'000)));
        const Ipv4InterfaceContainer given = addresses.Assign(ends);
        addresses.NewNetwork();
        bare(ends);
        return given.GetAddress(1);
    };

    PointToPointHelper line;
    line.SetDeviceAttribute("DataRate", DataRateValue(rate));
    line.SetChannelAttribute("Delay", TimeValue(delay));
    line.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100p"));
    // The device's own flow control would let a packet in while another is sent, so it has an interface that only we use.
    line.DisableFlowControl();
    const NetDeviceContainer bottleneck = line.Install(routers);
    bottleneck.Get(0)->AggregateObject(CreateObject<NetDeviceQueueInterface>());
    address(bottleneck);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    std::vector<Sender> senders(flows.size());
    for (size_t flow = 0; flow < flows.size(); flow++)
    {
        const Words times = Split(flows[flow], ':');
        access.SetChannelAttribute("Delay", TimeValue(MicroSeconds(100)));
        address(access.Install(sources.Get(flow), routers.Get(0)));
        access.SetChannelAttribute("Delay", TimeValue(Seconds(std::stod(times.at(1)))));
        const Ipv4Address to = address(access.Install(routers.Get(1), sinks.Get(flow)));

        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9000));
        const auto sink = receiver.Install(sinks.Get(flow)).Get(0);
        sink->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Delivered, &senders[flow]));
        const Ptr<Socket6675> socket = NewSocket(sources.Get(flow));
        socket->m_ranOut = MakeBoundCallback(&RanOut, &senders[flow]);
        if (trace)
        {
            socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Sent, int(flow)));
        }
        Simulator::Schedule(MilliSeconds(5 * flow), &Open, socket, InetSocketAddress(to, 9000));
        // It sends a nanosecond after it is told to.
        Simulator::Schedule(Seconds(std::stod(times.at(0))) - NanoSeconds(1), &Begin, socket);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    TrafficControlHelper control;
    control.SetRootQueueDisc(Name(queue));
    const Ptr<QueueDisc> disc = control.Install(bottleneck.Get(0)).Get(0);
    Set(disc, attributes);
    Found found;
    disc->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&Joined, &found));
    disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeBoundCallback(&Refused, &found));
    disc->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&Left, &found));
    disc->TraceConnectWithoutContext("DropAfterDequeue", MakeBoundCallback(&LeftInVain, &found));
    const Ptr<NetDeviceQueue> sending = bottleneck.Get(0)->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
    bottleneck.Get(0)->TraceConnectWithoutContext("PhyTxBegin", MakeBoundCallback(&Busy, sending));
    bottleneck.Get(0)->TraceConnectWithoutContext("PhyTxEnd", MakeBoundCallback(&Idle, sending));

    Simulator::Stop(Seconds(std::stod(words.at(5))));
    Simulator::Run();
    for (const Sender& sender : senders)
    {
        std::printf("flow %llu %llu\n",
                    static_cast<unsigned long long>(sender.bytes),
                    static_cast<unsigned long long>(sender.timeouts));
    }
    std::printf("queue %llu %llu %.9g %zu\n",
                static_cast<unsigned long long>(found.arrived),
                static_cast<unsigned long long>(found.dropped),
                found.delay / found.sent,
                disc->GetNQueueDiscClasses());
    Simulator::Destroy();
    return 0;
}

} // namespace

int
main(int argc, char** argv)
{
    const Words words(argv + 1, argv + argc);
    if (words.size() >= 3 && words[0] == "alone")
    {
        return Alone(words[1], std::stod(words[2]), Words(words.begin() + 3, words.end()));
    }
    if (words.size() >= 10 && words[0] == "tcp")
    {
        return Tcp(Words(words.begin() + 1, words.end()));
    }
    std::cerr << "usage: ns3_queues alone QUEUE RATE [NAME=VALUE...] or tcp QUEUE RATE ...\n";
    return 2;
}
