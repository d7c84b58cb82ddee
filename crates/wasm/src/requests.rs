//! Requests and their answers.

use dupack_core::time::{Duration, Instant};
use dupack_lab::explain;
use dupack_lab::plan::{self, Plan, PlanErrors, Point};
use dupack_lab::run::{Document, Job};
use dupack_lab::{catalogue, run, schema, trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// What a caller asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The plan's text.
    pub plan: String,
    /// Its name, for messages.
    #[serde(default = "origin")]
    pub origin: String,
    /// Overrides, as of `--set`.
    #[serde(default)]
    pub sets: Vec<String>,
    /// Point of its sweep, from 0.
    #[serde(default)]
    pub point: usize,
    /// Seed; by default the first of the plan.
    pub seed: Option<u64>,
    /// A session tells of every packet, and not only of timeouts, fast retransmissions, drops and marks.
    #[serde(default)]
    pub packets: bool,
}

/// A plan as one experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Settled {
    /// Its text: `dupack run` takes it, and gives the same run.
    text: String,
    /// Its topology, from which hosts, switches and links are made, as it is written.
    topology: Option<serde_json::Value>,
    /// Its values, with all hosts, switches and links of a topology.
    table: serde_json::Value,
}

/// What a caller wants to have explained.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// The run.
    pub run: Asked,
    /// A flow, or a connection such as `web.17`; by default the only flow.
    pub flow: Option<String>,
    /// The time \[ps\].
    pub at_ps: u64,
}

/// A record that a caller wants of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The run.
    pub run: Asked,
    /// The flow or connection whose qlog is wanted; without one it is the tape, every event of all flows.
    pub qlog: Option<String>,
}

impl Why {
    fn read(bytes: &[u8]) -> Result<Self, Vec<String>> {
        serde_json::from_slice(bytes).map_err(|error| vec![format!("request: {error}")])
    }
}

fn origin() -> String {
    "plan.toml".into()
}

/// A plan without mistakes.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    title: String,
    seeds: Vec<u64>,
    axes: Vec<String>,
    points: Vec<Values>,
}

/// Values that a sweep sets at one of its points, by path.
#[derive(Clone, Debug, Serialize)]
struct Values {
    settings: BTreeMap<String, serde_json::Value>,
}

/// Either what was asked for, or every mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer<T> {
    /// What was asked for.
    Ok(T),
    /// Mistakes, one line each.
    Errors(Vec<String>),
}

impl<T: Serialize> Answer<T> {
    /// As JSON.
    pub fn json(&self) -> String {
        json(self)
    }
}

impl<T> From<Result<T, Vec<String>>> for Answer<T> {
    fn from(told: Result<T, Vec<String>>) -> Self {
        match told {
            Ok(told) => Self::Ok(told),
            Err(errors) => Self::Errors(errors),
        }
    }
}

fn lines(errors: PlanErrors) -> Vec<String> {
    errors.to_string().lines().map(Into::into).collect()
}

fn json(of: &impl Serialize) -> String {
    serde_json::to_string(of).unwrap_or_else(|error| error.to_string())
}

impl Asked {
    /// From a request.
    ///
    /// # Errors
    /// A request that is not of this form.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<String>> {
        serde_json::from_slice(bytes).map_err(|error| vec![format!("request: {error}")])
    }

    fn read_plan(&self) -> Result<Plan, Vec<String>> {
        Plan::parse(self.plan.as_bytes(), &self.origin, &self.sets).map_err(lines)
    }

    fn at_point<'p>(&self, plan: &'p Plan) -> Result<&'p Point, Vec<String>> {
        let (asked, n) = (self.point, plan.points.len());
        let none = || vec![format!("point: found {asked}; the plan has {n}, from 0")];
        plan.points.get(asked).ok_or_else(none)
    }

    fn of_seeds(&self, plan: &Plan) -> u64 {
        self.seed.or(plan.seeds.first().copied()).unwrap_or(1)
    }

    /// The run that it asks for, and the plan's title.
    ///
    /// # Errors
    /// The plan's mistakes, or a point that it does not have.
    pub fn job(&self) -> Result<(Job, String), Vec<String>> {
        let plan = self.read_plan()?;
        let job = Job {
            network: self.at_point(&plan)?.network.clone(),
            seed: self.of_seeds(&plan),
            threads: 1,
            tape: false,
            connections: false,
        };
        Ok((job, plan.title))
    }
}

/// Reads a plan.
pub fn check(request: &[u8]) -> String {
    let plan = Asked::read(request).and_then(|asked| asked.read_plan());
    let checked = plan.map(|plan| Checked {
        title: plan.title,
        seeds: plan.seeds,
        axes: plan.axes,
        points: (plan.points.iter())
            .map(|point| Values {
                settings: (point.settings.iter())
                    .map(|(path, value)| (path.clone(), serde_json::json!(value)))
                    .collect(),
            })
            .collect(),
    });
    Answer::from(checked).json()
}

/// A point of a plan as a plan of its own.
pub fn settle(request: &[u8]) -> String {
    let told = Asked::read(request).and_then(|asked| {
        let plan = asked.read_plan()?;
        let point = asked.at_point(&plan)?;
        let settle = |whole| {
            let bytes = asked.plan.as_bytes();
            plan::settled(bytes, &asked.origin, &point.settings, &asked.sets, whole).map_err(lines)
        };
        let mut alone = settle(false)?;
        let seed = i64::try_from(asked.of_seeds(&plan)).unwrap_or(i64::MAX);
        alone.insert("seed".into(), seed.into());
        Ok(Settled {
            text: plan::text(&alone),
            topology: alone.get("topology").map(|it| serde_json::json!(it)),
            table: serde_json::json!(settle(true)?),
        })
    });
    Answer::from(told).json()
}

/// Runs a point of a plan.
pub fn run(request: &[u8]) -> String {
    let asked = Asked::read(request).and_then(|asked| asked.job());
    let document = asked.and_then(|(job, _)| {
        run::run(&job, &AtomicBool::new(false))
            .map(|outcome| text(&outcome.document))
            .map_err(|failure| vec![failure.to_string()])
    });
    Answer::from(document).json()
}

/// What happened to a flow at a time: a [`Why`].
pub fn explain(request: &[u8]) -> String {
    let told = Why::read(request).and_then(|why| {
        let (job, _) = why.run.job()?;
        let asked = explain::Asked {
            flow: why.flow.as_deref(),
            at: Instant::ZERO + Duration(why.at_ps),
        };
        explain::explain(&job.network, job.seed, &asked, &AtomicBool::new(false))
            .map_err(|error| vec![error.to_string()])
    });
    Answer::from(told).json()
}

/// The tape of a run as CSV, or a sender's qlog: a [`Wanted`].
pub fn record(request: &[u8]) -> String {
    let told = serde_json::from_slice::<Wanted>(request)
        .map_err(|error| vec![format!("request: {error}")])
        .and_then(|wanted| {
            let (job, title) = wanted.run.job()?;
            let recorded =
                trace::record(&job.network, &title, job.seed, &[], &AtomicBool::new(false))
                    .map_err(|failure| vec![failure.to_string()])?;
            let Some(name) = wanted.qlog else {
                return Ok(recorded.csv());
            };
            let at = recorded.logs().iter().position(|log| *log == name);
            let log = at.and_then(|at| recorded.qlog(at));
            log.ok_or_else(|| vec![format!("flow {name:?}: there is no qlog of it")])
        });
    Answer::from(told).json()
}

/// A document as JSON. It does not say how long the run took: a module has no clock.
pub fn text(document: &Document) -> String {
    json(document)
}

/// The JSON Schema of plans.
pub fn schema() -> String {
    json(&schema::schema())
}

/// Every word that a plan can name.
pub fn catalogue() -> String {
    json(&catalogue::catalogue())
}

/// Version and digest of the sources.
pub fn build() -> String {
    json(&BTreeMap::from([
        ("version", env!("CARGO_PKG_VERSION")),
        ("build", dupack_lab::BUILD),
    ]))
}
