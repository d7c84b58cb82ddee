//! The slots of the timers.

use super::CLOCK;
use crate::agenda::MOST;
use crate::spec::Network;

/// Where the slots of the timers begin, in this order: the clock of warm-up and samples; senders; receivers; ABR sources; and for each
/// connection that comes and goes its sender and its receiver.
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
    /// The slots of `network`, in which some flows have ABR or none.
    pub fn new(network: &Network, abr: bool) -> Self {
        let flows = network.flows.len();
        // Receivers have events only if they delay acks, so they have slots only then.
        let delayed = (network.flows.iter()).any(|flow| flow.transport.common.delayed_ack);
        let senders = CLOCK + 1;
        let receivers = senders + flows;
        let sources = receivers + if delayed { flows } else { 0 };
        Self {
            senders,
            receivers,
            sources,
            connections: sources + if abr { 2 * flows } else { 0 },
            flows,
            each: if delayed { 2 } else { 1 },
        }
    }

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

    /// The most connections that come and go and are open at once.
    pub fn most(&self) -> usize {
        (MOST - self.connections.min(MOST)) / self.each
    }

    /// One beyond the last slot of a connection that comes and goes.
    pub fn end(&self, flow: usize) -> usize {
        self.sender(flow) + self.each
    }
}
