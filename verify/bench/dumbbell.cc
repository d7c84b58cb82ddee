// Greedy NewReno TCPs of ns-3 through one bottleneck: sources - router - sink.
//
//   dumbbell FLOWS ACCESS ACCESS_DELAY RATE DELAY BUFFER SEGMENT WINDOW SPREAD DURATION
//
// Rates in bit/s, times in seconds, BUFFER in packets, SEGMENT and WINDOW in bytes. The flows start one after the other within SPREAD.
// Prints `delivered BYTES`: what the receivers got. What is not said here is as ns-3 has it by default.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    if (argc != 11)
    {
        return 2;
    }
    const uint32_t flows = std::atoi(argv[1]);
    const uint32_t segment = std::atoi(argv[7]);
    const uint32_t window = std::atoi(argv[8]);
    const double spread = std::atof(argv[9]);
    const double duration = std::atof(argv[10]);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.2)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    // The send buffer limits what is outstanding. If the receive buffer does, ns-3.37 reads a null pointer (`TcpRateLinux::SkbSent`) after losses.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2000000));

    Ptr<Node> router = CreateObject<Node>();
    Ptr<Node> sink = CreateObject<Node>();
    NodeContainer sources(flows);
    InternetStackHelper stack;
    stack.Install(NodeContainer(router, sink));
    stack.Install(sources);

    TrafficControlHelper control;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const auto join = [&](Ptr<Node> from, Ptr<Node> to, int at, const std::string& packets) {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(std::string(argv[at]) + "bps"));
        link.SetChannelAttribute("Delay", StringValue(std::string(argv[at + 1]) + "s"));
        link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(packets + "p"));
        const NetDeviceContainer devices = link.Install(from, to);
        const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        control.Uninstall(devices);
        addresses.NewNetwork();
        return interfaces.GetAddress(1);
    };
    const Ipv4Address there = join(router, sink, 4, argv[6]);
    for (uint32_t n = 0; n < flows; n++)
    {
        join(sources.Get(n), router, 2, "1000000");
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer receivers;
    for (uint32_t n = 0; n < flows; n++)
    {
        const InetSocketAddress address(there, 1000 + n);
        BulkSendHelper bulk("ns3::TcpSocketFactory", address);
        bulk.SetAttribute("SendSize", UintegerValue(segment));
        bulk.Install(sources.Get(n)).Start(Seconds(spread * n / flows));
        receivers.Add(PacketSinkHelper("ns3::TcpSocketFactory", address).Install(sink));
    }
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    uint64_t bytes = 0;
    for (uint32_t n = 0; n < flows; n++)
    {
        bytes += DynamicCast<PacketSink>(receivers.Get(n))->GetTotalRx();
    }
    std::printf("delivered %llu\n", static_cast<unsigned long long>(bytes));
    return 0;
}
