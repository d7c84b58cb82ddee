//! Keys of a link, for each of its directions.

/// The keys of one direction.
#[derive(Debug)]
pub(super) struct Keys {
    /// Key of the rate.
    pub rate: &'static str,
    /// Key of the trace of a rate.
    pub trace: &'static str,
    /// Key of the schedule.
    pub schedule: &'static str,
    /// Key of the grants.
    pub grants: &'static str,
    /// Key of the propagation delay.
    pub delay: &'static str,
    /// Key of the framing.
    pub framing: &'static str,
    /// Key of the discipline.
    pub queue: &'static str,
    /// Key of the rate marker.
    pub marker: &'static str,
    /// Key of the losses.
    pub loss: &'static str,
    /// Key of the jitter.
    pub jitter: &'static str,
    /// Key of the reordering.
    pub reorder: &'static str,
    /// Key of the duplication.
    pub duplicate: &'static str,
}

/// From `from` to `to`.
pub(super) const THERE: Keys = Keys {
    rate: "rate",
    trace: "trace",
    schedule: "schedule",
    grants: "grants",
    delay: "delay",
    framing: "framing",
    queue: "queue",
    marker: "marker",
    loss: "loss",
    jitter: "jitter",
    reorder: "reorder",
    duplicate: "duplicate",
};

/// The way back.
pub(super) const BACK: Keys = Keys {
    rate: "back_rate",
    trace: "back_trace",
    schedule: "back_schedule",
    grants: "back_grants",
    delay: "back_delay",
    framing: "back_framing",
    queue: "back_queue",
    marker: "back_marker",
    loss: "back_loss",
    jitter: "back_jitter",
    reorder: "back_reorder",
    duplicate: "back_duplicate",
};
