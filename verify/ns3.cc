// Greedy TCPs of ns-3 through one bottleneck: hosts - router - router - hosts.
//
//   ns3 RATE DELAY BUFFER RED SENDER WARM_UP DURATION SEED TRACE START:EXIT...
//
// RATE in bit/s, times in seconds, BUFFER in packets that wait. RED is `none`, or KIND:MIN:MAX:P:WEIGHT, with thresholds in
// packets that wait; KIND is `paper`, for a discipline of ours, or `shipped`, for ns-3's. SENDER is `shipped`, or what
// of it is put right, as in ns3_sender.h: `halve`, `whole`, `halve+whole`, `rfc`, which is all, or
// `rfc+one`, which is all but what a partial ack lets out.
// A connection is made before anything is sent; its sender starts at START, and its receiver's line has the delay EXIT. Prints a
// line `flow BYTES RECOVERIES TIMEOUTS` for each: what its receiver handed over, and how often its sender went into recovery or
// its timer ran out, all after WARM_UP; then `queue ARRIVED DROPPED MEAN`, of the same time, the mean being that of what waited.
// If TRACE is 1, before these a line `send TIME FLOW SEGMENT` for each segment sent, with the time in ns.
//
// What is not said here is as ns-3 has it by default.

#include "ns3_red.h"
#include "ns3_sender.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

// With the headers of TCP, IP and PPP.
const uint32_t PACKET = 1042;

// What waits at the bottleneck: in the discipline, if there is one, and in the device.
struct Waiting
{
    double warm_up;
    uint32_t parts[2] = {0, 0};
    uint64_t arrived = 0;
    uint64_t dropped = 0;
    double area = 0;
    double since = 0;

    void Count(bool lost)
    {
        if (Simulator::Now().GetSeconds() > warm_up)
        {
            arrived++;
            dropped += lost;
        }
    }

    void Pass()
    {
        const double now = Simulator::Now().GetSeconds();
        if (now > warm_up)
        {
            area += (parts[0] + parts[1]) * (now - std::max(since, warm_up));
        }
        since = now;
    }
};

struct Sender
{
    uint64_t bytes = 0;
    uint64_t recoveries = 0;
    uint64_t timeouts = 0;
};

void
Changed(Waiting* waiting, int part, uint32_t, uint32_t now)
{
    waiting->Pass();
    waiting->parts[part] = now;
}

void
ArrivedPacket(Waiting* waiting, Ptr<const Packet>)
{
    waiting->Count(false);
}

void
ArrivedItem(Waiting* waiting, Ptr<const QueueDiscItem>)
{
    waiting->Count(false);
}

void
LostAbove(Waiting* waiting, Ptr<const Packet>)
{
    waiting->Count(true);
}

void
Refused(Waiting* waiting, Ptr<const QueueDiscItem>, const char*)
{
    waiting->Count(true);
}

void
Delivered(Sender* sender, double warm_up, Ptr<const Packet> packet, const Address&)
{
    if (Simulator::Now().GetSeconds() > warm_up)
    {
        sender->bytes += packet->GetSize();
    }
}

void
State(Sender* sender, double warm_up, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
    sender->recoveries += now == TcpSocketState::CA_RECOVERY && Simulator::Now().GetSeconds() > warm_up;
}

void
RanOut(Sender* sender, double warm_up)
{
    sender->timeouts += Simulator::Now().GetSeconds() > warm_up;
}

void
Sent(int flow, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() > 0)
    {
        // Byte 0 is the SYN's.
        const uint32_t segment = (header.GetSequenceNumber().GetValue() - 1) / SEGMENT;
        std::printf("send %lld %d %u\n", static_cast<long long>(Simulator::Now().GetNanoSeconds()), flow, segment);
    }
}

std::vector<double>
Numbers(const std::string& text)
{
    std::vector<double> numbers;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ':');)
    {
        numbers.push_back(std::stod(word));
    }
    return numbers;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 11)
    {
        std::cerr << "usage: ns3 RATE DELAY BUFFER RED SENDER WARM_UP DURATION SEED TRACE START:EXIT...\n";
        return 2;
    }
    const double rate = std::stod(argv[1]);
    const Time delay = Seconds(std::stod(argv[2]));
    const uint32_t room = std::stoul(argv[3]);
    const QueueSize buffer(QueueSizeUnit::PACKETS, room);
    const std::string red = argv[4];
    const std::string sender = argv[5];
    g_right.rest = sender.find("rfc") == 0;
    g_right.partial = sender == "rfc";
    g_right.halve = g_right.rest || sender.find("halve") == 0;
    g_right.whole = g_right.rest || sender.find("whole") != std::string::npos;
    const double warm_up = std::stod(argv[6]);
    const double duration = std::stod(argv[7]);
    RngSeedManager::SetSeed(std::stoul(argv[8]));
    const bool trace = std::string(argv[9]) == "1";

    // NewReno with SACK; no options that lengthen every header, every segment acknowledged.
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(8 * SEGMENT));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2000000));
    // ns-3 closes a connection after so many timeouts.
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));

    const int flows = argc - 10;
    NodeContainer routers;
    routers.Create(2);
    NodeContainer sources;
    sources.Create(flows);
    NodeContainer sinks;
    sinks.Create(flows);
    InternetStackHelper internet;
    internet.InstallAll();

    PointToPointHelper line;
    line.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    line.SetChannelAttribute("Delay", TimeValue(delay));
    // Beneath a discipline the device keeps one packet, the fewest that it can; without one it is the buffer.
    line.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(red == "none" ? buffer : QueueSize("1p")));
    const NetDeviceContainer bottleneck = line.Install(routers);
    if (red != "none")
    {
        const size_t colon = red.find(':');
        const std::vector<double> values = Numbers(red.substr(colon + 1));
        TrafficControlHelper control;
        if (red.substr(0, colon) == "paper")
        {
            control.SetRootQueueDisc("Red1993", "MaxSize", QueueSizeValue(buffer));
            const auto disc = DynamicCast<Red1993>(control.Install(bottleneck.Get(0)).Get(0));
            const auto device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
            const double time = PACKET * 8 / rate;
            disc->Set(device, room, values.at(0), values.at(1), values.at(2), values.at(3), time);
        }
        else
        {
            // It does not see the packet that the device keeps.
            control.SetRootQueueDisc("ns3::RedQueueDisc",
                                     "MaxSize",
                                     QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, room - 1)),
                                     "MinTh",
                                     DoubleValue(values.at(0) - 1),
                                     "MaxTh",
                                     DoubleValue(values.at(1) - 1),
                                     "LInterm",
                                     DoubleValue(1 / values.at(2)),
                                     "QW",
                                     DoubleValue(values.at(3)),
                                     "MeanPktSize",
                                     UintegerValue(PACKET),
                                     "LinkBandwidth",
                                     DataRateValue(DataRate(static_cast<uint64_t>(rate))),
                                     "LinkDelay",
                                     TimeValue(delay),
                                     "Gentle",
                                     BooleanValue(false),
                                     "Wait",
                                     BooleanValue(false));
            control.Install(bottleneck.Get(0));
        }
    }

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const auto address = [&addresses](const NetDeviceContainer& ends) {
        const Ipv4InterfaceContainer given = addresses.Assign(ends);
        addresses.NewNetwork();
        return given;
    };
    address(bottleneck);
    // The way back is so fast that the length of an ack does not matter: ns-3's grow with the blocks that they report.
    const auto hurry = [](const NetDeviceContainer& ends) {
        ends.Get(1)->SetAttribute("DataRate", DataRateValue(DataRate(10'000'000'000'000)));
    };
    hurry(bottleneck);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    std::vector<Sender> senders(flows);
    for (int flow = 0; flow < flows; flow++)
    {
        const std::vector<double> values = Numbers(argv[10 + flow]);
        // Short: then, of what happens at one instant, a departure from the bottleneck is before an arrival, as in dupack.
        access.SetChannelAttribute("Delay", TimeValue(MicroSeconds(100)));
        const NetDeviceContainer near = access.Install(sources.Get(flow), routers.Get(0));
        access.SetChannelAttribute("Delay", TimeValue(Seconds(values.at(1))));
        const NetDeviceContainer far = access.Install(routers.Get(1), sinks.Get(flow));
        hurry(near);
        hurry(far);
        address(near);
        const Ipv4Address to = address(far).GetAddress(1);

        const uint16_t port = 9000;
        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        receiver.Install(sinks.Get(flow))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Delivered, &senders[flow], warm_up));
        const Ptr<Socket6675> socket = NewSocket(sources.Get(flow));
        socket->m_ranOut = MakeBoundCallback(&RanOut, &senders[flow], warm_up);
        socket->TraceConnectWithoutContext("CongState", MakeBoundCallback(&State, &senders[flow], warm_up));
        if (trace)
        {
            socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Sent, flow));
        }
        Simulator::Schedule(MilliSeconds(5 * flow), &Open, socket, InetSocketAddress(to, port));
        // It sends a nanosecond after it is told to.
        Simulator::Schedule(Seconds(values.at(0)) - NanoSeconds(1), &Begin, socket);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    // A discipline that addresses bring along unasked would keep what the devices should drop.
    Waiting waiting{warm_up};
    TrafficControlHelper none;
    for (uint32_t at = 0; at < NodeList::GetNNodes(); at++)
    {
        const Ptr<Node> node = NodeList::GetNode(at);
        const Ptr<TrafficControlLayer> control = node->GetObject<TrafficControlLayer>();
        for (uint32_t device = 0; device < node->GetNDevices(); device++)
        {
            const Ptr<NetDevice> it = node->GetDevice(device);
            const bool kept = red != "none" && it == bottleneck.Get(0);
            if (!kept && control->GetRootQueueDiscOnDevice(it))
            {
                none.Uninstall(it);
            }
        }
    }
    const Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
    device->GetQueue()->TraceConnectWithoutContext("PacketsInQueue", MakeBoundCallback(&Changed, &waiting, 0));
    if (red == "none")
    {
        device->GetQueue()->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&ArrivedPacket, &waiting));
        // A device whose queue is full is not asked: the layer above it drops.
        routers.Get(0)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
            "TcDrop",
            MakeBoundCallback(&LostAbove, &waiting));
    }
    else
    {
        const Ptr<QueueDisc> disc = routers.Get(0)->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
        disc->TraceConnectWithoutContext("PacketsInQueue", MakeBoundCallback(&Changed, &waiting, 1));
        disc->TraceConnectWithoutContext("Enqueue", MakeBoundCallback(&ArrivedItem, &waiting));
        disc->TraceConnectWithoutContext("DropBeforeEnqueue", MakeBoundCallback(&Refused, &waiting));
    }

    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    waiting.Pass();
    for (const Sender& sender : senders)
    {
        std::printf("flow %llu %llu %llu\n",
                    static_cast<unsigned long long>(sender.bytes),
                    static_cast<unsigned long long>(sender.recoveries),
                    static_cast<unsigned long long>(sender.timeouts));
    }
    std::printf("queue %llu %llu %.9f\n",
                static_cast<unsigned long long>(waiting.arrived),
                static_cast<unsigned long long>(waiting.dropped),
                waiting.area / (duration - warm_up));
    Simulator::Destroy();
    return 0;
}
