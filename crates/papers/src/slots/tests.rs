use super::*;
use dupack_theory::three_acceptances::scheme_1;

fn system(n: usize, b: usize, p: f64) -> System {
    System::new(n, b, p).unwrap()
}

fn played(n: usize, b: usize, p: f64, episodes: usize, seed: u64) -> Measured {
    simulate(n, b, p, episodes, seed, &AtomicBool::new(false)).unwrap()
}

/// How many standard errors the estimate is from `value`.
fn off((mean, half): Estimate, value: f64) -> f64 {
    let error = half.unwrap() / 1.96;
    // An estimate without any spread must be exact.
    if error == 0.0 {
        if (mean - value).abs() < 1e-12 {
            0.0
        } else {
            f64::INFINITY
        }
    } else {
        (mean - value).abs() / error
    }
}

/// Beyond this many standard errors lies 1 of 100.
const Z_99: f64 = 2.576;
/// Beyond this many standard errors lies 1 of 16,000.
const NEVER: f64 = 4.0;

#[test]
//= viswanathan-kamal §III.2, eqs. 8 to 12 type=test
// The corrected model describes the simulation: over three seeds, 99 of 100 estimates have its value in their 99 % interval.
fn the_mended_model_is_what_happens() {
    let (mut outside, mut all) = (0, 0);
    for seed in 1..=3 {
        for (n, b) in [1, 3, 9]
            .into_iter()
            .flat_map(|n| [1, 2, 5, 50].map(|b| (n, b)))
        {
            for p in [0.1, 0.3, 0.6, 0.9] {
                let it = system(n, b, p);
                let found = played(n, b, p, 2000, seed);
                let mended = Printed::NOTHING;
                for (estimate, model) in [
                    (found.q, it.q(mended)),
                    (found.t_1, it.t_1(mended)),
                    (found.t, it.t_exact()),
                    (found.t_conservative, it.t(mended)),
                ] {
                    let off = off(estimate, model);
                    assert!(off < NEVER, "{n} {b} {p}: {estimate:?}, {model}");
                    outside += usize::from(off > Z_99);
                    all += 1;
                }
            }
        }
    }
    assert!(
        all == 576 && outside <= 12,
        "{outside} of {all} are outside"
    );
}

#[test]
//= viswanathan-kamal §III.2, Fig. 1 type=test
// N = 9, B = 50, and for each mistake in the printed equations a load at which it alone makes them differ from the simulation.
fn the_printed_equations_are_not() {
    let nothing = Printed::NOTHING;
    for (p, slip) in [
        (
            0.9,
            Printed {
                eq_9_limit: true,
                ..nothing
            },
        ),
        (
            0.8,
            Printed {
                eq_9_limit: true,
                ..nothing
            },
        ),
        (
            0.17,
            Printed {
                eq_9_share: true,
                ..nothing
            },
        ),
        (
            0.02,
            Printed {
                eq_8: true,
                ..nothing
            },
        ),
    ] {
        for seed in 1..=3 {
            let it = system(9, 50, p);
            let found = played(9, 50, p, 20_000, seed);
            for printed in [slip, Printed::ALL] {
                assert!(
                    off(found.t_conservative, it.t(printed)) > NEVER,
                    "{p}: {found:?}"
                );
                assert!(off(found.q, it.q(printed)) > NEVER, "{p}: {found:?}");
            }
            assert!(
                off(found.t_conservative, it.t(nothing)) < NEVER,
                "{p}: {found:?}"
            );
            assert!(off(found.t, it.t_exact()) < NEVER, "{p}: {found:?}");
        }
    }
}

#[test]
//= viswanathan-kamal §III.2, eq. 12 type=test
// At a load of about 1, eq. 12 is visibly conservative: the exact time is not 3/(p q).
fn conservative_is_longer() {
    let (it, found) = (system(9, 50, 0.1), played(9, 50, 0.1, 20_000, 1));
    assert!(off(found.t, it.t_exact()) < NEVER);
    assert!(off(found.t, it.t(Printed::NOTHING)) > NEVER);
    assert!(off(found.t_conservative, it.t_exact()) > NEVER);
}

#[test]
// All ten flows always have a packet, and one place is free per slot: the time per acceptance is geometric with mean 10.
fn all_always() {
    let found = played(9, 50, 1.0, 20_000, 1);
    assert!(
        off(found.q, 0.1) < NEVER && off(found.t_1, 10.0) < NEVER,
        "{found:?}"
    );
    assert!(
        off(found.t, 30.0) < NEVER && off(found.t_conservative, 30.0) < NEVER,
        "{found:?}"
    );
}

#[test]
fn alone_nobody_is_refused() {
    for b in [1, 50] {
        let found = played(0, b, 0.25, 5000, 1);
        assert_eq!(found.q, (1.0, Some(0.0)));
        assert!(off(found.t, scheme_1(0.25)) < NEVER && off(found.t_1, 4.0) < NEVER);
        assert_eq!(played(0, b, 1.0, 10, 1).t, (3.0, Some(0.0)));
    }
}

#[test]
fn it_repeats() {
    assert_eq!(played(3, 5, 0.4, 50, 7), played(3, 5, 0.4, 50, 7));
    assert_ne!(played(3, 5, 0.4, 50, 7), played(3, 5, 0.4, 50, 8));
    assert_eq!(played(3, 5, 0.4, 1, 7).t.1, None);
}

#[test]
fn what_is_not_played() {
    let go = AtomicBool::new(false);
    let why = |n, b, p, episodes| simulate(n, b, p, episodes, 1, &go).unwrap_err();
    assert_eq!(why(9, 50, 0.5, 0), "episodes = 0: must be 1 to 1000000");
    assert_eq!(
        why(9, 50, 1.5, 1),
        "p = 1.5: must be above 0 and at most 1 packet per slot"
    );
    assert_eq!(
        why(9, 50, 1e-9, 1000),
        "episodes = 1000: these last about 6e12 slots of 10 flows, 6e13 draws; at most 1e10 are made"
    );
    assert!(why(9, 50, 1e-300, 1).starts_with("episodes = 1: "));
    let halted = simulate(9, 50, 0.5, 1000, 1, &AtomicBool::new(true));
    assert_eq!(halted, Err("halted".into()));
}
