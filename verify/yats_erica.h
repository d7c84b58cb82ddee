// ERICA's switch of YATS, and two that show what a difference from it comes from; see yats.cc.

#ifndef YATS_ERICA_H
#define YATS_ERICA_H

#include "yats_objects.h"

#include "abrmux.h"

namespace
{

// A switch with ERICA's memory, which YATS has not: while the load is at most the target, every VC is allowed the highest rate that
// any was allowed in the last interval. YATS allows no VC less than its MCR, so that is the place for this rate.
class Memory : public abrMux
{
  public:
    rec_typ rec(data* item, int input) override
    {
        if (input != InpBRMC)
        {
            return abrMux::rec(item, input);
        }
        ABRstruct* vc = abr_table[static_cast<cell*>(item)->vci];
        Recall(vc);
        const rec_typ answer = abrMux::rec(item, input);
        Learn(vc);
        return answer;
    }

    void early(event* it) override
    {
        if (!typequery(server, RMCellType))
        {
            abrMux::early(it);
            return;
        }
        ABRstruct* vc = abr_table[server->vci];
        Recall(vc);
        abrMux::early(it);
        Learn(vc);
    }

    void late(event* it) override
    {
        abrMux::late(it);
        if (it->key == keyLoadABR)
        {
            previous = current;
            current = FairShare();
        }
    }

    double previous = 0;
    double current = 0;

  protected:
    double FairShare() const
    {
        return TargetRate / std::max(Nactive, 1);
    }

  private:
    void Recall(ABRstruct* vc)
    {
        vc->MCR = Z <= 1 ? previous : 0;
    }

    void Learn(ABRstruct* vc)
    {
        current = std::max(current, vc->ER);
        vc->MCR = 0;
    }
};

// A switch with all rules of dupack's, written once more here: with that memory, at most the target, the fair share first, one answer
// per VC and interval, and answers on the way back only; and RM cells wait behind the data cells that came before them.
class Plus : public Memory
{
  public:
    rec_typ rec(data* item, int input) override
    {
        if (input != InpBRMC)
        {
            return abrMux::rec(item, input);
        }
        auto* cell = static_cast<rmCell*>(item);
        ABRstruct* vc = abr_table[cell->vci];
        vc->active = TRUE;
        const auto [answer, first] = told_.try_emplace(cell->vci, 0);
        if (first)
        {
            answer->second = Allowed(vc->CCR);
        }
        cell->ER = std::min(cell->ER, answer->second);
        return sucs[SucBRMC]->rec(cell, shands[SucBRMC]);
    }

    void early(event*) override
    {
        sucs[SucData]->rec(server, shands[SucData]);
    }

    void late(event* it) override
    {
        if (it->key == keyQueue)
        {
            QueueInTurn();
            return;
        }
        Memory::late(it);
        if (it->key == keyLoadABR)
        {
            told_.clear();
        }
    }

  private:
    double Allowed(double ccr)
    {
        const double share = FairShare();
        double er = std::max(share, Z > 0 ? std::min(ccr / Z, TargetRate) : TargetRate);
        if (Z <= 1)
        {
            er = std::max(er, previous);
        }
        current = std::max(current, er);
        return std::min(ccr < share ? std::min(er, share) : er, TargetRate);
    }

    void QueueInTurn()
    {
        for (cell** it = inp_buff; it != inp_ptr; ++it)
        {
            q_ABR.enqueue(*it);
            abr_q_len++;
        }
        inp_ptr = inp_buff;
        server = static_cast<cell*>(q_ABR.dequeue());
        if (server)
        {
            abr_q_len--;
            alarme(&std_evt, 1);
        }
    }

    // Answers of this interval.
    std::map<int, double> told_;
};

// A switch, which has measured nothing yet.
abrMux*
OfRules(const std::string& rules, double rate)
{
    if (rules == "plus")
    {
        auto* mux = new Plus;
        mux->previous = mux->current = rate;
        mux->Z = 1;
        return mux;
    }
    abrMux* mux = rules == "memory" ? new Memory : rules == "yats" ? new abrMux : nullptr;
    if (!mux)
    {
        Fail("there are no rules called %s", rules.c_str());
    }
    mux->Z = 0;
    return mux;
}

} // namespace

#endif
