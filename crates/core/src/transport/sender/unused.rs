//! Rules for a congestion window that is not used, because the sender is idle or its application hands over less than the window allows.

use super::validation::Validation;
use crate::time::{Duration, Instant};
use crate::transport::Common;
use crate::transport::control::{AckSample, Phase};
use alloc::boxed::Box;

crate::choice! {
    /// Rule for a congestion window that is not used.
    pub enum Idle {
        /// It stays as it is.
        Keep = "keep",
        /// It is at most `initial_window` when sending begins again after more than a retransmission timeout: RFC 5681 §4.1.
        Restart = "restart",
        /// It halves with each retransmission timeout of idle time, down to `initial_window`, and comes down to what is used: RFC 2861.
        Decay = "decay",
        /// It stays for `non_validated_period`, but does not grow, and congestion leaves half of what was used: RFC 7661.
        Validate = "validate",
    }
}

/// The windows of a controller \[segments\].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Windows {
    /// cwnd
    pub cwnd: f64,
    /// ssthresh
    pub ssthresh: f64,
}

impl Windows {
    /// The same with cwnd at `cwnd`, one segment at least; ssthresh remembers three quarters of the window of before.
    //= rfc7661 §4.4.3
    // "ssthresh = max(ssthresh, 3*cwnd/4)"
    pub fn reduced_to(self, cwnd: f64) -> Self {
        Self {
            cwnd: cwnd.max(1.0),
            ssthresh: self.ssthresh.max(0.75 * self.cwnd),
        }
    }
}

/// State of a sender when a rule is asked.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Time at which it is asked.
    pub now: Instant,
    /// The controller's windows.
    pub windows: Windows,
    /// The oldest segment not acknowledged.
    pub una: u64,
    /// One beyond the last segment sent so far.
    pub max: u64,
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// The retransmission timeout without back-off.
    pub rto: Duration,
    /// The smoothed round trip, once measured.
    pub srtt: Option<Duration>,
}

impl State {
    /// FlightSize \[segments\]
    pub fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// Whether the window is full.
    pub fn is_full(&self) -> bool {
        self.flight() >= self.windows.cwnd as u64
    }
}

/// A rule and its state.
#[derive(Clone, Debug)]
pub struct Unused {
    /// `initial_window` \[segments\]
    initial: f64,
    /// Time of the last transmission.
    sent: Option<Instant>,
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
}

impl Unused {
    /// At the start of a connection; `None` if windows stay as they are.
    pub fn new(params: &Common) -> Option<Self> {
        Some(Self {
            initial: params.initial_window.whole_segments(params.mss) as f64,
            sent: None,
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
        self.sent = Some(now);
        if let Rule::Validate(it) = &mut self.rule
            && again
        {
            it.on_resent(segment);
        }
    }

    /// New data waits to be sent; the windows, if they change before it is.
    pub fn before_sending(&mut self, state: &State) -> Option<Windows> {
        let Windows { cwnd, .. } = state.windows;
        let idle = state.now - self.sent?;
        match &mut self.rule {
            Rule::Validate(it) => it.before_sending(state, self.initial),
            _ if state.flight() > 0 => None,
            //= rfc5681 §4.1
            // "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent data in an interval
            // exceeding the retransmission timeout", RW = min(IW, cwnd)
            Rule::Restart => (idle > state.rto && cwnd > self.initial).then_some(Windows {
                cwnd: self.initial,
                ..state.windows
            }),
            //= rfc2861 §3.2, idle
            // "For i=1 To (tcpnow - T_last)/RTO: win = min(cwnd, receiver's declared max window), cwnd = max(win/2, MSS)"
            Rule::Decay(it) => {
                let times = (idle.0 / state.rto.0.max(1)).min(64);
                if times == 0 {
                    return None;
                }
                *it = Decay {
                    prev: state.now,
                    used: 0,
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
            *it = Decay {
                prev: state.now,
                used: 0,
            };
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
        let cwnd = (win + it.used as f64) / 2.0;
        *it = Decay {
            prev: state.now,
            used: 0,
        };
        Some(state.windows.reduced_to(cwnd))
    }

    /// Whether the window may grow for an ack; `state` is that with it.
    //= rfc2861 §3, growth
    // "the sender [should] increase the congestion window only if the window was full when the acknowledgment arrived"
    pub fn lets_grow(&mut self, state: &State, sample: &AckSample) -> bool {
        let full = sample.flight >= state.windows.cwnd as u64;
        match &mut self.rule {
            Rule::Restart => true,
            Rule::Decay(_) => full,
            //= rfc7661 §4.4, growth
            Rule::Validate(it) => {
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
}
