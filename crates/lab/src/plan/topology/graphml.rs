//! A graph from a GraphML file, such as those of the Topology Zoo: a switch per node, a link per edge, and hosts at every node.
//!
//! It uses a node's `label`, its `Latitude` and `Longitude`, from which it computes the delay of a link, and an edge's
//! `LinkSpeedRaw`, the rate.
//= knight-2011 §II

use super::super::error::Log;
use super::super::limits::MEMBERS;
use super::super::part::table;
use super::super::reader::Reader;
use super::super::value::is_a;
use super::shapes::{Cable, Links, Net, Without};
use crate::halt::look;
use dupack_core::declare::{Declared, Fallback, Parameter};
use dupack_core::measure::Rate;
use dupack_core::time::Duration;
use roxmltree::{Document, Node};
use std::collections::{HashMap, HashSet};

dupack_core::declare! {
    /// Reads a graph from a GraphML file, such as those of the Topology Zoo: a switch per node, a link per edge, and hosts at every node.
    pub struct Graph as "graphml" from "knight-2011 §II" {
        /// Name of the file. A node's `label` is its name; the delay of a link follows from the `Latitude` and `Longitude` of its nodes, and
        /// an edge's `LinkSpeedRaw` is its rate.
        file: String;
        /// Number of hosts at each node: `host-NODE`, or `host-NODE-0`, ... if there are several.
        hosts: u64 = "1";
    }
}

/// The key of the values for trunks for which the file gives none.
pub(super) const FALLBACK: &str = "fallback";

/// Tables that describe its links.
pub(super) const LINKS: &[Links] = &[
    Links {
        name: "trunk",
        help: "between the switches, all of them: `trunk-NODE-NODE`; values here take precedence over the file's",
        without: Without::Known,
    },
    Links {
        name: FALLBACK,
        help: "between the switches, where the file does not give a value: `rate` and `delay`, and no other key",
        without: Without::Known,
    },
    Links {
        name: "access",
        help: "from each host to its switch: `access-NODE`",
        without: Without::Wrong,
    },
];

/// Values for links without them in the file: rate \[bit/s\] and delay \[ps\].
#[derive(Clone, Copy, Debug, Default)]
struct Otherwise {
    rate: Option<u64>,
    delay: Option<u64>,
}

fn otherwise(log: &mut Log, reader: &mut Reader<'_>) -> Option<Otherwise> {
    let nothing = toml::Table::new();
    let example = "{ rate = \"10 Gb/s\", delay = \"1 ms\" }";
    let path = reader.at(FALLBACK);
    let found = table(log, &path, reader.raw(FALLBACK), &nothing, example)?;
    let mut reader = Reader::new(path, found);
    let rate = reader.get::<Option<Rate>>(log, "rate", Fallback::Unset(""));
    let delay = reader.get::<Option<Duration>>(log, "delay", Fallback::Unset(""));
    reader.finish(log);
    Some(Otherwise {
        rate: rate?.map(|it| it.0),
        delay: delay?.map(|it| it.0),
    })
}

/// The longest part of a label that is used in a name, because names become part of file names.
const LABEL: usize = 40;

/// Mean radius of the earth \[m\].
const EARTH: f64 = 6_371_008.8;

/// Speed of light in fibre, two thirds of that in vacuum \[m/s\].
const SPEED: f64 = 2e8;

/// Reads the file, and the other keys of the topology.
pub(super) fn read(log: &mut Log, reader: &mut Reader<'_>) -> Option<Net> {
    let file = match reader.raw("file") {
        Some(toml::Value::String(file)) => Some(file.as_str()),
        found => {
            let found = found.map_or("missing".into(), is_a);
            let message = format!(
                "{found}; write the name of a GraphML file, relative to the plan, such as \"Abilene.graphml\""
            );
            log.error(reader.at("file"), message);
            None
        }
    };
    let declared = Graph::PARAMETERS.iter().find(|it| it.name == "hosts");
    let fallback = declared.map_or(Fallback::Required, |it: &Parameter| it.fallback);
    let hosts: Option<u64> = reader.get(log, "hosts", fallback);
    if hosts == Some(0) {
        log.error(reader.at("hosts"), "0; write at least 1, at every node");
        return None;
    }
    let otherwise = otherwise(log, reader);
    let (file, otherwise) = (file?, otherwise?);
    let net = log.files.text(file).and_then(|text| {
        let graph = graph(&text, otherwise).map_err(|message| format!("{file:?}: {message}"))?;
        let size = graph.nodes.len() as u128 * (1 + 2 * u128::from(hosts.unwrap_or(1)));
        let most = 2 * MEMBERS;
        if size + graph.edges.len() as u128 > most as u128 {
            return Err(format!(
                "makes more than {most} nodes and links; write fewer hosts per node"
            ));
        }
        Ok(net(&graph, hosts.unwrap_or(1)))
    });
    match net {
        Ok(net) => hosts.map(|_| net),
        Err(message) => {
            log.error(reader.at("file"), message);
            None
        }
    }
}

/// A graph as the file has it.
#[derive(Debug, Default)]
struct Drawn {
    /// Names, and coordinates \[degrees north, degrees east\].
    nodes: Vec<(String, Option<(f64, f64)>)>,
    /// From, to, rate \[bit/s\].
    edges: Vec<(usize, usize, Option<u64>)>,
    otherwise: Otherwise,
}

/// The id of each attribute's key, by its domain and its name.
struct Keys<'d>(HashMap<(&'d str, &'d str), &'d str>);

impl<'d> Keys<'d> {
    fn of(root: Node<'d, '_>) -> Self {
        let keys = (root.children())
            .filter(|it| it.has_tag_name_local("key"))
            .filter_map(|it| {
                let at = |name| it.attribute(name);
                Some(((at("for")?, at("attr.name")?), at("id")?))
            });
        Self(keys.collect())
    }

    /// The attribute `name` of an element that is a `sort`.
    fn text(&self, of: Node<'_, '_>, sort: &str, name: &str) -> Option<String> {
        let id = *self.0.get(&(sort, name))?;
        let found = of
            .children()
            .find(|it| it.has_tag_name_local("data") && it.attribute("key") == Some(id))?;
        Some(found.text()?.trim().to_string())
    }

    /// The same as a number.
    fn number(&self, of: Node<'_, '_>, sort: &str, name: &str) -> Option<f64> {
        let number = self.text(of, sort, name)?.parse::<f64>().ok();
        number.filter(|x| x.is_finite())
    }
}

/// Reads a GraphML document; the error describes the mistake.
fn graph(text: &str, otherwise: Otherwise) -> Result<Drawn, String> {
    let document = Document::parse(text).map_err(|e| format!("not XML: {e}"))?;
    let root = document.root_element();
    let child = |of: Node<'_, '_>, name: &str| of.children().any(|it| it.has_tag_name_local(name));
    if root.tag_name().name() != "graphml" || !child(root, "graph") {
        return Err("not GraphML; its root must be <graphml> with a <graph> in it".into());
    }
    let keys = Keys::of(root);
    let Some(graph) = root.children().find(|it| it.has_tag_name_local("graph")) else {
        return Err("no <graph>".into());
    };
    let mut made = Drawn {
        otherwise,
        ..Drawn::default()
    };
    let index = nodes(graph, &keys, &mut made)?;
    edges(graph, &keys, &index, &mut made)?;
    if graph
        .descendants()
        .any(|it| it.has_tag_name_local("hyperedge"))
    {
        return Err("a <hyperedge>; links have two ends".into());
    }
    if made.nodes.is_empty() {
        return Err("a graph without nodes".into());
    }
    Ok(made)
}

/// Reads the nodes, and gives the number of each id.
fn nodes<'d>(
    graph: Node<'d, '_>,
    keys: &Keys<'_>,
    made: &mut Drawn,
) -> Result<HashMap<&'d str, usize>, String> {
    let (mut index, mut names) = (HashMap::new(), HashSet::new());
    for node in graph.children().filter(|it| it.has_tag_name_local("node")) {
        look();
        let id = node.attribute("id").ok_or("a <node> without an id")?;
        let label = keys.text(node, "node", "label").unwrap_or_default();
        let mut name = bare(&label);
        if name.is_empty() {
            name = format!("node-{}", bare(id));
        }
        if names.contains(&name) {
            name = format!("{name}-{}", bare(id));
        }
        if index.insert(id, made.nodes.len()).is_some() || !names.insert(name.clone()) {
            return Err(format!("two nodes with the id {id:?}"));
        }
        let place = |name| keys.number(node, "node", name);
        let place = place("Latitude").zip(place("Longitude"));
        made.nodes.push((name, place));
    }
    Ok(index)
}

/// Reads the edges between nodes of these ids.
fn edges(
    graph: Node<'_, '_>,
    keys: &Keys<'_>,
    index: &HashMap<&str, usize>,
    made: &mut Drawn,
) -> Result<(), String> {
    let directed = graph.attribute("edgedefault") == Some("directed");
    let mut joined = HashSet::new();
    for edge in graph.children().filter(|it| it.has_tag_name_local("edge")) {
        look();
        let end = |key| {
            let id = edge.attribute(key).unwrap_or_default();
            let known = index.get(id).copied();
            known.ok_or_else(|| format!("an <edge> whose {key} {id:?} is not a node"))
        };
        let (from, to) = (end("source")?, end("target")?);
        // Routes never use a loop. In a directed graph, the two edges between two nodes make one duplex link.
        if from == to || (directed && joined.contains(&(to, from))) {
            continue;
        }
        joined.insert((from, to));
        let rate = keys.number(edge, "edge", "LinkSpeedRaw");
        let rate = rate.filter(|rate| (1.0..1e18).contains(rate));
        made.edges.push((from, to, rate.map(|rate| rate as u64)));
    }
    Ok(())
}

/// By the local name, because not all files declare the namespace.
trait Tag {
    fn has_tag_name_local(&self, name: &str) -> bool;
}

impl Tag for Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

/// A label as a name: "New York" is `New-York`.
fn bare(label: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = label
        .split(|c| !is_bare(c))
        .filter(|word| !word.is_empty())
        .collect();
    words.join("-").chars().take(LABEL).collect()
}

fn net(graph: &Drawn, hosts: u64) -> Net {
    let mut net = Net::default();
    let mut taken = HashSet::new();
    for (name, _) in &graph.nodes {
        let host = format!("host-{name}");
        net.switches.push((name.clone(), None));
        net.line(
            format!("access-{name}"),
            host.clone(),
            name.clone(),
            "access",
        );
        net.hosts.push((host, (hosts > 1).then_some(hosts)));
    }
    for (from, to, rate) in &graph.edges {
        let ((a, here), (b, there)) = (&graph.nodes[*from], &graph.nodes[*to]);
        let first = format!("trunk-{a}-{b}");
        let mut name = first.clone();
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{first}-{number}");
        }
        net.lines.push(Cable {
            name,
            from: a.clone(),
            to: b.clone(),
            table: "trunk",
            rate: rate.or(graph.otherwise.rate),
            delay_ps: (here.zip(*there).map(|(a, b)| 1000 * delay_ns(a, b)))
                .or(graph.otherwise.delay),
        });
    }
    net
}

/// Propagation delay in fibre along the great circle between two places \[degrees north, degrees east\], to the nanosecond.
fn delay_ns((lat, lon): (f64, f64), (to_lat, to_lon): (f64, f64)) -> u64 {
    let radians = |degrees: f64| degrees * std::f64::consts::PI / 180.0;
    // The haversine formula. It uses libm, whose results are the same on every machine.
    let half = |angle: f64| {
        let sine = libm::sin(radians(angle) / 2.0);
        sine * sine
    };
    let cosines = libm::cos(radians(lat)) * libm::cos(radians(to_lat));
    let haversine = (half(to_lat - lat) + cosines * half(to_lon - lon)).clamp(0.0, 1.0);
    let distance = 2.0 * EARTH * libm::asin(haversine.sqrt());
    (distance / SPEED * 1e9) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d29" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d32" />
  <key attr.name="label" attr.type="string" for="node" id="d33" />
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d36" />
  <graph edgedefault="undirected">
    <data key="d0">not a node's</data>
    <node id="0"><data key="d33">New York</data><data key="d29">40.71427</data><data key="d32">-74.00597</data></node>
    <node id="1"><data key="d33">Washington DC</data><data key="d29">38.89511</data><data key="d32">-77.03637</data></node>
    <node id="2"><data key="d33">New York</data></node>
    <node id="3" />
    <edge source="0" target="1"><data key="d36">9953280000.0</data></edge>
    <edge source="1" target="0" />
    <edge source="3" target="3" />
    <edge source="2" target="3" />
  </graph>
</graphml>"#;

    #[test]
    fn nodes_and_edges_with_what_is_known_of_them() {
        let net = net(&graph(FILE, Otherwise::default()).unwrap(), 1);
        let switches: Vec<_> = net.switches.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            switches,
            ["New-York", "Washington-DC", "New-York-2", "node-3"]
        );
        assert_eq!(net.hosts[1], ("host-Washington-DC".into(), None));
        let trunks: Vec<_> = net.lines.iter().filter(|it| it.table == "trunk").collect();
        let names: Vec<_> = trunks.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "trunk-New-York-Washington-DC",
                "trunk-Washington-DC-New-York",
                "trunk-New-York-2-node-3"
            ]
        );
        assert_eq!(trunks[0].rate, Some(9_953_280_000));
        // The distance is 328 km.
        let delay = trunks[0].delay_ps.unwrap();
        assert!((1_635_000_000..1_645_000_000).contains(&delay), "{delay}");
        assert_eq!((trunks[2].rate, trunks[2].delay_ps), (None, None));
    }

    #[test]
    fn the_two_directions_of_a_directed_graph_are_one_link() {
        let directed = FILE.replace("\"undirected\"", "\"directed\"");
        assert_eq!(
            graph(&directed, Otherwise::default()).unwrap().edges.len(),
            2
        );
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        let fault = |text: &str| graph(text, Otherwise::default()).unwrap_err();
        assert!(fault("<graphml").starts_with("not XML: "));
        assert!(fault("<svg/>").starts_with("not GraphML; "));
        assert_eq!(
            fault(&FILE.replace("target=\"1\"", "target=\"9\"")),
            "an <edge> whose target \"9\" is not a node"
        );
        assert_eq!(
            fault(&FILE.replace("id=\"1\"", "id=\"0\"")),
            "two nodes with the id \"0\""
        );
        assert_eq!(
            fault("<graphml><graph/></graphml>"),
            "a graph without nodes"
        );
    }
}
