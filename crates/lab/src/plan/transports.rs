//! The transport of a flow: a `kind`, of which `control` and `repair` replace a half, and the parameters of both halves. A preset
//! named by `compat`, or by a kind that is a whole stack, changes their defaults.

use super::error::Log;
use super::externals;
use super::part::{table, whole, word};
use super::reader::Reader;
use super::spelling::quoted;
use dupack_core::declare::Parameter;
use dupack_core::roster::Roster;
use dupack_core::transport::{self, Halves, Pair, TransportParams, entry, repair};
use dupack_core::transport::{compat, control};

/// A right table, for errors.
const EXAMPLE: &str = r#"{ kind = "reno" }"#;

/// The kind if the plan names none.
const DEFAULT: &str = "reno";

/// The key for the congestion control of the Linux kernel that a flow has in live runs.
pub const KERNEL: &str = "kernel";

/// The key for sysctls of the Linux kernel that the flow's hosts have in live runs.
pub const SYSCTL: &str = "sysctl";

/// The kinds that are models of the kernel with one of its controllers.
const MODELS: [(&str, &str); 3] = [
    ("reno", "linux-reno"),
    ("cubic", "linux-cubic"),
    ("bbr", "linux-bbr"),
];

/// The value of [`KERNEL`] in a transport's table, which [`transport`] has checked.
pub(super) fn kernel(found: Option<&toml::Value>) -> Option<String> {
    Some(found?.get(KERNEL)?.as_str()?.to_string())
}

/// The parameters that a transport's table gives, and their values as the plan writes them.
pub(super) fn asked(found: Option<&toml::Value>) -> Vec<(String, String)> {
    let table = found.and_then(toml::Value::as_table).into_iter().flatten();
    let parameters = table.filter(|(key, _)| *key != KERNEL && *key != SYSCTL);
    let text = |value: &toml::Value| value.as_str().map_or(value.to_string(), String::from);
    parameters
        .map(|(key, value)| (key.clone(), text(value)))
        .collect()
}

/// The value of [`SYSCTL`] in a transport's table, which [`transport`] has checked: names below `net.ipv4`, and values.
pub(super) fn sysctls(found: Option<&toml::Value>) -> Vec<(String, String)> {
    let table = found.and_then(|it| it.get(SYSCTL)?.as_table());
    let all = table.into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), setting(value)?)))
        .collect()
}

/// The value of a sysctl, as the kernel reads it; `None` if it is neither a number nor a short line.
fn setting(value: &toml::Value) -> Option<String> {
    let text = match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::String(text) => text.clone(),
        _ => return None,
    };
    let fits = |c: char| c == ' ' || c.is_ascii_graphic();
    ((1..100).contains(&text.len()) && text.chars().all(fits)).then_some(text)
}

/// Checks [`SYSCTL`].
fn check_sysctls(log: &mut Log, reader: &mut Reader<'_>) {
    let Some(found) = reader.raw(SYSCTL) else {
        return;
    };
    let path = reader.at(SYSCTL);
    let Some(table) = found.as_table() else {
        let message = format!("{found} is no table of sysctls, such as {{ tcp_sack = 0 }}");
        return log.error(path, message);
    };
    for (name, value) in table {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !name.starts_with("tcp_") || !name.chars().all(fits) {
            let message = format!(
                "\"{name}\" is no sysctl of TCP; allowed are those below net.ipv4 that begin with tcp_, such as tcp_sack"
            );
            log.error(path.clone(), message);
            continue;
        }
        let at = format!("{path}.{name}");
        match setting(value) {
            Some(text) => log.record(&at, &text),
            None => log.error(
                at,
                format!(
                    "{value} is no value of a sysctl: a whole number, or a short text such as \"4096 131072 6291456\""
                ),
            ),
        }
    }
}

/// Reads [`KERNEL`]: the kind that the plan need not name beside it. `None` is a mistake.
fn kind_beside_kernel(log: &mut Log, reader: &mut Reader<'_>, given: bool) -> Option<&'static str> {
    let Some(found) = reader.raw(KERNEL) else {
        return Some(DEFAULT);
    };
    let is_word = |it: &&str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        (1..16).contains(&it.len()) && it.chars().all(fits)
    };
    let Some(word) = found.as_str().filter(is_word) else {
        let message = format!(
            "{found} is no word for a congestion control of the Linux kernel, such as \"cubic\""
        );
        log.error(reader.at(KERNEL), message);
        return None;
    };
    log.record(&reader.at(KERNEL), word);
    let model = MODELS.iter().find(|(own, _)| *own == word);
    if model.is_none() && !given {
        let known: Vec<_> = MODELS.iter().map(|(own, _)| *own).collect();
        let message = format!(
            "dupack simulates no \"{word}\" of Linux, only {}; write what is simulated beside it: kind = \"cubic\", kernel = \"{word}\"",
            quoted(&known)
        );
        log.error(reader.at(KERNEL), message);
        return None;
    }
    Some(model.map_or(DEFAULT, |(_, kind)| *kind))
}

/// Reads the table `found` at `path`; an absent one is the default. `None` if there is a mistake, which is then in the log.
pub(super) fn transport(
    log: &mut Log,
    path: String,
    found: Option<&toml::Value>,
) -> Option<TransportParams> {
    let nothing = toml::Table::new();
    let table = table(log, &path, found, &nothing, EXAMPLE)?;
    let mut reader = Reader::new(path, table);
    let kinds: Vec<_> = transport::ROSTER.iter().map(|e| e.name).collect();
    let controls: Vec<_> = control::ControlParams::ENTRIES
        .iter()
        .map(|e| e.name)
        .collect();
    let repairs: Vec<_> = repair::RepairParams::ENTRIES
        .iter()
        .map(|e| e.name)
        .collect();
    let given = table.contains_key("kind") || table.contains_key("control");
    check_sysctls(log, &mut reader);
    let default = kind_beside_kernel(log, &mut reader, given)?;
    let external = externals::controller(log, &mut reader, table).ok()?;
    if let Some(external) = external {
        return with_external(log, reader, table, (&kinds, &repairs), external);
    }
    let kind = word(log, &mut reader, "kind", "transport", &kinds, Some(default)).and_then(entry);
    // If `kind` is wrong, the halves are read nevertheless, so that their mistakes are reported with it.
    let half = |of: fn(&Halves) -> &'static str| kind.map_or("reno", |it| of(&it.about));
    let control = word(
        log,
        &mut reader,
        "control",
        "controller",
        &controls,
        Some(half(|e| e.control)),
    );
    let repair = word(
        log,
        &mut reader,
        "repair",
        "repair",
        &repairs,
        Some(half(|e| e.repair)),
    );
    let own = kind.and_then(|it| it.about.preset);
    let preset = preset(log, &mut reader, table, own)?;
    kind?;
    let pair = Pair {
        preset,
        ..Pair::new(control?, repair?)?
    };
    halves(log, &reader, table, &pair);
    let parameters: Vec<Parameter> = pair.parameters().collect();
    let parameters: Vec<&Parameter> = parameters.iter().collect();
    whole(log, reader, table, &parameters, &|_| Ok(()), |values| {
        TransportParams::from_values(pair, values)
    })
}

/// Reads a transport with an external controller: beside it stand a kind, of which it replaces the controller, and a repair.
fn with_external(
    log: &mut Log,
    mut reader: Reader<'_>,
    table: &toml::Table,
    (kinds, repairs): (&[&'static str], &[&'static str]),
    external: control::external::ExternalParams,
) -> Option<TransportParams> {
    let is_kind = table.get("kind").and_then(toml::Value::as_str) == Some(externals::KIND);
    let halves_of = if is_kind || !table.contains_key("kind") {
        reader.raw("kind");
        None
    } else {
        let kind = word(log, &mut reader, "kind", "transport", kinds, None);
        Some(kind.and_then(entry)?.about)
    };
    let usual = halves_of.map_or(control::external::REPAIR, |it| it.repair);
    let repair = word(log, &mut reader, "repair", "repair", repairs, Some(usual))?;
    let own = halves_of.and_then(|it| it.preset);
    let pair = Pair {
        control: control::external::entry(control::Answer::Halves),
        repair: repair::RepairParams::entry(repair)?,
        preset: preset(log, &mut reader, table, own)?,
    };
    halves(log, &reader, table, &pair);
    log.record(&reader.at("name"), &external.name);
    let parameters: Vec<Parameter> = pair.parameters().collect();
    let parameters: Vec<&Parameter> = parameters.iter().collect();
    whole(log, reader, table, &parameters, &|_| Ok(()), |values| {
        TransportParams::external_from_values(pair, external.clone(), values)
    })
}

/// Reads the preset; without one it is the kind's `own`. `None` is a mistake.
fn preset(
    log: &mut Log,
    reader: &mut Reader<'_>,
    table: &toml::Table,
    own: Option<&'static str>,
) -> Option<Option<&'static compat::Compat>> {
    let name = if table.contains_key(compat::KEY) {
        let mut names: Vec<_> = compat::ROSTER.iter().map(|it| it.name).collect();
        names.push(compat::NONE);
        Some(word(log, reader, compat::KEY, "preset", &names, None)?)
    } else {
        reader.raw(compat::KEY); // marks the key as known
        own
    };
    Some(name.and_then(compat::entry))
}

/// Records the halves of a transport, and reports those that are incompatible.
fn halves(log: &mut Log, reader: &Reader<'_>, table: &toml::Table, pair: &Pair) {
    // The key records the halves: two spellings of one pair are the same experiment.
    log.record(&reader.at("control"), pair.control.name);
    log.record(&reader.at("repair"), pair.repair.name);
    if let Some(reason) = pair.refusal() {
        let others: Vec<_> = control::ControlParams::ENTRIES
            .iter()
            .filter(|control| Pair { control, ..*pair }.refusal().is_none())
            .map(|it| it.name)
            .collect();
        let message = format!(
            "the repair \"{}\" does not go with the controller \"{}\": {reason}; its controllers: {}",
            pair.repair.name,
            pair.control.name,
            quoted(&others)
        );
        // The error names the half that the plan writes, or else the one that it could write.
        let key = if table.contains_key("repair") {
            "repair"
        } else {
            "control"
        };
        log.error(reader.at(key), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::declare::Fallback;
    use std::collections::HashSet;

    fn read(text: &str) -> (Option<TransportParams>, Log) {
        let mut log = Log::default();
        let found: toml::Value = text.parse().expect("TOML");
        (transport(&mut log, "x".into(), Some(&found)), log)
    }

    #[test]
    fn every_pair_is_read_or_refused_with_a_reason() {
        let mut refused = Vec::new();
        for control in control::ControlParams::ENTRIES {
            for repair in repair::RepairParams::ENTRIES {
                let (control, repair) = (control.name, repair.name);
                let (params, log) =
                    read(&format!("{{ control = {control:?}, repair = {repair:?} }}"));
                match params {
                    Some(params) if log.errors.is_empty() => {
                        assert_eq!(
                            (params.pair.control.name, params.pair.repair.name),
                            (control, repair)
                        );
                    }
                    _ => {
                        let pair = Pair::new(control, repair).expect("both are listed");
                        let reason = pair.refusal().expect("a reason");
                        let told = log.errors.iter().any(|it| it.message.contains(reason));
                        assert!(told, "{control}+{repair}: {:?}", log.errors);
                        refused.push(pair.name().into_owned());
                    }
                }
            }
        }
        // Each half says which others it refuses. This test only checks that some pairs are refused, but not most of them.
        assert!(refused.contains(&"tahoe+reno".to_string()), "{refused:?}");
        assert!(
            2 * refused.len()
                < control::ControlParams::ENTRIES.len() * repair::RepairParams::ENTRIES.len(),
            "{refused:?}"
        );
    }

    #[test]
    fn a_kind_is_a_pair_of_which_a_half_may_be_replaced() {
        let name = |text| read(text).0.expect(text).pair.name();
        assert_eq!(name("{}"), "reno");
        assert_eq!(name("{ kind = \"packet-pair\" }"), "packet-pair");
        assert_eq!(
            name("{ kind = \"smart\", control = \"packet-pair\" }"),
            "packet-pair"
        );
        assert_eq!(
            name("{ kind = \"packet-pair\", repair = \"sack\" }"),
            "packet-pair+sack"
        );
        assert_eq!(name("{ kind = \"static-window\" }"), "go-back-n");
    }

    #[test]
    fn a_stack_is_a_kind_with_a_preset_and_its_keys_may_be_replaced() {
        let found = |text| read(text).0.expect(text);
        let stack = found("{ kind = \"linux-cubic\", initial_window = \"4 segments\" }");
        let of = |it: &TransportParams| {
            let window = it.common.initial_window.whole_segments(it.common.mss);
            (it.pair.name().into_owned(), it.common.mss.0, window)
        };
        assert_eq!(of(&stack), ("linux-cubic".into(), 1448, 4));
        let other = found("{ kind = \"linux-cubic\", control = \"reno\" }");
        assert_eq!(of(&other), ("linux-reno".into(), 1448, 10));
        let without = found("{ kind = \"linux-cubic\", compat = \"none\" }");
        assert_eq!(of(&without), ("tcp-cubic+rack-tlp".into(), 536, 1));
        let spelled = "{ control = \"tcp-cubic\", repair = \"rack-tlp\", compat = \"linux\" }";
        assert_eq!(of(&found(spelled)).0, "linux-cubic");
        let named = read("{ kind = \"linux-cubic\" }").1.key;
        assert_ne!(
            named,
            read("{ kind = \"linux-cubic\", compat = \"none\" }").1.key
        );
        assert_eq!(
            of(&found("{ kind = \"reno\", compat = \"ns2\" }")).0,
            "reno"
        );
    }

    #[test]
    fn sysctls_are_names_of_tcp_and_values() {
        let text = "{ sysctl = { tcp_sack = 0, tcp_rmem = \"4096 8192 8192\" } }";
        let found: toml::Value = text.parse().expect("TOML");
        assert!(read(text).0.is_some());
        let pair = |(name, value): (&str, &str)| (name.to_string(), value.to_string());
        let want = [("tcp_rmem", "4096 8192 8192"), ("tcp_sack", "0")].map(pair);
        let mut read_back = sysctls(Some(&found));
        read_back.sort();
        assert_eq!(read_back, want);
        assert_ne!(read(text).1.key, read("{}").1.key);
        for (text, said) in [
            ("{ sysctl = 1 }", "is no table of sysctls"),
            ("{ sysctl = { ip_forward = 1 } }", "is no sysctl of TCP"),
            ("{ sysctl = { \"tcp_../x\" = 1 } }", "is no sysctl of TCP"),
            (
                "{ sysctl = { tcp_sack = true } }",
                "is no value of a sysctl",
            ),
            (
                "{ sysctl = { tcp_sack = \"1\\n2\" } }",
                "is no value of a sysctl",
            ),
        ] {
            let errors = read(text).1.errors;
            assert!(errors[0].message.contains(said), "{text}: {errors:?}");
        }
    }

    #[test]
    fn the_kernels_word_chooses_its_model() {
        let name = |text| read(text).0.expect(text).pair.name().into_owned();
        assert_eq!(name("{ kernel = \"bbr\" }"), "linux-bbr");
        assert_eq!(name("{ kernel = \"cubic\", kind = \"reno\" }"), "reno");
        assert_eq!(name("{ kernel = \"vegas\", kind = \"cubic\" }"), "cubic");
        for (text, said) in [
            ("{ kernel = \"vegas\" }", "dupack simulates no \"vegas\""),
            (
                "{ kernel = \"no word\" }",
                "no word for a congestion control",
            ),
            ("{ kernel = 7 }", "no word for a congestion control"),
        ] {
            let (params, log) = read(text);
            assert!(params.is_none(), "{text}");
            let told = log.errors.iter().any(|it| it.message.contains(said));
            assert!(told, "{text}: {:?}", log.errors);
        }
    }

    #[test]
    fn two_spellings_of_a_pair_are_one_experiment() {
        let key = |text| read(text).1.key;
        assert_eq!(
            key("{ kind = \"smart\", control = \"packet-pair\" }"),
            key("{ kind = \"packet-pair\" }")
        );
    }

    #[test]
    fn every_default_is_of_its_kind_and_no_name_is_declared_twice() {
        for control in control::ControlParams::ENTRIES {
            for repair in repair::RepairParams::ENTRIES {
                let pair = Pair::new(control.name, repair.name).expect("both are listed");
                let mut names = HashSet::from(["kind", "control", "repair"]);
                for p in pair.parameters() {
                    assert!(names.insert(p.name), "{}: {} twice", pair.name(), p.name);
                    if let Fallback::Text(text) = p.fallback {
                        assert!(p.kind.read(text).is_some(), "{}: {text:?}", p.name);
                    }
                }
            }
        }
    }
}
