//! No text in a file that a plan names makes its reader panic, and whatever it accepts can be simulated.

mod hold;

use std::fs;
use std::path::Path;

/// The kinds that the first byte chooses, each with a text that is right.
const RIGHT: [&str; 5] = [
    "01\n3\n3\n9\n",
    "1000 10\n20000 60.5\n300000 100\n",
    "0.001 100\n0.002 1400\n0.0025 60\n",
    concat!(
        r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">"#,
        r#"<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>"#
    ),
    "3.5\n0.25\n",
];

fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn right_files_are_read() {
    let folder = folder("right");
    for (kind, text) in RIGHT.iter().enumerate() {
        hold::holds(&[&[kind as u8], text.as_bytes()].concat(), &folder);
        if let Err(errors) = hold::read(kind, &folder) {
            panic!("{errors}");
        }
    }
}

/// The smallest set of inputs with all coverage that `make fuzz` has reached.
#[test]
fn what_the_fuzzer_kept_is_refused_or_runs() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/file");
    let files = fs::read_dir(corpus).expect("the corpus");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() > 30, "only {} inputs", files.len());
    for file in files {
        println!("{}", file.display());
        hold::holds(&fs::read(&file).expect("bytes"), &folder("kept"));
    }
}
