//! The end of the command when Python cannot handle a signal: its handlers wait for the end of a call of C code, which may take minutes.
//!
//! Python writes the number of each signal into a pipe as soon as it comes, and its handler writes a zero after that. A number that no
//! zero follows within [`GRACE`] ends the process. Nothing is lost that way: it is a kill, which stores and files survive.
//!
//! A signal that comes just before the main thread waits in a system call does not end that call, and so the handler waits, too. For that,
//! the main thread gets another signal after [`KNOCK`], which ends the call; `interrupts.py` has given it a handler that does nothing.

use pyo3::prelude::*;
use std::fs::File;
use std::io::{IsTerminal, Read, Write, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that a handler may take to be called.
const GRACE: Duration = Duration::from_millis(1500);

/// Time after which the main thread is woken. It may be handling the signal, so it is woken every time that this passes.
const KNOCK: Duration = Duration::from_millis(100);

/// The read end of the pipe is this file descriptor. The caller is the main thread.
///
/// For the command alone: the process ends without Python's own clean-up.
#[pyfunction]
pub fn leave_unless_heard(pipe: i32) -> PyResult<()> {
    let mut pipe = File::open(format!("/dev/fd/{pipe}"))?;
    let (tell, told) = mpsc::channel();
    // SAFETY: it has no preconditions.
    let main = unsafe { libc::pthread_self() };
    deaf(move || {
        let mut byte = [0];
        while pipe.read_exact(&mut byte).is_ok() && tell.send(byte[0]).is_ok() {}
    });
    deaf(move || {
        let mut waiting: Option<(u8, Instant)> = None;
        loop {
            let next = match waiting {
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((_, until)) => {
                    told.recv_timeout(KNOCK.min(until.saturating_duration_since(Instant::now())))
                }
            };
            match (next, waiting) {
                (Ok(0), _) => waiting = None,
                (Ok(number), None) if word(number).is_some() => {
                    waiting = Some((number, Instant::now() + GRACE));
                }
                (Err(RecvTimeoutError::Timeout), Some((number, until))) => {
                    if Instant::now() >= until {
                        leave(number);
                    }
                    // SAFETY: the main thread lives as long as the process.
                    unsafe { libc::pthread_kill(main, libc::SIGURG) };
                }
                (Err(RecvTimeoutError::Disconnected), _) => return,
                _ => {}
            }
        }
    });
    Ok(())
}

/// A thread that takes no signals. One that it took would not wake the main thread, whose system call would hold up Python's handler.
fn deaf(work: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        // SAFETY: a set of signals is plain data, which `sigfillset` fills; the mask is that of this thread alone.
        unsafe {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
        }
        work();
    });
}

/// The message of a signal that ends the command.
fn word(number: u8) -> Option<&'static str> {
    match i32::from(number) {
        libc::SIGINT => Some("interrupted"),
        libc::SIGTERM => Some("terminated"),
        _ => None,
    }
}

fn leave(number: u8) -> ! {
    let mut out = stderr();
    // A progress bar has hidden the cursor.
    let clear = if out.is_terminal() {
        "\r\x1b[K\x1b[?25h"
    } else {
        ""
    };
    let _ = writeln!(out, "{clear}{}", word(number).unwrap_or_default());
    // SAFETY: `_exit` has no preconditions. `std::process::exit` would run destructors of libraries that other threads are using.
    unsafe { libc::_exit(128 + i32::from(number)) }
}
