//! The frame around every page (H2).

use std::time::Duration;

use steadfast_store::Task;
use tokio::time::timeout;

use crate::{Method, world};

/// The address of something that the page asks for.
fn linked(html: &str, name: &str) -> String {
    let end = html.find(name).unwrap() + name.len();
    let start = html[..end].rfind('"').unwrap() + 1;
    html[start..end].to_owned()
}

/// H2: where one is, is said to those who don't see it, too.
#[tokio::test]
async fn the_navigation_says_where_one_is() {
    let html = world().await.get("/tasks").await.page(200);
    assert!(html.contains("<a href=\"/tasks\" data-key=\"t\" aria-current=\"page\">"), "{html}");
    assert_eq!(html.matches("aria-current=\"page\"").count(), 1);
    assert!(html.contains("<title>Tasks · Steadfast</title>"));
    assert!(html.contains("href=\"#main\""));
}

/// H2: a style sheet and scripts come from here alone, and are kept for good.
#[tokio::test]
async fn what_a_page_needs_is_kept_by_the_browser_for_good() {
    let world = world().await;
    let html = world.get("/").await.page(200);
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
    for (name, kind) in [
        ("page.css", "text/css; charset=utf-8"),
        ("page.js", "text/javascript; charset=utf-8"),
        ("theme.js", "text/javascript; charset=utf-8"),
        ("mark.svg", "image/svg+xml"),
    ] {
        let asset = world.get(&linked(&html, name)).await;
        assert_eq!((asset.status.as_u16(), asset.kind.as_str()), (200, kind), "{name}");
        assert!(asset.cache.contains("immutable"), "{name}");
    }
    assert_eq!(world.get("/assets/0000000000000000/page.css").await.status, 404);
}

/// H2: modules ask for their neighbours, and those are there.
#[tokio::test]
async fn every_module_that_is_imported_is_there() {
    let world = world().await;
    let page = linked(&world.get("/").await.body, "page.js");
    let folder = page.strip_suffix("page.js").unwrap();
    let script = world.get(&page).await.body;
    let imported: Vec<_> =
        script.split("from \"./").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    assert!(!imported.is_empty());
    for module in imported {
        assert_eq!(world.get(&format!("{folder}{module}")).await.status, 200, "{module}");
    }
}

/// H2: the page itself may be shown again by going back; its inside is never kept.
#[tokio::test]
async fn a_page_is_asked_for_again_and_its_inside_is_never_kept() {
    let world = world().await;
    assert_eq!(world.get("/tasks").await.cache, "private, no-cache");
    assert_eq!(world.inside("/tasks").await.cache, "no-store");
}

/// H2: what is asked for anew is what the page has.
#[tokio::test]
async fn the_inside_is_the_same_as_the_pages() {
    let world = world().await;
    let inside = world.inside("/tasks").await.body;
    assert!(inside.starts_with("<main id=\"main\""), "{inside}");
    let within = inside.split_once('>').unwrap().1;
    assert!(world.get("/tasks").await.page(200).contains(within));
}

/// H2: what goes wrong is a page, with what next.
#[tokio::test]
async fn an_error_is_a_page_that_says_what_next() {
    let world = world().await;
    let html = world.get("/nothing/here").await.page(404);
    assert!(html.contains("There is nothing at /nothing/here") && html.contains("What next"));
    let html = world.get("/tasks?limit=few").await.page(400);
    assert!(html.contains("limit"), "{html}");
    let html = world.get("/tasks?statsu=failed").await.page(400);
    assert!(html.contains("did you mean `status`?"), "{html}");
}

/// H1: programs get problems as JSON, whatever they say that they accept.
#[tokio::test]
async fn an_error_of_the_api_is_no_page() {
    let answered = world().await.get("/api/v1/tasks/none").await;
    assert_eq!(answered.kind, "application/problem+json");
}

/// H2: no proxy gathers what is told as it happens.
#[tokio::test]
async fn a_proxy_is_told_to_hand_streams_on_as_they_come() {
    let world = world().await;
    for path in ["/live", "/api/v1/events"] {
        let request = world.request(Method::GET, path).header("accept", "text/event-stream");
        let following = request.send().await.unwrap();
        assert_eq!(following.headers()["x-accel-buffering"], "no", "{path}");
    }
    let page = world.request(Method::GET, "/tasks").send().await.unwrap();
    assert!(!page.headers().contains_key("x-accel-buffering"));
}

/// H2: live without reload: whoever follows is told that something changed.
#[tokio::test]
async fn a_page_is_told_that_something_changed() {
    let world = world().await;
    let mut live = world.request(Method::GET, "/live").send().await.unwrap();
    assert_eq!(live.headers()["content-type"], "text/event-stream");
    let mut told = String::new();
    // The first look of anybody is news to all.
    while told.matches("event: changed").count() < 2 {
        let chunk = timeout(Duration::from_secs(10), live.chunk()).await.expect("an event in time");
        told.push_str(str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        assert!(told.starts_with("event: here"), "{told}");
        if told.matches("event: changed").count() == 1 {
            world.store.submit(Task::new("a", &1)).await.unwrap();
        }
    }
}
