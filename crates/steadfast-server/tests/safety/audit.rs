//! Who changed or read what (K3).

use serde_json::json;
use steadfast_store::AuditEntry;

use crate::{bearer, world};

const TASK: &str = r#"{"kind": "a", "payload": {"n": 1}}"#;

fn of<'e>(log: &'e [AuditEntry], action: &str) -> Vec<&'e AuditEntry> {
    log.iter().filter(|entry| entry.action == action).collect()
}

/// K3: who submitted a task, who read it, who took it to work on it, and from where.
#[tokio::test]
async fn submissions_and_reads_are_in_the_log() {
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
        (submitted[0].by.actor.as_str(), submitted[0].by.from.as_deref()),
        ("otto", Some("127.0.0.1"))
    );
    assert_eq!(submitted[1].detail["tasks"], 2);
    let readers: Vec<_> = of(&log, "task.read").iter().map(|it| it.by.actor.clone()).collect();
    assert_eq!(readers, ["vera", "ada"], "a look is noted once");
    let lists = of(&log, "tasks.list");
    assert_eq!((lists.len(), lists[0].detail.clone()), (1, json!({"status": "failed"})));
    let claimed = of(&log, "task.claim");
    assert_eq!((claimed.len(), claimed[0].by.actor.as_str()), (1, "otto"));
    assert_eq!(claimed[0].detail["tasks"], 3);
}

/// K3: a submission that is refused is nobody's deed.
#[tokio::test]
async fn what_was_refused_is_not_in_the_log() {
    let world = world().await;
    world.submit_as(&world.tokens.operator, r#"{"kind": ""}"#).await.problem(400);
    world.submit_as(&world.tokens.viewer, TASK).await.problem(403);
    world
        .ask_as(&world.tokens.viewer, "GET /api/v1/tasks/0190d3a2-7b5a-7c3e-8f21-1234567890ab")
        .await
        .problem(404);
    assert_eq!(world.log().await, []);
}

/// K3, K4: however fast somebody submits, the log grows by lines, and no task is left out.
#[tokio::test]
async fn many_submissions_are_a_few_lines() {
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

/// K3: who came and went, and who was not let in, without what they showed.
#[tokio::test]
async fn logins_and_refusals_are_in_the_log() {
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
    let actors = |action| of(&log, action).iter().map(|it| it.by.actor.clone()).collect::<Vec<_>>();
    assert_eq!(
        (actors("login"), actors("logout")),
        (vec!["ada".to_owned()], vec!["ada".to_owned()])
    );
    let refused = of(&log, "login.refused");
    let tries: u64 = refused.iter().map(|it| it.detail["tries"].as_u64().unwrap()).sum();
    assert_eq!(tries, 4);
    assert!(refused.iter().all(|it| it.by.from.as_deref() == Some("127.0.0.1")));
    let text = serde_json::to_string(&log).unwrap();
    assert!(!text.contains(&secret) && !text.contains("sf_wrong"));
}

/// K3: the log is shown by the API within a moment, to an admin.
#[tokio::test]
async fn the_log_is_shown_while_the_server_runs() {
    let world = world().await;
    let task = world.submit_as(&world.tokens.operator, TASK).await.json();
    let line = format!("GET /api/v1/audit?target={}", task["id"].as_str().unwrap());
    let admin = bearer(&world.tokens.admin);
    let shown = async {
        loop {
            let page = world.ask(&line, &[&admin], "").await.json();
            if page["items"] != json!([]) {
                return page;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let page = tokio::time::timeout(crate::IN_TIME, shown).await.unwrap();
    assert_eq!(page["items"][0]["action"], "task.submit");
    assert_eq!(page["items"][0]["by"], json!({"actor": "otto", "from": "127.0.0.1"}));
}
