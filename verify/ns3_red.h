// Random early detection as in Floyd & Jacobson 1993, Fig. 2, for ns-3.
//
// ns-3's RedQueueDisc does otherwise: it drops nothing early that finds fewer than two packets in it, and begins `count` anew
// then; what first finds the average beyond the lower threshold is never dropped; a drop beyond the upper one leaves `count` as
// it is; idle time begins when the discipline is empty, though the device below may have two packets to send yet, and counts as
// whole packets and one more; and what the device below keeps is in no average.

#ifndef NS3_RED_H
#define NS3_RED_H

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>

// A FIFO whose arrivals are dropped at random by the average of what waits, in it and in the device below.
class Red1993 : public ns3::FifoQueueDisc
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId id = ns3::TypeId("Red1993").SetParent<ns3::FifoQueueDisc>().AddConstructor<Red1993>();
        return id;
    }

    // To be called once it is above its device. Room and thresholds in packets, the time that one takes in seconds.
    void Set(ns3::Ptr<ns3::PointToPointNetDevice> device, double room, double min, double max, double p, double weight, double time)
    {
        m_device = device;
        m_room = room;
        m_min = min;
        m_max = max;
        m_p = p;
        m_weight = weight;
        m_time = time;
        device->TraceConnectWithoutContext("PhyTxEnd", ns3::MakeCallback(&Red1993::Sent, this));
    }

  private:
    double Waiting() const
    {
        return GetNPackets() + m_device->GetQueue()->GetNPackets();
    }

    // The line has sent a packet.
    void Sent(ns3::Ptr<const ns3::Packet>)
    {
        if (Waiting() == 0)
        {
            m_idle = true;
            m_since = ns3::Simulator::Now();
        }
    }

    // The average says that this arrival is dropped.
    bool Early()
    {
        if (m_average < m_min)
        {
            m_count = -1;
            return false;
        }
        if (m_average >= m_max)
        {
            return true;
        }
        m_count++;
        const double initial = m_p * (m_average - m_min) / (m_max - m_min);
        const double left = 1 - m_count * initial;
        return left <= initial || m_random->GetValue() < initial / left;
    }

    bool DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item) override
    {
        const double queue = Waiting();
        if (m_idle)
        {
            const double packets = (ns3::Simulator::Now() - m_since).GetSeconds() / m_time;
            m_average *= std::pow(1 - m_weight, packets);
            // If this arrival is dropped the line goes on being idle. What is counted is counted: the figure, to the letter, would
            // count it again at the next arrival.
            m_since = ns3::Simulator::Now();
        }
        else
        {
            m_average += m_weight * (queue - m_average);
        }
        if (queue >= m_room || Early())
        {
            m_count = 0;
            DropBeforeEnqueue(item, "RED");
            return false;
        }
        m_idle = false;
        return GetInternalQueue(0)->Enqueue(item);
    }

    ns3::Ptr<ns3::PointToPointNetDevice> m_device;
    double m_room = 0;
    double m_min = 0;
    double m_max = 0;
    double m_p = 0;
    double m_weight = 0;
    double m_time = 0;
    double m_average = 0;
    // Arrivals since the last drop, while the average is between the thresholds; none yet is -1.
    int m_count = -1;
    bool m_idle = false;
    ns3::Time m_since;
    ns3::Ptr<ns3::UniformRandomVariable> m_random = ns3::CreateObject<ns3::UniformRandomVariable>();
};

NS_OBJECT_ENSURE_REGISTERED(Red1993);

#endif
