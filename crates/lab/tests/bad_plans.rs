//! Wrong plans: one or more per kind of mistake, each with the whole text that the user reads.

use dupack_core::queue::{self, Grain};
use dupack_core::roster::Roster;
use dupack_core::transport::{Pair, control, repair};
use dupack_lab::family::Family;
use dupack_lab::plan::Plan;

/// A right plan; every case spoils it.
const PLAN: &str = r#"
title = "A plan"
duration = "10 s"
[[host]]
name = "source"
count = 3
[[host]]
name = "sink"
[[switch]]
name = "gray"
[[link]]
name = "access"
from = "source"
to = "gray"
carries = "cells"
rate = "30 Mb/s"
delay = "0.3 ms"
[[link]]
name = "bottleneck"
from = "gray"
to = "sink"
carries = "cells"
rate = "75 Mb/s"
delay = "0.3 ms"
queue = { kind = "bpd", buffer = "1200 cells", lower = 0.4, upper = 0.9, gap = "25 packets" }
loss = { kind = "script", flow = "bulk", segments = [40, 43] }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
traffic = { kind = "file", size = "200 segments" }
transport = { kind = "reno", mss = "536 B", max_window = "64 KiB", careful = true }
"#;

/// The plan on links of packets, with `text` in its bottleneck.
fn on_packets(text: &str) -> String {
    let queue = PLAN.find("queue = {").expect("a queue");
    let flow = PLAN.find("[[flow]]").expect("a flow");
    let plan = format!("{}{text}\n{}", &PLAN[..queue], &PLAN[flow..]);
    plan.replace("\"cells\"", "\"packets\"")
}

/// All lines of the refusal of a plan.
fn refusal(plan: &str, sets: &[&str]) -> Vec<String> {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_string()).collect();
    match Plan::parse(plan.as_bytes(), "bad.toml", &sets) {
        Ok(_) => panic!("not refused: {sets:?}\n{plan}"),
        Err(errors) => errors.to_string().lines().map(str::to_string).collect(),
    }
}

/// The mistakes of a plan.
fn mistakes(plan: &str, sets: &[&str]) -> Vec<String> {
    let lines = refusal(plan, sets);
    let n = lines.len() - 1;
    let plural = if n == 1 { "" } else { "s" };
    assert_eq!(
        lines[0],
        format!("bad.toml: {n} error{plural} in the plan, nothing was run")
    );
    lines[1..].to_vec()
}

/// `{loss}` and the like stand for what is on the rosters: all words of a family, or those that fit.
fn with_words(text: &str) -> String {
    let quoted = |words: Vec<&str>| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        words.join(", ")
    };
    let all = |family: Family| family.words().iter().map(|it| it.entry.name).collect();
    let on_cells = || {
        queue::QueueParams::ENTRIES
            .iter()
            .filter(|it| it.about.grains.contains(&Grain::Cells))
    };
    let mut lists: Vec<(String, Vec<&str>)> = Family::ALL
        .into_iter()
        .map(|it| (it.name().into(), all(it)))
        .collect();
    lists.push((
        "queue on cells".into(),
        on_cells().map(|it| it.name).collect(),
    ));
    let with_rm = on_cells().filter(|it| it.about.control_cells);
    lists.push((
        "queue with RM cells".into(),
        with_rm.map(|it| it.name).collect(),
    ));
    lists.push(("wrapped".into(), queue::INNER.to_vec()));
    lists.push(("contained".into(), queue::NESTED.to_vec()));
    lists.push(("shaped".into(), queue::SHAPED.to_vec()));
    for repair in repair::RepairParams::ENTRIES {
        let fits = control::ControlParams::ENTRIES.iter().filter(|control| {
            Pair {
                control,
                repair,
                preset: None,
            }
            .refusal()
            .is_none()
        });
        lists.push((
            format!("control with {}", repair.name),
            fits.map(|it| it.name).collect(),
        ));
    }
    let put = |text: String, (name, words): (String, Vec<&str>)| {
        text.replace(&format!("{{{name}}}"), &quoted(words))
    };
    lists.into_iter().fold(text.to_string(), put)
}

#[test]
fn each_mistake_is_told_in_its_words() {
    let mut cases: Vec<(&str, Vec<&str>)> = Vec::new();
    let text = with_words(include_str!("bad_plans.txt"));
    for line in text.lines() {
        if let Some(case) = line.strip_prefix("> ") {
            cases.push((case, Vec::new()));
        } else if !line.is_empty() && !line.starts_with('#') {
            cases.last_mut().expect("a case").1.push(line);
        }
    }
    assert!(cases.len() > 150);
    for (case, want) in cases {
        let told = if let Some(set) = case.strip_prefix("SET ") {
            mistakes(PLAN, &[set])
        } else if let Some(text) = case.strip_prefix("ADD ") {
            mistakes(&format!("{PLAN}{}", text.replace("\\n", "\n")), &[])
        } else if let Some(text) = case.strip_prefix("LINE ") {
            mistakes(&on_packets(&text.replace("\\n", "\n")), &[])
        } else {
            let (from, to) = case.split_once(" =>").expect("FROM => TO");
            let (from, to) = (
                from.replace("\\n", "\n"),
                to.trim_start().replace("\\n", "\n"),
            );
            assert!(PLAN.contains(&from), "no {from:?} in the plan");
            mistakes(&PLAN.replacen(&from, &to, 1), &[])
        };
        assert_eq!(told, want, "{case}");
    }
}

#[test]
fn the_plan_itself_is_right() {
    assert!(Plan::parse(PLAN.as_bytes(), "good.toml", &[]).is_ok());
    let packets = on_packets(r#"back_reorder = { rate = 1, delay = "2 ms" }"#);
    assert!(Plan::parse(packets.as_bytes(), "good.toml", &[]).is_ok());
}

#[test]
fn files_that_are_no_text() {
    let parse = |bytes: &[u8]| {
        Plan::parse(bytes, "bad.toml", &[])
            .expect_err("a wrong plan")
            .to_string()
    };
    assert_eq!(
        parse(b"title = \"caf\xe9\"\n"),
        "bad.toml: 1 error in the plan, nothing was run\nbyte 12: not UTF-8; a plan is a text file in UTF-8"
    );
    assert_eq!(
        parse(b""),
        "bad.toml: 3 errors in the plan, nothing was run\n\
         duration: missing; write a time such as \"0.3 ms\" (ps, ns, us, ms, s, min, h)\n\
         link: missing; write at least one [[link]]\n\
         flow: missing; write at least one [[flow]]"
    );
}

/// One reading finds all of them.
#[test]
fn every_mistake_is_told_at_once() {
    let plan = PLAN
        .replace("10 s", "10")
        .replace("1200 cells", "1200 cubits")
        .replace("75 Mb/s", "75")
        .replace("lower", "lowr")
        .replace("bulk\", seg", "bluk\", seg")
        .replace("reno", "rino")
        + "[[host]]\nname = \"lonely\"\n[[flow]]\nname = \"none\"\nfrom = \"lonely\"\nto = \"sink\"\n";
    let paths: Vec<String> = mistakes(&plan, &["seed=x", "link.acess.rate=1 Mb/s"])
        .iter()
        .map(|line| line.split(": ").next().unwrap_or_default().to_string())
        .collect();
    assert_eq!(
        paths,
        [
            "link.acess.rate",
            "seed",
            "duration",
            "link.bottleneck.rate",
            "link.bottleneck.queue.buffer",
            "link.bottleneck.queue.lowr",
            "flow.bulk.transport.kind",
            "link.bottleneck.loss.flow",
            "flow.none",
        ]
    );
}

/// An error is one line, whatever stands in the plan.
#[test]
fn odd_texts_do_not_break_the_line() {
    let lines = mistakes(
        &PLAN.replace("title =", "\"a\\nb\" ="),
        &[
            "link.bottleneck.queue=x\ny",
            "a\nb=3",
            "flow.bulk.to=si\nnk",
        ],
    );
    assert_eq!(lines.len(), 4, "{lines:#?}");
}
