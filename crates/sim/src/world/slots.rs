//! The slots of the timers.

/// Where the slots of the timers begin: the clock of warm-up and samples, senders, receivers; then senders and receivers in turn of
/// connections that come and go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub senders: usize,
    pub receivers: usize,
    /// One per way, if there is any ABR.
    pub sources: usize,
    pub connections: usize,
    /// Flows of the plan.
    pub flows: usize,
    /// Slots of a connection that comes and goes.
    pub each: usize,
}

impl Slots {
    #[inline]
    pub fn sender(&self, flow: usize) -> usize {
        if flow < self.flows {
            self.senders + flow
        } else {
            self.connections + (flow - self.flows) * self.each
        }
    }

    #[inline]
    pub fn receiver(&self, flow: usize) -> usize {
        if flow < self.flows {
            self.receivers + flow
        } else {
            self.sender(flow) + 1
        }
    }

    /// One beyond the last slot of a connection that comes and goes.
    pub fn end(&self, flow: usize) -> usize {
        self.sender(flow) + self.each
    }
}
