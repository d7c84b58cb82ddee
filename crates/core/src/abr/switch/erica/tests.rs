//! A script per step of the algorithm, and the loop closed.

use super::*;
use crate::abr::switch::script::{LINE, check};
use crate::declare::Declared;
use std::vec;

/// Intervals of 1 ms, so that 100 cells are the line's rate.
fn marker(texts: &[(&str, &str)]) -> Erica {
    let interval: &[_] = &[("interval", "1 ms")];
    Erica::new(&EricaParams::from_texts(&[interval, texts].concat()), LINE)
}

#[test]
//= erica-2000 type=test
// Both hyperbolas meet at T0, where the target is the whole rate of the line.
fn the_target_falls_with_the_queue() {
    let it = marker(&[("t0", "1 ms"), ("a", "1.25"), ("b", "1.1")]);
    let near = |got: f64, want: f64| assert!((got - want).abs() < 1e-12, "{got} {want}");
    near(it.fraction(0.0), 1.1);
    near(it.fraction(0.5e-3), 1.1 / 1.05);
    near(it.fraction(1e-3), 1.0);
    near(it.fraction(3e-3), 1.25 / 1.75);
    near(it.fraction(1.0), 0.5);
    near(marker(&[("a", "1"), ("b", "1")]).fraction(1.0), 1.0);
    // With T0 = 0, the target is the whole line only while the queue is empty.
    near(marker(&[("t0", "0 s")]).fraction(0.0), 1.0);
    near(marker(&[("t0", "0 s")]).fraction(1e-6), 0.5);
}

#[test]
//= erica-1996 type=test
// 60 cells arrive in 1 ms. The queue is empty, so the target is 1.05 of 100. Then 150 arrive, and the queue takes T0 to drain.
fn an_interval_measures_load_and_active_vcs() {
    check(
        marker(&[]),
        "0 cells a 40 every 25            => z 1, active 1
         0 cells b 20 every 50            => fair_share 100000
         999 cell a                       => z 1
         1000 cell a                      => z 0.580952381, active 2, target 105000, fair_share 52500
         1001 cells a 99 every 10         =>
         1001 cells b 50 every 10         =>
         2000 backward a queue 150        => z 1.5, target 100000, fair_share 50000",
    );
}

#[test]
//= erica-1996 type=test
fn in_overload_each_gets_its_part_or_the_fair_share() {
    check(
        marker(&[]),
        "0 forward a ccr 105000           =>
         0 forward b ccr 45000            =>
         1 cells a 104 every 9            =>
         1 cells b 44 every 20            =>
         1000 backward a queue 150        => z 1.5, er 70000
         1001 backward b queue 150        => er 50000",
    );
}

#[test]
//= erica-1996 type=test
// Without overload a VC gets the highest rate that any VC got: this makes rates equal. z = 1 + delta = 1.1 is no overload yet.
fn without_overload_all_get_the_highest_allocation() {
    check(
        marker(&[]),
        "0 forward a ccr 105000           =>
         0 forward b ccr 45000            =>
         1 cells a 104 every 9            =>
         1 cells b 44 every 20            =>
         1000 backward a queue 150        => z 1.5, er 70000
         1001 forward a ccr 70000         =>
         1001 forward b ccr 50000         =>
         1002 cells a 69 every 14         =>
         1002 cells b 39 every 20         =>
         2000 backward a queue 150        => z 1.1, max_alloc_previous 70000, er 70000
         2001 backward b queue 150        => er 70000",
    );
}

#[test]
//= erica-1996 type=test
// A VC below the fair share is first raised to that share and no further, so that the VCs do not all jump at once.
fn the_fair_share_first() {
    check(
        marker(&[]),
        "0 forward a ccr 40000            =>
         0 forward b ccr 60000            =>
         1 cells a 39 every 25            =>
         1 cells b 19 every 50            =>
         1000 backward a queue 0          => fair_share 52500, er 52500
         1000 backward b queue 0          => er open",
    );
}

#[test]
//= erica-1996 type=test
fn nobody_is_told_more_than_the_target_or_than_others_allow() {
    check(
        marker(&[]),
        "0 forward a ccr 90000            =>
         1 cells a 89 every 11            =>
         1000 backward a queue 600        => target 71875, z 1.252173913, er 71875
         1001 backward a queue 0 er 60000 => er 60000",
    );
    // Without load.
    check(
        marker(&[]),
        "0 cell a                         =>
         1000 cell b                      =>
         2000 backward a queue 600        => active 1.9
         3000 backward a queue 600        => z 0, active 1.9, er 37828.9",
    );
}

#[test]
//= erica-1996 type=test
// A VC is given one rate per interval, whatever its source announces meanwhile.
fn one_answer_per_interval() {
    check(
        marker(&[]),
        "0 forward a ccr 105000           =>
         0 forward b ccr 45000            =>
         1 cells a 104 every 9            =>
         1 cells b 44 every 20            =>
         1000 backward a queue 150        => er 70000
         1500 forward a ccr 1000          =>
         1500 backward a queue 150        => er 70000
         1500 forward b ccr 90000         =>
         1500 backward b queue 150        => er 60000",
    );
}

#[test]
//= erica-2000 type=test
fn the_silent_are_forgotten_bit_by_bit() {
    check(
        marker(&[]),
        "0 cell a                         =>
         0 cell b                         =>
         1000 cell a                      => active 2
         2000 cell a                      => active 1.9
         3000 cell a                      => active 1.81
         3500 backward b queue 0          =>               # b's feedback passes: it is there
         4000 cell a                      => active 2",
    );
    check(
        marker(&[("decay", "0")]),
        "0 cell a                         =>
         0 cell b                         =>
         1000 cell a                      => active 2
         2000 cell a                      => active 1
         4000 cell b                      => active 1",
    );
}

#[test]
//= erica-1996 type=test
fn an_interval_may_end_by_cells() {
    check(
        marker(&[("interval_cells", "50")]),
        "0 cells a 50 every 8             => z 1
         400 cell a queue 150             => z 1.25
         401 cell a queue 150             => z 1.25",
    );
}

#[test]
//= erica-2000 type=test
// b may send 45,000 cells/s but sends 15,000. In overload its share is computed from the 15,000.
fn rates_that_are_measured() {
    check(
        marker(&[("ccr", "measured")]),
        "0 forward a ccr 105000           =>
         0 forward b ccr 45000            =>
         1 cells a 134 every 7            =>
         1 cells b 14 every 70            =>
         1000 backward a queue 150        => z 1.5, er 90000
         1001 backward b queue 150        => er 50000",
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut params = marker(&[]).params;
    params.interval = Duration::ZERO;
    assert_eq!(params.check().unwrap_err().name, "interval");
    let mut params = marker(&[]).params;
    params.interval_cells = Some(0);
    assert_eq!(params.check().unwrap_err().name, "interval_cells");
}

#[test]
//= erica-2000 type=test
// The sources send at the rates they are given. Whatever the first rates, all become equal, and the port is fully used.
fn rates_become_equal() {
    let mut it = marker(&[]);
    let mut rates = vec![2_000.0, 10_000.0, 30_000.0, 90_000.0];
    let mut queue = 0.0;
    for round in 1..200u64 {
        // The cells of a round arrive half an interval before its feedback.
        let now = Instant(round * 1_000_000_000);
        for (vc, rate) in rates.iter().enumerate() {
            let vc = FlowId(vc as u32);
            (0..(*rate / 1000.0) as u64)
                .for_each(|_| it.on_cell(Instant(now.0 - 500_000_000), vc, queue as u64));
        }
        let offered: f64 = rates.iter().map(|rate: &f64| (rate / 1000.0).floor()).sum();
        queue = f64::max(queue + offered - 100.0, 0.0);
        for (vc, rate) in rates.iter_mut().enumerate() {
            let mut rm = RmCell {
                backward: false,
                ci: false,
                ni: false,
                er: LINE.rate,
                ccr: CellRate(*rate),
                mcr: CellRate(0.0),
            };
            it.on_forward(now, FlowId(vc as u32), &mut rm, queue as u64);
            it.on_backward(now, FlowId(vc as u32), &mut rm, queue as u64);
            *rate = rm.er.0;
        }
    }
    let sum: f64 = rates.iter().sum();
    assert!((sum / 1e5 - 1.0).abs() < 0.05, "{rates:?}");
    for rate in &rates {
        assert!((rate / rates[0] - 1.0).abs() < 0.02, "{rates:?}");
    }
}
