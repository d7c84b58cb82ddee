//! Routes: the fewest hops, through switches only, because hosts do not forward. Acks return over the same links.
//!
//! Among equal routes it is either the one whose first link was declared first, then its second, and so on; or, if a flow's route
//! is [drawn](Routes::draw), each switch on the way chooses among its equally near exits, as by a hash of the flow.
//= rfc2992 §1

use dupack_core::rng::Stream;
use std::collections::{BTreeMap, HashMap};

/// Nodes and the links between them.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Per node, whether it is a host.
    pub hosts: Vec<bool>,
    /// The ends of every duplex link: number `m` is the network's link `2m` there and `2m + 1` back.
    pub links: Vec<(usize, usize)>,
}

/// A way out of a node.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// The network's link.
    link: usize,
    /// The node at its far end.
    to: usize,
}

/// Finds routes.
#[derive(Debug)]
pub struct Routes {
    /// Per node, in the order of the links.
    exits: Vec<Vec<Exit>>,
    /// Per node, the exits to switches alone: a switch with a thousand hosts is still crossed quickly.
    inner: Vec<Vec<Exit>>,
    /// Per node, its number among the switches; a host has none.
    switch: Vec<Option<usize>>,
    /// Hops from each switch to the last before a destination; [`FAR`] where there is no way. Hosts at the same switches share
    /// theirs: in a fat-tree there are many more hosts than switches.
    hops: Vec<Vec<u32>>,
    /// The place in `hops` of a destination that was looked up before.
    of_node: HashMap<usize, usize>,
    /// The same by the switches that hosts are linked to, in ascending order.
    of_neighbors: HashMap<Vec<usize>, usize>,
    /// Entries that `hops` may have.
    room: usize,
}

/// Entries of all tables of hops together: 32 MiB. In a graph from a file every destination has a table of its own,
/// so that time and memory would grow with the square of its size. Beyond this, each route is searched for from both of its ends.
const ROOM: usize = 1 << 23;

/// Hops from switches to a destination.
enum Left<'r> {
    /// From all of them, by their numbers; [`FAR`] where there is no way.
    Table(&'r [u32]),
    /// From those that are on a shortest way, by their nodes.
    Near(HashMap<usize, u32>),
}

/// No number of hops.
const FAR: u32 = u32::MAX;

impl Routes {
    /// Over a map.
    pub fn new(map: &Map) -> Self {
        let mut exits = vec![Vec::new(); map.hosts.len()];
        for (m, (from, to)) in map.links.iter().enumerate() {
            exits[*from].push(Exit {
                link: 2 * m,
                to: *to,
            });
            exits[*to].push(Exit {
                link: 2 * m + 1,
                to: *from,
            });
        }
        let inner = exits
            .iter()
            .map(|all: &Vec<Exit>| {
                let inner = all.iter().copied().filter(|e| !map.hosts[e.to]);
                inner.collect()
            })
            .collect();
        let mut switches = 0..;
        let switch = map
            .hosts
            .iter()
            .map(|host| if *host { None } else { switches.next() })
            .collect();
        Self {
            exits,
            inner,
            switch,
            hops: Vec::new(),
            of_node: HashMap::new(),
            of_neighbors: HashMap::new(),
            room: ROOM,
        }
    }

    /// The place in `hops` of a destination.
    fn table(&mut self, to: usize) -> usize {
        if let Some(found) = self.of_node.get(&to) {
            return *found;
        }
        let mut neighbors: Vec<usize> = self.inner[to].iter().map(|exit| exit.to).collect();
        neighbors.sort_unstable();
        neighbors.dedup();
        // The way to a switch does not pass that switch, so no other destination has the same hops.
        let shared = self.switch[to].is_none();
        let known = shared.then(|| self.of_neighbors.get(&neighbors)).flatten();
        let found = known.copied().unwrap_or_else(|| {
            self.hops.push(distances(&self.inner, &self.switch, to));
            self.hops.len() - 1
        });
        if shared {
            self.of_neighbors.insert(neighbors, found);
        }
        self.of_node.insert(to, found);
        found
    }

    /// Hops from a switch to the last before a destination, by the destination's place.
    fn left(&self, table: usize, switch: usize) -> u32 {
        self.switch[switch].map_or(FAR, |at| self.hops[table][at])
    }

    /// The links from one node to another, if there is a way: the first among equals.
    pub fn find(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        self.choose(from, to, |_| 0)
    }

    /// The same, each node choosing among equals by a draw.
    pub fn draw(&mut self, from: usize, to: usize, stream: &mut Stream) -> Option<Vec<usize>> {
        self.choose(from, to, |equals| {
            if equals == 1 {
                return 0;
            }
            stream.between(0, equals as u64 - 1) as usize
        })
    }

    /// Share of the draws between two nodes that takes each link; false if there is no route.
    pub fn shares(&mut self, from: usize, to: usize, each: &mut impl FnMut(usize, f64)) -> bool {
        let last = |at: usize| {
            let joins = self.exits[at].iter().filter(move |exit| exit.to == to);
            joins.map(|exit| exit.link).collect::<Vec<_>>()
        };
        let mut share_out = |links: Vec<usize>, share: f64| {
            let each_of = share / links.len() as f64;
            links.into_iter().for_each(|link| each(link, each_of));
        };
        let direct = last(from);
        if !direct.is_empty() {
            share_out(direct, 1.0);
            return true;
        }
        let table = self.table(to);
        let inner = &self.inner;
        let Some(mut left) = (inner[from].iter())
            .map(|exit| self.left(table, exit.to))
            .min()
        else {
            return false;
        };
        if left == FAR {
            return false;
        }
        let mut here = BTreeMap::from([(from, 1.0)]);
        while left > 0 {
            let mut next = BTreeMap::new();
            for (at, share) in here {
                let nearer = || (inner[at].iter()).filter(|exit| self.left(table, exit.to) == left);
                for exit in nearer() {
                    *next.entry(exit.to).or_insert(0.0) += share / nearer().count() as f64;
                }
                share_out(nearer().map(|exit| exit.link).collect(), share);
            }
            here = next;
            left -= 1;
        }
        for (at, share) in here {
            let joins = self.exits[at].iter().filter(|exit| exit.to == to);
            share_out(joins.map(|exit| exit.link).collect(), share);
        }
        true
    }

    /// A route on which `pick` takes one of the equal exits at each node, given their number.
    fn choose(
        &mut self,
        from: usize,
        to: usize,
        mut pick: impl FnMut(usize) -> usize,
    ) -> Option<Vec<usize>> {
        if let Some(link) = self.direct(from, to, &mut pick) {
            return Some(vec![link]);
        }
        let from_here = match self.table_if_small(from, to) {
            Some(table) => Left::Table(&self.hops[table]),
            None => Left::Near(self.search(from, to)?),
        };
        let inner = &self.inner;
        let hops = |node: usize| match &from_here {
            Left::Table(hops) => self.switch[node].map_or(FAR, |at| hops[at]),
            Left::Near(hops) => hops.get(&node).copied().unwrap_or(FAR),
        };
        let mut left = (inner[from].iter()).map(|exit| hops(exit.to)).min()?;
        if left == FAR {
            return None;
        }
        let mut route = Vec::with_capacity(left as usize + 1);
        let mut at = from;
        while left > 0 {
            let nearer = || (inner[at].iter()).filter(|exit| hops(exit.to) == left);
            let exit = *nearer().nth(pick(nearer().count()))?;
            route.push(exit.link);
            at = exit.to;
            left -= 1;
        }
        route.push(self.direct(at, to, &mut pick)?);
        Some(route)
    }

    /// The place in `hops` of a destination, unless there is no more room for it.
    fn table_if_small(&mut self, from: usize, to: usize) -> Option<usize> {
        let between_hosts = self.switch[from].is_none() && self.switch[to].is_none();
        let entries = self.hops.len() * self.hops.first().map_or(1, Vec::len);
        let full = entries >= self.room && between_hosts;
        (!full || self.of_node.contains_key(&to)).then(|| self.table(to))
    }

    /// Hops from all switches on a shortest way between two hosts to the second, found from both ends; `None` if there is no way.
    fn search(&self, from: usize, to: usize) -> Option<HashMap<usize, u32>> {
        // Per end, the hops to it, and the switches with each number of hops.
        let mut known = [HashMap::new(), HashMap::new()];
        let mut levels = [vec![vec![from]], vec![vec![to]]];
        loop {
            // First both ends, which are no switches, so that they cannot be met; then the one with fewer switches to go on from.
            let [here, there] = [0, 1].map(|end| levels[end].last().map_or(0, Vec::len));
            let end = match levels.each_ref().map(Vec::len) {
                [1, _] => 0,
                [_, 1] => 1,
                _ => usize::from(there < here),
            };
            let depth = levels[end].len() as u32;
            let mut next = Vec::new();
            for node in levels[end].last()? {
                for exit in &self.inner[*node] {
                    known[end].entry(exit.to).or_insert_with(|| {
                        next.push(exit.to);
                        depth
                    });
                }
            }
            if next.is_empty() {
                return None;
            }
            let met = next.iter().any(|node| known[1 - end].contains_key(node));
            levels[end].push(next);
            if met {
                break;
            }
        }
        let [there, _] = levels;
        let [_, mut left] = known;
        // From where they have met back to the first end. The hops of all switches there are known already, if they are on such a way.
        let met = there.last()?.iter().filter_map(|node| left.get(node)).min();
        let back = there.iter().skip(1).rev().skip(1);
        for (hops, level) in (*met?..).zip(back) {
            for node in level {
                let next = |exit: &Exit| left.get(&exit.to) == Some(&hops);
                if self.inner[*node].iter().any(next) {
                    left.insert(*node, hops + 1);
                }
            }
        }
        Some(left)
    }

    /// Whether all of these hosts have ways to each other, as far as that shows without a search for each pair: they are linked to
    /// one connected part of the switches. Otherwise some may have a way all the same, or not.
    pub fn in_one_part(&self, mut hosts: impl Iterator<Item = usize>) -> bool {
        let Some(first) = hosts.next() else {
            return true;
        };
        let mut seen = vec![false; self.inner.len()];
        let mut next: Vec<usize> = self.inner[first]
            .iter()
            .map(|exit| exit.to)
            .take(1)
            .collect();
        while let Some(node) = next.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                next.extend(self.inner[node].iter().map(|exit| exit.to));
            }
        }
        let joins = |host: usize| self.inner[host].iter().any(|exit| seen[exit.to]);
        joins(first) && hosts.all(joins)
    }

    /// One of the links that join two nodes, found at the node with fewer links.
    fn direct(
        &self,
        from: usize,
        to: usize,
        pick: &mut impl FnMut(usize) -> usize,
    ) -> Option<usize> {
        let swap = self.exits[from].len() > self.exits[to].len();
        let (here, there) = if swap { (to, from) } else { (from, to) };
        let joins = || self.exits[here].iter().filter(move |exit| exit.to == there);
        let many = joins().count();
        if many == 0 {
            return None;
        }
        let exit = joins().nth(pick(many))?;
        Some(exit.link ^ usize::from(swap))
    }

    /// The same way in the other direction.
    pub fn reverse(route: &[usize]) -> Vec<usize> {
        route.iter().rev().map(|link| link ^ 1).collect()
    }
}

/// Hops from every switch to the last before `to`.
fn distances(inner: &[Vec<Exit>], switch: &[Option<usize>], to: usize) -> Vec<u32> {
    let mut hops = vec![FAR; switch.iter().flatten().count()];
    let mut next = std::collections::VecDeque::from([(to, 0)]);
    while let Some((node, distance)) = next.pop_front() {
        for exit in &inner[node] {
            if let Some(at) = switch[exit.to].filter(|at| exit.to != to && hops[*at] == FAR) {
                hops[at] = distance + 1;
                next.push_back((exit.to, distance + 1));
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(hosts: &[bool], links: &[(usize, usize)]) -> Routes {
        Routes::new(&Map {
            hosts: hosts.to_vec(),
            links: links.to_vec(),
        })
    }

    #[test]
    fn the_fewest_hops_through_switches_and_then_the_order_of_links() {
        // Hosts 0 and 1, switches 2 3 4, host 5 between 0 and 1.
        let hosts = [true, true, false, false, false, true];
        let links = [
            (0, 5), // m0: part of a shorter way through a host, which does not forward
            (5, 1), // m1
            (0, 2), // m2
            (3, 1), // m3
            (2, 4), // m4
            (4, 3), // m5
            (3, 2), // m6: shorter than m4, m5
            (2, 3), // m7: parallel to m6 and declared later
        ];
        let mut routes = over(&hosts, &links);
        let route = routes.find(0, 1).unwrap();
        assert_eq!(route, [4, 13, 6]);
        assert_eq!(Routes::reverse(&route), [7, 12, 5]);
        assert_eq!(routes.find(0, 5), Some(vec![0]));
        assert_eq!(routes.find(1, 0), Some(vec![7, 12, 5]));
    }

    #[test]
    fn hosts_at_the_same_switches_share_their_distances() {
        // Hosts 0 and 1 at switch 4, host 2 at switches 4 and 5, host 3 at switch 5.
        let hosts = [true, true, true, true, false, false];
        let links = [(0, 4), (1, 4), (2, 4), (2, 5), (3, 5), (4, 5)];
        let mut routes = over(&hosts, &links);
        assert_eq!(routes.find(3, 0), Some(vec![8, 11, 1]));
        assert_eq!(routes.find(3, 1), Some(vec![8, 11, 3]));
        assert_eq!(routes.hops.len(), 1);
        assert_eq!(routes.find(3, 2), Some(vec![8, 7]));
        assert_eq!(routes.find(0, 2), Some(vec![0, 5]));
        assert_eq!(routes.hops.len(), 2);
        // A switch is no host at itself.
        assert_eq!(routes.find(3, 4), Some(vec![8, 11]));
        assert_eq!(routes.hops.len(), 3);
    }

    #[test]
    fn routes_searched_from_both_ends_are_those_of_the_tables() {
        let mut stream = Stream::new(1, "maps");
        let (mut same, mut none, mut long) = (0, 0, 0);
        for _ in 0..60 {
            let (hosts, switches) = (6, 1 + stream.between(0, 25) as usize);
            let mut place =
                |from: usize, to: usize| stream.between(from as u64, to as u64 - 1) as usize;
            let all = hosts + switches;
            let mut links: Vec<_> = (0..hosts).map(|host| (host, place(hosts, all))).collect();
            links.extend((0..switches + 4).map(|_| (place(0, all), place(hosts, all))));
            links.retain(|(a, b)| a != b);
            let kinds: Vec<bool> = (0..all).map(|node| node < hosts).collect();
            let (mut tables, mut searches) = (over(&kinds, &links), over(&kinds, &links));
            searches.room = 0;
            for (from, to) in (0..hosts).flat_map(|a| (0..hosts).map(move |b| (a, b))) {
                if from == to {
                    continue;
                }
                let route = tables.find(from, to);
                assert_eq!(route, searches.find(from, to), "{links:?} {from} {to}");
                for seed in 0..3 {
                    let mut draws = [Stream::new(seed, "route"), Stream::new(seed, "route")];
                    let [a, b] = &mut draws;
                    assert_eq!(tables.draw(from, to, a), searches.draw(from, to, b));
                }
                match route {
                    None => none += 1,
                    Some(route) if route.len() > 6 => long += 1,
                    Some(_) => same += 1,
                }
            }
            let joined = tables.in_one_part(0..hosts);
            let mut pairs = (0..hosts).flat_map(|a| (0..hosts).map(move |b| (a, b)));
            assert!(!joined || pairs.all(|(a, b)| a == b || tables.find(a, b).is_some()));
            assert!(searches.hops.is_empty());
        }
        assert!(
            same > 300 && none > 100 && long > 20,
            "{same} {none} {long}"
        );
    }

    #[test]
    fn there_may_be_no_way() {
        let mut routes = over(&[true, true, true, false], &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(routes.find(0, 2), None);
        assert_eq!(routes.find(0, 3), None);
    }

    #[test]
    fn a_long_detour_is_found_too() {
        let hosts = [true, true, false, false, false];
        let mut routes = over(&hosts, &[(0, 2), (2, 3), (3, 4), (4, 1)]);
        assert_eq!(routes.find(0, 1), Some(vec![0, 2, 4, 6]));
    }

    #[test]
    fn draws_go_to_all_equals_and_to_no_others() {
        // Two hosts with two layers of two switches between them. The first pair has two parallel links. There is also a detour.
        let hosts = [true, true, false, false, false, false, false];
        let links = [
            (0, 2), // m0
            (0, 3),
            (2, 4),
            (2, 4),
            (3, 5),
            (4, 1),
            (5, 1),
            (3, 6),
            (6, 5),
        ];
        let mut routes = over(&hosts, &links);
        let mut stream = Stream::new(1, "route");
        let mut seen: HashMap<Vec<usize>, i32> = HashMap::new();
        for _ in 0..4000 {
            let route = routes.draw(0, 1, &mut stream).unwrap();
            *seen.entry(route).or_insert(0) += 1;
        }
        // Each of the first two switches gets half of the flows, and each of the two parallel links a quarter.
        let mut all: Vec<_> = seen.into_iter().collect();
        all.sort();
        let [(a, n), (b, m), (c, k)] = &all[..] else {
            panic!("{all:?}")
        };
        assert_eq!(
            (&a[..], &b[..], &c[..]),
            (&[0, 4, 10][..], &[0, 6, 10][..], &[2, 8, 12][..])
        );
        // Four standard errors are allowed, 4 sqrt(4000 p (1 - p)).
        assert!((n - 1000).abs() < 110 && (m - 1000).abs() < 110, "{all:?}");
        assert!((k - 2000).abs() < 127, "{all:?}");
        let mut shares = BTreeMap::new();
        let found = routes.shares(0, 1, &mut |link, share| {
            *shares.entry(link).or_insert(0.0) += share;
        });
        let want = [
            (0, 0.5),
            (2, 0.5),
            (4, 0.25),
            (6, 0.25),
            (8, 0.5),
            (10, 0.5),
            (12, 0.5),
        ];
        assert!(found && shares == BTreeMap::from(want), "{shares:?}");
    }
}
