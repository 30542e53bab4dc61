//! What stops work is said on the overview, with where it is put right (H2).

use std::time::Duration;

use serde_json::json;
use steadfast::registry::Registry;
use steadfast_store::{Task, WorkerReport};

use crate::hands::Hands;
use crate::policies::FILE;
use crate::{World, world, world_of};

async fn overview(world: &World) -> String {
    world.get("/").await.page(200)
}

async fn works(world: &World) {
    let worker = WorkerReport {
        name: "w-7".to_owned(),
        instance: Some("host-1".to_owned()),
        seen_at: None,
        queues: None,
        concurrency: Some(100),
        running: Some(0),
    };
    world.store.report_worker(&worker).await.unwrap();
}

/// H2: where all is well nothing is said.
#[tokio::test]
async fn where_all_is_well_nothing_is_said() {
    let world = world().await;
    assert!(!overview(&world).await.contains("class=\"attention\""), "without a task");
    works(&world).await;
    Hands::of(&world.store).completed(Task::new("send", &1), json!("sent")).await;
    world.store.submit(Task::new("send", &1)).await.unwrap();
    let html = overview(&world).await;
    assert!(!html.contains("class=\"attention\""), "{html}");
}

/// H2, D19: work that nobody does.
#[tokio::test]
async fn that_nobody_works_is_said() {
    let world = world().await;
    world.store.submit(Task::new("send", &1)).await.unwrap();
    let html = overview(&world).await;
    assert!(html.contains("No worker was heard of in the last ten minutes"), "{html}");
    assert!(html.contains("href=\"/queues\">How to start one</a>"), "{html}");
}

/// H2, D10: a paused queue holds back what is due, and one where nothing is due holds back nothing.
#[tokio::test]
async fn what_a_paused_queue_holds_back_is_said() {
    let world = world().await;
    works(&world).await;
    for _ in 0..2 {
        world.store.submit(Task::new("send", &1).queue("mail")).await.unwrap();
    }
    let later = Duration::from_secs(7_200);
    world.store.submit(Task::new("send", &1).queue("late").after(later)).await.unwrap();
    for queue in ["mail", "late"] {
        world.post(&format!("/queues/{queue}/pause"), &[]).await.redirect();
    }
    let html = overview(&world).await;
    assert!(html.contains("Queue mail is paused: 2 tasks that are due are held back"), "{html}");
    let place = |queue: &str| html.find(&format!("id=\"queue-{queue}\"")).unwrap();
    assert!(place("mail") < place("late"), "where most waits comes first: {html}");
}

/// H2, F4: a policy file that cannot be taken.
#[tokio::test]
async fn a_broken_policy_file_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, FILE).unwrap();
    let registry = Registry::load(&file).unwrap();
    let world = world_of(|server| server.policies(registry.clone())).await;
    assert!(!overview(&world).await.contains("class=\"attention\""));
    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attemps: 6")).unwrap();
    registry.reload().unwrap_err();
    let html = overview(&world).await;
    assert!(html.contains("The policy file cannot be taken as it is"), "{html}");
    assert!(html.contains("href=\"/policies\">What is wrong</a>"), "{html}");
}
