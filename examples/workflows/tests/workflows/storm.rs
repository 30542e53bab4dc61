//! Orders survive killed instances.

use example_workflows::demo::check::check;
use example_workflows::demo::crashes::{Left, Storm};
use example_workflows::demo::faults::{Fate, fate};
use steadfast_flow::Flow;
use steadfast_store::Store;

use crate::{on_a_database, program};

const STORM: Storm = Storm { orders: 1000, kills: 12, seed: 7 };

/// X2, W4: a thousand executions on three instances with twelve kills and restarts, against an order
/// service that answers 5xx, 429 with Retry-After, 408, too late, and 4xx. Every node has one recorded
/// end, with the receipt of the order service; none is lost, and every order has its expected end.
#[test]
fn every_node_is_recorded_once_while_instances_are_killed() {
    on_a_database(|database| async move {
        let left = STORM.run(program(), &database).await.unwrap();
        let flow = Flow::new(Store::open(&database).await.unwrap());
        for fault in ["402", "408", "429", "500", "503", "too late"] {
            assert!(left.ledger.answers.contains_key(fault), "{:?}", left.ledger.answers);
        }
        let found = check(&flow, &left).await.unwrap();
        assert_eq!(found.problems, Vec::<String>::new());
        let orders = 0..STORM.orders;
        let with = |wanted| orders.clone().filter(|order| fate(*order) == wanted).count() as u64;
        let (declined, later) = (with(Fate::Declined), with(Fate::CompletesLater));
        assert_eq!(found.completed, STORM.orders - declined);
        assert_eq!((found.failed, found.followed), (declined + later, later));
        // Some instances were killed between the response and its record: the kills had an effect.
        assert_eq!(left.kills, STORM.kills);
        assert!(left.ledger.answered_twice() > 0, "{:?}", left.ledger.answers);
        check_finds_mismatches(&flow, left).await;
    });
}

/// The check itself must find mismatches.
async fn check_finds_mismatches(flow: &Flow, mut left: Left) {
    let done = left.ledger.requests.iter_mut().find(|(_, request)| request.receipt.is_some());
    let (key, request) = done.unwrap();
    let key = key.clone();
    (request.receipt, request.calls) = (Some(u64::MAX), 1000);
    let found = check(flow, &left).await.unwrap();
    assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    assert!(found.problems[0].starts_with(&format!("{key} recorded receipt")));
    assert!(found.problems[1].starts_with(&format!("{key} was called 1000 times")));
}
