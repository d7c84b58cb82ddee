//! The flows whose segments loss models watch.

use super::super::error::Log;
use super::super::flows::Flows;
use super::super::links::{Links, Way};
use super::super::spelling::join;
use super::super::value::show;
use crate::halt::look;
use dupack_core::loss;

/// Reports every flow that a loss model names and the plan lacks.
pub fn check(log: &mut Log, links: &Links, flows: &Flows) {
    for (path, loss) in &links.losses {
        if let Some(flow) = loss.watches()
            && flows.names.find(flow.name).is_none()
        {
            log.error(join(path, flow.key), flows.names.unknown(flow.name));
        }
    }
}

/// The flows that the loss models of both ways of every declared link watch; `None` if there is a mistake, reported here or
/// before.
pub fn watched(
    log: &mut Log,
    links: &Links,
    flows: &Flows,
    routes: &[Vec<usize>],
    ecmp: bool,
) -> Option<Vec<[Vec<usize>; 2]>> {
    let mut whole = true;
    let mut watched = Vec::with_capacity(links.declared.len());
    for link in &links.declared {
        look();
        watched.push([0, 1].map(|way| {
            let Way {
                loss, loss_path, ..
            } = &link.ways[way];
            let Some(flow) = loss.as_ref().and_then(loss::LossParams::watches) else {
                return Vec::new();
            };
            let Some(span) = flows.names.find(flow.name) else {
                return Vec::new();
            };
            let mut passed = routes[span.members.clone()].iter().flatten();
            // The route of such a flow is drawn for each seed, so it is not known before the run.
            let mut drawn = flows.permutations().map(|it| &it.flows);
            if ecmp || drawn.any(|it| it.contains(&span.members.start)) {
                return span.members.clone().collect();
            }
            // Otherwise the model would never cause a loss, and the user would not notice.
            if !passed.any(|at| at % 2 == way && link.members.contains(&(at / 2))) {
                whole = false;
                let found = show(&toml::Value::String(flow.name.to_string()));
                log.error(
                    join(loss_path, flow.key),
                    format!(
                        "the data of {found} does not pass this link in this direction; write a flow whose data does"
                    ),
                );
            }
            span.members.clone().collect()
        }));
    }
    whole.then_some(watched)
}
