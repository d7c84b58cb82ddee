//! Python bindings of dupack: plans, runs, statistics and theory as Python objects. This crate decides nothing itself.

mod away;
mod controller;
mod errors;
mod external;
mod guests;
mod laws;
mod leave;
mod live;
mod losses;
mod memory;
mod plan;
mod queue;
mod reference;
mod run;
mod series;
mod theory;
mod three_acceptances;
mod trace;
mod values;

use pyo3::prelude::*;

/// dupack, compiled.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::controller::{Ack, Congestion};
    #[pymodule_export]
    use crate::errors::{Error, PlanError, RunError};
    #[pymodule_export]
    use crate::external::{Book, Unit};
    #[pymodule_export]
    use crate::laws::{check_controller_laws, check_laws};
    #[pymodule_export]
    use crate::live::{check_live, live, live_schema};
    #[pymodule_export]
    use crate::losses::check_losses;
    #[pymodule_export]
    use crate::memory::limit_memory;
    #[pymodule_export]
    use crate::plan::{Plan, parse_seeds};
    #[pymodule_export]
    use crate::queue::Queue;
    #[pymodule_export]
    use crate::reference::{all, draw, elsewhere, of_plans};
    #[pymodule_export]
    use crate::run::{
        batch_means, document_schema, drop_causes, mean_ci, mean_ci95, regimes, run_all, run_one,
        runs_wanted, write_run,
    };
    #[pymodule_export]
    use crate::series::Columns;
    #[pymodule_export]
    use crate::theory::{
        abr_ceiling, abr_printed_ceiling, lakshman_madhow, least_error_control_window, mathis,
        max_min_rates, mean_good_run, mg1_wait, mm1k_loss, mm1k_wait, nominal_load, off_time,
        packets_lost_per_loss_event, pftk, pftk_short, potential_goodput, tcp_goodput,
        tcp_goodput_loss,
    };
    #[pymodule_export]
    use crate::three_acceptances::{
        acceptance_probability, simulate_three_acceptances, time_to_three,
        time_to_three_distribution, time_to_three_exact, time_to_three_scheme_1,
    };

    #[pymodule_export]
    use crate::leave::leave_unless_heard;
    #[pymodule_export]
    use crate::trace::{Recording, explain, record};
    #[pymodule_export]
    use crate::values::{check_part, picoseconds, plan_text};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __build__: &str = dupack_lab::BUILD;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::away::keep_panics();
        Ok(())
    }
}
