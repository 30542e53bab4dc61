//! The layout around every page, assets, error pages and live updates (H2).

use std::time::Duration;

use steadfast_store::Task;
use tokio::time::timeout;

use crate::{Method, app};

/// The URL of an asset that the page loads.
fn asset_url(html: &str, name: &str) -> String {
    let end = html.find(name).unwrap() + name.len();
    let start = html[..end].rfind('"').unwrap() + 1;
    html[start..end].to_owned()
}

/// H2: the current section is marked, also for screen readers.
#[tokio::test]
async fn navigation_marks_the_current_section() {
    let html = app().await.get("/tasks").await.page(200);
    assert!(html.contains("<a href=\"/tasks\" data-key=\"t\" aria-current=\"page\">"), "{html}");
    assert_eq!(html.matches("aria-current=\"page\"").count(), 1);
    assert!(html.contains("<title>Tasks · Steadfast</title>"));
    assert!(html.contains("href=\"#main\""));
}

/// H2: assets come from this server only and are cached forever.
#[tokio::test]
async fn assets_are_local_and_immutable() {
    let app = app().await;
    let html = app.get("/").await.page(200);
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
    for (name, kind) in [
        ("page.css", "text/css; charset=utf-8"),
        ("page.js", "text/javascript; charset=utf-8"),
        ("theme.js", "text/javascript; charset=utf-8"),
        ("mark.svg", "image/svg+xml"),
    ] {
        let asset = app.get(&asset_url(&html, name)).await;
        assert_eq!((asset.status.as_u16(), asset.kind.as_str()), (200, kind), "{name}");
        assert!(asset.cache.contains("immutable"), "{name}");
    }
    assert_eq!(app.get("/assets/0000000000000000/page.css").await.status, 404);
}

/// H2: all imported modules are served.
#[tokio::test]
async fn imported_modules_are_served() {
    let app = app().await;
    let page = asset_url(&app.get("/").await.body, "page.js");
    let folder = page.strip_suffix("page.js").unwrap();
    let script = app.get(&page).await.body;
    let imported: Vec<_> =
        script.split("from \"./").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    assert!(!imported.is_empty());
    for module in imported {
        assert_eq!(app.get(&format!("{folder}{module}")).await.status, 200, "{module}");
    }
}

/// H2: pages are revalidated, partial pages are never cached.
#[tokio::test]
async fn page_is_revalidated_and_partial_is_not_stored() {
    let app = app().await;
    assert_eq!(app.get("/tasks").await.cache, "private, no-cache");
    assert_eq!(app.partial("/tasks").await.cache, "no-store");
}

/// H2: the partial page equals the content of the full page.
#[tokio::test]
async fn partial_equals_the_content_of_the_page() {
    let app = app().await;
    let partial = app.partial("/tasks").await.body;
    assert!(partial.starts_with("<main id=\"main\""), "{partial}");
    let content = partial.split_once('>').unwrap().1;
    assert!(app.get("/tasks").await.page(200).contains(content));
}

/// H2: an error is a page with a hint.
#[tokio::test]
async fn error_page_has_a_hint() {
    let app = app().await;
    let html = app.get("/nothing/here").await.page(404);
    assert!(html.contains("No such path: /nothing/here") && html.contains("<p class=\"hint\">"));
    let html = app.get("/tasks?limit=few").await.page(400);
    assert!(html.contains("Invalid filter") && html.contains("limit"), "{html}");
    let html = app.get("/tasks?statsu=failed").await.page(400);
    assert!(html.contains("Did you mean `status`?"), "{html}");
}

/// H1: the API answers with JSON problems, whatever `Accept` says.
#[tokio::test]
async fn api_error_is_a_json_problem() {
    let response = app().await.get("/api/v1/tasks/none").await;
    assert_eq!(response.kind, "application/problem+json");
}

/// H2: proxies are asked not to buffer event streams.
#[tokio::test]
async fn event_streams_disable_proxy_buffering() {
    let app = app().await;
    for path in ["/live", "/api/v1/events"] {
        let request = app.request(Method::GET, path).header("accept", "text/event-stream");
        let stream = request.send().await.unwrap();
        assert_eq!(stream.headers()["x-accel-buffering"], "no", "{path}");
    }
    let page = app.request(Method::GET, "/tasks").send().await.unwrap();
    assert!(!page.headers().contains_key("x-accel-buffering"));
}

/// H2: a change is reported to connected pages.
#[tokio::test]
async fn change_is_reported_to_connected_pages() {
    let app = app().await;
    let mut live = app.request(Method::GET, "/live").send().await.unwrap();
    assert_eq!(live.headers()["content-type"], "text/event-stream");
    let mut received = String::new();
    // The first poll counts as a change.
    while received.matches("event: changed").count() < 2 {
        let chunk = timeout(Duration::from_secs(10), live.chunk()).await.expect("an event in time");
        received.push_str(str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        assert!(received.starts_with("event: connected"), "{received}");
        if received.matches("event: changed").count() == 1 {
            app.store.submit(Task::new("a", &1)).await.unwrap();
        }
    }
}
