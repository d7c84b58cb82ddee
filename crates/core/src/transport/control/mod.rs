//! Controllers: how much may be outstanding.

pub mod reno;
pub mod tahoe;
mod window;

pub use window::CongestionWindow;

/// What is outstanding when a loss is found.
#[derive(Clone, Copy, Debug)]
pub struct InUse {
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// Segments sent and not acknowledged.
    pub flight: u64,
}

/// How much, how fast. Windows in segments.
pub trait Controller {
    /// The congestion window, without what the repair part adds for segments known to have left the network.
    fn window(&self) -> f64;
    /// Where slow start ends; infinite until a loss or a parameter sets it.
    fn ssthresh(&self) -> f64;
    /// New data was acknowledged and nothing is being repaired.
    fn on_ack(&mut self);
    /// A loss was found by duplicate acks.
    fn on_loss(&mut self, in_use: InUse);
    /// The repair is complete.
    fn on_recovered(&mut self, in_use: InUse);
    /// The retransmission timer ran out; `again` if it had already for the same segment.
    fn on_timeout(&mut self, in_use: InUse, again: bool);
}
