//! Quarantine of tasks that cannot be decoded.

use steadfast_store::{ClaimRequest, Status, Store};

use crate::{Fixture, task};

/// D4: a task whose policy this version cannot decode is left for a newer one, and the rest of its
/// batch is claimed.
#[tokio::test]
async fn task_that_cannot_be_decoded_is_quarantined() {
    let fixture = Fixture::new().await;
    let undecodable = fixture.store.submit(task(1).policy("patient")).await.unwrap().id;
    let valid = fixture.store.submit(task(2)).await.unwrap().id;
    let changed = "UPDATE steadfast_policies SET body = '{\"v\": 99}' WHERE number = \
                   (SELECT policy FROM steadfast_tasks WHERE payload = '1')";
    sqlx::query(changed).execute(&mut fixture.connection().await).await.unwrap();
    // A store that has read the policy before the change has it cached.
    let fresh = Store::open(&format!("sqlite:{}", fixture.path.display())).await.unwrap();
    let claims = fresh.claim(&ClaimRequest::new("fresh", 10)).await.unwrap();
    assert_eq!(claims.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [valid]);
    let left = fixture.store.task(undecodable).await.unwrap();
    assert_eq!((left.status, left.attempts), (Status::Scheduled, 0));
}
