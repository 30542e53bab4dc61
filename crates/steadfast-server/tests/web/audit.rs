//! The audit log page (H2, K1, K3).

use serde_json::json;
use steadfast_server::{NewToken, Role};
use steadfast_store::{Actor, AuditEntry, Task};

use crate::{HOSTILE, Method, app, app_with, assert_escaped};

/// H2: an empty log has an explanation.
#[tokio::test]
async fn empty_log_has_an_empty_state() {
    let app = app().await;
    assert!(app.get("/audit").await.page(200).contains("No audit entries yet"));
}

/// K3: actor, action, linked target and client address.
#[tokio::test]
async fn entry_shows_actor_action_target_and_address() {
    let app = app().await;
    app.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    app.post("/queues/mail/pause", &[]).await.redirect();
    let html = app.get("/audit").await.page(200);
    assert!(html.contains("<code>queue.pause</code>"), "{html}");
    assert!(html.contains("href=\"/audit?actor=anonymous\"") && html.contains("from 127.0.0.1"));
    assert!(html.contains("href=\"/tasks?queue=mail\">mail</a>"), "{html}");
}

/// H2: filters and pages are kept in the URL.
#[tokio::test]
async fn log_is_filtered_and_paged() {
    let app = app().await;
    for (actor, target, action) in
        [("ada", "a", "queue.pause"), ("bob", "b", "queue.pause"), ("ada", "c", "queue.resume")]
    {
        let entry = AuditEntry::new(Actor::new(actor), action).target(target);
        app.store.audit(&entry).await.unwrap();
    }
    let rows = async |query: &str| {
        let html = app.get(&format!("/audit?{query}")).await.page(200);
        (html.matches("id=\"audit-").count(), html.contains("rel=\"next\""))
    };
    assert_eq!(rows("actor=ada&target=").await, (2, false));
    assert_eq!(rows("target=b").await, (1, false));
    assert_eq!(rows("limit=2").await, (2, true));
    assert_eq!(rows("actor=eve").await, (0, false));
    assert_eq!(rows("actor=&action=queue.pause").await, (2, false));
    assert_eq!(rows("actor=ada&action=queue.pause").await, (1, false));
    // With an action: the reads above are audited, too, after a while.
    assert_eq!(rows("action=queue.pause&since=2000-01-01T00:00Z").await, (2, false));
    assert_eq!(rows("action=queue.pause&since=9000-01-01T00:00Z").await, (0, false));
}

/// K4: entries are escaped and redacted.
#[tokio::test]
async fn hostile_entries_are_escaped() {
    let app = app().await;
    let entry = AuditEntry::new(Actor::new(HOSTILE), HOSTILE)
        .target(HOSTILE)
        .detail(json!({"password": "hunter2", HOSTILE: HOSTILE}));
    app.store.audit(&entry).await.unwrap();
    let html = app.get("/audit").await.page(200);
    assert_escaped(&html);
    assert!(!html.contains("hunter2"), "{html}");
}

/// K1: only an admin sees the log, and a viewer cannot act.
#[tokio::test]
async fn audit_and_actions_require_their_roles() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let token = |name, role| NewToken::new(name, role, None).unwrap();
    let (viewer, admin) = (token("vera", Role::Viewer), token("ada", Role::Admin));
    std::fs::write(&file, viewer.entry() + &admin.entry()).unwrap();
    let app = app_with(|server| server.tokens(&file)).await;
    app.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    let send = async |token: &NewToken, method: Method, path: &str| {
        let request = app.request(method, path).bearer_auth(token.secret());
        app.send(request).await
    };
    assert_eq!(send(&admin, Method::GET, "/audit").await.status, 200);
    let html = send(&viewer, Method::GET, "/audit").await.page(403);
    assert!(html.contains("This requires the admin role"), "{html}");

    for path in ["/queues/mail/pause", "/breakers/sql/open", "/breakers/sql/isolate"] {
        assert_eq!(send(&viewer, Method::POST, path).await.status, 403, "{path}");
    }
    let html = send(&viewer, Method::GET, "/queues").await.page(200);
    assert!(!html.contains("/queues/mail/pause"), "{html}");
}
