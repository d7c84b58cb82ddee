//! The closed forms of `dupack-theory` that figures draw, each under its own name.

use dupack_theory::{load, queues, random_loss, throughput};
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

/// Mean wait in M/G/1 from arrivals per second and the first two moments of the service time, in the unit of the moments.
#[pyfunction]
pub fn mg1_wait(rate: f64, mean: f64, mean_square: f64) -> f64 {
    queues::mg1_wait(rate, mean, mean_square)
}

/// Share of arrivals that M/M/1/K loses at the load ``rho``, with room for ``k`` including the one in service.
#[pyfunction]
pub fn mm1k_loss(rho: f64, k: u32) -> f64 {
    queues::mm1k_loss(rho, k)
}

/// Mean wait in M/M/1/K of those that are let in, in services.
#[pyfunction]
pub fn mm1k_wait(rho: f64, k: u32) -> f64 {
    queues::mm1k_wait(rho, k)
}

/// Packets per second by the square-root law of Mathis, Semke, Mahdavi & Ott, with ``b`` packets per ack.
#[pyfunction]
pub fn mathis(p: f64, rtt: f64, b: f64) -> f64 {
    throughput::mathis(p, rtt, b)
}

/// Packets per second by the full model of Padhye, Firoiu, Towsley & Kurose.
#[pyfunction]
pub fn pftk(p: f64, rtt: f64, rto: f64, b: f64, window: f64) -> f64 {
    throughput::pftk(p, rtt, rto, b, window)
}

/// The same by their approximate model.
#[pyfunction]
pub fn pftk_short(p: f64, rtt: f64, rto: f64, b: f64, window: f64) -> f64 {
    throughput::pftk_short(p, rtt, rto, b, window)
}
