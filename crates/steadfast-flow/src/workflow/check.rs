//! Validation of a workflow's nodes: unique ids, dependencies, cycles and references (W1).
//!
//! Any reader may have a workflow checked, whatever it contains (K4), so every check visits each node
//! and each of its dependencies once.

use std::collections::{HashMap, HashSet};

use steadfast::__private::nearest;

use super::problem::{MAX_PROBLEMS, Problem};
use super::{Node, Workflow};
use crate::reference;

/// The dependencies of each node, by number; or the problems. References are checked only if all
/// dependencies are valid: a reference to a misspelled dependency is not a problem of its own. If the
/// workflow is not complete, only cycles are reported.
pub(super) fn check(
    workflow: &Workflow,
    is_complete: bool,
) -> Result<Vec<Vec<usize>>, Vec<Problem>> {
    if workflow.nodes.is_empty() && is_complete {
        return Err(vec![Problem::at("nodes", "must not be empty")]);
    }
    let duplicates = duplicate_ids(workflow);
    let is_unique = duplicates.is_empty();
    let mut problems = if is_complete { duplicates } else { Vec::new() };
    if is_complete {
        problems.extend(invalid_dependencies(workflow));
    }
    let dependencies = numbered(workflow);
    match topological_order(&dependencies) {
        Ok(order) if is_complete && problems.is_empty() => {
            problems = invalid_references(workflow, &ancestors(&dependencies, &order));
        }
        // With duplicate ids it is unknown which node is meant.
        Err(cyclic) if is_unique => problems.push(cycle(workflow, &dependencies, &cyclic)),
        _ => {}
    }
    if problems.is_empty() { Ok(dependencies) } else { Err(problems) }
}

/// The dependencies of each node on others, by number.
fn numbered(workflow: &Workflow) -> Vec<Vec<usize>> {
    let numbers: HashMap<&str, usize> =
        workflow.nodes.iter().enumerate().map(|(number, node)| (node.id(), number)).collect();
    let dependencies = |node: &Node| {
        let ids = node.depends_on.iter().filter(|id| **id != node.id);
        ids.filter_map(|id| numbers.get(id.as_str()).copied()).collect()
    };
    workflow.nodes.iter().map(dependencies).collect()
}

/// Nodes with the same id.
fn duplicate_ids(workflow: &Workflow) -> Vec<Problem> {
    let mut first = HashMap::new();
    let mut problems = Vec::new();
    for (index, node) in workflow.nodes.iter().enumerate() {
        if let Some(other) = first.insert(node.id.as_str(), index) {
            let message = format!("duplicate id {:?}, already used by nodes[{other}]", node.id);
            problems.push(Problem::at(format!("nodes[{index}].nodeId"), message));
        }
    }
    problems
}

/// Dependencies on missing nodes, on the node itself, or on one node twice.
fn invalid_dependencies(workflow: &Workflow) -> Vec<Problem> {
    let ids: HashSet<&str> = workflow.nodes.iter().map(Node::id).collect();
    let mut problems = Vec::new();
    for (index, node) in workflow.nodes.iter().enumerate() {
        let mut listed = HashSet::new();
        for (position, id) in node.depends_on.iter().enumerate() {
            let path = format!("nodes[{index}].dependsOn[{position}]");
            if id == &node.id {
                problems.push(Problem::at(path, "a node cannot depend on itself"));
            } else if !ids.contains(id.as_str()) {
                let others = ids.iter().copied().filter(|name| *name != node.id);
                problems.push(Problem::at(path, unknown_node(id, others)));
            } else if !listed.insert(id.as_str()) {
                problems.push(Problem::at(path, format!("{id:?} is listed twice")));
            }
            if problems.len() >= MAX_PROBLEMS {
                return problems;
            }
        }
    }
    problems
}

fn unknown_node<'n>(id: &str, ids: impl Iterator<Item = &'n str>) -> String {
    match nearest(id, ids) {
        Some(near) => format!("unknown node {id:?}; did you mean {near:?}?"),
        None => format!("unknown node {id:?}"),
    }
}

/// The nodes in an order in which each comes after its dependencies; or those that are part of a cycle
/// or depend on one.
fn topological_order(dependencies: &[Vec<usize>]) -> Result<Vec<usize>, HashSet<usize>> {
    let mut dependents = vec![Vec::new(); dependencies.len()];
    for (node, earlier_nodes) in dependencies.iter().enumerate() {
        for earlier in earlier_nodes {
            dependents
                .get_mut(*earlier)
                .into_iter()
                .for_each(|later: &mut Vec<_>| later.push(node));
        }
    }
    let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut order: Vec<usize> =
        (0..).zip(&open).filter(|(_, n)| **n == 0).map(|(i, _)| i).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &later in dependents.get(node).into_iter().flatten() {
            let Some(open) = open.get_mut(later) else { continue };
            *open -= 1;
            if *open == 0 {
                order.push(later);
            }
        }
    }
    if order.len() == dependencies.len() {
        return Ok(order);
    }
    let ordered: HashSet<usize> = order.into_iter().collect();
    Err((0..dependencies.len()).filter(|node| !ordered.contains(node)).collect())
}

/// Reports a cycle as its path. Each cyclic node depends on another cyclic node, so following them
/// closes a cycle.
fn cycle(workflow: &Workflow, dependencies: &[Vec<usize>], cyclic: &HashSet<usize>) -> Problem {
    let name = |node: &usize| workflow.nodes.get(*node).map_or("", Node::id);
    let cyclic_dependency = |node: usize| {
        let earlier = dependencies.get(node).into_iter().flatten();
        earlier.copied().find(|earlier| cyclic.contains(earlier))
    };
    let mut path: Vec<usize> = cyclic.iter().copied().min().into_iter().collect();
    while let Some(next) = path.last().and_then(|node| cyclic_dependency(*node)) {
        if let Some(start) = path.iter().position(|node| *node == next) {
            path.drain(..start);
            break;
        }
        path.push(next);
    }
    let path = path.iter().chain(path.first()).map(name).collect::<Vec<_>>().join(" -> ");
    Problem::at("nodes", format!("dependency cycle: {path}"))
}

/// References to values that a node cannot have when it starts.
fn invalid_references(workflow: &Workflow, ancestors: &[NodeSet]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, (node, ancestors)) in workflow.nodes.iter().zip(ancestors).enumerate() {
        let Some(config) = &node.config else { continue };
        let nodes = workflow.nodes.iter().enumerate();
        let available = nodes.filter(|(number, _)| ancestors.contains(*number));
        let available = available.map(|(_, node)| node.id()).collect();
        let max = MAX_PROBLEMS - problems.len();
        for (path, problem) in reference::problems(config, &available, max) {
            problems.push(Problem::at(format!("nodes[{index}].config{path}"), problem));
        }
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
    }
    problems
}

/// The direct and indirect dependencies of each node.
fn ancestors(dependencies: &[Vec<usize>], order: &[usize]) -> Vec<NodeSet> {
    let mut ancestors = vec![NodeSet::default(); dependencies.len()];
    for node in order {
        let mut all = NodeSet::default();
        for earlier in dependencies.get(*node).into_iter().flatten() {
            all.insert(*earlier);
            ancestors.get(*earlier).into_iter().for_each(|indirect| all.union(indirect));
        }
        if let Some(entry) = ancestors.get_mut(*node) {
            *entry = all;
        }
    }
    ancestors
}

/// A bit set of nodes: a workflow of a thousand nodes that all depend on each other joins half a
/// million sets.
#[derive(Clone, Debug, Default)]
struct NodeSet(Vec<u64>);

impl NodeSet {
    fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (number % 64);
        }
    }

    fn union(&mut self, others: &Self) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(ours, theirs)| *ours |= theirs);
    }

    fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}
