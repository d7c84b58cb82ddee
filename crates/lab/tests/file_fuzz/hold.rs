//! Laws of any text in a file that a plan names. Used by the tests, and by the fuzzer in `fuzz/`.

use dupack_lab::plan::{Plan, PlanErrors};
use dupack_lab::run::{Job, run};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const LINE: &str = r#"
duration = "20 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "line"
from = "a"
to = "b"
carries = "packets"
delay = "1 ms"
queue = { kind = "drop-tail", buffer = "20 packets" }
"#;

/// Kinds of files: the rest of a plan that reads one.
const KINDS: [&str; 5] = [
    r#"
trace = "file"
back_rate = "10 Mb/s"
[[flow]]
name = "bulk"
from = "a"
to = "b"
transport = { kind = "sack" }
"#,
    r#"
rate = "10 Mb/s"
[[flow]]
name = "files"
from = "a"
to = "b"
arrivals = { kind = "poisson", load = 0.3, limit = 20 }
traffic = { kind = "random-file", sizes = "file" }
transport = { kind = "sack" }
"#,
    r#"
rate = "10 Mb/s"
[[flow]]
name = "game"
from = "a"
to = "b"
traffic = { kind = "trace", packets = "file" }
transport = { kind = "udp", mss = "1460 B", header = "28 B" }
"#,
    r#"
duration = "20 ms"
[topology]
kind = "graphml"
file = "file"
carries = "packets"
queue = { kind = "drop-tail", buffer = "20 packets" }
trunk = { rate = "10 Mb/s", delay = "1 ms" }
access = { rate = "10 Mb/s", delay = "1 ms" }
[[flow]]
name = "bulk"
from = "host-node-a"
to = "host-node-b"
transport = { kind = "sack" }
"#,
    r#"
rate = "10 Mb/s"
jitter = { kind = "table", delays = "file" }
[[flow]]
name = "bulk"
from = "a"
to = "b"
transport = { kind = "sack" }
"#,
];

/// Reads the plan of a kind with the file in `folder`.
pub fn read(kind: usize, folder: &Path) -> Result<Plan, PlanErrors> {
    let head = if kind == 3 { "" } else { LINE };
    let plan = format!("{head}{}", KINDS[kind]);
    let origin = folder.join("plan.toml");
    Plan::parse(plan.as_bytes(), &origin.to_string_lossy(), &[])
}

/// Reads the text after the first byte as the kind of file that this byte chooses, in `folder`; panics unless the plan that names
/// it runs, or is refused with paths.
pub fn holds(bytes: &[u8], folder: &Path) {
    let [kind, text @ ..] = bytes else {
        return;
    };
    let kind = usize::from(*kind) % KINDS.len();
    fs::write(folder.join("file"), text).expect("a file");
    match read(kind, folder) {
        Ok(plan) => {
            let job = Job {
                network: plan.points[0].network.clone(),
                seed: 1,
                threads: 1,
                tape: false,
                connections: false,
            };
            if let Err(error) = run(&job, &AtomicBool::new(false)) {
                panic!("{error}");
            }
        }
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                let line = error.to_string();
                assert!(!line.contains(['\n', '\r']), "{line}");
            }
        }
    }
}
