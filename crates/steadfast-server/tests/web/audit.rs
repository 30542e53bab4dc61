//! The page of the audit log (H2, K1, K3).

use serde_json::json;
use steadfast_server::{FreshToken, Role};
use steadfast_store::{Actor, AuditEntry, Task};

use crate::{HOSTILE, Method, shows_without_harm, world, world_of};

/// H2: nobody has done anything.
#[tokio::test]
async fn an_empty_log_says_what_will_be_here() {
    let world = world().await;
    assert!(world.get("/audit").await.page(200).contains("Nobody has done anything yet"));
}

/// K3: who, what, to what, from where; and a link to it.
#[tokio::test]
async fn what_was_done_is_told_with_who_and_from_where() {
    let world = world().await;
    world.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    world.post("/queues/mail/pause", &[]).await.redirect();
    let html = world.get("/audit").await.page(200);
    assert!(html.contains("<code>queue.pause</code>"), "{html}");
    assert!(html.contains("href=\"/audit?actor=anonymous\"") && html.contains("from 127.0.0.1"));
    assert!(html.contains("href=\"/tasks?queue=mail\">mail</a>"), "{html}");
}

/// H2: filters and pages stand in the address.
#[tokio::test]
async fn the_log_is_filtered_and_paged() {
    let world = world().await;
    for (actor, target, action) in
        [("ada", "a", "queue.pause"), ("bob", "b", "queue.pause"), ("ada", "c", "queue.resume")]
    {
        let entry = AuditEntry::new(Actor::new(actor), action).target(target);
        world.store.audit(&entry).await.unwrap();
    }
    let rows = async |query: &str| {
        let html = world.get(&format!("/audit?{query}")).await.page(200);
        (html.matches("id=\"deed-").count(), html.contains("rel=\"next\""))
    };
    assert_eq!(rows("actor=ada&target=").await, (2, false));
    assert_eq!(rows("target=b").await, (1, false));
    assert_eq!(rows("limit=2").await, (2, true));
    assert_eq!(rows("actor=eve").await, (0, false));
    assert_eq!(rows("actor=&action=queue.pause").await, (2, false));
    assert_eq!(rows("actor=ada&action=queue.pause").await, (1, false));
    assert_eq!(rows("since=2000-01-01T00:00Z").await, (3, false));
    assert_eq!(rows("since=9000-01-01T00:00Z").await, (0, false));
}

/// K4: what was written down is shown, never run, and without its secrets.
#[tokio::test]
async fn hostile_entries_are_only_text() {
    let world = world().await;
    let entry = AuditEntry::new(Actor::new(HOSTILE), HOSTILE)
        .target(HOSTILE)
        .detail(json!({"password": "hunter2", HOSTILE: HOSTILE}));
    world.store.audit(&entry).await.unwrap();
    let html = world.get("/audit").await.page(200);
    shows_without_harm(&html);
    assert!(!html.contains("hunter2"), "{html}");
}

/// K1: with tokens in use an admin sees the log, and who may only look steers nothing.
#[tokio::test]
async fn roles_hold_for_pages() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let token = |name, role| FreshToken::new(name, role, None).unwrap();
    let (viewer, admin) = (token("vera", Role::Viewer), token("ada", Role::Admin));
    std::fs::write(&file, viewer.entry() + &admin.entry()).unwrap();
    let world = world_of(|server| server.tokens(&file)).await;
    world.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    let asked = async |token: &FreshToken, method: Method, path: &str| {
        let request = world.request(method, path).bearer_auth(token.secret());
        world.send(request).await
    };
    assert_eq!(asked(&admin, Method::GET, "/audit").await.status, 200);
    let html = asked(&viewer, Method::GET, "/audit").await.page(403);
    assert!(html.contains("This takes the role admin"), "{html}");

    for path in ["/queues/mail/pause", "/breakers/sql/open", "/breakers/sql/isolate"] {
        assert_eq!(asked(&viewer, Method::POST, path).await.status, 403, "{path}");
    }
    let html = asked(&viewer, Method::GET, "/queues").await.page(200);
    assert!(!html.contains("/queues/mail/pause"), "{html}");
}
