//! The nearest right spelling, or else everything that is allowed.

/// A longer word is no typing mistake, and comparing two long words takes memory proportional to the product of their lengths.
const WORD: usize = 200;

/// Longer lists of names are not shown: the error would become unreadable.
const LISTED: usize = 40;

/// The candidate that `word` is most likely a misspelling of.
pub(super) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if word.len() > WORD {
        return None;
    }
    let word = word.to_lowercase();
    let length = word.chars().count();
    candidates
        .iter()
        .filter_map(|c| {
            let other = c.chars().count();
            // At most a third of the letters may be wrong, and at least one must be right: "b" is no misspelling of "a".
            let most = (length.max(other) / 3)
                .max(1)
                .min(length.min(other).checked_sub(1)?);
            // They are at least as far apart as their lengths: most candidates need no comparison.
            if length.abs_diff(other) > most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&word, &c.to_lowercase());
            (distance <= most).then_some((distance, *c))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

/// `did you mean "lower"?` or `allowed: "kind", "buffer"`.
pub(crate) fn suggest(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if candidates.is_empty() => "there is none".into(),
        None => format!("allowed: {}", quoted(candidates)),
    }
}

/// `"a", "b", "c"`
pub(super) fn quoted(words: &[&str]) -> String {
    let shown: Vec<String> = words
        .iter()
        .take(LISTED)
        .map(|w| format!("\"{w}\""))
        .collect();
    let mut text = shown.join(", ");
    if words.len() > LISTED {
        text += &format!(" and {} more", words.len() - LISTED);
    }
    text
}

/// Whether a key can stand in a path as it is.
pub(super) fn is_bare(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// `path.key`; a key with odd characters is quoted, so that an error stays on its line.
pub(super) fn join(path: &str, key: &str) -> String {
    let key = if is_bare(key) {
        key.to_string()
    } else {
        format!("{key:?}")
    };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_a_third_of_the_word() {
        let cases = [
            ("lowr", &["buffer", "lower", "upper"][..], Some("lower")),
            ("bdp", &["plain", "bpd"], Some("bpd")),
            ("burst", &["script"], None),
            ("drop_tail", &["plain", "drop-tail"], Some("drop-tail")),
            ("MSS", &["mss", "tick"], Some("mss")),
            ("b", &["a"], None),
            ("", &["a"], None),
        ];
        for (word, candidates, want) in cases {
            assert_eq!(nearest(word, candidates), want, "{word}");
        }
    }
}
