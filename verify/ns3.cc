// Greedy TCPs of ns-3 through one bottleneck: hosts - router - router - hosts.
//
//   ns3 RATE DELAY BUFFER RED SENDER WARM_UP DURATION SEED START:ACCESS...
//
// RATE in bit/s, times in seconds, BUFFER in packets that wait. RED is `none`, or MIN:MAX:P:WEIGHT, with thresholds in
// packets. SENDER is `shipped`, or `rfc` for one as below. A flow starts at START, and its sender's line has the delay ACCESS. Prints a line `flow BYTES RECOVERIES
// TIMEOUTS` for each: what its receiver handed over, and how often its sender went into recovery or its timer ran out, all
// after WARM_UP; then `queue ARRIVED DROPPED MEAN`, of the same time, the mean being that of what waited.
//
// What is not said here is as ns-3 has it by default.

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

// NewReno with two things that ns-3 does otherwise than the RFCs.
class AsInTheRfcs : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("AsInTheRfcs").SetParent<TcpNewReno>().AddConstructor<AsInTheRfcs>();
        return id;
    }

    // Half of what is outstanding, FlightSize (RFC 5681 §3.1, §3.2, RFC 6675 step 4.2). With SACK ns-3 gives less than that: without
    // what was reported as arrived, and what is thought lost.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t) override
    {
        uint32_t flight = state->m_highTxMark.Get() - state->m_lastAckedSeq;
        if (state->m_congState == TcpSocketState::CA_RECOVERY)
        {
            // What the first two duplicates let out does not count (RFC 5681 §3.2).
            flight -= 2 * state->m_segmentSize;
        }
        return std::max(2 * state->m_segmentSize, flight / 2);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<AsInTheRfcs>(this);
    }

  protected:
    // A segment per window (RFC 5681 §3.1): ns-3 cuts what an ack adds down to whole bytes, such as 16.67 to 16.
    void CongestionAvoidance(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        if (acked > 0)
        {
            m_rest += double(state->m_segmentSize) * state->m_segmentSize / state->m_cWnd.Get();
            const uint32_t whole = m_rest;
            m_rest -= whole;
            state->m_cWnd += whole;
        }
    }

  private:
    double m_rest = 0;
};

namespace
{

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
    if (Simulator::Now().GetSeconds() <= warm_up)
    {
        return;
    }
    sender->recoveries += now == TcpSocketState::CA_RECOVERY;
    sender->timeouts += now == TcpSocketState::CA_LOSS;
}

void
Watch(Ptr<BulkSendApplication> source, Sender* sender, double warm_up)
{
    source->GetSocket()->TraceConnectWithoutContext("CongState", MakeBoundCallback(&State, sender, warm_up));
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
    if (argc < 10)
    {
        std::cerr << "usage: ns3 RATE DELAY BUFFER RED SENDER WARM_UP DURATION SEED START:ACCESS...\n";
        return 2;
    }
    const double rate = std::stod(argv[1]);
    const Time delay = Seconds(std::stod(argv[2]));
    const std::string buffer = std::string(argv[3]) + "p";
    const std::string red = argv[4];
    const TypeId control = std::string(argv[5]) == "rfc" ? AsInTheRfcs::GetTypeId() : TcpNewReno::GetTypeId();
    const double warm_up = std::stod(argv[6]);
    const double duration = std::stod(argv[7]);
    RngSeedManager::SetSeed(std::stoul(argv[8]));

    // NewReno with SACK; no options that lengthen every header, every segment acknowledged.
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(control));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2000000));
    // ns-3 closes a connection after so many timeouts.
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));

    const int flows = argc - 9;
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
    line.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(red == "none" ? buffer : "1p")));
    const NetDeviceContainer bottleneck = line.Install(routers);
    if (red != "none")
    {
        const std::vector<double> values = Numbers(red);
        TrafficControlHelper control;
        control.SetRootQueueDisc("ns3::RedQueueDisc",
                                 "MaxSize",
                                 QueueSizeValue(QueueSize(buffer)),
                                 "MinTh",
                                 DoubleValue(values.at(0)),
                                 "MaxTh",
                                 DoubleValue(values.at(1)),
                                 "LInterm",
                                 DoubleValue(1 / values.at(2)),
                                 "QW",
                                 DoubleValue(values.at(3)),
                                 "MeanPktSize",
                                 UintegerValue(1042),
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

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const auto address = [&addresses](const NetDeviceContainer& ends) {
        const Ipv4InterfaceContainer given = addresses.Assign(ends);
        addresses.NewNetwork();
        return given;
    };
    address(bottleneck);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    std::vector<Sender> senders(flows);
    for (int flow = 0; flow < flows; flow++)
    {
        const std::vector<double> values = Numbers(argv[9 + flow]);
        access.SetChannelAttribute("Delay", TimeValue(Seconds(values.at(1))));
        const NetDeviceContainer near = access.Install(sources.Get(flow), routers.Get(0));
        access.SetChannelAttribute("Delay", TimeValue(MilliSeconds(1)));
        const NetDeviceContainer far = access.Install(routers.Get(1), sinks.Get(flow));
        address(near);
        const Ipv4Address to = address(far).GetAddress(1);

        const uint16_t port = 9000;
        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        receiver.Install(sinks.Get(flow))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Delivered, &senders[flow], warm_up));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, port));
        source.SetAttribute("SendSize", UintegerValue(1000));
        ApplicationContainer installed = source.Install(sources.Get(flow));
        const Time start = Seconds(values.at(0));
        installed.Start(start);
        // The socket is there when the application has started.
        const Ptr<BulkSendApplication> application = DynamicCast<BulkSendApplication>(installed.Get(0));
        Simulator::Schedule(start + NanoSeconds(1), &Watch, application, &senders[flow], warm_up);
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
