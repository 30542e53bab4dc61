//! Throttling of failed logins (K1).

use crate::{bearer, world};

const STATS: &str = "GET /api/v1/stats";
const WRONG: &str = "Authorization: Bearer sf_wrong";

/// K1: too many invalid tokens are throttled; a valid one never is.
#[tokio::test]
async fn too_many_invalid_tokens_are_throttled() {
    let world = world().await;
    for _ in 0..10 {
        world.ask(STATS, &[WRONG], "").await.problem(401);
    }
    let throttled = world.ask(STATS, &[WRONG], "").await;
    let wait: u64 = throttled.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{throttled:?}");
    assert_eq!(throttled.problem(429)["type"], "urn:steadfast:too-often");
    let login = world.log_in_with(&[], "sf_wrong", "").await;
    assert!(login.status == 429 && login.header("retry-after").is_some(), "{login:?}");
    assert!(login.body.contains("role=\"alert\"") && login.body.contains("<form"), "{login:?}");

    let right = bearer(&world.tokens.viewer);
    assert_eq!(world.ask(STATS, &[&right], "").await.status, 200);
    assert_eq!(world.log_in(&world.tokens.viewer).await.status, 303);
}

/// K1: logins count as well.
#[tokio::test]
async fn too_many_failed_logins_are_throttled() {
    let world = world().await;
    for _ in 0..10 {
        assert_eq!(world.log_in_with(&[], "sf_wrong", "").await.status, 401);
    }
    assert_eq!(world.log_in_with(&[], "sf_wrong", "").await.status, 429);
    world.ask(STATS, &[WRONG], "").await.problem(429);
    world.ask(STATS, &[], "").await.problem(401);
}
