// One greedy DCTCP of ns-3 over 50 Mb/s, behind CoDel that marks above a sojourn time of 1 ms.
//
//   ns3_dctcp RTT DURATION FROM TO LIMITS
//
// Times in seconds; the sender starts at 5 s. If LIMITS is 1, the bottleneck has ns-3's dynamic queue limits: then packets leave CoDel in
// batches for the queue of the device. Else they leave one by one. Prints, of the time from FROM to TO: the least goodput of
// 200 ms in Mb/s, share of the packets that left the queue with a mark, and the mean of DCTCP's alpha over its updates.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace ns3;

namespace
{
double from;
double to;
uint64_t received = 0;
double least = 1e9;
uint64_t sent = 0;
uint64_t marked = 0;
uint64_t updates = 0;
double sum = 0;

bool
Counts()
{
    const double now = Simulator::Now().GetSeconds();
    return from <= now && now < to;
}

void
Received(Ptr<const Packet> packet, const Address&)
{
    received += packet->GetSize();
}

void
Sample()
{
    if (Counts())
    {
        least = std::min(least, received * 8e-6 / 0.2);
    }
    received = 0;
    Simulator::Schedule(Seconds(0.2), &Sample);
}

void
Sent(Ptr<const QueueDiscItem>)
{
    sent += Counts();
}

void
Marked(Ptr<const QueueDiscItem>, const char*)
{
    marked += Counts();
}

void
Alpha(uint32_t, uint32_t, double alpha)
{
    if (Counts())
    {
        updates++;
        sum += alpha;
    }
}

void
Follow()
{
    Config::ConnectWithoutContext("/NodeList/0/$ns3::TcpL4Protocol/SocketList/0/CongestionOps/$ns3::TcpDctcp/CongestionEstimate",
                                  MakeCallback(&Alpha));
}
} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 6)
    {
        return 2;
    }
    const double rtt = std::atof(argv[1]);
    const double duration = std::atof(argv[2]);
    from = std::atof(argv[3]);
    to = std::atof(argv[4]);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(32768000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(32768000));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    Config::SetDefault("ns3::CoDelQueueDisc::UseEcn", BooleanValue(true));
    Config::SetDefault("ns3::CoDelQueueDisc::CeThreshold", TimeValue(MilliSeconds(1)));

    NodeContainer nodes(4);
    PointToPointHelper line;
    line.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize("3p")));
    line.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    line.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
    NetDeviceContainer access = line.Install(nodes.Get(0), nodes.Get(1));
    NetDeviceContainer exit = line.Install(nodes.Get(2), nodes.Get(3));
    line.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2)));
    NetDeviceContainer middle = line.Install(nodes.Get(1), nodes.Get(2));
    middle.Get(0)->SetAttribute("DataRate", StringValue("50Mbps"));
    InternetStackHelper stack;
    stack.Install(nodes);
    TrafficControlHelper fair;
    fair.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
    fair.SetQueueLimits("ns3::DynamicQueueLimits", "HoldTime", StringValue("1ms"));
    fair.Install(access);
    fair.Install(exit);
    fair.Install(middle.Get(1));
    TrafficControlHelper codel;
    codel.SetRootQueueDisc("ns3::CoDelQueueDisc");
    if (std::atoi(argv[5]))
    {
        codel.SetQueueLimits("ns3::DynamicQueueLimits", "HoldTime", StringValue("1ms"));
    }
    Ptr<QueueDisc> queue = codel.Install(middle.Get(0)).Get(0);
    queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&Sent));
    queue->TraceConnectWithoutContext("Mark", MakeCallback(&Marked));
    Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
    addresses.Assign(access);
    addresses.NewNetwork();
    addresses.Assign(middle);
    addresses.NewNetwork();
    const Ipv4Address sink = addresses.Assign(exit).GetAddress(1);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(sink, 5000));
    bulk.SetAttribute("MaxBytes", UintegerValue(0));
    bulk.Install(nodes.Get(0)).Start(Seconds(5));
    PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
    ApplicationContainer applications = receiver.Install(nodes.Get(3));
    applications.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    Simulator::Schedule(Seconds(5.1), &Follow);
    Simulator::Schedule(Seconds(0.2), &Sample);
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    std::printf("%.3f %.4f %.4f\n", least, double(marked) / sent, sum / updates);
    Simulator::Destroy();
    return 0;
}
