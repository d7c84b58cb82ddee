//! Proportional rate reduction: a recovery sends in proportion to what arrives, so that as much as ssthresh is in flight at its end.
//!
//! While more than ssthresh is in flight, ssthresh/RecoverFS of the delivered segments go out. With less in flight, what goes out is
//! what was delivered, and one segment more if the recovery makes progress without further losses (SafeACK).
//= rfc9937 §6

crate::choice! {
    /// Window of a recovery.
    pub enum Reduction {
        /// The congestion window, which the controller reduces at once.
        Classic = "classic",
        /// It comes down to that in the course of the recovery: proportional rate reduction, RFC 9937.
        Prr = "prr",
    }
}

/// State of a recovery. Counts are of segments, where the RFC counts bytes.
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    /// RecoverFS
    recover_fs: u64,
    /// prr_delivered
    delivered: u64,
    /// prr_out
    out: u64,
    /// DeliveredData and SafeACK of an ack that has not been answered yet.
    ack: Option<(u64, bool)>,
    /// SndCnt, less what has been sent for this ack.
    pub left: i64,
    /// cwnd = inflight + SndCnt, less ssthresh
    pub credit: i64,
}

impl Prr {
    /// A recovery begins, in the course of which `recover_fs` segments may be delivered.
    //= rfc9937 §6.1
    pub fn new(recover_fs: u64) -> Self {
        Self {
            recover_fs,
            delivered: 0,
            out: 0,
            ack: None,
            left: 0,
            credit: 0,
        }
    }

    /// An ack reports `delivered` segments that no other has; `safe` if it advances and shows no further loss.
    //= rfc9937 §6.2, DeliveredData
    pub fn on_ack(&mut self, delivered: u64, safe: bool) {
        if delivered > 0 {
            self.ack = Some((delivered, safe));
        }
    }

    /// Whether an ack awaits [`Prr::answer`].
    pub fn waits(&self) -> bool {
        self.ack.is_some()
    }

    /// SndCnt of the last ack, with `in_flight` in the network and `ssthresh` the aim; `rescue` if what it lets out next is for rescue,
    /// which is a sign of further losses.
    //= rfc9937 §6.2, SndCnt
    pub fn answer(&mut self, in_flight: u64, ssthresh: u64, rescue: bool) {
        let Some((delivered, safe)) = self.ack.take() else {
            return;
        };
        self.delivered += delivered;
        let mut count = if in_flight > ssthresh {
            // Proportional Rate Reduction
            let out = (self.delivered * ssthresh).div_ceil(self.recover_fs);
            out as i64 - self.out as i64
        } else {
            //= rfc9937 §6.2, CRB
            let owed = self.delivered as i64 - self.out as i64;
            let conserving = owed.max(delivered as i64);
            //= rfc9937 §6.2, SSRB
            let most = conserving + i64::from(safe && !rescue);
            most.min((ssthresh - in_flight) as i64)
        };
        //= rfc9937 §6.2, force
        // "Force a fast retransmit upon entering recovery"
        if self.out == 0 && count == 0 {
            count = 1;
        }
        self.left = count;
        self.credit = in_flight as i64 + count - ssthresh as i64;
    }

    /// A segment is sent.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// SndCnt of acks: DeliveredData, SafeACK, what is in flight, and whether a rescue would follow. All is sent that may be.
    fn counts(recover_fs: u64, ssthresh: u64, acks: &[(u64, bool, u64, bool)]) -> Vec<i64> {
        let mut prr = Prr::new(recover_fs);
        let mut counts = Vec::new();
        for (delivered, safe, in_flight, rescue) in acks {
            prr.on_ack(*delivered, *safe);
            assert_eq!(prr.waits(), *delivered > 0);
            prr.answer(*in_flight, ssthresh, *rescue);
            counts.push(prr.left);
            (0..prr.left).for_each(|_| prr.on_sent());
        }
        counts
    }

    #[test]
    //= rfc9937 §6.2, SndCnt type=test
    fn above_ssthresh_a_share_of_what_arrives_goes_out() {
        // 7/10 of 1, 2, 3, ... segments, rounded up: 1, 2, 3, 3, 4, 5, 5, 6, 7, 7.
        let acks = [(1, true, 20, false); 10];
        let found = counts(10, 7, &acks);
        assert_eq!(found, [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]);
        // A stretch ack of four counts four.
        assert_eq!(counts(20, 10, &[(4, false, 18, false)]), [2]);
        // What has been sent with less in flight counts: 5/10 of 5 is 3, and 2 have gone.
        let acks = [
            (1, true, 4, false),
            (1, true, 4, false),
            (3, false, 7, false),
        ];
        assert_eq!(counts(10, 5, &acks), [1, 1, 1]);
    }

    #[test]
    //= rfc9937 §6.2, CRB type=test
    //= rfc9937 §6.2, SSRB type=test
    fn below_ssthresh_as_much_as_arrives_and_one_more_if_that_is_safe() {
        let one = |safe, in_flight, rescue| {
            counts(
                20,
                10,
                &[(1, false, 4, false), (2, safe, in_flight, rescue)],
            )[1]
        };
        assert_eq!(one(false, 4, false), 2);
        assert_eq!(one(true, 4, false), 3);
        assert_eq!(one(true, 4, true), 2);
        // No more than up to ssthresh.
        assert_eq!([8, 9, 10].map(|it| one(true, it, false)), [2, 1, 0]);
        // What was delivered while the application had nothing to send is made good.
        let mut prr = Prr::new(20);
        for (delivered, left) in [(1, 1), (1, 2), (1, 3)] {
            prr.on_ack(delivered, false);
            prr.answer(4, 10, false);
            assert_eq!(prr.left, left);
        }
    }

    #[test]
    //= rfc9937 §6.2, force type=test
    //= rfc9937 §6.2, DeliveredData type=test
    fn the_first_retransmission_is_forced_and_an_ack_without_news_lets_nothing_out() {
        let acks = [
            (1, false, 10, false),
            (1, false, 10, false),
            (0, true, 4, false),
        ];
        assert_eq!(counts(20, 10, &acks), [1, 0, 0]);
    }
}
