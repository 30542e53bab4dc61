//! The plan of an execution's next step, as far as its state determines it.

use steadfast_store::{
    AuditEntry, Ending, ExecutionState, ExecutionStatus, NodeEnding, NodeState, NodeStatus,
    Outcome, Resumed, Status, Step, TaskId,
};

use crate::next_step::{NextStep, State, next_step};
use crate::workflow::Workflow;

const PRUNED: &str = "the node's task was pruned before its end was recorded; resume the execution \
                      to run it again";

/// The plan for an execution.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The step, apart from the nodes that start.
    pub(crate) step: Step,
    /// The nodes that start.
    pub(crate) starting: Vec<usize>,
    /// The node that fails the execution with this step.
    pub(crate) failed: Option<Failed>,
    /// The open tasks of an execution that has ended, to be cancelled.
    pub(crate) orphaned: Vec<TaskId>,
}

/// The node that failed an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) node: usize,
    pub(crate) task: Option<TaskId>,
    /// Whether it was cancelled, which is not retried.
    pub(crate) cancelled: bool,
}

/// Plans the next step of an execution.
pub(crate) fn plan(state: &ExecutionState, workflow: &Workflow) -> Plan {
    let mut states = vec![State::Waiting; workflow.nodes().len()];
    let mut step = Step::of(state.id, state.version);
    for node in &state.nodes {
        let (node_state, ending) = current_state(node);
        step.ended.extend(ending);
        set(&mut states, node.number, node_state);
    }
    let mut plan = Plan { step, starting: Vec::new(), failed: None, orphaned: Vec::new() };
    if state.status == ExecutionStatus::Running {
        apply(&mut plan, next_step(workflow, &states), state, workflow);
    }
    if plan.step.ending.is_some() || state.status != ExecutionStatus::Running {
        plan.orphaned = open_tasks(state);
    }
    plan
}

fn apply(plan: &mut Plan, next: NextStep, state: &ExecutionState, workflow: &Workflow) {
    match next {
        NextStep::Start(nodes) => plan.starting = nodes,
        NextStep::Completed => plan.step.ending = Some(Ending::plain(ExecutionStatus::Completed)),
        NextStep::Failed(node) => {
            let (number, name) = (column(node), workflow.id_of(node).to_owned());
            let state = state.nodes.iter().find(|node| node.number == number);
            let was_cancelled =
                |node: &NodeState| node.outcome == Outcome::Ended(Status::Cancelled);
            plan.failed = Some(Failed {
                node,
                task: state.and_then(|node| node.task),
                cancelled: state.is_some_and(was_cancelled),
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
    let ended = state.nodes.iter().filter_map(|node| current_state(node).1).collect();
    Step { ended, ending, audit, ..Step::of(state.id, state.version) }
}

/// Plans the resumption of a failed or cancelled execution: completed nodes stay completed, and the
/// others run again.
pub(crate) fn resume(state: &ExecutionState, workflow: &Workflow) -> Plan {
    let mut states = vec![State::Waiting; workflow.nodes().len()];
    let mut step = Step::of(state.id, state.version);
    for node in &state.nodes {
        let node_state = match (node.status, node.outcome, node.task) {
            (NodeStatus::Completed, ..) => State::Completed,
            (_, Outcome::Ended(Status::Completed), _) => {
                step.ended.extend(current_state(node).1);
                State::Completed
            }
            (_, Outcome::Ended(_) | Outcome::Open, Some(task)) => {
                step.resumed.push(Resumed { number: node.number, task });
                State::Submitted
            }
            _ => State::Waiting,
        };
        set(&mut states, node.number, node_state);
    }
    let mut plan = Plan { step, starting: Vec::new(), failed: None, orphaned: Vec::new() };
    apply(&mut plan, next_step(workflow, &states), state, workflow);
    plan.step.ending.get_or_insert(Ending::plain(ExecutionStatus::Running));
    plan
}

/// The current state of a node, and its ending if that is not recorded yet.
fn current_state(node: &NodeState) -> (State, Option<NodeEnding>) {
    let ending = |status, message: Option<&str>| {
        let message = message.map(str::to_owned);
        Some(NodeEnding { number: node.number, status, message })
    };
    match (node.status, node.outcome) {
        (NodeStatus::Completed, _) => (State::Completed, None),
        (_, Outcome::Ended(Status::Completed)) => {
            (State::Completed, ending(NodeStatus::Completed, None))
        }
        (NodeStatus::Failed | NodeStatus::Cancelled, _) => (State::Failed, None),
        (NodeStatus::Submitted, Outcome::Open) => (State::Submitted, None),
        (NodeStatus::Submitted, Outcome::Ended(Status::Cancelled)) => {
            (State::Failed, ending(NodeStatus::Cancelled, None))
        }
        (NodeStatus::Submitted, Outcome::Ended(_)) => {
            (State::Failed, ending(NodeStatus::Failed, None))
        }
        (NodeStatus::Submitted, Outcome::Pruned) => {
            (State::Failed, ending(NodeStatus::Failed, Some(PRUNED)))
        }
    }
}

pub(crate) fn open_tasks(state: &ExecutionState) -> Vec<TaskId> {
    let is_open =
        |node: &&NodeState| node.status == NodeStatus::Submitted && node.outcome == Outcome::Open;
    state.nodes.iter().filter(is_open).filter_map(|node| node.task).collect()
}

fn set(states: &mut [State], number: u16, state: State) {
    if let Some(entry) = states.get_mut(usize::from(number)) {
        *entry = state;
    }
}

/// A node's number as the store's column type. A workflow has far fewer nodes.
pub(crate) fn column(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
