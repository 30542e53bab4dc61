//! Alerts on the overview (H2).

use std::time::Duration;

use serde_json::json;
use steadfast::registry::Registry;
use steadfast_store::{Task, WorkerReport};

use crate::policies::FILE;
use crate::test_worker::TestWorker;
use crate::{TestApp, app, app_with};

async fn overview(app: &TestApp) -> String {
    app.get("/").await.page(200)
}

async fn report_worker(app: &TestApp) {
    let worker = WorkerReport {
        name: "w-7".to_owned(),
        instance: Some("host-1".to_owned()),
        seen_at: None,
        queues: None,
        concurrency: Some(100),
        running: Some(0),
    };
    app.store.report_worker(&worker).await.unwrap();
}

/// H2: without a problem there are no alerts.
#[tokio::test]
async fn healthy_store_has_no_alerts() {
    let app = app().await;
    assert!(!overview(&app).await.contains("class=\"attention\""), "without a task");
    report_worker(&app).await;
    TestWorker::new(&app.store).completed(Task::new("send", &1), json!("sent")).await;
    app.store.submit(Task::new("send", &1)).await.unwrap();
    let html = overview(&app).await;
    assert!(!html.contains("class=\"attention\""), "{html}");
}

/// H2, D19: pending tasks without a worker.
#[tokio::test]
async fn missing_worker_raises_an_alert() {
    let app = app().await;
    app.store.submit(Task::new("send", &1)).await.unwrap();
    let html = overview(&app).await;
    assert!(html.contains("No worker has reported in the last ten minutes"), "{html}");
    assert!(html.contains("href=\"/queues\">Start a worker</a>"), "{html}");
}

/// H2, D10: only a paused queue with pending tasks raises an alert.
#[tokio::test]
async fn paused_queue_with_pending_tasks_raises_an_alert() {
    let app = app().await;
    report_worker(&app).await;
    for _ in 0..2 {
        app.store.submit(Task::new("send", &1).queue("mail")).await.unwrap();
    }
    let later = Duration::from_secs(7_200);
    app.store.submit(Task::new("send", &1).queue("late").after(later)).await.unwrap();
    for queue in ["mail", "late"] {
        app.post(&format!("/queues/{queue}/pause"), &[]).await.redirect();
    }
    let html = overview(&app).await;
    assert!(html.contains("Queue mail is paused: 2 pending tasks"), "{html}");
    let position = |queue: &str| html.find(&format!("id=\"queue-{queue}\"")).unwrap();
    assert!(position("mail") < position("late"), "the longest backlog comes first: {html}");
}

/// H2, F4: an invalid policy file.
#[tokio::test]
async fn invalid_policy_file_raises_an_alert() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, FILE).unwrap();
    let registry = Registry::load(&file).unwrap();
    let app = app_with(|server| server.policies(registry.clone())).await;
    assert!(!overview(&app).await.contains("class=\"attention\""));
    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attemps: 6")).unwrap();
    registry.reload().unwrap_err();
    let html = overview(&app).await;
    assert!(html.contains("The policy file is invalid"), "{html}");
    assert!(html.contains("href=\"/policies\">View errors</a>"), "{html}");
}
