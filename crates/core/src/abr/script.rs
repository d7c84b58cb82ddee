//! The rules of a source as scripts, each named by its number in TM 4.0.
//!
//! A line is a time \[ms\], an event, and the expected result. `data 3` (three cells arrive and wait), `turned` (a turned RM cell
//! waits) and `back` (an RM cell has come back, with `ci`, `ni`, `er=R` \[cells/s\]) give ACR \[cells/s\]. `sends` gives the cells
//! sent since the previous line: F forward RM, B backward RM, d data, each with its time \[ms\]. `says` gives the same, with the
//! contents of forward RM cells in brackets: CCR, ER and MCR \[cells/s\], and CI, NI and DIR if they are set.

use super::rm_cell::RmCell;
use super::source::{Sent, Source, SourceParams};
use crate::declare::Declared;
use crate::measure::CellRate;
use crate::time::{Duration, Instant};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const MS: f64 = 1e9;

/// ACR or a time, as scripts write them.
fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Contents of a forward RM cell, as text.
fn fields(rm: &RmCell) -> String {
    let flags = [(rm.ci, " ci"), (rm.ni, " ni"), (rm.backward, " dir")];
    let flags: String = flags
        .iter()
        .filter(|(set, _)| *set)
        .map(|(_, name)| *name)
        .collect();
    let (ccr, er, mcr) = (round(rm.ccr.0), round(rm.er.0), round(rm.mcr.0));
    format!("[ccr {ccr} er {er} mcr {mcr}{flags}]")
}

/// All that the source sends from `now` to `until`, with the contents of its RM cells if `says` is set.
fn sends(source: &mut Source, now: Instant, until: Instant, says: bool) -> String {
    let mut all = Vec::new();
    while let Some(due) = source.poll_timeout().filter(|due| *due <= until) {
        let due = due.max(now);
        let Some(sent) = source.poll_transmit(due) else {
            panic!("nothing is sent at {due:?}")
        };
        let (letter, said) = match sent {
            Sent::ForwardRm(rm) if says => ('F', fields(&rm)),
            Sent::ForwardRm(_) => ('F', String::new()),
            Sent::BackwardRm => ('B', String::new()),
            Sent::Data => ('d', String::new()),
        };
        all.push(format!("{letter}{}{said}", round(due.0 as f64 / MS)));
    }
    all.join(" ")
}

/// Runs a script on a source of these parameters; a round trip takes 20 ms.
fn check(params: &[(&str, &str)], script: &str) {
    let params = SourceParams::from_texts(params);
    let mut source = Source::new(&params, CellRate(1000.0), Duration::millis(20));
    let mut before = Instant::ZERO;
    for line in script.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let (step, want) = line.split_once("=>").expect(line);
        let mut words = step.split_whitespace();
        let at: f64 = words.next().and_then(|w| w.parse().ok()).expect(line);
        let now = Instant((at * MS) as u64);
        let acr = |source: &Source| round(source.acr().0).to_string();
        let found = match words.next() {
            Some(how @ ("sends" | "says")) => sends(&mut source, before, now, how == "says"),
            Some("data") => {
                source.handle_data(words.next().and_then(|w| w.parse().ok()).expect(line));
                acr(&source)
            }
            Some("turned") => {
                source.handle_turned();
                acr(&source)
            }
            Some("back") => {
                let mut rm = RmCell {
                    backward: true,
                    ci: false,
                    ni: false,
                    er: CellRate(f64::MAX),
                    ccr: source.acr(),
                    mcr: CellRate(0.0),
                };
                for word in words {
                    match word {
                        "ci" => rm.ci = true,
                        "ni" => rm.ni = true,
                        er => {
                            let er = er.strip_prefix("er=").and_then(|w| w.parse().ok());
                            rm.limit(CellRate(er.expect(line)));
                        }
                    }
                }
                source.handle_backward_rm(now, &rm);
                acr(&source)
            }
            _ => panic!("{line}"),
        };
        assert_eq!(found, want.trim(), "{line}");
        before = now;
    }
}

#[test]
//= atm-tm4 §5.10.4, rule 1 type=test
fn rule_1_never_faster_than_acr() {
    check(
        &[("icr", "0.5")],
        "0 data 4    => 500
         3 sends     => F0 d2
         3 back      => 562.5
         3.9 sends   => d3.889   # half a cell at 500, half at 562.5
         4 back er=100 => 100
         20 sends    => d13.375  # a sixteenth of a cell had been allowed
         100 sends   => d23.375",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 1 type=test
fn rule_1_unused_time_is_no_credit() {
    check(
        &[],
        "0 data 1   => 1000
         50 sends   => F0 d1
         50 data 3  => 1000
         60 sends   => d50 d51 d52",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 2 type=test
fn rule_2_begins_at_icr_with_a_forward_rm_cell() {
    check(
        &[("pcr", "800 cells/s"), ("icr", "0.25")],
        "7 sends    =>           # nothing waits
         7 data 1   => 200
         20 sends   => F7 d12",
    );
    check(
        &[("pcr", "800 cells/s"), ("icr", "50 cells/s")],
        "0 data 1 => 50",
    );
    check(
        &[("mcr", "300 cells/s"), ("icr", "0.25")],
        "0 data 1 => 300",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 3 type=test
fn rule_3a_of_nrm_cells_one_is_a_forward_rm_cell() {
    check(
        &[("nrm", "4")],
        "0 data 8   => 1000
         20 sends   => F0 d1 d2 d3 F4 d5 d6 d7 F8 d9 d10",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 3 type=test
fn rule_3a_trm_brings_one_earlier_if_mrm_cells_were_sent() {
    check(
        &[("trm", "3 ms"), ("nrm", "100")],
        "0 data 6   => 1000
         20 sends   => F0 d1 d2 F3 d4 d5 F6 d7 d8",
    );
    check(
        &[("trm", "3 ms"), ("nrm", "100"), ("mrm", "4")],
        "0 data 6   => 1000
         20 sends   => F0 d1 d2 d3 d4 F5 d6 d7",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 3 type=test
fn rule_3b_a_backward_rm_cell_goes_before_data_once() {
    check(
        &[("nrm", "8")],
        "0 turned   => 1000
         0 data 4   => 1000
         1 sends    => F0 B1
         1 turned   => 1000
         20 sends   => d2 d3 d4 d5 B6   # a second one when no data waits
         20 turned  => 1000
         20 data 2  => 1000
         30 sends   => d20 F21 B22 d23",
    );
}

/// One data cell after a forward RM cell, two increases, and then nothing to send until `idle`; ICR is 100, Tc 40 ms.
fn after_a_pause(word: &str, idle: u64, then: &str) {
    let params = [
        ("icr", "0.1"),
        ("nrm", "2"),
        ("use_it_or_lose_it", word),
        ("adtf", "50 ms"),
    ];
    let begin = "0 data 1 => 100
                 20 sends => F0 d10
                 20 back  => 162.5
                 20 back  => 225";
    check(&params, &format!("{begin}\n{idle} data 1 => 225\n{then}"));
}

#[test]
//= atm-tm4 §5.10.4, rule 5 type=test
fn rule_5_a_source_that_was_idle_begins_again_at_icr() {
    after_a_pause("adtf", 50, "70 sends => F50 d54.444");
    after_a_pause("adtf", 51, "70 sends => F51 d61");
    after_a_pause("off", 51, "70 sends => F51 d55.444");
}

#[test]
//= atm-tm4 §5.10.4, rule 13 type=test
//= kalyanaraman-1997 §7.1.9 type=test
fn rule_13_the_longer_the_pause_the_more_is_lost() {
    check(
        &[
            ("icr", "0.5"),
            ("nrm", "2"),
            ("use_it_or_lose_it", "august-1995"),
        ],
        "0 data 3  => 500
         0 back    => 562.5
         7 sends   => F0 d1.778 F3.556 d5.333
         7 data 0  => 562.5       # it takes no more than 2 x 2 cells' time to the next
         9 sends   => F7.111 d8.889",
    );
    after_a_pause(
        "august-1995",
        20,
        "21 sends => F20
         21 data 0 => 112.5       # half of Tc
         21 back   => 112.5       # not taken
         21 back   => 175",
    );
    after_a_pause("august-1995", 30, "30 sends => F30\n30 data 0 => 100");
    // Two cells in 30 ms are 66.667 cells/s. The source keeps this rate plus ICR.
    after_a_pause("time-based", 30, "30 sends => F30\n30 data 0 => 166.667");
}

#[test]
//= atm-tm4 §5.10.4, rule 13 type=test
//= kalyanaraman-1997 §7.1.8 type=test
fn rule_13_with_every_rm_cell_a_share_is_lost() {
    after_a_pause(
        "count-based",
        30,
        "30 sends  => F30
         30 data 0 => 225         # it was raised since the last one
         30 back   => 225         # but not used
         50 sends  => d34.444
         60 data 1 => 225
         60 sends  => F60
         60 data 0 => 210.938
         90 data 20 => 210.938
         90 sends  => d90
         94 sends  =>
         95 sends  => F94.741
         95 data 0 => 197.754
         110 sends => d99.798 F104.854 d109.911
         110 data 0 => 197.754    # used again
         110 back  => 260.254",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 6 type=test
fn rule_6_a_source_that_hears_nothing_slows_down() {
    check(
        &[
            ("nrm", "2"),
            ("crm", "2"),
            ("cdf", "0.5"),
            ("mcr", "200 cells/s"),
        ],
        "0 data 9   => 1000
         4 sends    => F0 d1 F2 d3 F4
         4 data 0   => 500        # the third in a row that goes out unanswered
         6 sends    => d6
         8 sends    => F8
         8 data 0   => 250
         12 sends   => d12
         17 sends   => F16
         17 data 0  => 200        # not below MCR
         17 back ni => 200
         40 sends   => d21 F26 d31 F36
         40 data 0  => 200",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 7 type=test
fn rule_7_ccr_is_what_rules_5_6_and_13_have_left() {
    let says = |params: &[(&str, &str)], script: &str| {
        check(&[&[("icr", "0.1"), ("nrm", "2")], params].concat(), script);
    };
    // Rule 5: the rate was 225 cells/s. The RM cell that announces the new rate need not keep it; the cells after it must.
    says(
        &[("use_it_or_lose_it", "adtf"), ("adtf", "50 ms")],
        "0 data 2   => 100
         20 says    => F0[ccr 100 er 1000 mcr 0] d10 F20[ccr 100 er 1000 mcr 0]
         20 back    => 162.5
         20 back    => 225
         30 says    => d24.444
         75 data 1  => 225
         90 says    => F75[ccr 100 er 1000 mcr 0] d85",
    );
    // Rule 6: the third RM cell is sent at the time that the old rate, 100 cells/s, allowed.
    says(
        &[("crm", "2"), ("cdf", "0.5")],
        "0 data 9   => 100
         70 says    => F0[ccr 100 er 1000 mcr 0] d10 F20[ccr 100 er 1000 mcr 0] d30 F40[ccr 50 er 1000 mcr 0] d60",
    );
    // Rule 13: the source keeps the rate of two cells in 30 ms, plus ICR.
    says(
        &[("use_it_or_lose_it", "time-based")],
        "0 data 1   => 100
         20 says    => F0[ccr 100 er 1000 mcr 0] d10
         20 back    => 162.5
         20 back    => 225
         30 data 1  => 225
         30 says    => F30[ccr 166.667 er 1000 mcr 0]",
    );
    // The CCR of an RM cell reflects the backward RM cell that arrived before it.
    says(
        &[],
        "0 data 3   => 100
         0 says     => F0[ccr 100 er 1000 mcr 0]
         5 back er=120 => 120
         30 says    => d9.167 F17.5[ccr 120 er 1000 mcr 0] d25.833",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 10 type=test
// DIR, CI and NI are 0 and ER is PCR, whatever the last backward RM cell said.
fn rule_10_a_forward_rm_cell_asks_for_pcr() {
    check(
        &[
            ("pcr", "800 cells/s"),
            ("mcr", "50 cells/s"),
            ("icr", "0.25"),
            ("nrm", "2"),
        ],
        "0 data 3             => 200
         1 says               => F0[ccr 200 er 800 mcr 50]
         1 back ci ni er=100  => 100
         20 says              => d9 F19[ccr 100 er 800 mcr 50]",
    );
    // Without a PCR of its own, the source asks for the line's rate, also in an out-of-rate cell.
    check(
        &[],
        "0 data 2         => 1000
         0 says           => F0[ccr 1000 er 1000 mcr 0]
         0 back er=0      => 0
         100 says         => F100[ccr 0 er 1000 mcr 0]",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 8 type=test
//= lai-lin-hung-1999 §2.2 type=test
fn rule_8_additive_increase_and_multiplicative_decrease() {
    check(
        &[("icr", "0.5"), ("mcr", "480 cells/s"), ("rif", "0.3")],
        "0 back         => 800
         0 back ni      => 800
         0 back ci      => 750
         0 back ci ni   => 703.125
         0 back         => 1000     # not above PCR
         0 back ci      => 937.5",
    );
    check(
        &[("icr", "0.5"), ("mcr", "480 cells/s"), ("rdf", "0.5")],
        "0 back ci      => 480      # not below MCR",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 9 type=test
fn rule_9_the_explicit_rate_is_a_limit() {
    check(
        &[("mcr", "100 cells/s")],
        "0 back er=600     => 600
         0 back er=650     => 650      # 662.5 by rule 8
         0 back ci er=900  => 609.375
         0 back er=50      => 100      # not below MCR",
    );
}

#[test]
//= atm-tm4 §5.10.4, rule 11 type=test
fn rule_11_a_rate_near_zero_can_be_raised_again() {
    check(
        &[("rif", "0.5")],
        "0 data 2         => 1000
         0 sends          => F0
         0.5 back er=0    => 0
         250 sends        => F100 F200   # out of rate
         250 back er=100  => 100
         270 sends        => d255 d265   # half a cell had been allowed",
    );
}

#[test]
fn acr_stays_between_mcr_and_pcr_and_cells_keep_their_distance() {
    use proptest::prelude::*;
    let step = (0u64..40_000_000, 0u8..4, 0u64..40, 0.0..1500.0f64);
    let words =
        prop::sample::select(&["off", "adtf", "august-1995", "time-based", "count-based"][..]);
    let all = (words, prop::collection::vec(step, 1..200));
    proptest!(|((word, steps) in all)| {
        let params = SourceParams::from_texts(&[
            ("pcr", "1000 cells/s"), ("mcr", "50 cells/s"), ("icr", "0.3"), ("nrm", "4"), ("crm", "3"), ("trm", "9 ms"),
            ("use_it_or_lose_it", word), ("adtf", "10 ms"),
        ]);
        let mut source = Source::new(&params, CellRate(2000.0), Duration::millis(10));
        let mut now = Instant::ZERO;
        let mut last: Option<Instant> = None;
        for (wait, what, cells, rate) in steps {
            now += Duration(wait * 1000);
            let before = source.acr();
            match what {
                0 => source.handle_data(cells),
                1 => source.handle_turned(),
                2 => {
                    let rm = RmCell {
                        backward: true, ci: cells % 3 == 0, ni: cells % 5 == 0, er: CellRate(rate), ccr: before, mcr: CellRate(50.0),
                    };
                    source.handle_backward_rm(now, &rm);
                }
                _ => while let Some(sent) = source.poll_transmit(now) {
                    if let Some(last) = last {
                        // The rate is at most 1000 cells/s, exact to a picosecond.
                        prop_assert!((now - last).0 >= 1_000_000_000);
                    }
                    last = Some(now);
                    if let Sent::ForwardRm(rm) = sent {
                        prop_assert!(rm.ccr == source.acr() && rm.er == CellRate(1000.0));
                    }
                },
            }
            prop_assert!((50.0..=1000.0).contains(&source.acr().0));
        }
    });
}
