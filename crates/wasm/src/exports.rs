//! The functions of the module, as JavaScript calls them.
#![allow(
    unsafe_code,
    reason = "an exported name is an unsafe attribute, because two functions must not have the same; nothing else here is unsafe"
)]

use crate::requests;
use crate::sessions::Sessions;
use std::cell::RefCell;
use std::panic;

thread_local! {
    /// The caller writes requests here.
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The caller reads answers here.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Message of a panic.
    static WORDS: RefCell<String> = const { RefCell::new(String::new()) };
    static SESSIONS: RefCell<Sessions> = RefCell::default();
}

/// Keeps an answer; its length.
fn answer(bytes: Vec<u8>) -> usize {
    ANSWER.set(bytes);
    ANSWER.with_borrow(Vec::len)
}

fn asked(what: impl FnOnce(&[u8]) -> String) -> usize {
    answer(INPUT.with_borrow(|request| what(request)).into_bytes())
}

/// Room for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    panic::set_hook(Box::new(|panic| WORDS.set(panic.to_string())));
    INPUT.set(vec![0; length]);
    INPUT.with_borrow_mut(|room| room.as_mut_ptr())
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// After a panic: the length of its message, which is then the answer.
#[unsafe(no_mangle)]
pub extern "C" fn last_words() -> usize {
    answer(WORDS.take().into_bytes())
}

/// See the table in `lib.rs`, as for all others.
#[unsafe(no_mangle)]
pub extern "C" fn schema() -> usize {
    answer(requests::schema().into_bytes())
}

#[unsafe(no_mangle)]
extern "C" fn catalogue() -> usize {
    answer(requests::catalogue().into_bytes())
}

#[unsafe(no_mangle)]
extern "C" fn build() -> usize {
    answer(requests::build().into_bytes())
}

#[unsafe(no_mangle)]
extern "C" fn check() -> usize {
    asked(requests::check)
}

#[unsafe(no_mangle)]
extern "C" fn settle() -> usize {
    asked(requests::settle)
}

#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    asked(requests::run)
}

#[unsafe(no_mangle)]
extern "C" fn explain() -> usize {
    asked(requests::explain)
}

#[unsafe(no_mangle)]
extern "C" fn record() -> usize {
    asked(requests::record)
}

#[unsafe(no_mangle)]
extern "C" fn open(slot: usize) -> usize {
    asked(|request| SESSIONS.with_borrow_mut(|all| all.open(slot, request)))
}

#[unsafe(no_mangle)]
extern "C" fn advance(slot: usize, until_s: f64, cells_s: f64) -> usize {
    answer(SESSIONS.with_borrow_mut(|all| all.advance(slot, until_s, cells_s)))
}

#[unsafe(no_mangle)]
extern "C" fn finish(slot: usize) -> usize {
    answer(
        SESSIONS
            .with_borrow_mut(|all| all.finish(slot))
            .into_bytes(),
    )
}
