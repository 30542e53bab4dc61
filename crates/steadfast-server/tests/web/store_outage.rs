//! Pages while the store is unreachable (K4).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{NewToken, Role};
use steadfast_store::{Store, Task};
use steadfast_testing::poll::eventually_some;
use steadfast_testing::postgres::{Cluster, Settings};
use tokio::time::timeout;

use crate::{Method, app_on};

/// K4: a page explains that the store is unreachable and offers a retry.
#[tokio::test]
async fn unreachable_store_shows_an_error_page() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let app = app_on(store, |server| server).await;
    app.get("/").await.page(200);
    drop(cluster);
    let html = app.get("/tasks?status=failed&limit=5").await.page(503);
    assert!(html.contains("Store unreachable"), "{html}");
    let retry = "href=\"/tasks?status=failed&amp;limit=5\">Try again</a>";
    assert!(html.contains(retry), "{html}");
}

/// H2, K4: a failed form links to the page it was on.
#[tokio::test]
async fn failed_form_links_back_to_its_page() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let app = app_on(store, |server| server).await;
    drop(cluster);
    let sent = app.request(Method::POST, "/queues/mail/pause");
    let sent = sent.header("sec-fetch-site", "same-origin");
    let html = app.send(sent.try_clone().unwrap()).await.page(503);
    assert!(!html.contains("Try again") && !html.contains("Go back"), "{html}");
    let sent = sent.header("referer", format!("{}/queues?a=b", app.url));
    let html = app.send(sent).await.page(503);
    assert!(html.contains("href=\"/queues?a=b\">Go back</a>"), "{html}");
    assert!(html.contains("data-no-refresh"), "a refresh would replace the error");
}

/// H2, K4: a page that connects during an outage is notified at once.
#[tokio::test]
async fn new_stream_reports_the_outage_at_once() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let app = app_on(store, |server| server).await;
    drop(cluster);
    let mut first = app.request(Method::GET, "/live").send().await.unwrap();
    let mut received = String::new();
    while !received.contains("event: unreachable") {
        let chunk = timeout(Duration::from_secs(30), first.chunk()).await.unwrap();
        received.push_str(str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
    }
    let mut second = app.request(Method::GET, "/live").send().await.unwrap();
    let chunk = second.chunk().await.unwrap().unwrap();
    assert!(chunk.starts_with(b"event: unreachable"), "{chunk:?}");
}

/// D4: pages use the store's clock.
#[tokio::test]
async fn page_uses_the_stores_clock() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let url = cluster.create_database("page").unwrap();
    for statement in [
        "CREATE SCHEMA ahead",
        "CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql \
         AS $$ SELECT pg_catalog.clock_timestamp() + interval '3 hours' $$",
        "ALTER DATABASE page SET search_path = ahead, pg_catalog, public",
    ] {
        cluster.query("page", statement).unwrap();
    }
    let app = app_on(Store::open(&url).await.unwrap(), |server| server).await;
    // The first page reads the store's clock.
    app.get("/").await.page(200);
    let html = app.get("/tasks").await.page(200);
    let now = html.split_once("data-now=\"").unwrap().1.split('"').next().unwrap();
    let ahead = now.parse::<Timestamp>().unwrap().duration_since(Timestamp::now());
    assert!((ahead.as_secs() - 3 * 60 * 60).abs() < 60, "{ahead}");
}

/// K1: the store is named only to authenticated callers.
#[tokio::test]
async fn store_name_is_hidden_before_login() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let ada = NewToken::new("ada", Role::Admin, None).unwrap();
    std::fs::write(&file, ada.entry()).unwrap();
    let url = format!("sqlite:{}", folder.path().join("vault.db").display());
    let store = Store::open(&url).await.unwrap();
    let app = app_on(store, |server| server.tokens(&file)).await;
    let anonymous = app.get("/login?nothing=1&nothing=2").await;
    assert!(!anonymous.body.contains("vault"), "{anonymous:?}");
    let huge = "a".repeat(20 << 10);
    let rejected = app.post("/login", &[("token", &huge)]).await.page(413);
    assert!(!rejected.contains("vault"), "{rejected}");
    let request = app.request(Method::GET, "/nothing").bearer_auth(ada.secret());
    let page = app.send(request).await.page(404);
    assert!(page.contains("vault.db"), "{page}");
}

/// K4, H2: the overview shows cached data with its age during an outage.
#[tokio::test]
async fn overview_shows_cached_data_during_an_outage() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let app = app_on(store, |server| server).await;
    app.store.submit(Task::new("send", &1)).await.unwrap();
    app.get("/").await.page(200);
    drop(cluster);
    let html = eventually_some("the page shows cached data", async || {
        let html = app.get("/").await.page(200);
        html.contains("The store is unreachable. Showing data from").then_some(html)
    })
    .await;
    assert!(html.contains("href=\"/tasks?status=pending\""), "{html}");
}
