//! The audit log (K3).

use serde_json::json;
use steadfast_server::Server;
use steadfast_store::{Actor, AuditEntry, AuditQuery};
use steadfast_testing::poll::{eventually, eventually_some};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{bearer, request, world, world_of};

const TASK: &str = r#"{"kind": "a", "payload": {"n": 1}}"#;

fn of<'e>(log: &'e [AuditEntry], action: &str) -> Vec<&'e AuditEntry> {
    log.iter().filter(|entry| entry.action == action).collect()
}

/// K3: submits, reads and claims are recorded with actor and address.
#[tokio::test]
async fn submits_reads_and_claims_are_audited() {
    let world = world().await;
    let task = world.submit_as(&world.tokens.operator, TASK).await.json();
    let line = format!("GET /api/v1/tasks/{}", task["id"].as_str().unwrap());
    for _ in 0..3 {
        world.ask_as(&world.tokens.viewer, &line).await;
    }
    world.ask_as(&world.tokens.admin, &line).await;
    let headers = ["Content-Type: application/json", &bearer(&world.tokens.operator)];
    world.ask("POST /api/v1/tasks/batch", &headers, &format!("[{TASK},{TASK}]")).await;
    for _ in 0..2 {
        world.ask_as(&world.tokens.viewer, "GET /api/v1/tasks?status=failed").await;
        world.ask("POST /api/v1/claims", &headers, r#"{"worker": "w1", "limit": 10}"#).await;
    }

    let log = world.log().await;
    let submitted = of(&log, "task.submit");
    assert_eq!(submitted.len(), 2);
    assert_eq!(submitted[0].target.as_deref(), task["id"].as_str());
    assert_eq!(
        (submitted[0].actor.name.as_str(), submitted[0].actor.origin.as_deref()),
        ("otto", Some("127.0.0.1"))
    );
    assert_eq!(submitted[1].detail["tasks"], 2);
    let readers: Vec<_> = of(&log, "task.read").iter().map(|it| it.actor.name.clone()).collect();
    assert_eq!(readers, ["vera", "ada"], "repeated reads are recorded once");
    let lists = of(&log, "tasks.list");
    assert_eq!((lists.len(), lists[0].detail.clone()), (1, json!({"status": "failed"})));
    let claimed = of(&log, "task.claim");
    assert_eq!((claimed.len(), claimed[0].actor.name.as_str()), (1, "otto"));
    assert_eq!(claimed[0].detail["tasks"], 3);
}

/// K3, S4: reads of statistics are recorded on every path; scrapes are not.
#[tokio::test]
async fn metrics_reads_are_audited() {
    let world = world().await;
    for _ in 0..3 {
        world.ask_as(&world.tokens.viewer, "GET /api/v1/metrics/summary?window=7d").await;
        world.ask_as(&world.tokens.viewer, "GET /api/v1/stats").await;
        world.ask_as(&world.tokens.operator, "GET /api/v1/queues").await;
        world.ask_as(&world.tokens.admin, "GET /metrics").await;
    }
    let session = format!("Cookie: {}", world.log_in(&world.tokens.admin).await.session());
    assert_eq!(world.ask("GET /", &[&session], "").await.status, 200);
    let log = world.log().await;
    let readers = |action| of(&log, action).iter().map(|it| &*it.actor.name).collect::<Vec<_>>();
    assert_eq!(readers("metrics.read"), ["vera"]);
    assert_eq!(readers("stats.read"), ["vera", "otto", "ada"]);
}

/// K3: a rejected submit is not recorded.
#[tokio::test]
async fn rejected_submit_is_not_audited() {
    let world = world().await;
    world.submit_as(&world.tokens.operator, r#"{"kind": ""}"#).await.problem(400);
    world.submit_as(&world.tokens.viewer, TASK).await.problem(403);
    world
        .ask_as(&world.tokens.viewer, "GET /api/v1/tasks/0190d3a2-7b5a-7c3e-8f21-1234567890ab")
        .await
        .problem(404);
    assert_eq!(world.log().await, []);
}

/// K3, K4: fast submits add a few entries that cover every task.
#[tokio::test]
async fn frequent_submits_are_summarized() {
    let world = world().await;
    let token = bearer(&world.tokens.operator);
    let one =
        crate::request("POST /api/v1/tasks", &["Content-Type: application/json", &token], TASK);
    let many: String = one.replace("Connection: close\r\n", "").repeat(199) + &one;
    crate::say(world.address, many).await;
    let log = world.log().await;
    let entries = of(&log, "task.submit");
    let tasks: u64 = entries.iter().map(|it| it.detail["tasks"].as_u64().unwrap_or(1)).sum();
    assert_eq!(tasks, 200);
    assert!(entries.len() < 200, "{}", entries.len());
    let gathered = entries.iter().find(|it| it.detail["requests"].is_u64()).unwrap();
    assert!(gathered.detail["first"].is_string() && gathered.detail["last"].is_string());
}

/// K3: logins, logouts and failures are recorded without tokens.
#[tokio::test]
async fn logins_and_failures_are_audited_without_tokens() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.admin).await.session());
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    world.ask("POST /logout", &own, "").await;
    for _ in 0..3 {
        world.log_in_with(&[], "sf_wrong", "").await;
    }
    world.ask("GET /api/v1/stats", &["Authorization: Bearer sf_wrong"], "").await;
    let secret = world.tokens.admin.secret().to_owned();
    let log = world.log().await;
    let actors =
        |action| of(&log, action).iter().map(|it| it.actor.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (actors("login"), actors("logout")),
        (vec!["ada".to_owned()], vec!["ada".to_owned()])
    );
    let rejected = of(&log, "login.refused");
    let tries: u64 = rejected.iter().map(|it| it.detail["tries"].as_u64().unwrap()).sum();
    assert_eq!(tries, 4);
    assert!(rejected.iter().all(|it| it.actor.origin.as_deref() == Some("127.0.0.1")));
    let text = serde_json::to_string(&log).unwrap();
    assert!(!text.contains(&secret) && !text.contains("sf_wrong"));
}

/// K3: behind a trusted proxy the client address is recorded; other headers are ignored.
#[tokio::test]
async fn audit_uses_client_address_of_trusted_proxy() {
    let tokens = crate::Tokens::new();
    let file = tokens.file();
    let change = |server: Server| server.tokens(file).trust_proxy("127.0.0.0/8".parse().unwrap());
    let behind = world_of(tokens, change).await;
    let alone = world().await;
    for (world, from) in [(behind, "203.0.113.7"), (alone, "127.0.0.1")] {
        let said = "X-Forwarded-For: 198.51.100.1, 203.0.113.7";
        world.ask("GET /api/v1/stats", &[said, "Authorization: Bearer sf_wrong"], "").await;
        let log = world.log().await;
        let rejected = of(&log, "login.refused");
        assert_eq!(rejected[0].actor.origin.as_deref(), Some(from));
    }
}

/// K3: an admin can read new entries within a moment.
#[tokio::test]
async fn audit_log_is_readable_while_serving() {
    let world = world().await;
    let task = world.submit_as(&world.tokens.operator, TASK).await.json();
    let line = format!("GET /api/v1/audit?target={}", task["id"].as_str().unwrap());
    let admin = bearer(&world.tokens.admin);
    let page = eventually_some("the entry is listed", async || {
        let page = world.ask(&line, &[&admin], "").await.json();
        (page["items"] != json!([])).then_some(page)
    })
    .await;
    assert_eq!(page["items"][0]["action"], "task.submit");
    assert_eq!(page["items"][0]["actor"], json!({"name": "otto", "origin": "127.0.0.1"}));
}

/// K3: entries are written while the last requests finish, because the process may be killed meanwhile.
#[tokio::test]
async fn audit_is_written_during_shutdown() {
    let world = world().await;
    let headers = ["Content-Type: application/json", &bearer(&world.tokens.operator)];
    let whole = request("POST /api/v1/tasks", &headers, TASK);
    let (head, rest) = whole.split_at(whole.len() - 1);
    let mut last = TcpStream::connect(world.address).await.unwrap();
    last.write_all(head.as_bytes()).await.unwrap();
    world.submit_as(&world.tokens.operator, TASK).await;

    world.stop.send(()).unwrap();
    eventually("the entry is written", async || {
        !world.store.audit_entries(&AuditQuery::default()).await.unwrap().items.is_empty()
    })
    .await;
    assert!(!world.running.is_finished(), "the last request has not ended");

    last.write_all(rest.as_bytes()).await.unwrap();
    let mut answer = String::new();
    last.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    world.running.await.unwrap().unwrap();
}

/// K3: an action is recorded although the client disconnected.
#[tokio::test]
async fn disconnected_client_is_audited() {
    let world = world().await;
    let headers = ["Content-Type: application/json", &bearer(&world.tokens.operator)];
    let submission = crate::request("POST /api/v1/tasks", &headers, TASK);
    for _ in 0..200 {
        let mut connection = TcpStream::connect(world.address).await.unwrap();
        connection.write_all(submission.as_bytes()).await.unwrap();
        tokio::task::yield_now().await;
    }
    let store = world.store.clone();
    let log = world.log().await;
    let noted: u64 = of(&log, "task.submit").iter().map(|it| tasks_of(it)).sum();
    let taken = store.stats().await.unwrap().pending;
    assert!(taken > 0);
    assert_eq!(noted, taken, "of {taken} tasks {noted} are in the log");
}

fn tasks_of(entry: &AuditEntry) -> u64 {
    entry.detail["tasks"].as_u64().unwrap_or(1)
}

/// K3: completions and failures of external workers are recorded.
#[tokio::test]
async fn settles_are_audited() {
    let world = world().await;
    let headers = ["Content-Type: application/json", &bearer(&world.tokens.operator)];
    world.ask("POST /api/v1/tasks/batch", &headers, &format!("[{TASK},{TASK}]")).await;
    let claims = r#"{"worker": "w1", "limit": 10}"#;
    let claims = world.ask("POST /api/v1/claims", &headers, claims).await.json();
    let mut ids = Vec::new();
    for (place, (action, rest)) in
        [("complete", ""), ("fail", r#", "fault": {"http_status": 404}"#)].into_iter().enumerate()
    {
        let claim = &claims["claims"][place];
        let (id, version) = (claim["id"].as_str().unwrap(), &claim["version"]);
        let line = format!("POST /api/v1/claims/{id}/{action}");
        let body = format!(r#"{{"version": {version}{rest}}}"#);
        assert!(world.ask(&line, &headers, &body).await.status < 300);
        world.ask(&line, &headers, &body).await.problem(409);
        ids.push(id.to_owned());
    }
    let log = world.log().await;
    for (action, id) in [("task.complete", &ids[0]), ("task.fail", &ids[1])] {
        let entries = of(&log, action);
        assert_eq!(entries.len(), 1, "{action}: a rejected request is not recorded");
        assert_eq!(
            (entries[0].actor.name.as_str(), entries[0].target.as_ref()),
            ("otto", Some(id))
        );
    }
}

/// K3: reads of the audit log, events and sessions are recorded.
#[tokio::test]
async fn event_and_session_reads_are_audited() {
    let world = world().await;
    for (line, action) in [
        ("GET /api/v1/audit?actor=otto", "audit.read"),
        ("GET /api/v1/events?operation=a", "events.read"),
        ("GET /api/v1/sessions?policy=sql", "sessions.read"),
        ("GET /api/v1/executions?workflow=w", "executions.list"),
        ("GET /api/v1/workflows", "workflows.list"),
    ] {
        for _ in 0..2 {
            let headers = ["Accept: application/json", &bearer(&world.tokens.admin)];
            assert_eq!(world.ask(line, &headers, "").await.status, 200, "{action}");
        }
    }
    let log = world.log().await;
    let recorded: Vec<_> = log.iter().map(|it| (it.action.as_str(), &it.detail)).collect();
    let expected = [
        ("audit.read", &json!({"actor": "otto"})),
        ("events.read", &json!({"operation": "a"})),
        ("sessions.read", &json!({"policy": "sql"})),
        ("executions.list", &json!({"workflow": "w"})),
        ("workflows.list", &json!(null)),
    ];
    assert_eq!(recorded, expected);
    assert!(log.iter().all(|it| it.actor.name == "ada"));
}

/// K3, K4: endless reads do not fill the disk and are counted.
#[tokio::test]
async fn frequent_reads_are_summarized() {
    let world = world().await;
    let token = bearer(&world.tokens.viewer);
    let one =
        |number: usize| crate::request(&format!("GET /api/v1/tasks?kind=a{number}"), &[&token], "");
    let many: String = (1..300).map(|it| one(it).replace("Connection: close\r\n", "")).collect();
    crate::say(world.address, many + &one(0)).await;
    let log = world.log().await;
    let lists = of(&log, "tasks.list");
    assert!(lists.len() < 100, "{}", lists.len());
    let read: u64 = lists.iter().map(|it| it.detail["times"].as_u64().unwrap_or(1)).sum();
    assert_eq!(read, 300);
}

/// K3, K4: nor do endless logins.
#[tokio::test]
async fn frequent_logins_are_summarized() {
    let world = world().await;
    let form = "Content-Type: application/x-www-form-urlencoded";
    let body = format!("token={}", world.tokens.viewer.secret());
    let one = crate::request("POST /login", &[form], &body);
    let many = one.replace("Connection: close\r\n", "").repeat(199) + &one;
    crate::say(world.address, many).await;
    let log = world.log().await;
    let logins = of(&log, "login");
    assert!(logins.len() < 100, "{}", logins.len());
    let times: u64 = logins.iter().map(|it| it.detail["times"].as_u64().unwrap_or(1)).sum();
    assert_eq!(times, 200);
}

/// O5: details of entries are redacted.
#[tokio::test]
async fn audit_details_are_redacted() {
    let world = world().await;
    let detail = json!({"password": "hunter2", "queue": "mail"});
    let entry = AuditEntry::new(Actor::new("ada"), "a.action").detail(detail);
    world.store.audit(&entry).await.unwrap();
    let response = world.ask_as(&world.tokens.admin, "GET /api/v1/audit").await;
    assert!(response.body.contains("mail") && !response.body.contains("hunter2"), "{response:?}");
}

/// K3: no role can change the audit log.
#[tokio::test]
async fn audit_log_is_append_only() {
    let world = world().await;
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let line = format!("{method} /api/v1/audit");
        world.ask_as(&world.tokens.admin, &line).await.problem(405);
    }
}
