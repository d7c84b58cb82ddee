//! Cutting a weighted graph into parts of equal weight, so that the edges between them have little weight: recursive bisection, each half grown
//! from a vertex and then improved.
//= fiduccia-mattheyses-1982

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Passes of improvement: usually the second finds nothing more.
const PASSES: usize = 6;

/// A half may be heavier than its share by this part of the whole, or by its heaviest vertex.
const TOLERANCE: f64 = 0.02;

/// A graph.
#[derive(Clone, Debug)]
pub struct Graph {
    weight: Vec<f64>,
    /// Per vertex its neighbours, with the weights of the edges.
    near: Vec<Vec<(usize, u64)>>,
}

/// Numbers the groups of nodes that are joined, directly or by others: per node its group.
pub fn groups(nodes: usize, together: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..nodes).collect();
    for (a, b) in together {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b)] = a.min(b);
    }
    let mut numbers = vec![usize::MAX; nodes];
    let mut many = 0;
    (0..nodes)
        .map(|node| {
            let root = root(&mut parent, node);
            if numbers[root] == usize::MAX {
                numbers[root] = many;
                many += 1;
            }
            numbers[root]
        })
        .collect()
}

/// The first node of a group.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

impl Graph {
    /// Of groups of nodes, each node with its weight; without edges.
    pub fn new(groups: &[usize], weights: &[f64]) -> Self {
        let many = groups.iter().max().map_or(0, |most| most + 1);
        let mut weight = vec![0.0; many];
        for (group, more) in groups.iter().zip(weights) {
            weight[*group] += more;
        }
        Self {
            weight,
            near: vec![Vec::new(); many],
        }
    }

    /// An edge.
    pub fn joins(&mut self, one: usize, other: usize, weight: u64) {
        if one != other {
            self.near[one].push((other, weight));
            self.near[other].push((one, weight));
        }
    }

    /// What a vertex takes from the cut if it changes sides.
    fn gain(&self, at: usize, side: &[Side]) -> i64 {
        let here = side[at];
        let of = |(other, weight): &(usize, u64)| match side[*other] {
            Side::Outside => 0,
            there if there == here => -(*weight as i64),
            _ => *weight as i64,
        };
        self.near[at].iter().map(of).sum()
    }

    /// Weight of the edges between the two sides.
    fn cut(&self, members: &[usize], side: &[Side]) -> u64 {
        let of = |at: &usize| {
            let edges = self.near[*at].iter();
            let cut =
                edges.filter(|(other, _)| side[*at] == Side::Left && side[*other] == Side::Right);
            cut.map(|(_, weight)| weight).sum::<u64>()
        };
        members.iter().map(of).sum()
    }
}

/// Where a vertex is while a part of the graph is halved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// It does not belong to that part.
    Outside,
    Left,
    Right,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Outside => Self::Outside,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// Per vertex its part, of at most this many: fewer if there are fewer vertices.
pub fn divided(graph: &Graph, parts: usize) -> Vec<u16> {
    let mut found = vec![0; graph.weight.len()];
    let mut next = 0;
    let mut open = vec![((0..graph.weight.len()).collect::<Vec<_>>(), parts.max(1))];
    while let Some((members, parts)) = open.pop() {
        let two = (parts > 1).then(|| halves(graph, &members, parts / 2, parts));
        let Some((left, right)) = two.filter(|(left, right)| !left.is_empty() && !right.is_empty())
        else {
            members.iter().for_each(|at| found[*at] = next);
            next += 1;
            continue;
        };
        open.push((right, parts - parts / 2));
        open.push((left, parts / 2));
    }
    found
}

/// Two sides of these vertices, the left one with `of` of `all` shares of their weight.
fn halves(graph: &Graph, members: &[usize], of: usize, all: usize) -> (Vec<usize>, Vec<usize>) {
    let total: f64 = members.iter().map(|at| graph.weight[*at]).sum();
    let target = total * of as f64 / all as f64;
    let mut outside = vec![Side::Outside; graph.weight.len()];
    members.iter().for_each(|at| outside[*at] = Side::Right);
    let &[first, _, ..] = members else {
        return (members.to_vec(), Vec::new());
    };
    let far = farthest(graph, first, &outside);
    let farther = farthest(graph, far, &outside);
    let heaviest = members
        .iter()
        .copied()
        .max_by(|a, b| graph.weight[*a].total_cmp(&graph.weight[*b]));
    let mut best: Option<(u64, Vec<Side>)> = None;
    for seed in [first, far, farther, heaviest.unwrap_or(first)] {
        let mut side = outside.clone();
        grow(graph, members, &mut side, (seed, target));
        for _ in 0..PASSES {
            if !improve(graph, members, &mut side, (target, total)) {
                break;
            }
        }
        let cut = graph.cut(members, &side);
        if best.as_ref().is_none_or(|(least, _)| cut < *least) {
            best = Some((cut, side));
        }
    }
    let side = best.map_or(outside, |(_, side)| side);
    members.iter().partition(|at| side[**at] == Side::Left)
}

/// One of the vertices with the most edges between them and this one.
fn farthest(graph: &Graph, from: usize, side: &[Side]) -> usize {
    let mut seen = vec![false; side.len()];
    let (mut open, mut last) = (VecDeque::from([from]), from);
    seen[from] = true;
    while let Some(at) = open.pop_front() {
        last = at;
        for (other, _) in &graph.near[at] {
            if side[*other] != Side::Outside && !std::mem::replace(&mut seen[*other], true) {
                open.push_back(*other);
            }
        }
    }
    last
}

/// Per vertex what it takes from the cut if it changes sides, kept up to date while vertices move.
struct Gains<'g> {
    graph: &'g Graph,
    of: Vec<i64>,
}

impl<'g> Gains<'g> {
    fn new(graph: &'g Graph, members: &[usize], side: &[Side]) -> Self {
        let mut of = vec![0; side.len()];
        members
            .iter()
            .for_each(|at| of[*at] = graph.gain(*at, side));
        Self { graph, of }
    }

    /// Moves a vertex to the other side; `told` gets each neighbour whose gain has changed.
    fn moves(&mut self, at: usize, side: &mut [Side], mut told: impl FnMut(usize, i64)) {
        side[at] = side[at].other();
        self.of[at] = -self.of[at];
        for (other, weight) in &self.graph.near[at] {
            if side[*other] == Side::Outside {
                continue;
            }
            let change = 2 * *weight as i64;
            self.of[*other] += if side[*other] == side[at] {
                -change
            } else {
                change
            };
            told(*other, self.of[*other]);
        }
    }
}

/// Grows the left side from a vertex to a weight, each time by the vertex that adds least to the cut.
fn grow(graph: &Graph, members: &[usize], side: &mut [Side], (seed, target): (usize, f64)) {
    let mut gains = Gains::new(graph, members, side);
    let mut heap = BinaryHeap::from([(gains.of[seed], Reverse(seed))]);
    let (mut weight, mut rest) = (0.0, members.iter().copied());
    while weight < target {
        let Some((gain, Reverse(at))) = heap.pop() else {
            // All that is connected has been looked at.
            match rest.find(|at| side[*at] == Side::Right) {
                Some(at) => heap.push((gains.of[at], Reverse(at))),
                None => break,
            }
            continue;
        };
        if side[at] != Side::Right || gain != gains.of[at] {
            continue;
        }
        // What is far too heavy stays, unless nothing else is there.
        let after = weight + graph.weight[at];
        if after - target > target - weight && weight > 0.0 {
            continue;
        }
        weight = after;
        gains.moves(at, side, |other, gain| heap.push((gain, Reverse(other))));
    }
}

/// One pass: every vertex moves once to the other side, the best first, as long as the sides stay balanced; then what made it worse is undone.
/// True if the cut is smaller than before.
fn improve(
    graph: &Graph,
    members: &[usize],
    side: &mut [Side],
    (target, total): (f64, f64),
) -> bool {
    let on_left = members.iter().filter(|at| side[**at] == Side::Left);
    let mut left: f64 = on_left.map(|at| graph.weight[*at]).sum();
    let mut gains = Gains::new(graph, members, side);
    let mut heap: BinaryHeap<(i64, usize)> =
        members.iter().map(|at| (gains.of[*at], *at)).collect();
    let mut locked = vec![false; side.len()];
    let (mut moved, mut sum, mut best) = (Vec::new(), 0, (0, 0));
    while let Some((gain, at)) = heap.pop() {
        if locked[at] || gain != gains.of[at] {
            continue;
        }
        let sign = if side[at] == Side::Left { -1.0 } else { 1.0 };
        let after = left + sign * graph.weight[at];
        // It may leave the band only towards the middle.
        let off = (after - target).abs();
        if off > TOLERANCE * total && off > (left - target).abs() {
            continue;
        }
        locked[at] = true;
        gains.moves(at, side, |other, gain| heap.push((gain, other)));
        (left, sum) = (after, sum + gain);
        moved.push(at);
        if sum > best.0 {
            best = (sum, moved.len());
        }
    }
    for at in &moved[best.1..] {
        side[*at] = side[*at].other();
    }
    best.0 > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(weights: &[f64], edges: &[(usize, usize, u64)]) -> Graph {
        let each: Vec<usize> = (0..weights.len()).collect();
        let mut graph = Graph::new(&each, weights);
        edges
            .iter()
            .for_each(|(a, b, weight)| graph.joins(*a, *b, *weight));
        graph
    }

    #[test]
    fn nodes_that_are_joined_are_one_group() {
        let found = groups(6, [(5, 2), (2, 4), (1, 1)].into_iter());
        assert_eq!(found, [0, 1, 2, 3, 2, 2]);
    }

    /// Two clusters of six, each in a ring with chords, and one thin edge between them.
    #[test]
    fn the_thin_edge_is_cut() {
        let mut edges = vec![(3, 9, 1)];
        for base in [0, 6] {
            for at in 0..6 {
                edges.push((base + at, base + (at + 1) % 6, 5));
                edges.push((base + at, base + (at + 2) % 6, 5));
            }
        }
        let found = divided(&graph(&[1.0; 12], &edges), 2);
        assert!(found[..6].iter().all(|part| *part == found[0]), "{found:?}");
        assert!(found[6..].iter().all(|part| *part == found[6]), "{found:?}");
        assert_ne!(found[0], found[6]);
    }

    /// Two stars whose centres are joined: a dumbbell.
    #[test]
    fn a_dumbbell_is_cut_in_the_middle() {
        let (many, left, right) = (50, 100, 101);
        let mut edges = vec![(left, right, many as u64)];
        for at in 0..many {
            edges.push((at, left, 1));
            edges.push((many + at, right, 1));
        }
        let mut weights = vec![2.0; 100];
        weights.extend([40.0, 40.0]);
        let found = divided(&graph(&weights, &edges), 2);
        assert_ne!(found[left], found[right]);
        assert!(
            (0..many).all(|at| found[at] == found[left] && found[many + at] == found[right]),
            "{found:?}"
        );
    }

    #[test]
    fn parts_of_a_line_are_contiguous_and_of_equal_weight() {
        let edges: Vec<_> = (0..59).map(|at| (at, at + 1, 3)).collect();
        for parts in [2, 3, 4, 5] {
            let found = divided(&graph(&[1.0; 60], &edges), parts);
            let changes = found.windows(2).filter(|two| two[0] != two[1]).count();
            assert_eq!(changes, parts - 1, "{found:?}");
            for part in 0..parts {
                let many = found.iter().filter(|it| usize::from(**it) == part).count();
                assert!(many.abs_diff(60 / parts) <= 3, "{parts}: {found:?}");
            }
        }
    }

    #[test]
    fn no_part_is_empty() {
        assert_eq!(divided(&graph(&[1.0], &[]), 4), [0]);
        // Without edges, and with one vertex that outweighs all others.
        for weights in [vec![1.0; 5], vec![100.0, 1.0, 1.0, 1.0, 1.0], vec![0.0; 5]] {
            let found = divided(&graph(&weights, &[]), 3);
            let most = found.iter().copied().max().unwrap();
            assert!(
                (0..=most).all(|part| found.contains(&part)),
                "{weights:?} {found:?}"
            );
        }
    }
}
