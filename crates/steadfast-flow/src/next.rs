//! What follows in an execution from what has happened in it: one pure function.
//!
//! It is asked whenever a node has ended, by whoever notices, and again after a crash. So it
//! looks at nothing but the nodes, and its answer to the same nodes is the same.

use crate::workflow::Workflow;

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Its turn has not come.
    Waiting,
    /// It is a task.
    Submitted,
    /// It succeeded.
    Completed,
    /// It was given up, or called off.
    Failed,
}

/// What follows. Nodes are named by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// These nodes begin. There may be none: others are under way.
    Begin(Vec<usize>),
    /// Every node has completed.
    Completed,
    /// This node has failed for good, and with it the execution (W2).
    Failed(usize),
}

/// What follows, by the places of all nodes.
pub(crate) fn next(workflow: &Workflow, places: &[Place]) -> Next {
    let place = |number: usize| places.get(number).copied().unwrap_or(Place::Waiting);
    let nodes = 0..workflow.nodes().len();
    if let Some(failed) = nodes.clone().find(|node| place(*node) == Place::Failed) {
        return Next::Failed(failed);
    }
    if nodes.clone().all(|node| place(node) == Place::Completed) {
        return Next::Completed;
    }
    let is_free = |node: &usize| {
        let before = workflow.before(*node);
        place(*node) == Place::Waiting
            && before.iter().all(|before| place(*before) == Place::Completed)
    };
    Next::Begin(nodes.filter(is_free).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a, then b and c beside each other, then d.
    fn diamond() -> Workflow {
        let node = |id: &str, before: &[&str]| serde_json::json!({ "nodeId": id, "type": "do", "dependsOn": before });
        let nodes = [node("a", &[]), node("b", &["a"]), node("c", &["a"]), node("d", &["b", "c"])];
        let text = serde_json::json!({ "name": "diamond", "nodes": nodes }).to_string();
        Workflow::parse(&text).unwrap()
    }

    /// W1: a node begins when all that it waits for has completed.
    #[test]
    fn nodes_begin_when_what_they_wait_for_has_completed() {
        use Place::{Completed, Submitted, Waiting};
        let flow = diamond();
        let after = |places: [Place; 4]| next(&flow, &places);
        assert_eq!(after([Waiting; 4]), Next::Begin(vec![0]));
        assert_eq!(after([Submitted, Waiting, Waiting, Waiting]), Next::Begin(vec![]));
        assert_eq!(after([Completed, Waiting, Waiting, Waiting]), Next::Begin(vec![1, 2]));
        assert_eq!(after([Completed, Completed, Submitted, Waiting]), Next::Begin(vec![]));
        assert_eq!(after([Completed, Completed, Completed, Waiting]), Next::Begin(vec![3]));
        assert_eq!(after([Completed; 4]), Next::Completed);
    }

    /// W2: one node that fails for good fails the execution, whatever the others do.
    #[test]
    fn a_failed_node_fails_the_execution() {
        use Place::{Completed, Failed, Submitted, Waiting};
        let flow = diamond();
        assert_eq!(next(&flow, &[Completed, Submitted, Failed, Waiting]), Next::Failed(2));
    }
}
