//! Flash messages (H2).

use reqwest::Method;
use steadfast_store::Task;

use crate::test_worker::TestWorker;
use crate::{TestApp, TestResponse, app};

/// Follows the redirect with the cookie, like a browser.
async fn next(app: &TestApp, response: TestResponse) -> TestResponse {
    let cookie = response.cookie.split(';').next().unwrap().to_owned();
    let request = app.request(Method::GET, &response.redirect()).header("cookie", cookie);
    app.send(request).await
}

/// H2, D10: the page after an action shows its message and deletes the cookie.
#[tokio::test]
async fn flash_message_is_shown_once() {
    let app = app().await;
    app.store.submit(Task::new("send", &1).queue("mail")).await.unwrap();
    let paused = app.post("/queues/mail/pause", &[]).await;
    assert!(paused.cookie.contains("; Max-Age=10;"), "{}", paused.cookie);
    let page = next(&app, paused).await;
    assert!(page.cookie.starts_with("steadfast-flash=; Path=/; Max-Age=0"), "{}", page.cookie);
    assert!(page.page(200).contains("<p>Queue paused</p>"));
    let second = app.get("/queues").await;
    assert_eq!(second.cookie, "");
    assert!(!second.page(200).contains("Queue paused"));
}

/// H2, D16: the message states the number of tasks and the time span.
#[tokio::test]
async fn requeue_message_has_count_and_duration() {
    let app = app().await;
    for _ in 0..3 {
        TestWorker::new(&app.store).failed(Task::new("charge", &1), "no such card").await;
    }
    let form = [("filter", "status=failed"), ("rate", "1"), ("count", "fresh")];
    let html = next(&app, app.post("/tasks/requeue", &form).await).await.page(200);
    assert!(html.contains("<p>Requeued 3 tasks over "), "{html}");
}

/// K4: a forged cookie shows nothing.
#[tokio::test]
async fn forged_flash_cookie_is_ignored() {
    let app = app().await;
    for forged in ["<b>jackpot</b>", "requeued-1-jackpot", "jackpot"] {
        let cookie = format!("steadfast-flash={forged}");
        let page = app.send(app.request(Method::GET, "/").header("cookie", cookie)).await;
        assert!(!page.page(200).contains("jackpot"), "{forged}");
    }
}
