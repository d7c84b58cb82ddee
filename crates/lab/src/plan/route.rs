//! Routes: the fewest hops, through switches only, because hosts do not forward. Among equals the one whose first link was
//! declared first, then its second, and so on. Acks take the same links back.

use std::collections::{HashMap, VecDeque};

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
pub(super) struct Routes {
    /// Per node, in the order of the links.
    exits: Vec<Vec<Exit>>,
    /// Per node, the exits to switches alone: a switch with a thousand hosts is still crossed quickly.
    inner: Vec<Vec<Exit>>,
    /// Hops from each switch to a destination, per destination.
    hops: HashMap<usize, HashMap<usize, usize>>,
}

impl Routes {
    /// Over nodes of which these are hosts, and duplex links: link `m` is the network's `2m` there and `2m + 1` back.
    pub fn new(hosts: &[bool], links: &[(usize, usize)]) -> Self {
        let mut exits = vec![Vec::new(); hosts.len()];
        for (m, (from, to)) in links.iter().enumerate() {
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
            .map(|all: &Vec<Exit>| all.iter().copied().filter(|e| !hosts[e.to]).collect())
            .collect();
        Self {
            exits,
            inner,
            hops: HashMap::new(),
        }
    }

    /// The links from one node to another, if there is a way.
    pub fn find(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        if let Some(link) = self.direct(from, to) {
            return Some(vec![link]);
        }
        let inner = &self.inner;
        let hops = &*self.hops.entry(to).or_insert_with(|| distances(inner, to));
        let distance = |exit: &Exit| hops.get(&exit.to).copied();
        let mut left = inner[from].iter().filter_map(distance).min()?;
        let mut route = Vec::with_capacity(left + 1);
        let mut at = from;
        while left > 0 {
            let exit = inner[at].iter().find(|e| distance(e) == Some(left))?;
            route.push(exit.link);
            at = exit.to;
            left -= 1;
        }
        route.push(self.direct(at, to)?);
        Some(route)
    }

    /// The first link that joins two nodes, looked for at the one that has fewer.
    fn direct(&self, from: usize, to: usize) -> Option<usize> {
        let exit_to = |at: usize, to| self.exits[at].iter().find(move |e| e.to == to);
        if self.exits[from].len() <= self.exits[to].len() {
            exit_to(from, to).map(|e| e.link)
        } else {
            exit_to(to, from).map(|e| e.link ^ 1)
        }
    }

    /// The same way in the other direction.
    pub fn reverse(route: &[usize]) -> Vec<usize> {
        route.iter().rev().map(|link| link ^ 1).collect()
    }
}

/// Hops from every switch to `to`.
fn distances(inner: &[Vec<Exit>], to: usize) -> HashMap<usize, usize> {
    let mut hops = HashMap::new();
    let mut next = VecDeque::from([(to, 0)]);
    while let Some((node, distance)) = next.pop_front() {
        for exit in &inner[node] {
            if exit.to != to && !hops.contains_key(&exit.to) {
                hops.insert(exit.to, distance + 1);
                next.push_back((exit.to, distance + 1));
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_hops_through_switches_and_then_the_order_of_links() {
        // Hosts 0 and 1, switches 2 3 4, host 5 between 0 and 1.
        let hosts = [true, true, false, false, false, true];
        let links = [
            (0, 5), // m0: a short way through a host, which does not forward
            (5, 1), // m1
            (0, 2), // m2
            (3, 1), // m3
            (2, 4), // m4
            (4, 3), // m5
            (3, 2), // m6: shorter than m4, m5
            (2, 3), // m7: parallel to m6 and declared later
        ];
        let mut routes = Routes::new(&hosts, &links);
        let route = routes.find(0, 1).unwrap();
        assert_eq!(route, [4, 13, 6]);
        assert_eq!(Routes::reverse(&route), [7, 12, 5]);
        assert_eq!(routes.find(0, 5), Some(vec![0]));
        assert_eq!(routes.find(1, 0), Some(vec![7, 12, 5]));
    }

    #[test]
    fn there_may_be_no_way() {
        let mut routes = Routes::new(&[true, true, true, false], &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(routes.find(0, 2), None);
        assert_eq!(routes.find(0, 3), None);
    }

    #[test]
    fn a_long_detour_is_found_too() {
        let hosts = [true, true, false, false, false];
        let mut routes = Routes::new(&hosts, &[(0, 2), (2, 3), (3, 4), (4, 1)]);
        assert_eq!(routes.find(0, 1), Some(vec![0, 2, 4, 6]));
    }
}
