use super::*;

fn system(n: usize, b: usize, p: f64) -> System {
    System::new(n, b, p).unwrap()
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a / b - 1.0).abs() < relative
}

/// Systems of all sorts: flows, places, arrivals.
fn all() -> impl Iterator<Item = System> {
    let grid = [0, 1, 2, 3, 9, 30]
        .into_iter()
        .flat_map(|n| [1, 2, 5, 50].map(|b| (n, b)));
    grid.flat_map(|(n, b)| [0.01, 0.1, 0.5, 0.9, 1.0].map(|p| system(n, b, p)))
}

#[test]
//= viswanathan-kamal §III.2, eqs. 2 and 3 type=test
// An empty buffer serves no packet, so min(..., B) never has an effect.
fn places_free_in_the_next_slot() {
    let it = system(9, 5, 0.5);
    let next = |m, n| it.m_next(m, n);
    assert_eq!([next(0, 0), next(1, 1), next(5, 5)], [1, 1, 1]);
    assert_eq!(
        [next(1, 0), next(4, 0), next(5, 0), next(5, 1)],
        [2, 5, 5, 5]
    );
    for (m, n) in (0..=5).flat_map(|m| (0..=m).map(move |n| (m, n))) {
        assert!(m - n + it.s(m - n) <= 5);
    }
}

#[test]
//= viswanathan-kamal §III.2, eqs. 4 and 6 type=test
fn probabilities_sum_to_one() {
    for it in all() {
        for m in 0..=it.b {
            let accepted: f64 = (0..=m).map(|n| it.accepts(n, m)).sum();
            let served = it.serves(0, m) + it.serves(1, m);
            assert!(
                near(accepted, 1.0, 1e-12) && near(served, 1.0, 1e-12),
                "{it:?} {m}"
            );
        }
    }
}

#[test]
//= viswanathan-kamal §III.2, eqs. 5 to 8 type=test
// The corrected eqs. 5 to 8 equal eqs. 2 and 4 taken directly; the printed ones lose P(N_t = 0) P(N_t > 0) when the buffer is empty.
fn the_printed_equation_8_loses_probability() {
    let printed = Printed {
        eq_8: true,
        ..Printed::NOTHING
    };
    for it in all() {
        for m in 0..=it.b {
            let mut direct = vec![0.0; it.b + 1];
            (0..=m).for_each(|n| direct[it.m_next(m, n)] += it.accepts(n, m));
            for (next, of) in direct.iter().enumerate() {
                assert!((it.transition(m, next, Printed::NOTHING) - of).abs() < 1e-12);
            }
            let kept: f64 = (0..=it.b).map(|next| it.transition(m, next, printed)).sum();
            assert!(
                (1.0 - kept - it.lost(m, printed)).abs() < 1e-12,
                "{it:?} {m}"
            );
        }
    }
    let it = system(9, 50, 0.01);
    let idle = 0.99f64.powi(9);
    assert!(near(it.lost(50, printed), idle * (1.0 - idle), 1e-12));
    assert_eq!(it.lost(49, printed), 0.0);
}

#[test]
//= viswanathan-kamal §III.2, eq. 9 type=test
// If no more packets than places come, all are accepted. Together, N + 1 flows fill min(n + 1, m) places, and each has an equal share.
fn all_flows_have_the_same_chance() {
    for it in all() {
        for m in 1..=it.b {
            // Over all N + 1 flows: the mean number of accepted packets is (N + 1) p times the probability that a packet is accepted.
            let together = binomial(it.n + 1, it.p);
            let in_all: f64 = together
                .iter()
                .enumerate()
                .map(|(n, of)| of * n.min(m) as f64)
                .sum();
            let one = (it.n + 1) as f64 * it.p * it.target_accepted(m, Printed::NOTHING);
            assert!(near(one, in_all, 1e-9), "{it:?} {m}");
        }
    }
}

#[test]
//= viswanathan-kamal §III.2, eq. 10 type=test
// The solution of the linear system equals the sum over slots.
fn equation_10_is_a_sum_over_slots() {
    for printed in [Printed::NOTHING, Printed::ALL] {
        for (n, b, p) in [
            (9, 50, 0.1),
            (9, 5, 0.05),
            (3, 2, 0.3),
            (1, 1, 0.9),
            (0, 1, 0.5),
        ] {
            let it = system(n, b, p);
            let mut silent = p;
            let mut sum = 0.0;
            for t in 1.. {
                sum += it.q_at(t, printed) * silent;
                silent *= 1.0 - p;
                if silent < 1e-13 {
                    break;
                }
            }
            assert!(near(it.q(printed), sum, 1e-10), "{it:?}");
        }
    }
}

#[test]
//= viswanathan-kamal §III.2, eqs. 11 and 12 type=test
// As a first passage of the whole system, with the target's packets in it, eq. 11 gives the same, so it is exact. Eq. 12 is conservative.
fn equation_11_is_exact_and_12_conservative() {
    for it in all() {
        assert!(
            near(it.t_exact_of(1), it.t_1(Printed::NOTHING), 1e-10),
            "{it:?}"
        );
        assert!(
            it.t_exact() <= it.t(Printed::NOTHING) * (1.0 + 1e-12),
            "{it:?}"
        );
        assert!(it.t_exact() >= scheme_1(it.p) * (1.0 - 1e-12), "{it:?}");
    }
}

#[test]
//= viswanathan-kamal §III.2, eq. 12 type=test
// The mean of T is the sum of P(T > t).
fn the_distribution_has_the_mean() {
    for (n, b, p) in [
        (9, 50, 0.1),
        (9, 5, 0.9),
        (3, 2, 0.3),
        (1, 1, 1.0),
        (0, 3, 0.5),
    ] {
        let it = system(n, b, p);
        let known = it.t_distribution(2000).unwrap();
        assert!(known.is_sorted() && known[..2] == [0.0; 2]);
        assert!(1.0 - known[1999] < 1e-10, "{it:?}: {}", known[1999]);
        let mean = 1.0 + known.iter().map(|of| 1.0 - of).sum::<f64>();
        assert!(near(it.t_exact(), mean, 1e-9), "{it:?}");
    }
}

#[test]
//= viswanathan-kamal §III.2, Fig. 1 type=test
// At p = 0.9 and above, nearly all of the n = 9 others have a packet, and one place is free per slot. If all ten flows always have
// one, each gets the place once in ten slots: 30 for three, whatever p. The "over 40" comes from n = N, which eq. 9 leaves out.
fn figure_1_does_not_rise() {
    let it = system(9, 50, 0.9);
    assert!(near(it.t(Printed::NOTHING), 30.0, 1e-6));
    assert!(near(it.t(Printed::ALL), 46.06, 1e-3));
    let limit = Printed {
        eq_9_limit: true,
        ..Printed::NOTHING
    };
    assert!(near(it.t(limit), it.t(Printed::ALL), 1e-6));
    let missing = 0.9f64.powi(9) / 10.0;
    assert!(near(3.0 / (0.9 * (1.0 / 9.0 - missing)), it.t(limit), 1e-6));
    // If all others always have a packet, the printed equation gives the target no chance at all.
    let always = system(9, 50, 1.0);
    assert_eq!(always.t(Printed::ALL), f64::INFINITY);
    assert!(near(always.t(Printed::NOTHING), 30.0, 1e-12));
    assert!(near(always.t_exact(), 30.0, 1e-12));
    // The corrected curve falls to 30 and stays there.
    let curve: Vec<f64> = (1..=100)
        .map(|i| system(9, 50, f64::from(i) / 100.0))
        .map(|it| it.t(Printed::NOTHING))
        .collect();
    assert!(curve.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
}

#[test]
//= viswanathan-kamal §III.2, Fig. 1 type=test
// The probability that eq. 8 loses matters if the buffer becomes empty between two packets of the target, at small p.
fn where_the_other_slips_cost() {
    let of = |p, printed| system(9, 50, p).t(printed);
    let eq_8 = Printed {
        eq_8: true,
        ..Printed::NOTHING
    };
    assert!(of(0.01, eq_8) > 2.0 * of(0.01, Printed::NOTHING));
    assert!(near(of(0.1, eq_8), of(0.1, Printed::NOTHING), 1e-6));
    // The 1 in place of m matters if more than one place is free and more than one packet comes.
    let share = Printed {
        eq_9_share: true,
        ..Printed::NOTHING
    };
    let cost = |p| of(p, share) / of(p, Printed::NOTHING) - 1.0;
    assert!(cost(0.15) > 0.04 && cost(0.15) < 0.06, "{}", cost(0.15));
    assert!(cost(0.01) < 1e-3 && cost(0.9) < 1e-6);
}

#[test]
//= viswanathan-kamal §III.4, Fig. 4 type=test
// "would be very close to 3 for high loads"
fn the_schemes() {
    assert_eq!([scheme_1(1.0), scheme_1(0.1), SCHEME_2], [3.0, 30.0, 1.0]);
}

#[test]
fn alone_nobody_is_refused() {
    for (b, p) in [(1, 0.3), (1, 1.0), (50, 0.01), (7, 1e-9)] {
        let it = system(0, b, p);
        assert!(near(it.q(Printed::NOTHING), 1.0, 1e-12));
        assert!(near(it.t_exact(), 3.0 / p, 1e-12), "{it:?}");
        assert!(near(it.t(Printed::ALL), 3.0 / p, 1e-12), "{it:?}");
    }
}

#[test]
fn large_and_rare() {
    for p in [1e-300, 1e-12, 0.004, 0.3, 1.0 - 1e-12, 1.0] {
        let it = system(200, 1000, p);
        let (q, exact, estimate) = (it.q(Printed::NOTHING), it.t_exact(), it.t(Printed::NOTHING));
        assert!(q > 1.0 / 201.0 - 1e-12 && q <= 1.0, "{p}: {q}");
        assert!(exact >= scheme_1(p) * (1.0 - 1e-9), "{p}: {exact}");
        assert!(exact <= estimate * (1.0 + 1e-9), "{p}: {exact} {estimate}");
        assert!(near(it.arrivals.iter().sum(), 1.0, 1e-12));
    }
    assert!(near(system(200, 1000, 1e-12).t_exact(), 3e12, 1e-9));
    assert!(near(system(200, 1000, 0.3).t_exact(), 603.0, 1e-9));
}

#[test]
fn binomials() {
    assert_eq!(binomial(3, 0.5), [0.125, 0.375, 0.375, 0.125]);
    assert_eq!(binomial(2, 1.0), [0.0, 0.0, 1.0]);
    assert_eq!(binomial(0, 0.2), [1.0]);
    let of = binomial(1000, 0.3);
    let mean: f64 = of.iter().enumerate().map(|(n, of)| n as f64 * of).sum();
    let square: f64 = of
        .iter()
        .enumerate()
        .map(|(n, of)| (n * n) as f64 * of)
        .sum();
    assert!(near(mean, 300.0, 1e-12) && near(square - mean * mean, 210.0, 1e-8));
}

#[test]
fn slips_by_their_words() {
    assert_eq!(Printed::of(&Printed::WORDS), Ok(Printed::ALL));
    assert_eq!(Printed::of::<&str>(&[]), Ok(Printed::NOTHING));
    for word in Printed::WORDS {
        let one = Printed::of(&[word]).unwrap();
        let q = system(9, 50, 0.05).q(one);
        assert!(q < system(9, 50, 0.05).q(Printed::NOTHING), "{word}");
        assert!(
            one != Printed::ALL && q > system(9, 50, 0.05).q(Printed::ALL),
            "{word}"
        );
    }
    let why = Printed::of(&["eq-7"]).unwrap_err();
    assert_eq!(
        why,
        "printed: unknown \"eq-7\"; there are eq-8, eq-9-share, eq-9-limit"
    );
}

#[test]
fn what_is_no_system() {
    let why = |n, b, p| System::new(n, b, p).unwrap_err();
    assert_eq!(why(9, 0, 0.5), "b = 0: must be 1 to 10000 packets");
    assert_eq!(why(9, 10_001, 0.5), "b = 10001: must be 1 to 10000 packets");
    assert_eq!(
        why(1001, 5, 0.5),
        "n = 1001: must be at most 1000 other flows"
    );
    for p in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(
            why(9, 5, p),
            format!("p = {p}: must be above 0 and at most 1 packet per slot")
        );
    }
    let long = system(200, 1000, 0.5).t_distribution(1 << 40).unwrap_err();
    assert_eq!(
        long,
        "slots = 1099511627776: must be at most 1658, for 200 flows and 1000 places"
    );
}
