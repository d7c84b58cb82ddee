//! Known allocations, and the law that defines max-min fairness.

use super::*;
use proptest::prelude::*;

/// Flows of a group: how many, and over which links.
fn groups(groups: &[(usize, &[usize])]) -> Vec<Flow> {
    let all = groups
        .iter()
        .flat_map(|(n, links)| std::iter::repeat_n(Flow::over(links), *n));
    all.collect()
}

fn near(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 1e-9 * want.max(1.0), "{got} {want}");
    }
}

/// The rate of one flow of each group.
fn each(capacities: &[f64], of: &[(usize, &[usize])]) -> Vec<f64> {
    let all = rates(capacities, &groups(of)).expect("an allocation");
    let mut at = 0;
    let mut firsts = Vec::new();
    for (n, _) in of {
        let group = &all[at..at + n];
        assert!(group.iter().all(|rate| *rate == group[0]));
        firsts.push(group[0]);
        at += n;
    }
    firsts
}

#[test]
//= simcoe-1994 §GFC-1 type=test
// The ATM Forum's first generic fairness configuration [Mb/s]: groups A to F have 3, 3, 3, 6, 6 and 2 VCs.
fn the_generic_fairness_configuration() {
    let rates = each(
        &[50.0, 150.0, 150.0, 100.0],
        &[
            (3, &[0, 1, 2]),
            (3, &[1, 2, 3]),
            (3, &[2]),
            (6, &[0]),
            (6, &[3]),
            (2, &[1]),
        ],
    );
    let ninth = 50.0 / 9.0;
    near(
        &rates,
        &[ninth, 2.0 * ninth, 100.0 / 3.0, ninth, 2.0 * ninth, 50.0],
    );
}

#[test]
//= bertsekas-gallager-1992 §6.5.2 type=test
// A long flow over two links, and one flow on each. The first link limits the long flow; its neighbour at the second link gets the rest.
fn what_one_cannot_use_goes_to_the_others() {
    near(
        &each(&[10.0, 30.0], &[(1, &[0, 1]), (1, &[0]), (1, &[1])]),
        &[5.0, 5.0, 25.0],
    );
}

#[test]
//= atm-tm4 §I.3 type=test
fn least_rates_weights_and_most_rates() {
    let flow = |least, most, weight| Flow {
        links: vec![0],
        least,
        most,
        weight,
    };
    let of = |flows: &[Flow]| rates(&[12.0], flows).expect("an allocation");
    let open = f64::INFINITY;
    // The first flow's least rate is 6, so the three others share 6.
    let least = [
        flow(6.0, open, 1.0),
        flow(1.0, open, 1.0),
        flow(0.0, open, 1.0),
        flow(0.0, open, 1.0),
    ];
    near(&of(&least), &[6.0, 2.0, 2.0, 2.0]);
    near(
        &of(&[flow(0.0, open, 1.0), flow(0.0, open, 3.0)]),
        &[3.0, 9.0],
    );
    near(
        &of(&[
            flow(0.0, 1.0, 1.0),
            flow(0.0, 2.0, 1.0),
            flow(0.0, open, 1.0),
        ]),
        &[1.0, 2.0, 9.0],
    );
    // All flows together cannot fill the link.
    near(
        &of(&[flow(0.0, 1.0, 1.0), flow(0.0, 2.0, 1.0)]),
        &[1.0, 2.0],
    );
    // The least rates alone fill the link.
    near(
        &of(&[flow(8.0, open, 1.0), flow(4.0, open, 1.0)]),
        &[8.0, 4.0],
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let one = || vec![Flow::over(&[0])];
    let with = |change: &dyn Fn(&mut Flow)| {
        let mut flows = one();
        change(&mut flows[0]);
        rates(&[5.0], &flows)
    };
    assert_eq!(rates(&[0.0], &one()), Err(Fault::Capacity(0)));
    assert_eq!(rates(&[f64::NAN], &one()), Err(Fault::Capacity(0)));
    assert_eq!(with(&|it| it.links = vec![1]), Err(Fault::Links(0)));
    assert_eq!(with(&|it| it.links.clear()), Err(Fault::Links(0)));
    assert_eq!(with(&|it| it.weight = 0.0), Err(Fault::Bounds(0)));
    assert_eq!(with(&|it| it.most = -1.0), Err(Fault::Bounds(0)));
    assert_eq!(with(&|it| it.least = f64::NAN), Err(Fault::Bounds(0)));
    assert_eq!(with(&|it| it.least = 6.0), Err(Fault::Overbooked(0)));
    assert_eq!(rates(&[5.0], &[]), Ok(vec![]));
}

/// Some network: capacities, and flows with bounds that can be kept.
fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Flow>)> {
    (1usize..6, 1usize..12).prop_flat_map(|(links, flows)| {
        let flow = (
            proptest::collection::btree_set(0..links, 1..=links),
            0u32..8,
            1u32..400,
            1u32..5,
        );
        let flow = flow.prop_map(|(links, least, more, weight)| Flow {
            links: links.into_iter().collect(),
            least: f64::from(least),
            most: if more > 300 {
                f64::INFINITY
            } else {
                f64::from(least) + f64::from(more)
            },
            weight: f64::from(weight),
        });
        (
            proptest::collection::vec((100u32..1000).prop_map(f64::from), links),
            proptest::collection::vec(flow, flows),
        )
    })
}

proptest! {
    #[test]
    //= bertsekas-gallager-1992 §6.5.2 type=test
    // No link carries more than its capacity, and rates keep their bounds. Each flow is at its most, or passes a full link on which no
    // flow whose rate could be lowered has more, by weight. So it can gain only at the cost of flows that have no more than it.
    fn nobody_can_get_more_but_from_who_has_less((capacities, flows) in networks()) {
        let rates = rates(&capacities, &flows).expect("least rates that fit");
        let load = |link: usize| -> f64 {
            let passing = flows.iter().zip(&rates).filter(|(flow, _)| flow.links.contains(&link));
            passing.map(|(_, rate)| rate).sum()
        };
        for (link, capacity) in capacities.iter().enumerate() {
            prop_assert!(load(link) <= capacity * (1.0 + 1e-9));
        }
        for (flow, rate) in flows.iter().zip(&rates) {
            prop_assert!(*rate >= flow.least && *rate <= flow.most);
            let is_bottleneck = |link: usize| {
                load(link) > capacities[link] * (1.0 - 1e-9)
                    && flows.iter().zip(&rates).all(|(other, theirs)| {
                        !other.links.contains(&link)
                            || *theirs <= other.least * (1.0 + 1e-9)
                            || theirs / other.weight <= rate / flow.weight * (1.0 + 1e-9)
                    })
            };
            prop_assert!(
                *rate >= flow.most * (1.0 - 1e-12) || flow.links.iter().any(|link| is_bottleneck(*link))
            );
        }
    }
}
