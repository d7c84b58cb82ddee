//! The closed forms of `dupack-theory` that figures draw, each under its own name.

use dupack_theory::{load, random_loss};
use pyo3::prelude::*;

/// Nominal load of an on-off user, as a share of the line; the three times in one unit (Keshav & Morgan, eq. 1).
#[pyfunction]
pub fn nominal_load(on: f64, round_trip: f64, off: f64) -> f64 {
    load::nominal_load(on, round_trip, off)
}

/// The mean think time that gives an on-off user this nominal load; negative if none does.
#[pyfunction]
pub fn off_time(load: f64, on: f64, round_trip: f64) -> f64 {
    load::off_time(load, on, round_trip)
}

/// Packets that TCP does not send for one loss, with a round-trip window of ``w`` packets (eq. 4).
#[pyfunction]
pub fn packets_lost_per_loss_event(w: f64) -> f64 {
    random_loss::packets_lost_per_loss_event(w)
}

/// r W^2 / 4: what random losses at the rate ``r`` each way take of TCP's goodput while that is far below 1.
#[pyfunction]
pub fn tcp_goodput_loss(r: f64, w: f64) -> f64 {
    random_loss::tcp_goodput_loss(r, w)
}

/// 1 - r W^2 / 4 (eq. 5), as a share of the line; means nothing once r W^2 / 4 is no longer far below 1.
#[pyfunction]
pub fn tcp_goodput(r: f64, w: f64) -> f64 {
    random_loss::tcp_goodput(r, w)
}

/// (1 - r)^2 (eq. 6), as a share of the line: the most that is left to who only sends again what was lost.
#[pyfunction]
pub fn potential_goodput(r: f64) -> f64 {
    random_loss::potential_goodput(r)
}

/// Mean length of a run of good packets between bursts of losses of length ``mean_burst``, at the loss rate ``r``.
#[pyfunction]
pub fn mean_good_run(r: f64, mean_burst: f64) -> f64 {
    random_loss::mean_good_run(r, mean_burst)
}

/// The least error-control window for a packet that is lost ``x`` times, in units of ``w``, the round-trip window.
#[pyfunction]
pub fn least_error_control_window(x: u32, w: f64) -> f64 {
    random_loss::least_error_control_window(x, w)
}
