//! Whether the nodes of a workflow can be run at all (W1).

use std::collections::{HashMap, HashSet};

use steadfast::nearest;

use super::problem::{Problem, WorkflowError};
use super::{Node, Workflow};
use crate::reference;

pub(super) fn check(workflow: &Workflow) -> Result<(), WorkflowError> {
    if workflow.nodes.is_empty() {
        return Err(Problem::at("nodes", "is empty; a workflow does something").into());
    }
    let mut problems = twice(workflow);
    problems.extend(missing(workflow));
    WorkflowError::of(problems)?;
    if let Some(problem) = cycle(workflow) {
        return Err(problem.into());
    }
    WorkflowError::of(references(workflow))
}

/// What each node waits for, by number.
pub(super) fn numbered(workflow: &Workflow) -> Vec<Vec<usize>> {
    let numbers: HashMap<&str, usize> =
        workflow.nodes.iter().enumerate().map(|(number, node)| (node.id(), number)).collect();
    let before = |node: &Node| {
        let named = node.depends_on.iter();
        named.filter_map(|name| numbers.get(name.as_str()).copied()).collect()
    };
    workflow.nodes.iter().map(before).collect()
}

/// Two nodes of one name.
fn twice(workflow: &Workflow) -> Vec<Problem> {
    let mut first = HashMap::new();
    let mut problems = Vec::new();
    for (at, node) in workflow.nodes.iter().enumerate() {
        if let Some(other) = first.insert(node.id.as_str(), at) {
            let message = format!("nodes[{other}] is called {:?} as well", node.id);
            problems.push(Problem::at(format!("nodes[{at}].nodeId"), message));
        }
    }
    problems
}

/// Nodes that wait for what is not there, or for themselves.
fn missing(workflow: &Workflow) -> Vec<Problem> {
    let known: HashSet<&str> = workflow.nodes.iter().map(Node::id).collect();
    let mut problems = Vec::new();
    for (at, node) in workflow.nodes.iter().enumerate() {
        for (which, wanted) in node.depends_on.iter().enumerate() {
            let path = format!("nodes[{at}].dependsOn[{which}]");
            if wanted == &node.id {
                problems.push(Problem::at(path, "a node cannot wait for itself"));
            } else if !known.contains(wanted.as_str()) {
                let others = known.iter().copied().filter(|name| *name != node.id);
                problems.push(Problem::at(path, unknown(wanted, others)));
            }
        }
    }
    problems
}

fn unknown<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> String {
    match nearest(wanted, known) {
        Some(near) => format!("there is no node {wanted:?}; did you mean {near:?}?"),
        None => format!("there is no node {wanted:?}"),
    }
}

/// Nodes that wait for each other, shown as the way round.
fn cycle(workflow: &Workflow) -> Option<Problem> {
    let mut left: HashMap<&str, &Node> =
        workflow.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    loop {
        let free: Vec<&str> = left
            .values()
            .filter(|node| node.depends_on.iter().all(|name| !left.contains_key(name.as_str())))
            .map(|node| node.id())
            .collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|name| {
            left.remove(name);
        });
    }
    // Whoever follows the nodes that are left comes round.
    let start = workflow.nodes.iter().find(|node| left.contains_key(node.id()))?;
    let mut way = vec![start.id()];
    let mut here = start;
    loop {
        let next = here.depends_on.iter().find_map(|name| left.get(name.as_str()))?;
        if let Some(begins) = way.iter().position(|name| *name == next.id()) {
            let round = way.get(begins..).unwrap_or_default().join(" waits for ");
            let message = format!("{round} waits for {}: none of them can begin", next.id());
            return Some(Problem::at("nodes", message));
        }
        way.push(next.id());
        here = next;
    }
}

/// References to what a node cannot know when it begins.
fn references(workflow: &Workflow) -> Vec<Problem> {
    let before = ancestors(workflow);
    let mut problems = Vec::new();
    for (at, node) in workflow.nodes.iter().enumerate() {
        let Some(config) = &node.config else { continue };
        let known = before.get(node.id()).cloned().unwrap_or_default();
        for (path, problem) in reference::problems(config, &known) {
            problems.push(Problem::at(format!("nodes[{at}].config{path}"), problem));
        }
    }
    problems
}

/// What each node waits for, and what that waits for. There is no cycle.
fn ancestors(workflow: &Workflow) -> HashMap<&str, HashSet<&str>> {
    let mut known: HashMap<&str, HashSet<&str>> = HashMap::new();
    while known.len() < workflow.nodes.len() {
        for node in &workflow.nodes {
            let Some(above) = node
                .depends_on
                .iter()
                .map(|name| known.get(name.as_str()))
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let mut all: HashSet<&str> = above.into_iter().flatten().copied().collect();
            all.extend(node.depends_on.iter().map(String::as_str));
            known.insert(node.id(), all);
        }
    }
    known
}
