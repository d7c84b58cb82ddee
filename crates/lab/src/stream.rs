//! The document of `dupack run --json`, written row by row: a million flows take no more memory than one.
//!
//! It has the bytes that Python's `json.dumps(document, indent=2, ensure_ascii=False)` has.

use crate::run::{Batches, Document, Job, stream};
use dupack_sim::Failure;
use dupack_sim::by_rows::Rows;
use dupack_sim::report::{Series, Summary};
use serde::ser::{Serialize, Serializer};
use serde_json::ser::{Formatter, PrettyFormatter, Serializer as Json};
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The run has failed.
    #[error("{0}")]
    Failed(#[from] Failure),
    /// It could not be written.
    #[error("{0}")]
    Unwritten(#[from] io::Error),
}

/// Does a run, and writes its document with the title and the end of a line to `out`. Returns the document without flows and links.
///
/// # Errors
/// The run has failed, and nothing was written; or `out` has failed.
pub fn write(
    title: &str,
    job: &Job,
    halt: &AtomicBool,
    out: &mut (dyn Write + Send),
) -> Result<Document, Fault> {
    let mut written = Ok(());
    let document = stream(job, halt, &mut |head, rows| {
        written = put(title, head, rows, out);
    })?;
    written?;
    Ok(document)
}

fn put(title: &str, head: &Document, rows: &dyn Rows, out: &mut dyn Write) -> io::Result<()> {
    let whole = Whole {
        title,
        seed: head.seed,
        duration_s: head.duration_s,
        warm_up_s: head.warm_up_s,
        cpu_s: head.cpu_s,
        batches: head.batches.as_ref(),
        flows: Each(rows.flows(), |at| rows.flow(at)),
        links: Each(rows.links(), |at| rows.link(at)),
        summary: &head.report.summary,
        series: head.report.series.as_ref(),
    };
    whole.serialize(&mut Json::with_formatter(&mut *out, AsPython::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The keys of [`Document`], in its order.
#[derive(serde::Serialize)]
struct Whole<'a, F: Serialize, L: Serialize> {
    title: &'a str,
    seed: u64,
    duration_s: f64,
    warm_up_s: f64,
    cpu_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<&'a Batches>,
    flows: F,
    links: L,
    summary: &'a Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<&'a Series>,
}

/// A list of this many items, each of which is made when it is written.
struct Each<M>(usize, M);

impl<T: Serialize, M: Fn(usize) -> T> Serialize for Each<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0).map(&self.1))
    }
}

/// Indented by two spaces, with numbers as Python writes them.
#[derive(Default)]
struct AsPython(PrettyFormatter<'static>);

impl Formatter for AsPython {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(number(value).as_bytes())
    }
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }
    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }
    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// A number as Python's `repr` has it: the fewest digits that mean it, with an exponent below 1e-4 and from 1e16 on.
fn number(value: f64) -> String {
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') {
        plain
    } else {
        plain + ".0"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::run::run;
    use std::sync::Arc;

    #[test]
    fn numbers_are_written_as_python_does() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1e-5, "1e-05"),
            (123_456_789.0, "123456789.0"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.25e100, "1.25e+100"),
            (5e-324, "5e-324"),
            (-2.5e-7, "-2.5e-07"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_keys_are_those_of_the_document_in_its_order() {
        let plan = r#"
duration = "1 s"
sample = "100 ms"
batches = 5
percentiles = true
host = [{ name = "a", count = 2 }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "9 ms", queue = { kind = "drop-tail", buffer = "3 packets" } }]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "reno", mss = "960 B" } }]
"#;
        let plan = Plan::parse(plan.as_bytes(), "x", &[]).expect("a right plan");
        let job = Job {
            network: Arc::clone(&plan.points[0].network),
            seed: 1,
            threads: 1,
            tape: false,
            connections: false,
        };
        let halt = AtomicBool::new(false);
        let mut text = Vec::new();
        let brief = write("a title", &job, &halt, &mut text).expect("a run");
        let whole = run(&job, &halt).expect("a run").document;
        let told = |document: &Document| {
            let mut text = serde_json::to_string(document).expect("a document");
            let at = text.find("\"cpu_s\":").expect("a key") + 8;
            let end = at + text[at..].find(',').expect("more keys");
            text.replace_range(at..end, "0");
            text
        };
        // Without spaces and the ends of lines, no number differs here but by its exponent.
        let mut kept = Document { ..brief };
        assert!(kept.report.flows.is_empty() && kept.report.links.is_empty());
        (kept.report.flows, kept.report.links) =
            (whole.report.flows.clone(), whole.report.links.clone());
        assert_eq!(told(&kept), told(&whole));
        let streamed: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        // Read again, because reading rounds.
        let want = serde_json::to_vec(&whole).expect("a document");
        let mut want: serde_json::Value = serde_json::from_slice(&want).expect("JSON");
        want["title"] = "a title".into();
        want["cpu_s"] = streamed["cpu_s"].clone();
        assert_eq!(streamed, want);
        // Keys in their order.
        let text = String::from_utf8(text).expect("UTF-8");
        let keys = text.lines().filter_map(|line| {
            let key = line.strip_prefix("  \"")?;
            Some(key.split('"').next().unwrap_or_default().to_string())
        });
        let keys: Vec<String> = keys.collect();
        let names = [
            "title",
            "seed",
            "duration_s",
            "warm_up_s",
            "cpu_s",
            "batches",
            "flows",
            "links",
            "summary",
            "series",
        ];
        assert_eq!(keys, names);
    }
}
