//! Every page, on a store with nothing in it and on one with everything (H2, H3).

use serde_json::json;
use steadfast_store::{Task, TaskId};

use crate::hands::Hands;
use crate::policies::world_with;
use crate::{HOSTILE, sessions, workflows, world};

const PAGES: [&str; 9] = [
    "/",
    "/tasks",
    "/tasks?status=pending",
    "/tasks?status=failed&queue=mail&kind=&category=&class=final",
    "/tasks?due_within=24h",
    "/tasks?limit=1",
    "/tasks/new",
    "/tasks/new?kind=other",
    "/tasks/requeue?status=failed",
];

/// H2: a store with nothing in it says what to do, and nothing is broken by it.
#[tokio::test]
async fn every_page_is_there_when_there_is_nothing_to_show() {
    let world = world().await;
    for path in PAGES {
        world.get(path).await.page(200);
    }
    for path in ["/", "/tasks"] {
        let html = world.get(path).await.body;
        assert!(html.contains("No tasks yet"), "{path}");
        assert!(html.contains(&format!("curl {}/api/v1/tasks", world.url)), "{path}");
        assert!(html.contains(&format!("--policy patient --server {}", world.url)), "{path}");
    }
    assert!(world.get("/tasks?queue=none").await.page(200).contains("No task is like that"));
}

/// H2: a store with a task in every place shows them all.
#[tokio::test]
async fn every_page_is_there_when_there_is_everything() {
    let world = world().await;
    let everywhere = Hands::of(&world.store).one_everywhere().await;
    for path in PAGES {
        world.get(path).await.page(200);
    }
    for (status, id) in everywhere {
        let html = world.get(&format!("/tasks/{id}")).await.page(200);
        assert!(html.contains(&format!("class=\"status {status}\"")), "{status}");
        let list = world.get(&format!("/tasks?status={status}")).await.page(200);
        assert!(list.contains(&format!("/tasks/{id}")), "{status}");
    }
}

/// K1: whatever a task says is text, in every field of it.
#[tokio::test]
async fn what_is_hostile_is_shown_as_text() {
    let world = world().await;
    let task = Task::new(HOSTILE, &json!({ HOSTILE: HOSTILE }))
        .queue(HOSTILE)
        .category(HOSTILE)
        .key(HOSTILE)
        .correlation_id(HOSTILE);
    let other = Task::new(HOSTILE, &HOSTILE).correlation_id(HOSTILE).queue(HOSTILE);
    let hands = Hands::of(&world.store);
    let id = hands.failed_for_good(task, HOSTILE).await;
    world.store.submit(other).await.unwrap();
    for path in PAGES.into_iter().map(str::to_owned).chain([format!("/tasks/{id}")]) {
        let html = world.get(&path).await.page(200);
        assert!(!html.contains("<script>alert"), "{path}");
        assert!(!html.contains("<img src=x"), "{path}");
    }
    let html = world.get(&format!("/tasks/{id}")).await.body;
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is there as text");
    let query = serde_urlencoded::to_string([("queue", HOSTILE)]).unwrap();
    world.get(&format!("/tasks?{query}")).await.page(200);
}

/// H2: a page is asked for again and again, so what is long stands there once.
#[tokio::test]
async fn a_payload_is_sent_once() {
    let world = world().await;
    let task = Task::new("send", &json!({"text": "a long letter"}));
    let id = Hands::of(&world.store).completed(task, json!("a long answer")).await;
    let html = world.inside(&format!("/tasks/{id}")).await.body;
    assert_eq!(html.matches("a long letter").count(), 1, "{html}");
    assert_eq!(html.matches("a long answer").count(), 1, "{html}");
}

/// H2: each number of the overview leads to what it counts. What was retried and what was given up
/// for the same reason are one.
#[tokio::test]
async fn numbers_lead_to_what_they_count() {
    let world = world().await;
    let hands = Hands::of(&world.store);
    hands.completed(Task::new("send", &1), json!("sent")).await;
    for _ in 0..3 {
        hands.failed_for_good(Task::new("charge", &1), "no such card: 4711 & co").await;
    }
    hands.failed_for_good(Task::new("charge", &1), "another error").await;
    for _ in 0..2 {
        let task = Task::new("charge", &1).policy("patient");
        hands.retrying_after(task, "no such card: 4711 & co").await;
    }
    let html = world.get("/").await.page(200);
    assert!(html.contains("href=\"/tasks?status=failed\">20 % of all kept</a>"), "{html}");
    for (said, rows) in
        [("20 %", 4), ("1 completed", 1), ("4 failed", 4), ("3 gave up, 2 retried", 3)]
    {
        let before = html.split_once(&format!(">{said}</a>")).expect(said).0;
        let path = before.rsplit_once("href=\"").unwrap().1.split('"').next().unwrap();
        let list = world.get(&path.replace("&amp;", "&")).await.page(200);
        assert_eq!(list.matches("<tr id=\"row-").count(), rows, "{said}: {path}");
    }
}

/// H2: what is chosen stays when more is chosen.
#[tokio::test]
async fn times_are_kept_by_the_filter() {
    let world = world().await;
    let path =
        "/tasks?ended_after=2026-07-01T08%3A00%3A00Z&submitted_after=2026-06-01T00%3A00%3A00Z";
    let html = world.get(path).await.page(200);
    assert!(html.contains("name=\"ended_after\" value=\"2026-07-01T08:00:00Z\""), "{html}");
    assert!(html.contains("name=\"submitted_after\" value=\"2026-06-01T00:00:00Z\""), "{html}");
    let html =
        world.get("/tasks/requeue?status=failed&ended_after=2026-07-01T08:00Z").await.page(200);
    assert!(html.contains("that failed, that ended after 2026-07-01T08:00:00Z"), "{html}");
}

/// O5: secrets in a payload and in a result are masked.
#[tokio::test]
async fn secrets_are_masked() {
    let world = world().await;
    let payload = json!({"url": "https://ada:hunter2@a.example/", "headers": {"authorization": "Bearer t0p-s3cret"}});
    let id = Hands::of(&world.store)
        .completed(Task::new("http", &payload), json!({"token": "t0p-s3cret"}))
        .await;
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("***") && html.contains("a.example"), "{html}");
    assert!(!html.contains("hunter2") && !html.contains("t0p-s3cret"), "{html}");
}

/// H3: a page shows as many as fit, and the next one goes on behind it.
#[tokio::test]
async fn a_list_is_shown_a_page_at_a_time() {
    let world = world().await;
    let tasks = (0..120).map(|number| Task::new("send", &number)).collect();
    world.store.submit_all(tasks).await.unwrap();
    let mut path = "/tasks?kind=send".to_owned();
    let mut shown = Vec::new();
    for page in 0.. {
        let html = world.get(&path).await.page(200);
        let ids: Vec<_> =
            html.split("<tr id=\"row-").skip(1).map(|row| row[..36].to_owned()).collect();
        assert!(ids.len() <= 50);
        shown.extend(ids);
        assert_eq!(html.contains("Back to the start"), page > 0);
        let Some((_, next)) = html.split_once("rel=\"next\" href=\"") else { break };
        path = next.split('"').next().unwrap().replace("&amp;", "&");
        assert!(path.contains("kind=send"), "{path}");
    }
    let all = shown.len();
    shown.dedup();
    assert_eq!((all, shown.len()), (120, 120));
}

/// H2: any id, key, correlation id or name leads to where it belongs.
#[tokio::test]
async fn the_search_leads_to_what_was_sought() {
    let world = world().await;
    let task = Task::new("send", &1).queue("mail").key("order-1").correlation_id("request-7");
    let id = world.store.submit(task).await.unwrap().id;
    let claim = world.client.post(format!("{}/api/v1/claims", world.url));
    let claim = claim.header("content-type", "application/json").body(r#"{"worker": "w1"}"#);
    assert_eq!(claim.send().await.unwrap().status(), 200);
    let session = sessions::recorded(&world, "save", "busy").await;
    let workflow = workflows::kept(&world, &workflows::sign_up()).await;
    let number = workflow.rsplit_once('/').unwrap().1.to_owned();
    // Who works is known to those who wait for it.
    world.get("/").await.page(200);
    for (sought, place) in [
        ("w1".to_owned(), "/#worker-w1".to_owned()),
        ("sign-up".to_owned(), workflow.clone()),
        (number, workflow),
        (session.clone(), format!("/sessions?session={session}")),
        (TaskId::fresh().to_string(), "/tasks?text=".to_owned()),
        (id.to_string(), format!("/tasks/{id}")),
        ("order-1".to_owned(), format!("/tasks/{id}")),
        ("request-7".to_owned(), "/tasks?correlation_id=request-7".to_owned()),
        ("mail".to_owned(), "/tasks?queue=mail".to_owned()),
        ("patient".to_owned(), "/policies/patient".to_owned()),
        ("send".to_owned(), "/tasks?text=send".to_owned()),
        ("  ".to_owned(), "/tasks".to_owned()),
    ] {
        let query = serde_urlencoded::to_string([("q", &sought)]).unwrap();
        let answered = world.get(&format!("/search?{query}")).await;
        let place = if place.ends_with('=') { place + &sought } else { place };
        assert_eq!((answered.status.as_u16(), answered.location), (303, place), "{sought}");
    }
    let query = serde_urlencoded::to_string([("q", HOSTILE)]).unwrap();
    let answered = world.get(&format!("/search?{query}")).await;
    assert_eq!(answered.status, 303);
    world.get(&answered.location).await.page(200);
}

/// H2, O5: any text finds what says it, in whatever field, and not what is masked.
#[tokio::test]
async fn a_text_is_found_wherever_it_is_said() {
    let world = world().await;
    let payload = json!({
        "to": "Ada Lovelace",
        "token": "t0p-s3cret",
        "url": "https://ada:hunter2@example.com/",
        "headers": [["Authorization", "Bearer abc123"], {"name": "Cookie", "value": "id-456"}],
        "pin_token": 98_765,
    });
    let task = Task::new("send", &payload).category("letters").key("order-1").policy("patient");
    let id = Hands::of(&world.store).failed_for_good(task, "no such street").await;
    world.store.submit(Task::new("other", &1)).await.unwrap();
    for said in ["lovelace", "SEND", "lett", "rder-", "such street", "patient"] {
        let query = serde_urlencoded::to_string([("text", said)]).unwrap();
        let html = world.get(&format!("/tasks?{query}")).await.page(200);
        assert!(html.contains(&format!("row-{id}")), "{said}");
        assert_eq!(html.matches("<tr id=").count(), 1, "{said}");
    }
    for said in ["s3cret", "hunter2", "ada:h", "abc123", "d-456", "98765", "nowhere"] {
        assert!(
            world
                .get(&format!("/tasks?text={said}"))
                .await
                .page(200)
                .contains("No task is like that")
        );
    }
}

/// H2: what is found comes in pages of the size that was asked for, each once.
#[tokio::test]
async fn what_a_text_finds_is_shown_page_by_page() {
    let world = world().await;
    for number in 0..20 {
        world.store.submit(Task::new("send", &format!("letter {}", number % 2))).await.unwrap();
    }
    let (mut path, mut shown) = ("/tasks?text=letter+1&limit=3".to_owned(), Vec::new());
    loop {
        let html = world.get(&path).await.page(200);
        let rows: Vec<_> =
            html.split("<tr id=\"row-").skip(1).map(|row| row[..36].to_owned()).collect();
        assert!(rows.len() <= 3, "{path}");
        shown.extend(rows);
        let Some((_, next)) = html.split_once("rel=\"next\" href=\"") else { break };
        path = next.split('"').next().unwrap().replace("&amp;", "&");
    }
    let all = shown.len();
    shown.dedup();
    assert_eq!((all, shown.len()), (10, 10));
}

/// H2: a policy may be called anything that a link has no letter for.
#[tokio::test]
async fn a_task_leads_to_its_policy_whatever_that_is_called() {
    let world = world_with("version: '1.1.0'\npolicies:\n  'a/b c#d': {}\n").await;
    let policy = steadfast::policy::Draft::new().id("a/b c#d").build().unwrap();
    let id = world.store.submit(Task::new("send", &1).under(policy)).await.unwrap().id;
    let html = world.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("href=\"/policies/a%2Fb%20c%23d\""), "{html}");
}

/// K1: without its page a server has the API alone.
#[tokio::test]
async fn a_server_without_a_page_shows_none() {
    let world = crate::world_of(steadfast_server::Server::without_page).await;
    for path in ["/", "/tasks", "/live", "/login"] {
        let answered = world.get(path).await;
        assert_eq!(
            (answered.status.as_u16(), answered.kind.as_str()),
            (404, "application/problem+json"),
            "{path}"
        );
    }
    assert_eq!(world.get("/api/v1/tasks").await.status, 200);
}
