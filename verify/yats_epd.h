// `yats epd`: packets of several VCs through one multiplexer of YATS; see yats.cc.

#ifndef YATS_EPD_H
#define YATS_EPD_H

#include "yats_objects.h"

#include "muxEvtEPD.h"

namespace
{

struct Packet
{
    tim_typ first;
    int cells;
    tim_typ spacing;
    int left = 0;
    long last = -1;
};

// When cells came to the multiplexer, and when they left.
std::vector<tim_typ> arrived;
std::vector<tim_typ> departed;

// A VC: sends the cells of its packets on time.
class Sender : public in1out
{
  public:
    std::vector<Packet> packets;

    void Start()
    {
        alarme(&std_evt, packets[0].first);
    }

    void early(event*) override
    {
        const Packet& packet = packets[packet_];
        auto* cell = new aal5Cell(vci);
        cell->sdu_seq = packet_;
        const bool last = ++sent_ == packet.cells;
        cell->pt = last;
        arrived.push_back(SimTime);
        suc->rec(cell, shand);
        if (!last)
        {
            alarme(&std_evt, packet.spacing);
            return;
        }
        sent_ = 0;
        if (++packet_ < packets.size())
        {
            alarme(&std_evt, packets[packet_].first - SimTime);
        }
    }

  private:
    std::size_t packet_ = 0;
    int sent_ = 0;
};

// Notes what leaves the multiplexer.
class Ledger : public in1out
{
  public:
    std::vector<Sender*> senders;

    rec_typ rec(data* item, int) override
    {
        auto* cell = static_cast<aal5Cell*>(item);
        Packet& packet = senders[cell->vci]->packets[cell->sdu_seq];
        packet.left++;
        if (cell->pt)
        {
            packet.last = SimTime;
        }
        departed.push_back(SimTime);
        delete item;
        return ContSend;
    }
};

// As muxEvtEPD::addpars() makes one of a script.
muxEvtEPD*
Multiplexer(int inputs, char** words)
{
    auto* mux = Named(new muxEvtEPD, "mux");
    mux->ninp = mux->max_vci = inputs;
    mux->max_inprio = 1;
    mux->act();
    mux->needToSchedule = TRUE;
    mux->serviceTime = std::atoi(words[0]);
    mux->q.setmax(std::atoi(words[1]));
    mux->epdThresh = std::atoi(words[2]);
    mux->passEOF = std::atoi(words[3]);
    mux->syncMode = FALSE;
    mux->qCBR.setmax(1);
    mux->vciFirst = new int[inputs];
    mux->vciOK = new int[inputs];
    for (int vc = 0; vc < inputs; vc++)
    {
        mux->vciFirst[vc] = mux->vciOK[vc] = TRUE;
    }
    mux->inp_buff_CBR = mux->inp_ptr_CBR = new muxBase::inpstruct[inputs];
    return mux;
}

long
Ties()
{
    long ties = 0;
    auto at = departed.begin();
    for (tim_typ time : arrived)
    {
        while (at != departed.end() && *at < time)
        {
            ++at;
        }
        ties += at != departed.end() && *at == time;
    }
    return ties;
}

int
Epd(char** words)
{
    Ledger ledger;
    std::size_t vc;
    Packet packet;
    tim_typ end = 0;
    while (std::cin >> vc >> packet.first >> packet.cells >> packet.spacing)
    {
        while (ledger.senders.size() <= vc)
        {
            auto* sender = new Sender;
            sender->vci = ledger.senders.size();
            ledger.senders.push_back(sender);
        }
        ledger.senders[vc]->packets.push_back(packet);
        end = std::max(end, packet.first + packet.cells * packet.spacing);
    }
    muxEvtEPD* mux = Multiplexer(ledger.senders.size(), words);
    mux->set_output(&ledger, 0);
    for (Sender* sender : ledger.senders)
    {
        sender->set_output(mux, sender->vci);
        sender->Start();
    }
    Run(end + (mux->q.getmax() + 2) * mux->serviceTime);
    for (Sender* sender : ledger.senders)
    {
        for (const Packet& it : sender->packets)
        {
            std::printf("%d %d %ld\n", sender->vci, it.left, it.last);
        }
    }
    std::printf("ties %ld\n", Ties());
    return 0;
}

} // namespace

#endif
