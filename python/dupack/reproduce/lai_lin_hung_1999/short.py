"""What came out of Lai, Lin & Hung 1999, in four paragraphs."""

from __future__ import annotations

from dupack.reproduce.lai_lin_hung_1999 import fairness, openq, openq_words, swamped, underflow
from dupack.reproduce.lai_lin_hung_1999.acr import HIGH, median_held, nobody_waits_above
from dupack.reproduce.lai_lin_hung_1999.claims import unused_share
from dupack.reproduce.lai_lin_hung_1999.delay import lost_between, split
from dupack.reproduce.lai_lin_hung_1999.runs import (
    CEILING,
    FREE,
    LOSS,
    PRINTED,
    dead,
    empty,
    empty_queue,
    jain,
    loss_rate,
    one,
    rate_at,
    share,
    unused,
    window_based,
)
from dupack.reproduce.lai_lin_hung_1999.verdicts import By, shown, signed, text
from dupack.reproduce.paper import Results


def in_short(results: Results) -> str:
    """The report's first paragraphs."""

    def free(by: By) -> str:
        return shown(one(results, FREE).estimate(by))

    def loss(by: By) -> str:
        return shown(one(results, LOSS).estimate(by))

    found = openq.index(results)

    def effect(option: str, by: By = share, queue: str = "") -> str:
        setting = [("paper", 10)]
        return signed(openq.effect(found, setting, option, by, lambda way: queue in ("", way[2])))

    each = split(results, LOSS, "tau on each line")
    near, far = (shown(fairness.sample_of(results, kind).estimate(fairness.distance)) for kind in ("erica", "eprca"))
    low, high = (free(rate_at(part)) for part in (0.01, 0.99))
    idle, used = (loss(median_held(waits=waits)) for waits in (False, True))
    nobodys = loss(lambda run: nobody_waits_above(run, HIGH))
    before = one(results, LOSS).estimate(swamped.more_before_losses)
    long = loss(lambda run: underflow.share_of(run, long=True))
    count, asked = effect("lose: count-based"), effect("lose: count-based", unused)
    reno, plain = signed(openq_words.reno_alone(found, [("paper", 10)])), effect("recover: Reno", queue="plain")

    def other(n: int, value: float) -> str:
        return signed(openq_words.other_threshold(results, n, value))

    return "\n\n".join(
        [
            f"The case without loss comes out as published: ACR swings between {low} and {high}e6 bytes/s (0.4 and 4), "
            f"the queue is never empty, and TCP has {text(one(results, FREE).estimate(share).mean)} % of what the line "
            f"carries. That is {CEILING / 1e7:.3f}e7 bytes/s, not the printed {PRINTED / 1e7:.3f}e7: the formula "
            f"forgets that a packet's last cell is padded, and is {100 * (PRINTED / CEILING - 1):.2f} % too high.",
            "The case with loss hangs on what the text does not say, where the delay lies. Behind the switch that "
            f"marks it costs hardly any cells ({lost_between(results)} with all of tau there), with a "
            f"third on each line {loss(loss_rate)} % of them, with tau on each line {shown(each.estimate(loss_rate))} "
            f"%. With thirds most of the story is the paper's: {loss(window_based)} % of the time is window-based, ACR "
            f"reaches PCR, {loss(unused_share)} % of it is not used, and it is high while it is not: {idle} MB/s in "
            f"the median while no cell waits, {used} while some do; of the time that it is above {HIGH:.0f} MB/s, "
            f"{nobodys} % is nobody's. But that is not what swamps the buffer: in the 10 ms before a loss the ACR of "
            f"all sources together differs from its mean by {signed(before)} times the line. Nor is it mostly slow "
            f"start that empties the queue: it is empty for {loss(empty_queue)} % of the time, {long} % in dips of "
            f"more than 8 ms, in which nearly all sources wait for timeouts at once. TCP gets {loss(share)} % of the "
            f"ceiling; the line is idle for only {loss(empty)} % of the time, {loss(dead)} % of the cells that it "
            f"sends belong to damaged packets, and the ten are no longer alike (Jain {loss(jain)}).",
            "The paper's question, answered: switch on EPD, and SACK with it. In the network of Fig. 6 with ten "
            f"connections, in the mean over all else, EPD at 0.8 of the buffer is worth {effect('discard: EPD')} % of "
            f"the ceiling, SACK {effect('recover: SACK')}, and count-based use-it-or-lose-it {count}, though it "
            f"changes unused ACR by {asked} MB/s a source. Reno's fast recovery, the paper's second remedy, is worth "
            f"{reno} % by itself; with a plain queue and all five ways to lose a rate it is {plain} % in the mean, and "
            "that difference four seeds do not resolve. EPD hurts where nothing is lost without it, leaves more of ACR "
            f"unused ({effect('discard: EPD', unused)} MB/s), and hangs on its threshold: with SACK, against "
            f"0.8, at 0.9 two connections have {other(2, 0.9)} % and fifty {other(50, 0.9)}, at 0.6 two "
            f"{other(2, 0.6)} and fifty {other(50, 0.6)}.",
            f"Beyond the paper: on the generic fairness configuration ERICA+ is {near} % from the max-min fair rates "
            f"in the mean over all VCs, EPRCA {far} %.",
        ]
    )
