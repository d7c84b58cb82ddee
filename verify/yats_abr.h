// `yats abr`: greedy ABR sources of YATS behind a row of its switches; see yats.cc.

#ifndef YATS_ABR_H
#define YATS_ABR_H

#include "yats_erica.h"

#include "abrsink.h"
#include "abrsrc.h"
#include "line.h"

namespace
{

// More cells than there are, and so the largest TBE of TM 4.0: it bounds nothing.
const int MANY = 16777215;

// Hands a cell on by its VC.
class Fork : public in1out
{
  public:
    std::vector<std::pair<root*, int>> ways;

    explicit Fork(int vcs)
        : ways(vcs + 1)
    {
    }

    rec_typ rec(data* item, int) override
    {
        const auto& [to, input] = ways[static_cast<cell*>(item)->vci];
        return to->rec(item, input);
    }
};

class Drain : public in1out
{
  public:
    rec_typ rec(data* item, int) override
    {
        delete item;
        return ContSend;
    }
};

// Always has a cell for its ABR source.
class Greedy : public in1out
{
  public:
    void early(event*) override
    {
        while (suc->rec(new cell(vci), shand) == ContSend)
        {
        }
    }

    // The source has room again. It says so before it is ready to receive, so the cells follow in the next slot.
    rec_typ rec(data* item, int) override
    {
        delete item;
        alarme(&std_evt, 1);
        return ContSend;
    }
};

// A line of this delay that leads there.
std::pair<root*, int>
Line(tim_typ delay, std::pair<root*, int> to)
{
    auto* it = new line;
    it->delay = delay;
    it->set_output(to.first, to.second);
    return {it, 0};
}

struct Told
{
    std::size_t from;
    std::size_t to;
    tim_typ in;
    tim_typ out;
    tim_typ start;
    double pcr;
    double icr;
    double rif;
};

struct Port
{
    abrMux* mux;
    Fork* forward;
    Fork* backward;
};

struct End
{
    abrSrc* source;
    abrSink* sink;
};

// As abrMux::init() makes one of a script, with DYNFAIRSHARE, a target utilization of 1 and no other traffic.
Port
Switch(const std::string& name, abrMux* mux, int vcs, double rate, tim_typ interval)
{
    Named(mux, name);
    mux->ninp = vcs;
    mux->inp_buff = mux->inp_ptr = new cell*[vcs];
    mux->max_vci = vcs + 1;
    mux->abr_table = new ABRstruct*[mux->max_vci]();
    mux->q_CVBR.setmax(1);
    mux->q_RMCO.setmax(MANY);
    mux->abr_q_max = mux->abr_q_hi = mux->abr_q_lo = mux->TBE = MANY;
    mux->abr_q_len = 0;
    mux->abr_congested = FALSE;
    mux->AI_tim = mux->CVBR_load_tim = interval;
    mux->cnt_load_abr = mux->cnt_load_cvbr = 0;
    mux->ABRRate = mux->CVBRRate = 0;
    mux->Zol = 1000;
    mux->LinkRate = mux->TargetRate = rate;
    mux->TargetUtil = 1;
    mux->lossData = new unsigned[mux->max_vci]();
    mux->lossRMCI = new unsigned[mux->max_vci]();
    mux->lossRMCO = new unsigned[mux->max_vci]();
    mux->useNactive = TRUE;
    mux->binMode = FALSE;
    mux->Nabr = mux->Nactive = 0;
    Port port{mux, new Fork(vcs), new Fork(vcs)};
    mux->set_nout(2);
    mux->add_output(abrMux::SucData + 1, port.forward, 0);
    mux->add_output(abrMux::SucBRMC + 1, port.backward, 0);
    eachl(&mux->each_evt);
    alarml(&mux->ABR_load_evt, interval);
    alarml(&mux->CVBR_load_evt, interval);
    return port;
}

// As abrSrc::init(), with TM 4.0's parameters as there. FRTT is what gives ICR: YATS computes it as TBE / FRTT.
abrSrc*
Source(const std::string& name, double rate, const Told& told)
{
    auto* source = Named(new abrSrc, name);
    source->q.setmax(64);
    source->q_start = 32;
    source->Trm = 100;
    source->RIF = told.rif;
    source->RDF = source->CDF = 1.0 / 16;
    source->TCR = 10;
    source->ADTF = 0.5;
    source->Nrm = 32;
    source->Mrm = 2;
    source->LinkRate = rate;
    source->MCR = 0;
    source->PCR = told.pcr;
    source->FRTT = MANY / told.icr;
    source->autoconn = TRUE;
    source->cntRMCO = source->cntRMCI = source->cntData = 0;
    source->connected = FALSE;
    source->prec_state = ContSend;
    // YATS reads these before it sets them.
    source->ACR = 0;
    source->ACR_tim_lo = 0;
    source->ACR_bucket = 0;
    source->set_nout(2);
    return source;
}

// As abrSink::init(), without a limit of what it takes.
abrSink*
Destination(const std::string& name, double rate)
{
    auto* sink = Named(new abrSink, name);
    sink->q.setmax(MANY);
    sink->TargetBuff = sink->q_high = sink->q_low = MANY;
    sink->congested = FALSE;
    sink->AI_tim = 30;
    sink->LinkRate = rate;
    sink->TargetUtil = 1;
    // It takes the VC of its connection.
    sink->vci = sink->vci_brmc = 0;
    sink->outp_load_cnt = 0;
    sink->OutputRate = 0;
    alarml(&sink->AI_evt, sink->AI_tim);
    sink->my_state = ContSend;
    sink->lost = sink->cntData = sink->cntRMCI = sink->cntRMCO = 0;
    sink->last_cell = SimTime;
    sink->connected = FALSE;
    sink->set_nout(2);
    return sink;
}

// Makes a source and its destination, and connects them through the switches. On the way back cells pass a switch at once; elsewhere
// its line takes a slot for them, which is added here.
End
Connect(int vc, const Told& told, const std::vector<Port>& ports, double rate, tim_typ trunk)
{
    const std::string number = std::to_string(vc);
    End end{Source("source-" + number, rate, told), Destination("sink-" + number, rate)};
    for (std::size_t at = told.from; at <= told.to; at++)
    {
        const bool first = at == told.from, last = at == told.to;
        ports[at].forward->ways[vc] =
            last ? Line(told.out, {end.sink, 0}) : Line(trunk, {ports[at + 1].mux, vc - 1});
        ports[at].backward->ways[vc] = first ? Line(told.in, {end.source, abrSrc::InpRMC})
                                             : Line(trunk + 1, {ports[at - 1].mux, abrMux::InpBRMC});
    }
    const auto in = Line(told.in, {ports[told.from].mux, vc - 1});
    const auto back = Line(told.out + 1, {ports[told.to].mux, abrMux::InpBRMC});
    auto* data = new Greedy;
    data->vci = vc;
    data->set_output(end.source, abrSrc::InpData);
    alarme(&data->std_evt, told.start);
    end.source->add_output(abrSrc::SucData + 1, in.first, in.second);
    end.source->add_output(abrSrc::SucCtrl + 1, data, 0);
    end.sink->add_output(abrSink::SucData + 1, new Drain, 0);
    end.sink->add_output(abrSink::SucBRMC + 1, back.first, back.second);
    end.source->route_len = told.to - told.from + 2;
    end.source->route = new char*[end.source->route_len];
    for (std::size_t at = told.from; at <= told.to; at++)
    {
        end.source->route[at - told.from] = ports[at].mux->name;
    }
    end.source->route[end.source->route_len - 1] = end.sink->name;
    return end;
}

unsigned
Lost(const std::vector<Port>& ports)
{
    unsigned lost = 0;
    for (const Port& port : ports)
    {
        for (int vc = 0; vc < port.mux->max_vci; vc++)
        {
            lost += port.mux->lossData[vc] + port.mux->lossRMCI[vc] + port.mux->lossRMCO[vc];
        }
    }
    return lost;
}

int
Abr(char** words)
{
    const int slots = std::atoi(words[1]), sample = std::atoi(words[2]), interval = std::atoi(words[4]);
    const double rate = std::atof(words[3]);
    const int trunk = std::atoi(words[5]), switches = std::atoi(words[6]);
    std::vector<Told> sources;
    Told told;
    while (std::cin >> told.from >> told.to >> told.in >> told.out >> told.start >> told.pcr >> told.icr >> told.rif)
    {
        sources.push_back(told);
    }
    std::vector<Port> ports;
    for (int at = 0; at < switches; at++)
    {
        abrMux* mux = OfRules(words[0], rate);
        ports.push_back(Switch("switch-" + std::to_string(at), mux, sources.size(), rate, interval));
    }
    std::vector<End> ends;
    for (const Told& it : sources)
    {
        ends.push_back(Connect(ends.size() + 1, it, ports, rate, trunk));
    }
    for (int done = 0; done < slots; done += sample)
    {
        Run(sample);
        for (const End& it : ends)
        {
            std::printf("%.6g %u ", it.source->ACR, it.sink->cntData + it.sink->cntRMCI + it.sink->cntRMCO);
        }
        std::printf("\n");
    }
    std::printf("lost %u\n", Lost(ports));
    return 0;
}

} // namespace

#endif
