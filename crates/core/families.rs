// The folders of the families. `build.rs` and the test of rosters in `tests/house` both include this file.

/// The folders of the families, in `src`.
const FAMILIES: [&str; 8] = [
    "abr/switch",
    "arrivals",
    "jitter",
    "loss",
    "queue",
    "traffic",
    "transport/control",
    "transport/repair",
];

/// `DropTail` of `drop_tail`.
fn camel(module: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    module.split('_').map(capital).collect()
}

/// What the text of a module declares: `DropTailParams` of `pub struct DropTailParams as "drop-tail"`. A macro that declares for others,
/// as that of episodes does, has no name of its own.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    let names = lines.filter_map(|line| line.strip_prefix("pub struct ")?.split_once(" as \""));
    names
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with('$'))
}
