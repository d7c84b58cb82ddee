//! The closed forms of `dupack-theory` that figures draw, each under its own name.

use dupack_core::measure::Bytes;
use dupack_theory::{abr, load, max_min, queues, random_loss, throughput};
use pyo3::exceptions::PyValueError;
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

/// r W^2 / 4: share of TCP's goodput that random losses at the rate ``r`` in each direction cost, if it is far below 1.
#[pyfunction]
pub fn tcp_goodput_loss(r: f64, w: f64) -> f64 {
    random_loss::tcp_goodput_loss(r, w)
}

/// 1 - r W^2 / 4 (eq. 5), as a share of the line; means nothing once r W^2 / 4 is no longer far below 1.
#[pyfunction]
pub fn tcp_goodput(r: f64, w: f64) -> f64 {
    random_loss::tcp_goodput(r, w)
}

/// (1 - r)^2 (eq. 6), as a share of the line: largest goodput of a sender that only retransmits lost packets.
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

/// Mean wait of admitted packets in M/M/1/K, in service times.
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

/// Share of a line that random losses leave to one Reno, by the model of Lakshman & Madhow: ``x`` is the loss probability times the square
/// of the bandwidth-delay product [packets], ``beta`` the buffer over that product.
#[pyfunction]
pub fn lakshman_madhow(x: f64, beta: f64) -> f64 {
    throughput::lakshman_madhow(x, beta)
}

/// Max-min fair rates over links of these ``capacities``, one per route; a route lists the numbers of its links, from 0.
/// ``least`` are minimum rates (MCR), ``most`` maximum rates (PCR), ``weights`` the weights by which a bottleneck is shared;
/// all rates in one unit. Raises ``ValueError`` for invalid numbers, and for minimum rates that exceed a link.
#[pyfunction]
#[pyo3(signature = (capacities, routes, *, least=None, most=None, weights=None))]
pub fn max_min_rates(
    capacities: Vec<f64>,
    routes: Vec<Vec<usize>>,
    least: Option<Vec<f64>>,
    most: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
) -> PyResult<Vec<f64>> {
    let mut flows: Vec<max_min::Flow> = routes.iter().map(|at| max_min::Flow::over(at)).collect();
    let mut set = |name: &str, values: Option<Vec<f64>>, put: fn(&mut max_min::Flow, f64)| {
        let Some(values) = values else { return Ok(()) };
        if values.len() != flows.len() {
            let (found, wanted) = (values.len(), flows.len());
            let text = format!("{name}: {found} values for {wanted} routes");
            return Err(PyValueError::new_err(text));
        }
        flows
            .iter_mut()
            .zip(values)
            .for_each(|(flow, it)| put(flow, it));
        Ok(())
    };
    set("least", least, |flow, it| flow.least = it)?;
    set("most", most, |flow, it| flow.most = it)?;
    set("weights", weights, |flow, it| flow.weight = it)?;
    max_min::rates(&capacities, &flows).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

/// The most TCP payload [bytes/s] over ABR on a line of ``rate`` [cells/s], in whole cells: one cell in ``nrm`` is an RM cell, headers are
/// 40 bytes, AAL5's trailer is ``trailer`` bytes.
#[pyfunction]
#[pyo3(signature = (rate, nrm, mss, trailer=8))]
pub fn abr_ceiling(rate: f64, nrm: u64, mss: u64, trailer: u64) -> f64 {
    abr::ceiling(rate, nrm, Bytes(mss), Bytes(trailer))
}

/// The same as Lai, Lin & Hung print it, without padding and trailer.
#[pyfunction]
pub fn abr_printed_ceiling(rate: f64, nrm: u64, mss: u64) -> f64 {
    abr::printed_ceiling(rate, nrm, Bytes(mss))
}
