//! Prints the catalogue of every word that a plan can name, as JSON: what `dupack list --json` is made from, without Python.

fn main() {
    match serde_json::to_string(&dupack_lab::catalogue::catalogue()) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
}
