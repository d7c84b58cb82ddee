//! dupack in a web page. This crate translates between JavaScript and the laboratory, and decides nothing itself.
//!
//! A caller writes a request, JSON in UTF-8, into the memory at `input(length)`, and calls a function, which returns the length of its
//! answer at `answer()`. An answer is JSON, `{"ok": ...}` or `{"errors": [...]}`, or for `advance` a [`mod@slice`] of numbers. After a
//! panic, which ends the module, `last_words()` is the length of its message. The caller makes a new module then.
//!
//! | function | request | answer |
//! |---|---|---|
//! | `schema` | | JSON Schema of plans |
//! | `catalogue` | | every word that a plan can name, with its parameters |
//! | `build` | | version and digest of the sources |
//! | `check` | [`Asked`](requests::Asked) | [`Checked`](requests::Checked) |
//! | `settle` | the same | [`Settled`](requests::Settled): the experiment as a plan of its own |
//! | `run` | the same | the document, as text, with `cpu_s` 0 |
//! | `explain` | [`Why`](requests::Why) | the chain of events, as `dupack explain --json` |
//! | `record` | [`Wanted`](requests::Wanted) | a tape as CSV, or a qlog, as text |
//! | `open(slot)` | the same | the [`Scene`](scene::Scene): begins a session in a slot, and ends the one before |
//! | `advance(slot, until_s, cells_s)` | | what happened until then; cells from `cells_s` on |
//! | `finish(slot)` | | the document, after the rest of the run; ends the session |

mod exports;
pub mod requests;
pub mod scene;
pub mod sessions;
pub mod slice;
