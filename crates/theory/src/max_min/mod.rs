//! Max-min fair rates of flows that share links: no flow's rate can grow unless that of a flow with no more falls.
//!
//! Computed by water-filling: all rates rise together; when a link is full, the flows on it keep their rates, and the others rise
//! further. Rates may have a minimum (ABR's MCR), a maximum (its PCR) and a weight. A minimum is granted first: the flow's rate
//! then does not rise until the level of the others reaches it. This is the criterion "maximum of MCR and max-min share" of TM 4.0.
//! All rates are in one unit, whichever it is.
//= bertsekas-gallager-1992 §6.5.2
//= atm-tm4 §I.3
//= hahne-1991

use std::fmt;

/// A flow: which links it passes, and what bounds its rate.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    /// Numbers of the links that it passes, from 0; one that is named twice is passed once.
    pub links: Vec<usize>,
    /// The rate that it has in any case (MCR).
    pub least: f64,
    /// The rate that it never exceeds (PCR); may be infinite.
    pub most: f64,
    /// Rates in a bottleneck are in proportion to the weights.
    pub weight: f64,
}

impl Flow {
    /// Over `links`, with nothing but them to bound it.
    pub fn over(links: &[usize]) -> Self {
        Self {
            links: links.to_vec(),
            least: 0.0,
            most: f64::INFINITY,
            weight: 1.0,
        }
    }

    /// Its rate while the water stands at `level`.
    // max(least, min(most, weight * level))
    fn at(&self, level: f64) -> f64 {
        (self.weight * level).min(self.most).max(self.least)
    }
}

/// Why there is no allocation.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A link's capacity is no finite number above zero.
    Capacity(usize),
    /// A flow passes no link and may have any rate, or a link that is not there.
    Links(usize),
    /// A flow's weight is not above zero, its least rate below zero, or its most below its least.
    Bounds(usize),
    /// The minimum rates of the flows on this link exceed its capacity.
    Overbooked(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capacity(link) => {
                write!(f, "capacities[{link}]: a link's rate is a number above 0")
            }
            Self::Links(flow) => write!(
                f,
                "routes[{flow}]: a flow passes links that exist, by their numbers from 0, or has a most rate"
            ),
            Self::Bounds(flow) => write!(
                f,
                "flow {flow}: 0 <= least <= most, and a weight above 0, are what is allowed"
            ),
            Self::Overbooked(link) => {
                write!(
                    f,
                    "capacities[{link}]: the least rates of its flows exceed it"
                )
            }
        }
    }
}

impl std::error::Error for Fault {}

fn check(capacities: &[f64], flows: &[Flow]) -> Result<(), Fault> {
    for (at, capacity) in capacities.iter().enumerate() {
        if !(capacity.is_finite() && *capacity > 0.0) {
            return Err(Fault::Capacity(at));
        }
    }
    for (at, flow) in flows.iter().enumerate() {
        let bounded = !flow.links.is_empty() || flow.most.is_finite();
        if !bounded || flow.links.iter().any(|link| *link >= capacities.len()) {
            return Err(Fault::Links(at));
        }
        let weighs = flow.weight.is_finite() && flow.weight > 0.0;
        if !(weighs && flow.least >= 0.0 && flow.most >= flow.least && flow.least.is_finite()) {
            return Err(Fault::Bounds(at));
        }
    }
    for (at, capacity) in capacities.iter().enumerate() {
        let floors = flows.iter().filter(|flow| flow.links.contains(&at));
        if floors.map(|flow| flow.least).sum::<f64>() > *capacity {
            return Err(Fault::Overbooked(at));
        }
    }
    Ok(())
}

/// The level at which flows whose rates are `rising` with it take all of `room`; infinite if they never do.
fn level_that_fills(rising: &[&Flow], room: f64) -> f64 {
    // The sum of the rates is linear between these levels, at which a flow begins to rise or reaches its most.
    let bends = rising
        .iter()
        .flat_map(|flow| [flow.least / flow.weight, flow.most / flow.weight]);
    let mut bends: Vec<f64> = bends.filter(|bend| bend.is_finite()).collect();
    bends.sort_by(f64::total_cmp);
    let sum = |level: f64| rising.iter().map(|flow| flow.at(level)).sum::<f64>();
    let (mut below, mut filled) = (0.0, sum(0.0));
    for bend in bends {
        let then = sum(bend);
        if then >= room {
            let slope = (then - filled) / (bend - below);
            return if slope > 0.0 {
                below + (room - filled) / slope
            } else {
                below
            };
        }
        (below, filled) = (bend, then);
    }
    let slope: f64 = rising
        .iter()
        .filter(|flow| flow.most.is_infinite())
        .map(|flow| flow.weight)
        .sum();
    if slope > 0.0 {
        below + (room - filled) / slope
    } else {
        f64::INFINITY
    }
}

/// The max-min fair rates of `flows` over links of these `capacities`, in the order of the flows.
///
/// # Errors
/// If a number makes no sense, or the least rates do not fit.
//= bertsekas-gallager-1992 §6.5.2
pub fn rates(capacities: &[f64], flows: &[Flow]) -> Result<Vec<f64>, Fault> {
    check(capacities, flows)?;
    let mut rates: Vec<Option<f64>> = flows
        .iter()
        .map(|flow| flow.links.is_empty().then_some(flow.most))
        .collect();
    let mut full = vec![false; capacities.len()];
    while rates.iter().any(Option::is_none) {
        // The next bottleneck: the link that is full first as the rates of the other flows rise.
        let mut first: Option<(f64, usize)> = None;
        for (link, capacity) in capacities
            .iter()
            .enumerate()
            .filter(|(link, _)| !full[*link])
        {
            let passing = || (0..flows.len()).filter(|at| flows[*at].links.contains(&link));
            let settled: f64 = passing().filter_map(|at| rates[at]).sum();
            let rising: Vec<&Flow> = passing()
                .filter(|at| rates[*at].is_none())
                .map(|at| &flows[at])
                .collect();
            if rising.is_empty() {
                continue;
            }
            let level = level_that_fills(&rising, capacity - settled);
            if first.is_none_or(|(least, _)| level < least) {
                first = Some((level, link));
            }
        }
        let (level, link) = first.expect("a flow that rises passes a link that is not full");
        full[link] = true;
        for (rate, flow) in rates.iter_mut().zip(flows) {
            if rate.is_none() && flow.links.contains(&link) {
                *rate = Some(flow.at(level));
            }
        }
    }
    Ok(rates.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
