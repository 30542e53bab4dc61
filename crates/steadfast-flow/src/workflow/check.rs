//! Whether the nodes of a workflow can be run at all (W1).
//!
//! Whoever may look may have a workflow checked, and what is sent may be anything (K4): however it
//! is written, it is looked at once, node after node and the nodes that each waits for.

use std::collections::{HashMap, HashSet};

use steadfast::nearest;

use super::problem::{MOST, Problem};
use super::{Node, Workflow};
use crate::reference;

/// What each node waits for, by number; or what is in the way. Nodes that are not there are told
/// before a way round, and that before references: each can be looked for only when there is
/// nothing of the former.
pub(super) fn check(workflow: &Workflow) -> Result<Vec<Vec<usize>>, Vec<Problem>> {
    if workflow.nodes.is_empty() {
        return Err(vec![Problem::at("nodes", "is empty; a workflow does something")]);
    }
    let mut problems = twice(workflow);
    problems.extend(missing(workflow));
    if !problems.is_empty() {
        return Err(problems);
    }
    let before = numbered(workflow);
    let order = order(&before).map_err(|stuck| vec![cycle(workflow, &before, &stuck)])?;
    let problems = references(workflow, &ancestors(&before, &order));
    if problems.is_empty() { Ok(before) } else { Err(problems) }
}

/// What each node waits for, by number.
fn numbered(workflow: &Workflow) -> Vec<Vec<usize>> {
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

/// Nodes that wait for what is not there, for themselves, or for one node twice.
fn missing(workflow: &Workflow) -> Vec<Problem> {
    let known: HashSet<&str> = workflow.nodes.iter().map(Node::id).collect();
    let mut problems = Vec::new();
    for (at, node) in workflow.nodes.iter().enumerate() {
        let mut named = HashSet::new();
        for (which, wanted) in node.depends_on.iter().enumerate() {
            let path = format!("nodes[{at}].dependsOn[{which}]");
            if wanted == &node.id {
                problems.push(Problem::at(path, "a node cannot wait for itself"));
            } else if !known.contains(wanted.as_str()) {
                let others = known.iter().copied().filter(|name| *name != node.id);
                problems.push(Problem::at(path, unknown(wanted, others)));
            } else if !named.insert(wanted.as_str()) {
                problems
                    .push(Problem::at(path, format!("{wanted:?} is named before; once will do")));
            }
            if problems.len() >= MOST {
                return problems;
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

/// The nodes in an order in which each comes after all that it waits for; or those that never get
/// their turn.
fn order(before: &[Vec<usize>]) -> Result<Vec<usize>, HashSet<usize>> {
    let mut after = vec![Vec::new(); before.len()];
    for (node, waits_for) in before.iter().enumerate() {
        for earlier in waits_for {
            after.get_mut(*earlier).into_iter().for_each(|later: &mut Vec<_>| later.push(node));
        }
    }
    let mut waits: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> =
        (0..).zip(&waits).filter(|(_, n)| **n == 0).map(|(i, _)| i).collect();
    let mut next = 0;
    while let Some(&done) = order.get(next) {
        next += 1;
        for &later in after.get(done).into_iter().flatten() {
            let Some(waits) = waits.get_mut(later) else { continue };
            *waits -= 1;
            if *waits == 0 {
                order.push(later);
            }
        }
    }
    if order.len() == before.len() {
        return Ok(order);
    }
    let ordered: HashSet<usize> = order.into_iter().collect();
    Err((0..before.len()).filter(|node| !ordered.contains(node)).collect())
}

/// Nodes that wait for each other, shown as the way round: whoever follows those that are stuck
/// comes round.
fn cycle(workflow: &Workflow, before: &[Vec<usize>], stuck: &HashSet<usize>) -> Problem {
    let name = |node: &usize| workflow.nodes.get(*node).map_or("", Node::id);
    let waits_for = |node: usize| {
        let named = before.get(node).into_iter().flatten();
        named.copied().find(|earlier| stuck.contains(earlier))
    };
    let mut way: Vec<usize> = stuck.iter().copied().min().into_iter().collect();
    while let Some(next) = way.last().and_then(|here| waits_for(*here)) {
        if let Some(begins) = way.iter().position(|node| *node == next) {
            way.drain(..begins);
            break;
        }
        way.push(next);
    }
    let round = way.iter().chain(way.first()).map(name).collect::<Vec<_>>().join(" waits for ");
    Problem::at("nodes", format!("{round}: none of them can begin"))
}

/// References to what a node cannot know when it begins.
fn references(workflow: &Workflow, ancestors: &[Numbers]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, (node, above)) in workflow.nodes.iter().zip(ancestors).enumerate() {
        let Some(config) = &node.config else { continue };
        let known = workflow.nodes.iter().enumerate().filter(|(number, _)| above.has(*number));
        let known = known.map(|(_, node)| node.id()).collect();
        for (path, problem) in reference::problems(config, &known, MOST - problems.len()) {
            problems.push(Problem::at(format!("nodes[{at}].config{path}"), problem));
        }
        if problems.len() >= MOST {
            break;
        }
    }
    problems
}

/// What each node waits for, and what that waits for.
fn ancestors(before: &[Vec<usize>], order: &[usize]) -> Vec<Numbers> {
    let mut known = vec![Numbers::default(); before.len()];
    for node in order {
        let mut all = Numbers::default();
        for earlier in before.get(*node).into_iter().flatten() {
            all.add(*earlier);
            known.get(*earlier).into_iter().for_each(|above| all.join(above));
        }
        if let Some(place) = known.get_mut(*node) {
            *place = all;
        }
    }
    known
}

/// Some of the nodes, a bit for each: a thousand nodes that all wait for each other are half a
/// million sets to join.
#[derive(Clone, Debug, Default)]
struct Numbers(Vec<u64>);

impl Numbers {
    fn add(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (number % 64);
        }
    }

    fn join(&mut self, others: &Self) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(ours, theirs)| *ours |= theirs);
    }

    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}
