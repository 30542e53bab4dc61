//! The page of one task (H2): what it is, where it is and why, and what is to come.

use serde_json::json;
use steadfast_store::{Task, WorkerReport};

use crate::breakers::reported;
use crate::hands::Hands;
use crate::{World, world};

async fn shown(world: &World, task: Task) -> String {
    let id = world.store.submit(task).await.unwrap().id;
    // The overview waits for how everything stands; a task's page shows what is known.
    world.get("/").await.page(200);
    world.get(&format!("/tasks/{id}")).await.page(200)
}

fn worker(queues: Option<Vec<String>>) -> WorkerReport {
    let (name, instance) = ("w1".to_owned(), Some("host-1".to_owned()));
    WorkerReport { name, instance, seen_at: None, queues, concurrency: None, running: None }
}

/// H2: a task that waits for somebody to resume its queue says so, and leads there.
#[tokio::test]
async fn a_paused_queue_holds_its_tasks_back() {
    let world = world().await;
    world.store.report_worker(&worker(None)).await.unwrap();
    let id = world.store.submit(Task::new("send", &1).queue("mail")).await.unwrap().id;
    world.post("/queues/mail/pause", &[]).await.redirect();
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    let told = "queue <a href=\"/queues#queue-mail\">mail</a> is paused";
    assert_eq!(html.matches(told).count(), 2, "in the headline and in the timeline: {html}");
    assert!(!html.contains("Waits for a worker") && !html.contains("no worker"), "{html}");
}

/// H2: where nobody works nobody is waited for.
#[tokio::test]
async fn a_task_says_that_nobody_would_take_it() {
    let html = shown(&world().await, Task::new("send", &1)).await;
    assert!(html.contains(">no worker</a> was heard of"), "{html}");
    let world = world().await;
    world.store.report_worker(&worker(Some(vec!["other".to_owned()]))).await.unwrap();
    let html = shown(&world, Task::new("send", &1).queue("mail")).await;
    assert!(html.contains(">no worker</a> takes from queue mail"), "{html}");
}

/// H2: with a worker there, it is the worker that is waited for.
#[tokio::test]
async fn a_task_that_nothing_holds_back_waits_for_a_worker() {
    let world = world().await;
    world.store.report_worker(&worker(None)).await.unwrap();
    let html = shown(&world, Task::new("send", &1)).await;
    assert!(html.contains("Waits for a worker for") && !html.contains("Held back"), "{html}");
}

/// H2, G1: an open breaker is named, with when it probes.
#[tokio::test]
async fn an_open_breaker_holds_its_tasks_back() {
    let world = world().await;
    reported(&world, "patient", "shop-1").await;
    let later = Task::new("send", &1).policy("patient").after(std::time::Duration::from_secs(60));
    let html = shown(&world, later).await;
    assert!(html.contains("Held back: the breaker of"), "{html}");
    assert!(
        html.contains("href=\"/breakers#of-patient\">patient</a> is open, next probe"),
        "{html}"
    );
    let html = shown(&world, Task::new("send", &1)).await;
    assert!(!html.contains("breaker of"), "it has another policy: {html}");
}

/// H2, J2: whoever is asked to wait has not failed.
#[tokio::test]
async fn a_wait_that_was_asked_for_is_no_failure() {
    let world = world().await;
    let id = Hands::of(&world.store).asked_to_wait(Task::new("send", &1).policy("patient")).await;
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("Asked to wait</strong> (uses up no attempt)"), "{html}");
    assert!(html.contains("because it was asked to wait: "), "{html}");
    assert!(!html.contains("Attempt 1 failed"), "{html}");
    let id = Hands::of(&world.store).retrying(Task::new("send", &1).policy("patient")).await;
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("because the last one failed: "), "{html}");
    assert!(html.contains("Attempt 1 failed</strong>"), "{html}");
}

/// H2: calls are told apart by where they go, in the list and on their page, without secrets.
#[tokio::test]
async fn a_call_is_named_by_where_it_goes() {
    let world = world().await;
    let call = json!({"method": "POST", "url": "https://ada:hunter2@a.example/hooks/41?token=t0p"});
    let id = world.store.submit(Task::new("http", &call)).await.unwrap().id;
    let run = json!({"program": "backup", "args": ["--all"]});
    world.store.submit(Task::new("command", &run)).await.unwrap();
    world.store.submit(Task::new("send", &1).key("order-7")).await.unwrap();
    let list = world.get("/tasks").await.page(200);
    for name in ["http POST /hooks/41</a>", "command backup</a>", "send order-7</a>"] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let page = world.get(&format!("/tasks/{id}")).await.page(200);
    assert!(page.contains("<h1>POST /hooks/41</h1><span class=\"tag\">http</span>"), "{page}");
    assert!(page.contains("<title>POST /hooks/41 pending"), "{page}");
    assert!(![list, page].iter().any(|html| html.contains("hunter2") || html.contains("t0p")));
}

/// H3: payloads are read for names as far as there is room for them, and the list is as long.
#[tokio::test]
async fn long_payloads_do_not_shorten_the_list() {
    let world = world().await;
    for number in 0..3 {
        let call =
            json!({"url": format!("https://a.example/{number}"), "body": "a".repeat(200_000)});
        world.store.submit(Task::new("http", &call)).await.unwrap();
    }
    let list = world.get("/tasks").await.page(200);
    assert_eq!(list.matches("<tr id=\"row-").count(), 3, "{list}");
    assert!(list.contains("http GET /2</a>") && !list.contains("http GET /0</a>"), "{list}");
}

/// D18: nobody knows when an attempt that waits for a worker ends, so the others follow it.
#[tokio::test]
async fn attempts_to_come_are_counted_from_the_one_before() {
    let world = world().await;
    let html = shown(&world, Task::new("send", &1).policy("patient")).await;
    assert!(html.contains("after attempt 1") && html.contains("after attempt 2"), "{html}");
    assert!(html.contains("Schedule if every attempt fails"), "{html}");
}

/// H2: what belongs to the same request is a link away, and so is what was done to the task.
#[tokio::test]
async fn a_task_leads_to_its_request_and_to_its_audit() {
    let world = world().await;
    let id = world.store.submit(Task::new("send", &1).correlation_id("r 1")).await.unwrap().id;
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    for address in [
        "/tasks?correlation_id=r+1",
        "/sessions?correlation_id=r+1",
        &format!("/audit?target={id}"),
    ] {
        assert!(html.contains(&format!("href=\"{address}\"")), "{address}: {html}");
    }
}
