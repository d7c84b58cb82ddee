//! The tape of a flow, divided into episodes.

use dupack_core::time::Instant;
use dupack_sim::probe::{Carried, Deed, Event, Incident, Row};

/// An event of an episode, or several of a kind that follow each other.
#[derive(Clone, Debug)]
pub(super) enum Happened<'t> {
    /// Transmissions that are dropped, marked or trimmed later in the episode are sent.
    Sent(Vec<&'t Row>),
    /// Data packets to which the same happened at the same link, for the same cause.
    Befell(Vec<&'t Incident>),
    /// Acks are lost.
    AcksLost(Vec<&'t Incident>),
    /// A row of the tape with the cwnd before it.
    Row(&'t Row, f64),
    /// Duplicate acks with the same next segment.
    Duplicates(Vec<&'t Row>),
    /// Retransmissions, one after the other.
    Resent(Vec<&'t Row>),
    /// An ack covers all that was outstanding when the sender found out.
    Recovered(&'t Row),
}

/// A chain of events of a flow.
#[derive(Clone, Debug)]
pub(super) struct Episode<'t> {
    /// Its events, in order of time.
    pub happened: Vec<Happened<'t>>,
    /// It was not over when the tape ended.
    pub open: bool,
    from: Instant,
    to: Instant,
    /// The highest segment sent when the sender found out; before that none.
    recover: Option<u64>,
    /// Segments that are lost and were not delivered since.
    lost: Vec<u64>,
    /// Marks without an answer.
    marked: bool,
}

impl Episode<'_> {
    /// Time of its first event.
    pub fn from(&self) -> Instant {
        self.from
    }

    /// Time of its last event.
    pub fn to(&self) -> Instant {
        self.to
    }
}

impl Happened<'_> {
    /// Time of the first.
    pub fn at(&self) -> Instant {
        match self {
            Self::Sent(rows) | Self::Duplicates(rows) | Self::Resent(rows) => rows[0].at,
            Self::Befell(them) | Self::AcksLost(them) => them[0].at,
            Self::Row(row, _) | Self::Recovered(row) => row.at,
        }
    }
}

/// Rows and incidents of one flow, each in order of time, as one sequence. Incidents come before the rows of the same time, which
/// follow from them.
fn merged<'t>(
    rows: &'t [Row],
    incidents: &'t [Incident],
) -> impl Iterator<Item = Result<&'t Row, &'t Incident>> {
    let (mut rows, mut incidents) = (rows.iter().peekable(), incidents.iter().peekable());
    std::iter::from_fn(move || match (rows.peek(), incidents.peek()) {
        (Some(row), Some(it)) if row.at < it.at => rows.next().map(Ok),
        (_, Some(_)) => incidents.next().map(Err),
        (Some(_), None) => rows.next().map(Ok),
        (None, None) => None,
    })
}

/// Divides the tape of one flow.
pub(super) fn episodes<'t>(rows: &'t [Row], incidents: &'t [Incident]) -> Vec<Episode<'t>> {
    let mut reader = Reader::default();
    for next in merged(rows, incidents) {
        match next {
            Ok(row) => reader.row(row),
            Err(incident) => reader.incident(incident),
        }
    }
    reader.all
}

#[derive(Default)]
struct Reader<'t> {
    all: Vec<Episode<'t>>,
    /// The last transmission of each segment that is outstanding or was lost.
    sent: std::collections::BTreeMap<u64, &'t Row>,
    /// One beyond the highest segment sent.
    max: u64,
    /// Of the last row, and of the last one before its time: at one instant the sender changes cwnd first, and then the rows are written.
    cwnd: f64,
    before: f64,
    /// An incident was reported for this segment at this time: its row on the tape says the same.
    told: Option<(Instant, u64)>,
    last: Instant,
}

impl<'t> Reader<'t> {
    /// The episode under way.
    fn open(&mut self) -> Option<&mut Episode<'t>> {
        self.all.last_mut().filter(|it| it.open)
    }

    /// The same, or a new one that begins at a time.
    fn begin(&mut self, at: Instant) -> &mut Episode<'t> {
        if !self.all.last().is_some_and(|it| it.open) {
            self.all.push(Episode {
                happened: Vec::new(),
                open: true,
                from: at,
                to: at,
                recover: None,
                lost: Vec::new(),
                marked: false,
            });
        }
        let last = self.all.len() - 1;
        &mut self.all[last]
    }

    fn incident(&mut self, it: &'t Incident) {
        let Carried::Data { segment, .. } = it.carried else {
            // Lost acks matter to an episode under way, or to the timeout that follows; alone they change nothing.
            if let Some(episode) = self.open() {
                episode.add(it.at, Happened::AcksLost(vec![it]));
            }
            return;
        };
        self.told = Some((it.at, segment));
        let sent = self.sent.get(&segment).copied();
        let episode = self.begin(it.at);
        if let Some(row) = sent.filter(|row| row.event == Event::Send) {
            episode.sent(row);
        }
        episode.add(it.at, Happened::Befell(vec![it]));
        match it.deed {
            Deed::Marked => episode.marked = true,
            Deed::Dropped(_) | Deed::Trimmed => episode.lost.push(segment),
        }
    }

    fn row(&mut self, row: &'t Row) {
        if row.at > self.last {
            self.before = self.cwnd;
        }
        (self.cwnd, self.last) = (row.cwnd, row.at);
        let before = self.before;
        match row.event {
            Event::Send | Event::Retransmit => {
                self.max = self.max.max(row.segment + 1);
                self.sent.insert(row.segment, row);
                if row.event == Event::Retransmit
                    && let Some(episode) = self.open()
                {
                    episode.add(row.at, Happened::Resent(vec![row]));
                }
            }
            Event::Drop => {
                // A packet that was joined with another has no incident of its own.
                if self.told != Some((row.at, row.segment)) {
                    let episode = self.begin(row.at);
                    episode.lost.push(row.segment);
                    episode.add(row.at, Happened::Row(row, before));
                }
            }
            Event::Mark | Event::Deliver => {}
            Event::DupAck => {
                if let Some(episode) = self.open() {
                    episode.add(row.at, Happened::Duplicates(vec![row]));
                }
            }
            Event::FastRetransmit | Event::Timeout => {
                let max = self.max;
                let episode = self.begin(row.at);
                episode.recover = Some(max);
                episode.add(row.at, Happened::Row(row, before));
            }
            Event::Cwnd => {
                let halved = row.cwnd < before;
                if let Some(episode) = self.open().filter(|it| it.marked && halved) {
                    episode.marked = false;
                    episode.add(row.at, Happened::Row(row, before));
                }
            }
            Event::Ack => {
                self.sent = self.sent.split_off(&row.segment);
                if let Some(episode) = self.open() {
                    episode.acknowledged(row);
                }
            }
        }
        // An answer to a mark is the end of it, if nothing else is going on.
        if let Some(episode) = self.open()
            && !episode.marked
            && episode.lost.is_empty()
            && episode.recover.is_none()
        {
            episode.open = false;
        }
    }
}

impl<'t> Episode<'t> {
    /// Adds an event, to those before it if it is one more of their kind.
    fn add(&mut self, at: Instant, new: Happened<'t>) {
        self.to = self.to.max(at);
        let joined = match (self.happened.last_mut(), &new) {
            (Some(Happened::Befell(them)), Happened::Befell(more)) => {
                let alike = them[0].link == more[0].link && them[0].deed == more[0].deed;
                alike.then(|| them.extend(more)).is_some()
            }
            (Some(Happened::AcksLost(them)), Happened::AcksLost(more)) => {
                let alike = them[0].link == more[0].link && them[0].deed == more[0].deed;
                alike.then(|| them.extend(more)).is_some()
            }
            (Some(Happened::Duplicates(them)), Happened::Duplicates(more)) => {
                let alike = them[0].segment == more[0].segment;
                alike.then(|| them.extend(more)).is_some()
            }
            (Some(Happened::Resent(them)), Happened::Resent(more)) => {
                them.extend(more);
                true
            }
            _ => false,
        };
        if !joined {
            self.happened.push(new);
        }
    }

    /// A transmission to which something happens now: it stands before that, at its own time.
    fn sent(&mut self, row: &'t Row) {
        self.from = self.from.min(row.at);
        match self.happened.last_mut() {
            None => self.happened.push(Happened::Sent(vec![row])),
            Some(Happened::Befell(_)) => {
                let last = self.happened.len() - 1;
                match last.checked_sub(1).map(|at| &mut self.happened[at]) {
                    Some(Happened::Sent(rows)) => rows.push(row),
                    _ => self.happened.insert(last, Happened::Sent(vec![row])),
                }
            }
            // In the middle of an episode, what is dropped is said with the drop.
            Some(_) => {}
        }
    }

    fn acknowledged(&mut self, row: &'t Row) {
        self.lost.retain(|segment| *segment >= row.segment);
        match self.recover {
            Some(recover) if row.segment >= recover => {
                self.recover = None;
                self.add(row.at, Happened::Recovered(row));
                // What was lost meanwhile begins the next chain only if the sender has yet to find out; it belongs to this one.
                self.open = !self.lost.is_empty();
            }
            // The losses were repaired without the sender's finding out: a spurious drop of a copy, or a receiver that has it.
            None if self.lost.is_empty() && !self.marked => self.open = false,
            _ => {}
        }
    }
}
