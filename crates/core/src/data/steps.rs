//! Steps of a schedule: when a line changes, and what. As a table of values separated by commas.

use super::seconds;
use crate::measure::{Rate, Share};
use crate::time::Duration;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A change of a line; what it does not give stays as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub at: Duration,
    /// Rate from then on.
    pub rate: Option<Rate>,
    /// Propagation delay from then on.
    pub delay: Option<Duration>,
    /// Share of packets that are lost from then on, each independently.
    pub loss: Option<Share>,
    /// Whether it transmits from then on.
    pub up: Option<bool>,
}

impl Step {
    fn is_empty(&self) -> bool {
        let Self {
            rate,
            delay,
            loss,
            up,
            ..
        } = self;
        rate.is_none() && delay.is_none() && loss.is_none() && up.is_none()
    }
}

/// Steps in order of time: at least one, each of which changes something.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(Vec<Step>);

/// What is wrong with a list of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It has none.
    Empty,
    /// This one, counted from 0, is not later than the one before.
    Order(usize),
    /// This one changes nothing.
    Idle(usize),
}

impl Steps {
    /// The steps, if they are in order.
    ///
    /// # Errors
    /// The first mistake.
    pub fn new(steps: Vec<Step>) -> Result<Self, Unfit> {
        if steps.is_empty() {
            return Err(Unfit::Empty);
        }
        if let Some(idle) = steps.iter().position(Step::is_empty) {
            return Err(Unfit::Idle(idle));
        }
        match steps.windows(2).position(|two| two[1].at <= two[0].at) {
            Some(before) => Err(Unfit::Order(before + 1)),
            None => Ok(Self(steps)),
        }
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Step] {
        &self.0
    }

    /// The time of the last.
    pub fn last(&self) -> Duration {
        self.0[self.0.len() - 1].at
    }

    pub(super) fn read(text: &str, look: &dyn Fn()) -> Result<Self, String> {
        let rows = text.lines().zip(1..).filter_map(|(line, number)| {
            look();
            let told = line.split('#').next().unwrap_or("").trim();
            (!told.is_empty()).then(|| (number, told.split(',').map(str::trim).collect()))
        });
        let mut rows: Vec<(usize, Vec<&str>)> = rows.collect();
        if rows.is_empty() {
            return Err("it is empty".into());
        }
        let (number, names) = rows.remove(0);
        let columns = columns(number, &names)?;
        let mut steps = Vec::with_capacity(rows.len());
        for (number, fields) in &rows {
            look();
            if fields.len() != names.len() {
                return Err(format!(
                    "line {number} has {} values, and its head has {}",
                    fields.len(),
                    names.len()
                ));
            }
            let fields = columns.map(|at| at.map_or("", |at| fields[at]));
            steps.push(step(*number, fields)?);
        }
        let line = |at: usize| rows[at].0;
        Self::new(steps).map_err(|unfit| match unfit {
            Unfit::Empty => "it has no steps".into(),
            Unfit::Order(at) => format!(
                "line {}: its time is not after that of the line before; steps must be in order of time",
                line(at)
            ),
            Unfit::Idle(at) => format!("line {}: it changes nothing", line(at)),
        })
    }
}

/// The columns, as [`columns`] gives their places.
const NAMES: [&str; 5] = ["at_s", "rate_bps", "delay_s", "loss", "up"];

/// Where each column is.
fn columns(number: usize, head: &[&str]) -> Result<[Option<usize>; 5], String> {
    for (at, name) in head.iter().enumerate() {
        if !NAMES.contains(name) {
            return Err(format!(
                "line {number}: {name:?} is no column; the first line names the columns, of {}",
                NAMES.join(",")
            ));
        }
        if head[..at].contains(name) {
            return Err(format!("line {number}: two columns are called {name:?}"));
        }
    }
    let found = NAMES.map(|name| head.iter().position(|it| *it == name));
    match found[0] {
        Some(_) => Ok(found),
        None => Err(format!("line {number}: there is no column \"at_s\"")),
    }
}

/// A line after the head.
fn step(number: usize, [at, rate, delay, loss, up]: [&str; 5]) -> Result<Step, String> {
    fn read<T>(
        number: usize,
        word: &str,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        if word.is_empty() {
            return Ok(None);
        }
        let found = read(word).ok_or_else(|| format!("line {number}: {word:?} is not {what}"))?;
        Ok(Some(found))
    }
    let time = "a time [s] of at least 0, with at most 12 decimals";
    let at = read(number, at, time, seconds)?;
    Ok(Step {
        at: at.ok_or_else(|| format!("line {number}: it has no time"))?,
        rate: read(number, rate, "a rate [bit/s] above zero", bits_per_second)?,
        delay: read(number, delay, time, seconds)?,
        loss: read(number, loss, "a share from 0 to 1", |word| {
            let share = word.parse::<f64>().ok()?;
            (0.0..=1.0).contains(&share).then_some(Share(share + 0.0)) // -0 becomes 0
        })?,
        up: read(number, up, "true or false", |word| {
            let is = |words: [&str; 2]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
            if is(["true", "1"]) {
                Some(true)
            } else {
                is(["false", "0"]).then_some(false)
            }
        })?,
    })
}

/// A rate; programs also write whole numbers as `1e7` or `10000000.0`.
fn bits_per_second(word: &str) -> Option<Rate> {
    let whole = word.parse::<u64>().ok().or_else(|| {
        let rate = word.parse::<f64>().ok()?;
        // Above 2^53 not every whole number is a float.
        let whole = rate as u64;
        (whole as f64 == rate && whole < 1 << 53).then_some(whole)
    });
    whole.filter(|rate| *rate > 0).map(Rate)
}

/// Equal steps have equal texts.
pub(super) fn canonical(steps: &Steps, out: &mut dyn fmt::Write) -> fmt::Result {
    for (at, it) in steps.0.iter().enumerate() {
        let rate = it.rate.map(|it| it.0);
        let delay = it.delay.map(|it| it.0);
        let loss = it.loss.map(|it| it.0);
        let before = if at == 0 { "" } else { ";" };
        let (at, up) = (it.at.0, it.up);
        write!(out, "{before}{at} {rate:?} {delay:?} {loss:?} {up:?}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_stand_in_any_order_and_be_empty() {
        let text = "up,at_s,rate_bps # a comment\n\n,0.5,1e7\nFalse,2,\n 1 , 3 , 2000000.0\n";
        let step = |at, rate: Option<u64>, up| Step {
            at: Duration::millis(at),
            rate: rate.map(Rate),
            delay: None,
            loss: None,
            up,
        };
        let want = [
            step(500, Some(10_000_000), None),
            step(2000, None, Some(false)),
            step(3000, Some(2_000_000), Some(true)),
        ];
        assert_eq!(Steps::read(text, &|| ()).unwrap().all(), want);
        let all = Steps::read("at_s,delay_s,loss\n1,0.05,0.1\n", &|| ()).unwrap();
        assert_eq!(all.all()[0].delay, Some(Duration::millis(50)));
        assert_eq!(all.all()[0].loss, Some(Share(0.1)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, want) in [
            ("", "it is empty"),
            ("at_s,up\n", "it has no steps"),
            ("up\n1", "line 1: there is no column \"at_s\""),
            ("at_s,at_s", "line 1: two columns are called \"at_s\""),
            (
                "1,2",
                "line 1: \"1\" is no column; the first line names the columns, of at_s,rate_bps,delay_s,loss,up",
            ),
            ("at_s,up\n1", "line 2 has 1 values, and its head has 2"),
            ("at_s,up\n,1", "line 2: it has no time"),
            ("at_s,up\n1,", "line 2: it changes nothing"),
            ("at_s,up\n1,yes", "line 2: \"yes\" is not true or false"),
            (
                "at_s,rate_bps\n1,0",
                "line 2: \"0\" is not a rate [bit/s] above zero",
            ),
            (
                "at_s,rate_bps\n1,0.5",
                "line 2: \"0.5\" is not a rate [bit/s] above zero",
            ),
            (
                "at_s,delay_s\n1,-1",
                "line 2: \"-1\" is not a time [s] of at least 0, with at most 12 decimals",
            ),
            ("at_s,loss\n1,2", "line 2: \"2\" is not a share from 0 to 1"),
            (
                "at_s,up\n1,1\n# again\n1,0",
                "line 4: its time is not after that of the line before; steps must be in order of time",
            ),
        ] {
            assert_eq!(Steps::read(text, &|| ()).unwrap_err(), want, "{text:?}");
        }
    }
}
