//! Quarantine of tasks that cannot be decoded.

use steadfast_store::{ClaimRequest, Status, Store};

use crate::{Fixture, task};

/// D4: a task whose policy means nothing to this version is left for a later one, and the rest
/// of its batch is run.
#[tokio::test]
async fn task_that_cannot_be_decoded_is_quarantined() {
    let fixture = Fixture::new().await;
    let foreign = fixture.store.submit(task(1).policy("patient")).await.unwrap().id;
    let sound = fixture.store.submit(task(2)).await.unwrap().id;
    let changed = "UPDATE steadfast_policies SET body = '{\"v\": 99}' WHERE number = \
                   (SELECT policy FROM steadfast_tasks WHERE payload = '1')";
    sqlx::query(changed).execute(&mut fixture.connection().await).await.unwrap();
    // Who has seen the policy before it was changed remembers it.
    let stranger = Store::open(&format!("sqlite:{}", fixture.path.display())).await.unwrap();
    let claims = stranger.claim(&ClaimRequest::new("stranger", 10)).await.unwrap();
    assert_eq!(claims.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [sound]);
    let left = fixture.store.task(foreign).await.unwrap();
    assert_eq!((left.status, left.attempts), (Status::Scheduled, 0));
}
