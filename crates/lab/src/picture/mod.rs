//! Text pictures of algorithms: each is drawn by the algorithm itself, which is run in a small scene of its family.
//!
//! So a picture cannot show something that the code does not do, and a new algorithm has a picture as soon as it is on its roster.
//! The only choices made here are the scenes, and parameter values that show something in 72 columns.

mod course;
mod laws;
mod lines;
mod paced;
mod queue;
mod scene;
mod signs;
mod sizes;
mod transfer;
mod wiring;

pub use signs::Picture;

use crate::family::Family;
use crate::plan::{PlanError, PlanErrors};
use dupack_core::abr::{source, switch};
use dupack_core::data::Format;
use dupack_core::declare::{Declared, Kind, Parameter};
use dupack_core::queue::Grain;
use dupack_core::roster::{Entry, Roster};
use dupack_core::traffic::random_file;
use dupack_core::transport::Pair;
use dupack_core::{arrivals, jitter, loss, traffic, transport};
use scene::{Scene, table};

/// Picture of `name` of `family`, with `sets` (`KEY=VALUE`) instead of the picture's own values.
///
/// # Errors
/// A word that is not on the roster of its family, and values that are not valid.
pub fn draw(family: Family, name: &str, sets: &[String]) -> Result<Picture, PlanErrors> {
    let unknown = || PlanErrors {
        origin: family.name().to_string(),
        errors: vec![PlanError {
            path: name.to_string(),
            message: "unknown word; `dupack list` shows all".into(),
        }],
    };
    if family == Family::Topology {
        return wiring::draw(name, sets).ok_or_else(unknown)?;
    }
    let scene = scene(family, name).ok_or_else(unknown)?;
    let given = |key: &str| sets.iter().any(|set| set.starts_with(&format!("{key}=")));
    if let Some(key) = scene.file.filter(|key| !given(key)) {
        return Ok(Picture {
            written: format!("{key} = \"FILE\""),
            lines: vec![format!(
                "Its behaviour is in a file: --set {key}=FILE draws it."
            )],
        });
    }
    let network = scene.network(sets)?;
    let lines = match family {
        Family::Queue => queue::draw(&network),
        Family::Transport | Family::Control | Family::Repair | Family::Compat => {
            transfer::draw(&network)
        }
        // The random thing about one file is its size, which the course of a run does not show.
        Family::Traffic if name == random_file::RandomFileParams::NAME => sizes::draw(&network),
        Family::Traffic => lines::traffic(&network),
        Family::Arrivals => lines::arrivals(&network),
        Family::Loss => lines::losses(&network),
        Family::Jitter | Family::Grants => lines::lateness(&network),
        Family::Reorder => lines::order(&network),
        Family::Marker | Family::Abr => paced::draw(&network),
        Family::Topology => Vec::new(),
    };
    let mut lines = lines;
    if let Some(course) = course(family, name) {
        let network = course.network(sets)?;
        lines.extend([
            String::new(),
            format!("transport = {}", course.written),
            String::new(),
        ]);
        lines.extend(course::draw(&network));
    }
    let key = scene.path.rsplit('.').next().unwrap_or_default();
    let mut written = format!("{key} = {}", scene.written);
    if !sets.is_empty() {
        written += &format!(" with {}", sets.join(", "));
    }
    Ok(Picture { written, lines })
}

/// The second scene of a controller, and of a transport whose controller has another name.
fn course(family: Family, name: &str) -> Option<Scene> {
    match family {
        Family::Control => {
            course::scene("", &transfer::pair(name, |pair| pair.control.name == name)?)
        }
        Family::Transport => {
            let pair = Pair::of(&transport::entry(name)?.about)?;
            (pair.control.name != name)
                .then(|| course::scene(&format!("kind = {name:?}"), &pair))?
        }
        _ => None,
    }
}

/// The scene of an entry whose part stands at `path` of the `plan`.
fn rostered<A>(entry: &Entry<A>, grain: Grain, path: &'static str, plan: &'static str) -> Scene {
    Scene {
        written: table(&format!("kind = {:?}", entry.name), entry.parameters, grain),
        path,
        plan,
        file: None,
    }
}

/// The parameter that names a file for which nothing else can stand.
fn file(parameters: &'static [Parameter]) -> Option<&'static str> {
    let file = |it: &&Parameter| matches!(it.kind, Kind::Data(format) if format != Format::Sizes);
    parameters.iter().find(file).map(|it| it.name)
}

/// The scene of a word.
fn scene(family: Family, name: &str) -> Option<Scene> {
    let kind = format!("kind = {name:?}");
    Some(match family {
        Family::Queue => {
            let entry = queue::entry(name)?;
            let grain = queue::grain(entry);
            let plan = match grain {
                Grain::Cells => queue::ON_CELLS,
                Grain::Packets => queue::ON_PACKETS,
            };
            rostered(entry, grain, "link.line.queue", plan)
        }
        Family::Transport => {
            let entry = transport::entry(name)?;
            transfer::scene(&kind, &Pair::of(&entry.about)?)
        }
        Family::Control => {
            transfer::scene("", &transfer::pair(name, |pair| pair.control.name == name)?)
        }
        Family::Repair => {
            transfer::scene("", &transfer::pair(name, |pair| pair.repair.name == name)?)
        }
        Family::Compat => {
            transport::compat::entry(name)?;
            let head = format!("kind = \"newreno\", {} = {name:?}", transport::compat::KEY);
            transfer::scene(&head, &Pair::new("reno", "newreno")?)
        }
        Family::Traffic => {
            let entry = traffic::TrafficParams::entry(name)?;
            Scene {
                file: file(entry.parameters),
                ..rostered(entry, Grain::Packets, "flow.flow.traffic", lines::TRAFFIC)
            }
        }
        Family::Arrivals => {
            let entry = arrivals::ArrivalsParams::entry(name)?;
            rostered(entry, Grain::Packets, "flow.flow.arrivals", lines::ARRIVALS)
        }
        Family::Loss => {
            let entry = loss::LossParams::entry(name)?;
            rostered(entry, Grain::Packets, "link.line.loss", lines::LOSSES)
        }
        Family::Jitter => {
            let entry = jitter::JitterParams::entry(name)?;
            Scene {
                file: file(entry.parameters),
                ..rostered(entry, Grain::Packets, "link.line.jitter", lines::JITTER)
            }
        }
        Family::Marker => {
            let entry = switch::MarkerParams::entry(name)?;
            rostered(entry, Grain::Cells, "link.line.marker", paced::MARKED)
        }
        Family::Abr => (name == source::SourceParams::NAME).then(|| Scene {
            written: table("icr = 0.05", source::SourceParams::PARAMETERS, Grain::Cells),
            path: "flow.flow.abr",
            plan: paced::SOURCES,
            file: None,
        })?,
        Family::Topology => return None,
        Family::Grants => {
            use dupack_core::grants::GrantsParams;
            (name == GrantsParams::NAME).then(|| Scene {
                written: table("", GrantsParams::PARAMETERS, Grain::Packets),
                path: "link.line.grants",
                plan: lines::GRANTS,
                file: None,
            })?
        }
        Family::Reorder => {
            use dupack_core::reorder::ReorderParams;
            (name == ReorderParams::NAME).then(|| Scene {
                written: table("", ReorderParams::PARAMETERS, Grain::Packets),
                path: "link.line.reorder",
                plan: lines::ORDER,
                file: None,
            })?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;
    use dupack_core::declare::Fallback;

    fn text(family: Family, name: &str, sets: &[&str]) -> String {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let picture = draw(family, name, &sets).unwrap_or_else(|e| panic!("{name}: {e}"));
        picture.lines.join("\n")
    }

    #[test]
    fn every_word_has_a_picture_that_fits_a_terminal_and_shows_something() {
        for entry in catalogue().entries {
            let picture = draw(entry.family, entry.name, &[])
                .unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            if entry
                .parameters
                .iter()
                .any(|it| it.written.starts_with("the name of a file"))
            {
                // Without the file there is nothing to show but the one line.
                assert_eq!(picture.lines.len(), 1);
                continue;
            }
            // Sentences can be wrapped, but rows of signs cannot.
            let rows = picture.lines.iter().filter(|line| line.starts_with(' '));
            // Nothing is random in grants, so that one row shows all runs.
            let least = if entry.name == "grants" { 1 } else { 3 };
            assert!(rows.clone().count() >= least, "{}: {picture:?}", entry.name);
            for row in rows {
                assert!(row.chars().count() <= 100, "{}: {row}", entry.name);
            }
        }
    }

    /// Words that differ only in name may have the same picture; all others must have different ones.
    #[test]
    fn different_words_have_different_pictures() {
        let all = catalogue().entries;
        for (i, one) in all.iter().enumerate() {
            for other in all[i + 1..].iter().filter(|it| it.family == one.family) {
                if one.halves.is_some() && one.halves == other.halves {
                    continue;
                }
                let pictures = [one, other].map(|it| text(it.family, it.name, &[]));
                assert_ne!(pictures[0], pictures[1], "{} {}", one.name, other.name);
            }
        }
    }

    /// The scene makes every discipline act: each does something that drop-tail with the same buffer would not do.
    #[test]
    fn no_discipline_looks_like_drop_tail_with_its_buffer() {
        let rows = |name: &str, sets: &[String]| {
            let picture = draw(Family::Queue, name, sets).unwrap_or_else(|e| panic!("{name}: {e}"));
            // The drop laws come after this sentence; it is what happens to the flows that must differ.
            let rows = (picture.lines.into_iter())
                .take_while(|line| !line.starts_with("Packets sent whole"))
                .filter(|line| line.starts_with(' '));
            (picture.written, rows.collect::<Vec<_>>())
        };
        for entry in dupack_core::queue::QueueParams::ENTRIES {
            let plain = match queue::grain(entry) {
                Grain::Cells => "plain",
                Grain::Packets => "drop-tail",
            };
            let (written, drawn) = rows(entry.name, &[]);
            let shown = written
                .split("buffer = \"")
                .nth(1)
                .and_then(|it| it.split('"').next());
            let default = entry
                .parameters
                .iter()
                .find(|it| it.name == "buffer")
                .map(|it| it.fallback);
            let buffer = match (shown, default) {
                (Some(shown), _) => shown,
                (None, Some(Fallback::Text(text))) => text,
                found => panic!("{}: no buffer: {found:?}", entry.name),
            };
            let (_, fifo) = rows(plain, &[format!("buffer={buffer}")]);
            assert_eq!(
                drawn == fifo,
                entry.name == plain,
                "{}: {drawn:?}",
                entry.name
            );
        }
    }

    #[test]
    fn controllers_are_drawn_with_their_window_their_rate_and_their_states() {
        let drawn = |family, name, sets: &[&str]| text(family, name, sets);
        let cubic = drawn(Family::Control, "cubic", &[]);
        assert!(
            cubic.contains("State: S slow-start, R recovery, . congestion-avoidance."),
            "{cubic}"
        );
        assert!(!cubic.contains("    rate"), "{cubic}");
        let bbr = drawn(Family::Control, "bbr3", &[]);
        for row in [
            "\n    cwnd  ",
            "\n    rate  ",
            "\n   queue  ",
            "\n   state  SD",
            "P probe-rtt",
        ] {
            assert!(bbr.contains(row), "{row}: {bbr}");
        }
        // A stack has the course of its own parameters; a word that is a controller, too, has it there alone.
        assert!(drawn(Family::Transport, "linux-cubic", &[]).contains("One flow fills"));
        assert!(!drawn(Family::Transport, "cubic", &[]).contains("One flow fills"));
        // Without acks there is nothing that the window limits.
        assert!(!drawn(Family::Transport, "udp", &[]).contains("One flow fills"));
    }

    #[test]
    fn a_distribution_is_drawn_over_its_sizes() {
        let lines = text(Family::Traffic, "random-file", &[]);
        assert!(
            lines.contains("Mean 1.71 MB; half of the flows have at most"),
            "{lines}"
        );
        assert!(lines.contains("100 MB"), "{lines}");
        let other = text(Family::Traffic, "random-file", &["sizes=hadoop"]);
        assert!(
            other.contains("Mean 120 kB; half of the flows have at most 700 B"),
            "{other}"
        );
        let packets = text(
            Family::Traffic,
            "random-file",
            &["sizes=hadoop", "unit=packets"],
        );
        assert!(
            packets.contains("half of the flows have at most 1.02 MB"),
            "{packets}"
        );
    }

    #[test]
    fn a_picture_shows_what_its_values_do() {
        let gap = |gap| text(Family::Queue, "bpd", &[gap]);
        assert_ne!(gap("gap=0 packets"), gap("gap=9 packets"));
        let refused = draw(Family::Queue, "bpd", &["lowr=0.3".into()]).expect_err("no such key");
        assert!(
            refused
                .to_string()
                .contains("link.line.queue.lowr: unknown key; did you mean \"lower\"?"),
            "{refused}"
        );
    }
}
