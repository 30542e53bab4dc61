//! S2's schedule of 7 and 14 days.

use example_workflows::demo::schedule;
use steadfast_flow::ExecutionNodeStatus;

use crate::{on_a_database, program};

const DAY: f64 = 86_400.0;

/// P6, W2, W3: a node is retried after 7 days and after 14 more with its saved input, while the node
/// before it does not run again; an execution is retried at the same times as a new one from the
/// stored trigger, and the chain is recorded.
#[test]
fn three_weeks_pass_by_the_databases_clock() {
    on_a_database(|database| async move {
        let weeks = schedule::run(program(), &database).await.unwrap();
        assert_eq!(weeks.problems(), Vec::<String>::new());
        let delays: Vec<_> =
            weeks.node.faults.iter().filter_map(|fault| fault.next_delay).collect();
        assert_eq!(delays, [7.0 * DAY, 14.0 * DAY]);
        assert!(
            weeks.execution.nodes.iter().all(|node| node.status == ExecutionNodeStatus::Completed)
        );
        // The order service rejects another input under the same key.
        let key = weeks.node.idempotency_key.as_deref().unwrap();
        assert_eq!(weeks.ledger.requests[key].calls, 3);
        assert!(!weeks.ledger.answers.contains_key("422"));
        let attempts: Vec<_> = weeks.chain.iter().map(|execution| execution.attempt).collect();
        assert_eq!(attempts, [1, 2, 3]);
        assert_eq!(weeks.chain[1].previous, Some(weeks.chain[0].id));
        assert_eq!(weeks.chain[2].previous, Some(weeks.chain[1].id));
    });
}
