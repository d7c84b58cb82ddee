// Greedy TCPs of ns-3 through one bottleneck: hosts - router - router - hosts.
//
//   ns3 RATE DELAY BUFFER RED SENDER WARM_UP DURATION SEED TRACE START:EXIT...
//
// RATE in bit/s, times in seconds, BUFFER in packets that wait. RED is `none`, or KIND:MIN:MAX:P:WEIGHT, with thresholds in
// packets that wait; KIND is `paper`, for a discipline of ours, or `shipped`, for ns-3's. SENDER is `shipped`, or what of it is put right, as below: `halve`, `whole`, `halve+whole`, `rfc`, which
// is all, or `rfc+one`, which is all but what a partial ack lets out.
// A connection is made before anything is sent; its sender starts at START, and its receiver's line has the delay EXIT. Prints a
// line `flow BYTES RECOVERIES TIMEOUTS` for each: what its receiver handed over, and how often its sender went into recovery or
// its timer ran out, all after WARM_UP; then `queue ARRIVED DROPPED MEAN`, of the same time, the mean being that of what waited.
// If TRACE is 1, before these a line `send TIME FLOW SEGMENT` for each segment sent, with the time in ns.
//
// What is not said here is as ns-3 has it by default.

#include "ns3_red.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

// What of ns-3's sender is put right.
struct PutRight
{
    bool halve = false;
    bool whole = false;
    bool partial = false;
    bool rest = false;
};

PutRight g_right;

// NewReno with what ns-3's does otherwise than the RFCs, if it is to be put right.
class Control : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("Control").SetParent<TcpNewReno>().AddConstructor<Control>();
        return id;
    }

    // Half of what is outstanding, FlightSize (RFC 5681 §3.1, §3.2, RFC 6675 step 4.2). With SACK ns-3 gives less than that: without
    // what was reported as arrived, and what is thought lost.
    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t inFlight) override
    {
        m_part = 0;
        if (!g_right.halve)
        {
            return TcpNewReno::GetSsThresh(state, inFlight);
        }
        uint32_t flight = state->m_highTxMark.Get() - state->m_lastAckedSeq;
        if (state->m_congState == TcpSocketState::CA_RECOVERY && !m_timer)
        {
            // What the first two duplicates let out does not count (RFC 5681 §3.2).
            flight -= 2 * state->m_segmentSize;
        }
        return std::max(2 * state->m_segmentSize, flight / 2);
    }

    void CongestionStateSet(Ptr<TcpSocketState> state, const TcpSocketState::TcpCongState_t now) override
    {
        m_recovered = now == TcpSocketState::CA_OPEN && state->m_congState == TcpSocketState::CA_RECOVERY;
        TcpNewReno::CongestionStateSet(state, now);
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        if (!g_right.rest)
        {
            TcpNewReno::IncreaseWindow(state, acked);
        }
        else if (!m_recovered)
        {
            // Each ack of new data, once: for the one that ends what a timeout began ns-3 counts from where it began, and one of many
            // segments that makes the window ssthresh opens it again by the other rule.
            TcpNewReno::IncreaseWindow(state, 1);
        }
        // The ack that ends a recovery makes the window ssthresh (RFC 5681 §3.2, step 6), and opens it no further.
        m_recovered = false;
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<Control>(this);
    }

    // The timer has run out, be it in a recovery.
    bool m_timer = false;

  protected:
    // A segment per window (RFC 5681 §3.1): ns-3 cuts what an ack adds down to whole bytes, such as 16.67 to 16.
    void CongestionAvoidance(Ptr<TcpSocketState> state, uint32_t acked) override
    {
        if (!g_right.whole)
        {
            TcpNewReno::CongestionAvoidance(state, acked);
        }
        else if (acked > 0)
        {
            m_part += double(state->m_segmentSize) * state->m_segmentSize / (state->m_cWnd.Get() + m_part);
            const uint32_t whole = m_part;
            m_part -= whole;
            state->m_cWnd += whole;
        }
    }

  private:
    double m_part = 0;
    bool m_recovered = false;
};

// A sender that counts its timeouts, and with what else ns-3's does otherwise than the RFCs, if it is to be put right.
class Socket6675 : public TcpSocketBase
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("Socket6675").SetParent<TcpSocketBase>().AddConstructor<Socket6675>();
        return id;
    }

    // Called whenever the timer runs out.
    Callback<void> m_ranOut;

  protected:
    // SetPipe() leaves out what was reported (RFC 6675 §4): ns-3 goes on counting a segment that was sent again and reported then,
    // until it is acknowledged.
    uint32_t BytesInFlight() const override
    {
        const SequenceNumber32 head = m_txBuffer->HeadSequence();
        const auto wrong = std::distance(m_arrived.lower_bound(head), m_arrived.end());
        return TcpSocketBase::BytesInFlight() - wrong * m_tcb->m_segmentSize;
    }

    // After a timeout, outside a recovery, what is sent is within a window from the first segment that is not acknowledged
    // (RFC 5681 §2, FlightSize); ns-3 goes by the pipe there, too.
    uint32_t AvailableWindow() const override
    {
        SequenceNumber32 next;
        SequenceNumber32 end;
        if (!g_right.rest || m_tcb->m_congState == TcpSocketState::CA_RECOVERY || !m_txBuffer->NextSeg(&next, &end, false))
        {
            return TcpSocketBase::AvailableWindow();
        }
        // What up to two duplicates report lets out as many new segments (RFC 6675 §5, step 3).
        const uint32_t reported = m_txBuffer->GetSacked();
        const bool more = next >= m_tcb->m_highTxMark.Get() && reported < 3 * m_tcb->m_segmentSize;
        const uint32_t used = next - m_txBuffer->HeadSequence();
        return std::max(m_tcb->m_cWnd.Get() + (more ? reported : 0), used) - used;
    }

    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t most, bool ack) override
    {
        // In a recovery only what the pipe leaves room for is sent (RFC 6675 §5, C): ns-3 lets each partial ack send one more.
        if (m_partial && AvailableWindow() < m_tcb->m_segmentSize)
        {
            return 0;
        }
        if (g_right.rest && seq < m_tcb->m_highTxMark.Get())
        {
            m_again.insert(seq);
        }
        return TcpSocketBase::SendDataPacket(seq, most, ack);
    }

    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override
    {
        if (!g_right.rest)
        {
            TcpSocketBase::ReceivedAck(packet, header);
            return;
        }
        m_again.erase(m_again.begin(), m_again.lower_bound(header.GetAckNumber()));
        m_arrived.erase(m_arrived.begin(), m_arrived.lower_bound(header.GetAckNumber()));
        if (const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK)))
        {
            for (const auto& [from, to] : option->GetSackList())
            {
                for (auto it = m_again.lower_bound(from); it != m_again.end() && *it < to; it = m_again.erase(it))
                {
                    m_arrived.insert(*it);
                }
            }
        }
        // Every ack of new data restarts the timer (RFC 6298 §5.3): in a recovery ns-3 lets only the first do that.
        m_isFirstPartialAck = true;
        const auto before = m_tcb->m_congState.Get();
        m_partial = g_right.partial && before == TcpSocketState::CA_RECOVERY;
        TcpSocketBase::ReceivedAck(packet, header);
        m_partial = false;
        if (before != TcpSocketState::CA_RECOVERY && m_tcb->m_congState == TcpSocketState::CA_RECOVERY)
        {
            // So does a fast retransmit: "latitude", RFC 6675 §6.
            m_retxEvent.Cancel();
            m_retxEvent = Simulator::Schedule(m_rto, &Socket6675::ReTxTimeout, this);
        }
    }

    // The timer stays backed off until a round trip is measured (RFC 6298 §5): in ns-3 it is so until the next ack of new data.
    void NewAck(const SequenceNumber32& seq, bool restart) override
    {
        TcpSocketBase::NewAck(seq, restart);
        if (g_right.rest && m_samples == m_rtt->GetNSamples())
        {
            m_rto = m_backedOff;
            if (m_retxEvent.IsRunning())
            {
                m_retxEvent.Cancel();
                m_retxEvent = Simulator::Schedule(m_rto, &Socket6675::ReTxTimeout, this);
            }
        }
    }

    void ReTxTimeout() override
    {
        m_ranOut();
        const SequenceNumber32 head = m_txBuffer->HeadSequence();
        uint32_t flight = m_tcb->m_highTxMark.Get() - m_tcb->m_lastAckedSeq;
        if (m_again.count(head))
        {
            // Lost again: ssthresh is lowered again (RFC 5681 §4.3), however much the recovery has sent since.
            flight = std::min<uint32_t>(flight, m_tcb->m_ssThresh);
        }
        // Not for a segment that the timer has sent again already (RFC 5681 §3.1).
        const bool lower = g_right.rest && head != m_ranOutFor;
        m_ranOutFor = head;
        if (g_right.rest)
        {
            // "MUST ignore prior SACK information" (RFC 6675 §5.1, by RFC 2018 §5): ns-3 keeps it.
            m_txBuffer->SetSentListLost(true);
        }
        m_again.clear();
        m_arrived.clear();
        const auto control = DynamicCast<Control>(m_congestionControl);
        control->m_timer = true;
        TcpSocketBase::ReTxTimeout();
        control->m_timer = false;
        m_samples = m_rtt->GetNSamples();
        m_backedOff = m_rto;
        if (lower)
        {
            m_tcb->m_ssThresh = std::max(2 * m_tcb->m_segmentSize, flight / 2);
        }
    }

  private:
    // Sent again and neither acknowledged nor reported; and reported.
    std::set<SequenceNumber32> m_again;
    std::set<SequenceNumber32> m_arrived;
    // What the timer ran out for last.
    SequenceNumber32 m_ranOutFor;
    // What it was backed off to, and the round trips measured by then.
    Time m_backedOff;
    uint32_t m_samples = UINT32_MAX;
    // An ack of a recovery is looked at.
    bool m_partial = false;
};

namespace
{

const uint32_t SEGMENT = 1000;
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

void
Fill(Ptr<Socket> socket, uint32_t)
{
    while (socket->GetTxAvailable() >= SEGMENT && socket->Send(Create<Packet>(SEGMENT)) > 0)
    {
    }
}

void
Begin(Ptr<Socket> socket)
{
    socket->SetSendCallback(MakeCallback(&Fill));
    Fill(socket, 0);
}

void
Open(Ptr<Socket> socket, Address to)
{
    socket->Connect(to);
}

Ptr<Socket6675>
NewSocket(Ptr<Node> node)
{
    const auto socket = CreateObject<Socket6675>();
    const auto tcp = node->GetObject<TcpL4Protocol>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(CreateObject<RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(CreateObject<Control>());
    // Its default, proportional rate reduction, is not dupack's.
    socket->SetRecoveryAlgorithm(CreateObject<TcpClassicRecovery>());
    tcp->AddSocket(socket);
    return socket;
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
