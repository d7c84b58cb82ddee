//! The congestion window that Tahoe, Reno, DCTCP and CUBIC share: slow start, congestion avoidance, and the reaction to losses.

use super::hystart::Hystart;
use super::hystart_plus::{HystartPlus, Verdict};
use super::{AckSample, Outstanding, Wants};
use crate::measure::Share;
use crate::transport::{Common, Counted, Halve, SlowStart};
use alloc::boxed::Box;

/// What ends slow start, besides a loss.
#[derive(Clone, Debug)]
enum Exit {
    /// HyStart, which watches slow start after a timeout, too.
    Hystart(Hystart),
    /// HyStart++, until the first slow start is over.
    Plus(HystartPlus),
}

/// cwnd and ssthresh \[segments\]. What an ack of new data needs comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct CongestionWindow {
    /// cwnd
    pub cwnd: f64,
    /// ssthresh
    pub ssthresh: f64,
    max: f64,
    exit: Option<Box<Exit>>,
    counted: Counted,
    halve: Halve,
    /// Segments that count towards the next increase by one.
    credit: u32,
    /// Window after a timeout.
    loss: f64,
    /// Window that the last loss has left.
    half: f64,
    beta_ecn: Option<Share>,
    /// cwnd and ssthresh before the congestion that may be undone.
    saved: Option<Box<(f64, f64)>>,
}

/// Name of the state of a controller with these windows.
pub(super) fn state(cwnd: f64, ssthresh: f64, recovering: bool) -> &'static str {
    match recovering {
        true => "recovery",
        false if cwnd < ssthresh => "slow-start",
        false => "congestion-avoidance",
    }
}

impl CongestionWindow {
    /// At the start of a connection.
    //= rfc5681 §3.1, initial ssthresh
    //= rfc5681 §3.1, SYN type=departure
    // No SYN can be lost, as none is sent.
    //= rfc5681 §3.1, path MTU type=departure
    // No segment is too large for its path.
    pub fn new(params: &Common) -> Self {
        let segments = |w: crate::measure::Window| w.whole_segments(params.mss) as f64;
        let max = params.max_cwnd.map_or(f64::INFINITY, segments);
        Self {
            cwnd: segments(params.initial_window).min(max),
            ssthresh: params.initial_ssthresh.map_or(f64::INFINITY, segments),
            max,
            halve: params.halve,
            credit: 0,
            beta_ecn: params.beta_ecn,
            counted: params.counted,
            loss: segments(params.loss_window),
            half: f64::INFINITY,
            exit: match params.slow_start {
                SlowStart::Standard => None,
                SlowStart::Hystart => Some(Box::new(Exit::Hystart(Hystart::new(params)))),
                SlowStart::Plus => Some(Box::new(Exit::Plus(HystartPlus::new(params)))),
            },
            saved: None,
        }
    }

    /// Services that it needs of the sender: HyStart and HyStart++ measure the round trip of every ack.
    pub fn wants(&self) -> Wants {
        Wants {
            records: self.exit.is_some(),
            idle: true,
            ..Wants::default()
        }
    }

    /// Name of its state.
    pub fn state(&self, recovering: bool) -> &'static str {
        match state(self.cwnd, self.ssthresh, recovering) {
            "slow-start" if self.is_conservative() => "conservative-slow-start",
            state => state,
        }
    }

    /// HyStart++ has slowed slow start down.
    fn is_conservative(&self) -> bool {
        matches!(self.exit.as_deref(), Some(Exit::Plus(hystart)) if hystart.is_conservative())
    }

    /// Whether an ack lets it grow.
    pub fn opens(&self, sample: &AckSample) -> bool {
        if self.counted == Counted::Windows {
            sample.opens_or_ends()
        } else {
            sample.opens()
        }
    }

    /// Grows for an ack that lets windows grow, and gives its round trip to what may end slow start.
    //= rfc9002 §7.8, grow type=departure
    pub fn open(&mut self, sample: &AckSample) {
        if self.counted == Counted::Windows {
            //= linux §tcp_input.c, tcp_cong_control
            // What was reported as arrived before does not count again.
            self.count(sample.arrived);
        } else if self.cwnd < self.ssthresh {
            self.slow_start(sample.acked);
        } else if self.counted == Counted::Segments {
            //= rfc9002 §7.3.3
            // At most one segment for each window that is acknowledged.
            self.set(self.cwnd + (sample.acked as f64 / self.cwnd).min(1.0));
        } else {
            self.grow();
        }
        self.hear(sample);
    }

    /// Grows for an ack of `acked` segments in slow start.
    pub fn slow_start(&mut self, acked: u64) {
        let growth = match (self.exit.as_deref(), self.counted) {
            (Some(Exit::Plus(hystart)), _) => hystart.growth(acked),
            (_, Counted::Acks) => 1.0,
            //= rfc9002 §7.3.1
            // "the congestion window increases by the number of bytes acknowledged"
            (_, Counted::Segments | Counted::Windows) => acked as f64,
        };
        self.set(self.cwnd + growth);
    }

    /// Grows for `acked` segments: in slow start up to ssthresh, and beyond it by one for each window of them.
    //= linux §tcp_cong.c, tcp_cong_avoid_ai
    fn count(&mut self, acked: u64) {
        // The casts saturate: ssthresh may be infinite.
        let opening = acked.min(libm::ceil(self.ssthresh - self.cwnd).max(0.0) as u64);
        if opening > 0 {
            self.slow_start(opening);
            self.cwnd = self.cwnd.min(self.ssthresh);
        }
        if opening == acked {
            return;
        }
        let window = (self.cwnd as u32).max(1);
        let mut growth = 0;
        if self.credit >= window {
            // It was gained when the window was larger.
            (self.credit, growth) = (0, 1);
        }
        self.credit += (acked - opening) as u32;
        growth += self.credit / window;
        self.credit %= window;
        self.set(self.cwnd + f64::from(growth));
    }

    /// An ack that lets windows grow has arrived; they have grown. HyStart and HyStart++ may end slow start.
    pub fn hear(&mut self, sample: &AckSample) {
        match self.exit.as_deref_mut() {
            None => {}
            Some(Exit::Hystart(hystart)) => {
                let over = self.cwnd < self.ssthresh && hystart.is_over(sample, self.cwnd);
                if over {
                    self.ssthresh = self.cwnd;
                }
            }
            //= rfc9406 §4.2, ssthresh
            // "If CSS_ROUNDS rounds are complete, enter congestion avoidance by setting the ssthresh to the current cwnd."
            Some(Exit::Plus(hystart)) => {
                let over = hystart.on_ack(sample) == Verdict::Over;
                if over {
                    self.ssthresh = self.cwnd;
                }
                if over || self.cwnd >= self.ssthresh {
                    self.exit = None;
                }
            }
        }
    }

    /// Grows for an ack of new data: one segment per ack in slow start, 1/cwnd in congestion avoidance.
    //= rfc5681 §3.1, both
    //= rfc5681 §3.1, slow start
    //= rfc5681 §3.1, avoidance
    //= rfc5681 §3.1, zero
    //= rfc5681 §3.1, bytes type=departure
    //= rfc5681 §3.1, once type=departure
    // Acks are counted, not bytes.
    //= cohen-hamo-2001 §2.1
    pub fn grow(&mut self) {
        self.cwnd += if self.cwnd < self.ssthresh {
            1.0
        } else {
            1.0 / self.cwnd
        };
        self.cwnd = self.cwnd.min(self.max);
    }

    /// ssthresh <- half of the quantity that `halve` names, at least two segments.
    //= rfc5681 §3.1, reduced
    //= rfc7141 §2.3 type=departure
    pub fn halve(&mut self, outstanding: &Outstanding) {
        self.end_hystart();
        self.credit = 0;
        self.half = match self.halve {
            //= rfc5681 §3.1, eq. 4 type=departure
            //= rfc5681 §3.2, step 2 type=departure
            //= rfc5681 §4.3, first loss type=departure
            //= rfc5681 §4.3, half type=departure
            //= rfc6675 §5, (4.2) type=departure
            Halve::Window => (self.cwnd.min(outstanding.receiver as f64) / 2.0) as u64 as f64,
            //= rfc5681 §3.1, eq. 4
            //= rfc5681 §3.2, step 2
            //= rfc5681 §4.3, first loss
            // ssthresh = max (FlightSize / 2, 2*SMSS)
            Halve::Flight if !outstanding.resent => outstanding.flight as f64 / 2.0,
            //= rfc5681 §4.3, twice
            // "no more than" that: FlightSize now includes what a recovery has sent, so half of it might be more than ssthresh.
            Halve::Flight => (outstanding.flight as f64).min(self.ssthresh) / 2.0,
            //= ns-2
            Halve::Exact => {
                self.half = self.cwnd.min(outstanding.receiver as f64) / 2.0;
                self.ssthresh = (self.half as u64 as f64).max(2.0);
                return;
            }
        }
        .max(2.0);
        self.ssthresh = self.half;
    }

    /// Congestion follows that may be undone.
    pub fn save(&mut self) {
        self.saved = Some(Box::new((self.cwnd, self.ssthresh)));
    }

    /// The congestion since `save` was none. Returns whether the window was smaller than before.
    //= linux §tcp_input.c, undo
    // cwnd and ssthresh are what they were, or more. HyStart++, which ends with any loss, does not come back.
    //= rfc4015 §3.2, reverse type=departure
    pub fn undo(&mut self) -> bool {
        let Some(saved) = self.saved.take() else {
            return false;
        };
        let (cwnd, ssthresh) = *saved;
        let reduced = self.cwnd < cwnd;
        self.cwnd = self.cwnd.max(cwnd);
        self.ssthresh = self.ssthresh.max(ssthresh);
        reduced
    }

    /// A loss leaves `segments` of the window, by another rule than halving; ssthresh is at least two segments.
    pub fn leave(&mut self, segments: f64) {
        self.end_hystart();
        self.credit = 0;
        self.half = segments;
        self.ssthresh = segments.max(2.0);
    }

    /// A loss ends HyStart++: later slow starts are standard.
    //= rfc9406 §4.2, loss
    //= rfc9406 §4.3, initial
    // "If loss or Explicit Congestion Notification (ECN) marking is observed at any time during standard slow start or CSS, enter
    // congestion avoidance": by the reaction to it, which sets ssthresh.
    fn end_hystart(&mut self) {
        if matches!(self.exit.as_deref(), Some(Exit::Plus(_))) {
            self.exit = None;
        }
    }

    /// cwnd <- `segments`, as far as `max_cwnd` allows.
    pub fn set(&mut self, segments: f64) {
        self.cwnd = segments.min(self.max);
    }

    /// Both windows are these, whatever a loss has left. HyStart and HyStart++ go on: they end with slow start, as ever.
    pub fn set_both(&mut self, cwnd: f64, ssthresh: f64) {
        self.set(cwnd);
        self.ssthresh = ssthresh;
        // The end of a recovery does not raise the window again.
        self.half = self.half.min(cwnd);
    }

    /// cwnd <- ssthresh, or what a loss has left of it; one segment at least, since with less a sender with nothing outstanding would
    /// wait forever.
    pub fn shrink(&mut self) {
        self.cwnd = self.half.min(self.max).max(1.0);
    }

    /// Halves the window for a mark, as for a loss but with nothing to repair, or leaves `beta_ecn` of it if that is given. A window
    /// below two segments stays as it is; halved exactly, it keeps one segment, as in [`CongestionWindow::shrink`].
    //= rfc3168 §6.1.2
    // "the TCP source halves the congestion window 'cwnd' and reduces the slow start threshold 'ssthresh'"
    //= rfc3168 §6.1.2, one segment type=departure
    pub fn on_mark(&mut self, outstanding: &Outstanding) {
        match self.beta_ecn {
            //= rfc8511 §3.1
            // ssthresh = max(FlightSize * beta_ecn, 2), with FlightSize "upper-bounded by the smaller of the sender's cwnd and the receiver's
            // advertised window"
            //= rfc8511 §4
            // "Applying ABE when cwnd is smaller than or equal to ssthresh is not currently recommended".
            Some(beta) if self.cwnd > self.ssthresh => {
                let flight = outstanding.flight.min(outstanding.receiver) as f64;
                self.leave((flight.min(self.cwnd) * beta.0).max(2.0));
            }
            _ => self.halve(outstanding),
        }
        self.cwnd = self.cwnd.min(self.half.max(1.0));
    }

    /// A partial ack takes `segments` from the window, which keeps one.
    //= ns-2
    pub fn deflate(&mut self, segments: u64) {
        self.cwnd = (self.cwnd - segments as f64).max(1.0);
    }

    /// Back to one segment after a timeout, or to `loss_window`.
    //= rfc5681 §3.1, LW
    //= rfc5681 §3.1, again
    //= rfc5681 §3.1, again type=departure
    // A segment that times out again leaves ssthresh as it is; the code of the 1990s halved the window of one segment again.
    //= rfc2001 §2 type=departure
    // The inflation of a fast recovery is not part of the window that is halved.
    pub fn time_out(&mut self, outstanding: &Outstanding, again: bool) {
        if !(again && self.halve == Halve::Flight) {
            self.halve(outstanding);
        }
        self.close();
    }

    /// cwnd <- `loss_window`
    //= linux §tcp_input.c, tcp_enter_loss
    pub fn close(&mut self) {
        self.set(self.loss);
        self.credit = 0;
        if let Some(Exit::Hystart(hystart)) = self.exit.as_deref_mut() {
            hystart.restart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::time::Duration;
    use crate::transport::control::heard::{at, outstanding, with_rtt};

    /// In congestion avoidance, with this window.
    fn of(cwnd: f64) -> CongestionWindow {
        let texts = [("counted", "windows"), ("halve", "flight")];
        let mut it = CongestionWindow::new(&Common::from_texts(&texts));
        it.set_both(cwnd, cwnd);
        it
    }

    /// The window after acks of this many segments each.
    fn after(window: &mut CongestionWindow, acks: &[u64]) -> f64 {
        for acked in acks {
            let sample = AckSample {
                acked: *acked,
                arrived: *acked,
                ..with_rtt(at(0.0), 0, Duration::millis(100))
            };
            window.open(&sample);
        }
        window.cwnd
    }

    #[test]
    //= linux §tcp_cong.c, tcp_cong_avoid_ai type=test
    fn windows_of_segments_count() {
        assert_eq!(after(&mut of(4.0), &[2, 1]), 4.0);
        assert_eq!(after(&mut of(4.0), &[2, 2]), 5.0);
        // Two windows, and one that counts towards the next segment.
        let mut window = of(4.0);
        assert_eq!(after(&mut window, &[9]), 6.0);
        assert_eq!(after(&mut window, &[4]), 6.0);
        assert_eq!(after(&mut window, &[1]), 7.0);
    }

    #[test]
    //= linux §tcp_cong.c, tcp_cong_avoid_ai type=test
    fn slow_start_ends_at_ssthresh() {
        let mut window = of(4.0);
        window.ssthresh = f64::INFINITY;
        assert_eq!(after(&mut window, &[3]), 7.0);
        window.ssthresh = 9.0;
        // Two of four segments; the others count.
        assert_eq!(after(&mut window, &[4]), 9.0);
        assert_eq!(after(&mut window, &[7]), 10.0);
        window.ssthresh = 10.5;
        assert_eq!(after(&mut window, &[1]), 10.5);
    }

    #[test]
    //= linux §tcp_cong.c, tcp_cong_avoid_ai type=test
    // "If credits accumulated at a higher w, apply them gently now."
    fn what_counted_for_a_larger_window_is_one_segment() {
        let mut window = of(10.0);
        assert_eq!(after(&mut window, &[9]), 10.0);
        window.set_both(3.0, 3.0);
        assert_eq!(after(&mut window, &[1]), 4.0);
        assert_eq!(after(&mut window, &[2]), 4.0);
        assert_eq!(after(&mut window, &[1]), 5.0);
    }

    #[test]
    //= linux §tcp_input.c, tcp_enter_loss type=test
    fn congestion_forgets_what_counted() {
        let mut window = of(10.0);
        after(&mut window, &[9]);
        window.halve(&outstanding(8));
        window.shrink();
        assert_eq!(after(&mut window, &[3]), 4.0);
        // A second timeout of the same segment does not halve the window again.
        let mut window = of(10.0);
        after(&mut window, &[9]);
        window.time_out(&outstanding(8), true);
        window.set_both(10.0, 10.0);
        assert_eq!(after(&mut window, &[9]), 10.0);
    }
}
