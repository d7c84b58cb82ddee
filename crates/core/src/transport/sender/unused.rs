//! Rules for a congestion window that is not used, because the sender is idle or its application hands over less than the window allows.

use super::state::{State, Windows};
use super::validation::Validation;
use crate::time::{Duration, Instant};
use crate::transport::control::{AckSample, Phase};
use crate::transport::{Common, Idle};
use alloc::boxed::Box;

/// A rule and its state.
#[derive(Clone, Debug)]
pub struct Unused {
    /// `initial_window` \[segments\]
    initial: f64,
    /// Time of the last transmission.
    sent: Option<Instant>,
    /// The most that congestion leaves of the window, until the controller has answered it.
    left: Option<f64>,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    Restart,
    Decay(Decay),
    Validate(Box<Validation>),
}

/// State of RFC 2861's rule.
#[derive(Clone, Copy, Debug, Default)]
struct Decay {
    /// T_prev: when the window was last full, or was last reduced.
    prev: Instant,
    /// W_used: the most that was outstanding since then \[segments\].
    used: u64,
    /// Idle time before this has halved the window already.
    counted: Instant,
}

impl Unused {
    /// At the start of a connection; `None` if windows stay as they are.
    pub fn new(params: &Common) -> Option<Self> {
        Some(Self {
            initial: params.initial_window.whole_segments(params.mss) as f64,
            sent: None,
            left: None,
            rule: match params.idle {
                Idle::Keep => return None,
                Idle::Restart => Rule::Restart,
                Idle::Decay => Rule::Decay(Decay::default()),
                Idle::Validate => Rule::Validate(Box::new(Validation::new(params))),
            },
        })
    }

    /// Nothing else paces the sender, whose packets have `bits`. Returns whether the rule does.
    pub fn pace_packets(&mut self, bits: u64) -> bool {
        match &mut self.rule {
            Rule::Validate(it) => it.pace_packets(bits),
            Rule::Restart | Rule::Decay(_) => return false,
        }
        true
    }

    /// Bits to be sent per round trip for each segment of the window, if what is sent now is to be paced.
    pub fn pace(&self) -> Option<f64> {
        match &self.rule {
            Rule::Validate(it) => it.pace(),
            Rule::Restart | Rule::Decay(_) => None,
        }
    }

    /// A segment is sent.
    pub fn on_sent(&mut self, now: Instant, segment: u64, again: bool) {
        let first = self.sent.replace(now).is_none();
        match &mut self.rule {
            Rule::Validate(it) if again => it.on_resent(segment),
            Rule::Decay(it) if first => it.prev = now,
            Rule::Restart | Rule::Decay(_) | Rule::Validate(_) => {}
        }
    }

    /// New data waits to be sent; the windows, if they change before it is.
    pub fn before_sending(&mut self, state: &State) -> Option<Windows> {
        let Windows { cwnd, .. } = state.windows;
        let sent = self.sent?;
        match &mut self.rule {
            Rule::Validate(it) => it.before_sending(state, self.initial),
            _ if state.flight() > 0 => None,
            //= rfc5681 §4.1
            // "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent data in an interval
            // exceeding the retransmission timeout", RW = min(IW, cwnd)
            Rule::Restart => {
                (state.now - sent > state.rto && cwnd > self.initial).then_some(Windows {
                    cwnd: self.initial,
                    ..state.windows
                })
            }
            //= rfc2861 §3.2, idle
            // "For i=1 To (tcpnow - T_last)/RTO: win = min(cwnd, receiver's declared max window), cwnd = max(win/2, MSS)"
            Rule::Decay(it) => {
                let since = sent.max(it.counted);
                let times = (state.now - since).0 / state.rto.0.max(1);
                if times == 0 {
                    return None;
                }
                *it = Decay {
                    prev: state.now,
                    used: 0,
                    counted: since + Duration(times * state.rto.0),
                };
                //= rfc2861 §3.2, least type=departure
                let least = self.initial.min(cwnd);
                let halved = cwnd.min(state.receiver as f64) / (1u64 << times.min(63)) as f64;
                Some(state.windows.reduced_to(halved.max(least)))
            }
        }
    }

    /// Nothing more can be sent now, because the window is full or the application has no more data (`sent_all`); the windows, if they
    /// change.
    //= rfc2861 §3.2, limited
    pub fn after_sending(&mut self, state: &State, sent_all: bool) -> Option<Windows> {
        let Rule::Decay(it) = &mut self.rule else {
            return None;
        };
        if state.is_full() {
            (it.prev, it.used) = (state.now, 0);
            return None;
        }
        if !sent_all || self.sent != Some(state.now) {
            return None;
        }
        it.used = it.used.max(state.flight());
        if state.now - it.prev < state.rto {
            return None;
        }
        // "cwnd = (win + W_used)/2"
        let win = state.windows.cwnd.min(state.receiver as f64);
        let used = (it.used as f64).max(self.initial);
        (it.prev, it.used) = (state.now, 0);
        (used < state.windows.cwnd).then(|| state.windows.reduced_to((win + used) / 2.0))
    }

    /// Whether the window may grow for an ack; `state` is that with it.
    //= rfc2861 §3, growth
    // "the sender [should] increase the congestion window only if the window was full when the acknowledgment arrived"
    pub fn lets_grow(&mut self, state: &State, sample: &AckSample) -> bool {
        let Windows { cwnd, .. } = state.windows;
        match &mut self.rule {
            Rule::Restart => true,
            Rule::Decay(_) => sample.is_limited_by(cwnd),
            //= rfc7661 §4.4, growth
            Rule::Validate(it) => {
                // A sender that this rule paces is not limited by its window.
                let paced = sample.paced && it.pace().is_none();
                let full = paced || sample.flight >= cwnd as u64;
                if sample.phase == Phase::Open && sample.acked > 0 {
                    it.on_ack(state, full);
                }
                full || !it.is_non_validated()
            }
        }
    }

    /// A recovery begins with `flight` segments outstanding, or sending goes back; the window that the rule leaves, if it does not leave
    /// that to the controller.
    pub fn on_loss(&mut self, state: &State, flight: u64) -> Option<f64> {
        match &mut self.rule {
            Rule::Validate(it) => it.on_loss(state, flight),
            Rule::Restart | Rule::Decay(_) => None,
        }
    }

    /// A recovery is over, or given up; the windows, if the rule says them.
    pub fn on_recovered(&mut self, state: &State) -> Option<Windows> {
        match &mut self.rule {
            Rule::Validate(it) => it.on_recovered(state),
            Rule::Restart | Rule::Decay(_) => None,
        }
    }

    /// Congestion is echoed with `flight` segments outstanding; the controller answers it at once, or with the ack.
    pub fn on_echo(&mut self, state: &State, flight: u64) {
        self.left = self.on_loss(state, flight);
        self.on_recovered(state);
    }

    /// The windows, if the controller's answer to an echo has left more of them than the rule does.
    pub fn after_echo(&mut self, state: &State) -> Option<Windows> {
        let cwnd = self.left.take()?.max(1.0);
        (cwnd < state.windows.cwnd).then_some(Windows {
            cwnd,
            ..state.windows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    // A sender that a slow shaper holds back asks many times before it sends.
    fn idle_time_halves_a_window_once_however_often_it_is_asked() {
        let params = Common::from_texts(&[("idle", "decay")]);
        let mut unused = Unused::new(&params).expect("a rule");
        let at = |seconds| Instant::ZERO + Duration::secs(seconds);
        let state = |now, cwnd| State {
            now,
            windows: Windows {
                cwnd,
                ssthresh: f64::INFINITY,
            },
            una: 1,
            max: 1,
            receiver: 100,
            rto: Duration::secs(1),
            srtt: None,
        };
        unused.on_sent(at(0), 0, false);
        let mut ask = |seconds, cwnd| {
            let windows = unused.before_sending(&state(at(seconds), cwnd));
            windows.map(|it| it.cwnd)
        };
        assert_eq!(ask(2, 16.0), Some(4.0));
        assert_eq!(ask(2, 4.0), None);
        assert_eq!(ask(3, 4.0), Some(2.0));
    }
}
