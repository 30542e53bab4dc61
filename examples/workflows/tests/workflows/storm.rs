//! Instances are killed while orders are done.

use std::time::Duration;

use example_workflows::check::check;
use example_workflows::faults::{Fate, fate};
use example_workflows::storm::{Left, Storm};
use steadfast_flow::Flow;
use steadfast_store::Store;

use crate::{on_a_database, program};

const ORDERS: u64 = 150;

async fn storm(database: &str, kills: u32) -> (Flow, Left) {
    let storm = Storm {
        orders: ORDERS,
        instances: 3,
        kills,
        seed: 7,
        concurrency: 8,
        patience: Duration::from_secs(240),
    };
    let left = storm.run(program(), database, |_| ()).await.unwrap();
    (Flow::new(Store::open(database).await.unwrap()), left)
}

/// X2, W4: three instances, some of them killed and restarted, against a service that answers 5xx,
/// 429 with Retry-After, 408, too late, and 4xx. Every node has one recorded end, which is the one
/// that the service gave; none is lost, and every order ends as it had to.
#[test]
fn every_node_is_recorded_once_while_instances_are_killed() {
    on_a_database(|database| async move {
        let (flow, left) = storm(&database, 4).await;
        assert!(left.kills >= 2, "they were too fast to be killed: {}", left.kills);
        for fault in ["402", "408", "429", "500", "503", "too late"] {
            assert!(left.ledger.answers.contains_key(fault), "{:?}", left.ledger.answers);
        }
        let found = check(&flow, &left).await.unwrap();
        assert_eq!(found.problems, Vec::<String>::new());
        let with = |wanted: Fate| (0..ORDERS).filter(|order| fate(*order) == wanted).count() as u64;
        let (declined, later) = (with(Fate::Declined), with(Fate::CompletesLater));
        assert_eq!(found.completed, ORDERS - declined);
        assert_eq!((found.failed, found.followed), (declined + later, later));
        the_check_sees_what_is_wrong(&flow, left).await;
    });
}

/// A check that finds nothing must be able to find something.
async fn the_check_sees_what_is_wrong(flow: &Flow, mut left: Left) {
    let done = left.ledger.deeds.iter_mut().find(|(_, deed)| deed.receipt.is_some());
    let (key, deed) = done.unwrap();
    let key = key.clone();
    (deed.receipt, deed.calls) = (Some(u64::MAX), 1000);
    let found = check(flow, &left).await.unwrap();
    assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    assert!(found.problems[0].starts_with(&format!("{key} recorded receipt")));
    assert!(found.problems[1].starts_with(&format!("{key} was called 1000 times")));
}
