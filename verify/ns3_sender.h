// A greedy sender for ns-3 that goes by the RFCs where ns-3's does otherwise: a controller, a socket, and what fills it.

#ifndef NS3_SENDER_H
#define NS3_SENDER_H

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iterator>
#include <set>

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
        // Then only DoRetransmit() calls this, whose assertion wants some bytes.
        if (m_partial && AvailableWindow() < m_tcb->m_segmentSize)
        {
            return most;
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

// Payload of a segment [bytes].
const uint32_t SEGMENT = 1000;

// A greedy application: it keeps the send buffer full.
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

#endif
