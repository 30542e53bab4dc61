//! The next step of an execution, as a pure function of its nodes' states.
//!
//! Any process calls it whenever a node has ended, and again after a crash. So it depends on nothing
//! but the states of the nodes, and the same states give the same step.

use crate::workflow::Workflow;

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits for its dependencies.
    Waiting,
    /// Its task is submitted.
    Submitted,
    /// It succeeded.
    Completed,
    /// It failed or was cancelled.
    Failed,
}

/// The next step. Nodes are given by number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// These nodes start; empty while others are in progress.
    Start(Vec<usize>),
    /// Every node has completed.
    Completed,
    /// This node has failed, and with it the execution (W2).
    Failed(usize),
}

/// The next step, by the states of all nodes.
pub(crate) fn next_step(workflow: &Workflow, states: &[State]) -> NextStep {
    let state = |number: usize| states.get(number).copied().unwrap_or(State::Waiting);
    let nodes = 0..workflow.nodes().len();
    if let Some(failed) = nodes.clone().find(|node| state(*node) == State::Failed) {
        return NextStep::Failed(failed);
    }
    if nodes.clone().all(|node| state(node) == State::Completed) {
        return NextStep::Completed;
    }
    let can_start = |node: &usize| {
        let dependencies = workflow.dependencies(*node);
        state(*node) == State::Waiting
            && dependencies.iter().all(|node| state(*node) == State::Completed)
    };
    NextStep::Start(nodes.filter(can_start).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a, then b and c in parallel, then d.
    fn diamond() -> Workflow {
        let node = |id: &str, before: &[&str]| serde_json::json!({ "nodeId": id, "type": "do", "dependsOn": before });
        let nodes = [node("a", &[]), node("b", &["a"]), node("c", &["a"]), node("d", &["b", "c"])];
        let text = serde_json::json!({ "name": "diamond", "nodes": nodes }).to_string();
        Workflow::parse(&text).unwrap()
    }

    /// W1: a node starts when all its dependencies have completed.
    #[test]
    fn node_starts_when_its_dependencies_have_completed() {
        use State::{Completed, Submitted, Waiting};
        let flow = diamond();
        let after = |states: [State; 4]| next_step(&flow, &states);
        assert_eq!(after([Waiting; 4]), NextStep::Start(vec![0]));
        assert_eq!(after([Submitted, Waiting, Waiting, Waiting]), NextStep::Start(vec![]));
        assert_eq!(after([Completed, Waiting, Waiting, Waiting]), NextStep::Start(vec![1, 2]));
        assert_eq!(after([Completed, Completed, Submitted, Waiting]), NextStep::Start(vec![]));
        assert_eq!(after([Completed, Completed, Completed, Waiting]), NextStep::Start(vec![3]));
        assert_eq!(after([Completed; 4]), NextStep::Completed);
    }

    /// W2: one failed node fails the execution, whatever the others do.
    #[test]
    fn failed_node_fails_the_execution() {
        use State::{Completed, Failed, Submitted, Waiting};
        let flow = diamond();
        assert_eq!(next_step(&flow, &[Completed, Submitted, Failed, Waiting]), NextStep::Failed(2));
    }
}
