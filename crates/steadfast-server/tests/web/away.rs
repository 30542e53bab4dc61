//! A store that is away (K4).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{FreshToken, Role};
use steadfast_store::{Store, Task};
use steadfast_testing::postgres::{Cluster, Settings};
use tokio::time::{sleep, timeout};

use crate::{Method, world_on};

/// K4: whoever looks while the store is away is told so, on a page, and what next.
#[tokio::test]
async fn a_store_that_is_away_is_a_page_that_says_so() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let world = world_on(store, |server| server).await;
    world.get("/").await.page(200);
    drop(cluster);
    let html = world.get("/tasks?status=failed&limit=5").await.page(503);
    assert!(html.contains("The store is away"), "{html}");
    let again = "href=\"/tasks?status=failed&amp;limit=5\">Try again</a>";
    assert!(html.contains(again), "{html}");
}

/// H2, K4: what was sent cannot be looked at: who sent it is led back to where they sent it from.
#[tokio::test]
async fn a_form_that_failed_leads_back_to_its_page() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let world = world_on(store, |server| server).await;
    drop(cluster);
    let sent = world.request(Method::POST, "/queues/mail/pause");
    let sent = sent.header("sec-fetch-site", "same-origin");
    let html = world.send(sent.try_clone().unwrap()).await.page(503);
    assert!(!html.contains("Try again") && !html.contains("Go back"), "{html}");
    let sent = sent.header("referer", format!("{}/queues?a=b", world.url));
    let html = world.send(sent).await.page(503);
    assert!(html.contains("href=\"/queues?a=b\">Go back</a>"), "{html}");
    assert!(html.contains("data-still"), "looking there again would tell of something else");
}

/// H2, K4: whoever begins to follow while the store is away is told so at once.
#[tokio::test]
async fn who_comes_while_the_store_is_away_is_told_so() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let world = world_on(store, |server| server).await;
    drop(cluster);
    let mut first = world.request(Method::GET, "/live").send().await.unwrap();
    let mut told = String::new();
    while !told.contains("event: away") {
        let chunk = timeout(Duration::from_secs(30), first.chunk()).await.unwrap();
        told.push_str(str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
    }
    let mut second = world.request(Method::GET, "/live").send().await.unwrap();
    let chunk = second.chunk().await.unwrap().unwrap();
    assert!(chunk.starts_with(b"event: away"), "{chunk:?}");
}

/// D4: time is the store's, also where it is told to people.
#[tokio::test]
async fn a_page_tells_time_by_the_stores_clock() {
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
    let world = world_on(Store::open(&url).await.unwrap(), |server| server).await;
    // The first page has somebody look at the store.
    world.get("/").await.page(200);
    let html = world.get("/tasks").await.page(200);
    let now = html.split_once("data-now=\"").unwrap().1.split('"').next().unwrap();
    let ahead = now.parse::<Timestamp>().unwrap().duration_since(Timestamp::now());
    assert!((ahead.as_secs() - 3 * 60 * 60).abs() < 60, "{ahead}");
}

/// K1: who has not logged in learns of no store, whatever goes wrong for them.
#[tokio::test]
async fn a_stranger_is_not_told_what_the_store_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let ada = FreshToken::new("ada", Role::Admin, None).unwrap();
    std::fs::write(&file, ada.entry()).unwrap();
    let url = format!("sqlite:{}", folder.path().join("vault.db").display());
    let store = Store::open(&url).await.unwrap();
    let world = world_on(store, |server| server.tokens(&file)).await;
    let stranger = world.get("/login?nothing=1&nothing=2").await;
    assert!(!stranger.body.contains("vault"), "{stranger:?}");
    let huge = "a".repeat(20 << 10);
    let refused = world.post("/login", &[("token", &huge)]).await.page(413);
    assert!(!refused.contains("vault"), "{refused}");
    let request = world.request(Method::GET, "/nothing").bearer_auth(ada.secret());
    let known = world.send(request).await.page(404);
    assert!(known.contains("vault.db"), "{known}");
}

/// K4, H2: the overview shows what was known before, with its age, and that the store is away.
#[tokio::test]
async fn the_overview_of_a_store_that_is_away_shows_how_it_stood() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let world = world_on(store, |server| server).await;
    world.store.submit(Task::new("send", &1)).await.unwrap();
    world.get("/").await.page(200);
    drop(cluster);
    let stood = async {
        loop {
            let html = world.get("/").await.page(200);
            if html.contains("The store does not answer. This is how it stood") {
                return html;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    let html = timeout(Duration::from_secs(30), stood).await.unwrap();
    assert!(html.contains("href=\"/tasks?status=pending\""), "{html}");
}
