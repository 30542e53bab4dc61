//! The step that an execution takes, by its state: what can be said without reading more.

use steadfast_store::{
    AuditEntry, Ending, ExecutionState, ExecutionStatus, NodeEnding, NodeState, NodeStatus,
    Outcome, Resumed, Status, Step, TaskId,
};

use crate::next::{Next, Place, next};
use crate::workflow::Workflow;

const PRUNED: &str = "its task was pruned before anybody noticed how it ended; resume the \
                      execution to have it done again";

/// What is to be done with an execution.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What happens, apart from the nodes that begin.
    pub(crate) step: Step,
    /// The nodes that begin.
    pub(crate) begin: Vec<usize>,
    /// The node that failed it just now, with its task.
    pub(crate) failed: Option<Failed>,
    /// Tasks that have no sense any more: the execution has ended.
    pub(crate) leftover: Vec<TaskId>,
}

/// The node that failed an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) node: usize,
    pub(crate) task: Option<TaskId>,
    /// Whether somebody called it off: that is no error to try again after.
    pub(crate) cancelled: bool,
}

/// What follows from a state.
pub(crate) fn plan(state: &ExecutionState, workflow: &Workflow) -> Plan {
    let mut places = vec![Place::Waiting; workflow.nodes().len()];
    let mut step = Step::of(state.id, state.version);
    for node in &state.nodes {
        let (place, ending) = noticed(node);
        step.ended.extend(ending);
        set(&mut places, node.number, place);
    }
    let mut plan = Plan { step, begin: Vec::new(), failed: None, leftover: Vec::new() };
    if state.status == ExecutionStatus::Running {
        follow(&mut plan, next(workflow, &places), state, workflow);
    }
    if plan.step.ending.is_some() || state.status != ExecutionStatus::Running {
        plan.leftover = open_tasks(state);
    }
    plan
}

fn follow(plan: &mut Plan, next: Next, state: &ExecutionState, workflow: &Workflow) {
    match next {
        Next::Begin(nodes) => plan.begin = nodes,
        Next::Completed => plan.step.ending = Some(Ending::plain(ExecutionStatus::Completed)),
        Next::Failed(node) => {
            let (number, name) = (column(node), workflow.id_of(node).to_owned());
            let state = state.nodes.iter().find(|node| node.number == number);
            let ended = |node: &NodeState| node.outcome == Outcome::Ended(Status::Cancelled);
            plan.failed = Some(Failed {
                node,
                task: state.and_then(|node| node.task),
                cancelled: state.is_some_and(ended),
            });
            plan.step.ending =
                Some(Ending { status: ExecutionStatus::Failed, node: Some(name), message: None });
        }
    }
}

/// The step that ends an execution, whatever its workflow says.
pub(crate) fn end(
    state: &ExecutionState,
    ending: Option<Ending>,
    audit: Option<AuditEntry>,
) -> Step {
    let ended = state.nodes.iter().filter_map(|node| noticed(node).1).collect();
    Step { ended, ending, audit, ..Step::of(state.id, state.version) }
}

/// What a failed or cancelled execution goes on with: nodes that completed stay so, and the others
/// are tried again.
pub(crate) fn resume(state: &ExecutionState, workflow: &Workflow) -> Plan {
    let mut places = vec![Place::Waiting; workflow.nodes().len()];
    let mut step = Step::of(state.id, state.version);
    for node in &state.nodes {
        let place = match (node.status, node.outcome, node.task) {
            (NodeStatus::Completed, ..) => Place::Completed,
            (_, Outcome::Ended(Status::Completed), _) => {
                step.ended.extend(noticed(node).1);
                Place::Completed
            }
            (_, Outcome::Ended(_) | Outcome::Open, Some(task)) => {
                step.resumed.push(Resumed { number: node.number, task });
                Place::Submitted
            }
            _ => Place::Waiting,
        };
        set(&mut places, node.number, place);
    }
    let mut plan = Plan { step, begin: Vec::new(), failed: None, leftover: Vec::new() };
    follow(&mut plan, next(workflow, &places), state, workflow);
    plan.step.ending.get_or_insert(Ending::plain(ExecutionStatus::Running));
    plan
}

/// Where a node is by now, and how it ended if nobody noticed before.
fn noticed(node: &NodeState) -> (Place, Option<NodeEnding>) {
    let ending = |status, message: Option<&str>| {
        let message = message.map(str::to_owned);
        Some(NodeEnding { number: node.number, status, message })
    };
    match (node.status, node.outcome) {
        (NodeStatus::Completed, _) => (Place::Completed, None),
        (_, Outcome::Ended(Status::Completed)) => {
            (Place::Completed, ending(NodeStatus::Completed, None))
        }
        (NodeStatus::Failed | NodeStatus::Cancelled, _) => (Place::Failed, None),
        (NodeStatus::Submitted, Outcome::Open) => (Place::Submitted, None),
        (NodeStatus::Submitted, Outcome::Ended(Status::Cancelled)) => {
            (Place::Failed, ending(NodeStatus::Cancelled, None))
        }
        (NodeStatus::Submitted, Outcome::Ended(_)) => {
            (Place::Failed, ending(NodeStatus::Failed, None))
        }
        (NodeStatus::Submitted, Outcome::Gone) => {
            (Place::Failed, ending(NodeStatus::Failed, Some(PRUNED)))
        }
    }
}

pub(crate) fn open_tasks(state: &ExecutionState) -> Vec<TaskId> {
    let is_open =
        |node: &&NodeState| node.status == NodeStatus::Submitted && node.outcome == Outcome::Open;
    state.nodes.iter().filter(is_open).filter_map(|node| node.task).collect()
}

fn set(places: &mut [Place], number: u16, place: Place) {
    if let Some(at) = places.get_mut(usize::from(number)) {
        *at = place;
    }
}

/// A node's number as a row has it. There are far fewer in a workflow.
pub(crate) fn column(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
