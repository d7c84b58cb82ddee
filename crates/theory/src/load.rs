//! The load of one on-off user on a line without other traffic.
//!
//! A user sends a message, waits until all of it has been acknowledged, thinks, and begins again. Its cycle is the time in which
//! the message is generated, one round trip for the ack of its last packet, and the think time; in that cycle it uses the line for
//! the time of its message.
//!
//! Assumptions: the message is generated at the line's rate, its sender's window holds a round trip of it, and nothing is lost. The
//! round trip does not include the time in which the line sends the last packet, which is part of T_ON. All times are in one unit,
//! whichever it is; a load is a share of the line.
//= keshav-morgan-1997 §2

/// The nominal load of one user: the share of the time in which it uses the line, if it is alone.
// r1 = T_ON / (T_ON + T_RT + T_OFF)                                    (1)
//= keshav-morgan-1997 §2, eq. 1
pub fn nominal_load(on: f64, round_trip: f64, off: f64) -> f64 {
    on / (on + round_trip + off)
}

/// The think time that makes the nominal load of one user `load`; below zero if it cannot be so high.
// T_OFF = T_ON / r1 - T_ON - T_RT
//= keshav-morgan-1997 §2, eq. 1
pub fn off_time(load: f64, on: f64, round_trip: f64) -> f64 {
    on / load - on - round_trip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // T_RT = 0.05 s, T_ON = 2 T_RT, and "the nominal offered load of a single source from 0.05 to 0.5".
    fn think_times_of_the_papers_loads() {
        let think = |load| off_time(load, 0.1, 0.05);
        assert!((think(0.05) - 1.85).abs() < 1e-12);
        assert!((think(0.5) - 0.05).abs() < 1e-12);
        for load in [0.05, 0.1, 0.25, 0.5, 0.66] {
            let back = nominal_load(0.1, 0.05, think(load));
            assert!((back - load).abs() < 1e-12);
        }
    }

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // "We can vary r1, within limits": a user who never thinks still waits for the last ack.
    fn the_highest_load_is_that_of_a_user_who_never_thinks() {
        assert_eq!(nominal_load(2.0, 1.0, 0.0), 2.0 / 3.0);
        assert!(off_time(0.67, 2.0, 1.0) < 0.0);
    }
}
