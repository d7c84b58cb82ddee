//! Words of other simulators and systems that are not here, and the nearest word that is.

/// A word of the literature, and the word here that does most of the same.
const ELSEWHERE: &[(&str, &str)] = &[
    // Transports: rates from measured bandwidth, delay-based windows, other growth, data centres.
    ("bbr", "bbr3"),
    ("bbr2", "bbr3"),
    ("tcp-bbr", "bbr1"),
    ("tcp-reno", "reno"),
    ("tcp-newreno", "newreno"),
    ("tcp-sack", "sack"),
    ("tcp-vegas", "vegas"),
    ("ctcp", "reno"),
    ("mptcp", "cubic"),
    ("d2tcp", "dctcp"),
    ("pcc", "packet-pair"),
    ("copa", "packet-pair"),
    ("westwood", "reno"),
    ("veno", "reno"),
    ("illinois", "reno"),
    ("compound", "reno"),
    ("ledbat", "vegas"),
    ("bic", "cubic"),
    ("htcp", "cubic"),
    ("highspeed", "cubic"),
    ("hybla", "cubic"),
    ("scalable", "cubic"),
    ("timely", "vegas"),
    ("swift", "vegas"),
    ("hpcc", "vegas"),
    ("dcqcn", "dctcp"),
    ("ndp", "nack"),
    ("homa", "nack"),
    ("rack", "rack-tlp"),
    ("tlp", "rack-tlp"),
    ("fack", "sack"),
    ("dsack", "sack"),
    ("selective-repeat", "sack"),
    // Queues: shared by weights, by flow, by delay, at random, without policy.
    ("hfsc", "wfq"),
    ("htb", "wfq"),
    ("cbq", "wfq"),
    ("wrr", "weighted-round-robin"),
    ("wf2q", "wfq"),
    ("sfb", "fair-queueing"),
    ("fq", "fair-queueing"),
    ("fq-cobalt", "flow-queueing"),
    ("fq-red", "flow-queueing"),
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
    ("gilbert", "gilbert-elliott"),
    ("uniform", "bernoulli"),
    ("erica+", "erica"),
    ("jellyfish", "graphml"),
    ("clos", "leaf-spine"),
    ("bcube", "graphml"),
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
            // A word that has come here since has no other that is nearer.
            for family in Family::ALL {
                let own: Vec<_> = family.words().iter().map(|it| it.entry.name).collect();
                assert!(!(own.contains(here) && own.contains(word)), "{word}");
            }
        }
        assert_eq!(elsewhere("WF2Q"), Some("wfq"));
        assert_eq!(elsewhere("cubci"), None);
    }
}
