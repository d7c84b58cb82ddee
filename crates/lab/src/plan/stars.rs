//! Patterns of names and keys: a star matches any letters.

/// Any letters of a name or a key.
pub(super) const STAR: char = '*';

/// Whether a name or key matches `pattern`.
pub(super) fn matches(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once(STAR) else {
        return name == pattern;
    };
    let (between, last) = rest.rsplit_once(STAR).unwrap_or(("", rest));
    let mut left = name.strip_prefix(first).and_then(|n| n.strip_suffix(last));
    // Each piece is matched at its earliest place, which leaves the most letters for those that follow.
    for part in between.split(STAR) {
        left = left
            .and_then(|n| n.split_once(part))
            .map(|(_, after)| after);
    }
    left.is_some()
}

/// Whether `path` equals `above` or is below it; `above` may have stars.
pub(super) fn is_within(path: &str, above: &str) -> bool {
    let mut keys = path.split('.');
    above
        .split('.')
        .all(|upper| keys.next().is_some_and(|key| matches(key, upper)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        let all = ["loss", "back_loss", "slow", "l"];
        let meant = |pattern: &str| {
            let found: Vec<_> = all
                .iter()
                .copied()
                .filter(|n| matches(n, pattern))
                .collect();
            found.join(" ")
        };
        assert_eq!(meant("*"), all.join(" "));
        assert_eq!(meant("*loss"), "loss back_loss");
        assert_eq!(meant("l*"), "loss l");
        assert_eq!(meant("*l*o*"), "loss back_loss slow");
        assert_eq!(meant("b*l*s"), "back_loss");
        assert_eq!(meant("loss"), "loss");
        // The letters before and after a star may not overlap.
        assert_eq!(meant("l*l"), "");
        assert_eq!(meant("loss*s"), "");
    }
}
