//! Words of other simulators and systems that are not here, and the nearest word that is.

/// A word of the literature, and the word here that does most of the same.
const ELSEWHERE: &[(&str, &str)] = &[
    // Transports: rates from measured bandwidth, delay-based windows, other growth, data centres.
    ("bbr", "bbr3"),
    ("bbr2", "bbr3"),
    ("pcc", "packet-pair"),
    ("copa", "packet-pair"),
    ("vegas", "reno"),
    ("westwood", "reno"),
    ("veno", "reno"),
    ("illinois", "reno"),
    ("compound", "reno"),
    ("ledbat", "reno"),
    ("bic", "cubic"),
    ("htcp", "cubic"),
    ("highspeed", "cubic"),
    ("hybla", "cubic"),
    ("scalable", "cubic"),
    ("timely", "reno"),
    ("swift", "reno"),
    ("hpcc", "reno"),
    ("dcqcn", "reno"),
    ("ndp", "nack"),
    ("homa", "nack"),
    ("rack", "rack-tlp"),
    ("tlp", "rack-tlp"),
    ("fack", "sack"),
    ("dsack", "sack"),
    ("selective-repeat", "sack"),
    // Queues: shared by weights, by flow, by delay, at random, without policy.
    ("hfsc", "weighted-round-robin"),
    ("htb", "weighted-round-robin"),
    ("cbq", "weighted-round-robin"),
    ("wrr", "weighted-round-robin"),
    ("wf2q", "weighted-round-robin"),
    ("sfb", "fair-queueing"),
    ("fq", "fair-queueing"),
    ("tbf", "token-bucket"),
    ("prio", "strict-priority"),
    ("dualq", "dualpi2"),
    ("pi2", "dualpi2"),
    ("l4s", "dualpi2"),
    ("ared", "red"),
    ("gred", "red"),
    ("wred", "red"),
    ("blue", "red"),
    ("avq", "red"),
    ("rem", "red"),
    ("pi", "pie"),
    ("fifo", "drop-tail"),
    ("pfifo", "drop-tail"),
    ("bfifo", "drop-tail"),
    ("tail-drop", "drop-tail"),
    ("lqd", "longest-queue-drop"),
    // Others.
    ("ftp", "greedy"),
    ("bulk", "greedy"),
    ("http", "file"),
    ("pareto", "on-off"),
    ("exponential", "on-off"),
    ("gilbert-elliott", "burst"),
    ("gilbert", "burst"),
    ("uniform", "bernoulli"),
    ("erica+", "erica"),
    ("jellyfish", "graphml"),
    ("clos", "leaf-spine"),
    ("dragonfly", "graphml"),
    ("ns-2", "ns2"),
    ("ns3", "ns2"),
    ("ns-3", "ns2"),
];

/// The nearest word here to a word that other systems have; `None` if it is no such word.
pub fn elsewhere(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase().replace('_', "-");
    ELSEWHERE
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, here)| *here)
}

/// `not here; the nearest is "cubic"`, if `word` is such a word and the nearest is one of `candidates`.
pub(super) fn hint(word: &str, candidates: &[&str]) -> Option<String> {
    let here = elsewhere(word).filter(|here| candidates.contains(here))?;
    Some(format!("not here; the nearest is \"{here}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;

    #[test]
    fn what_is_nearest_is_here() {
        let words: Vec<_> = Family::ALL.iter().flat_map(|it| it.words()).collect();
        for (word, here) in ELSEWHERE {
            assert!(
                words.iter().any(|it| it.entry.name == *here),
                "{word}: {here}"
            );
        }
        assert_eq!(elsewhere("WF2Q"), Some("weighted-round-robin"));
        assert_eq!(elsewhere("cubci"), None);
    }
}
