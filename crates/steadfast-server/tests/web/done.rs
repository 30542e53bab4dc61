//! What was just done is told once (H2).

use reqwest::Method;
use steadfast_store::Task;

use crate::hands::Hands;
use crate::{Answered, World, world};

/// The next page, asked for with what a browser was told to keep.
async fn next(world: &World, answered: Answered) -> Answered {
    let kept = answered.cookie.split(';').next().unwrap().to_owned();
    let request = world.request(Method::GET, &answered.redirect()).header("cookie", kept);
    world.send(request).await
}

/// H2, D10: a page after an action says what was done, and is told to forget it.
#[tokio::test]
async fn what_was_done_is_told_once() {
    let world = world().await;
    world.store.submit(Task::new("send", &1).queue("mail")).await.unwrap();
    let paused = world.post("/queues/mail/pause", &[]).await;
    assert!(paused.cookie.contains("; Max-Age=10;"), "{}", paused.cookie);
    let page = next(&world, paused).await;
    assert!(page.cookie.starts_with("steadfast-done=; Path=/; Max-Age=0"), "{}", page.cookie);
    assert!(page.page(200).contains("<p>Paused the queue</p>"));
    let again = world.get("/queues").await;
    assert_eq!(again.cookie, "");
    assert!(!again.page(200).contains("Paused the queue"));
}

/// H2, D16: how many were requeued, and over how long.
#[tokio::test]
async fn how_many_were_requeued_is_told() {
    let world = world().await;
    for _ in 0..3 {
        Hands::of(&world.store).failed_for_good(Task::new("charge", &1), "no such card").await;
    }
    let wish = [("filter", "status=failed"), ("rate", "1"), ("count", "fresh")];
    let html = next(&world, world.post("/tasks/requeue", &wish).await).await.page(200);
    assert!(html.contains("<p>Requeued 3, over "), "{html}");
}

/// K4: a cookie that somebody else wrote says nothing.
#[tokio::test]
async fn a_text_that_somebody_made_up_is_not_told() {
    let world = world().await;
    for made_up in ["<b>jackpot</b>", "requeued-1-jackpot", "jackpot"] {
        let cookie = format!("steadfast-done={made_up}");
        let page = world.send(world.request(Method::GET, "/").header("cookie", cookie)).await;
        assert!(!page.page(200).contains("jackpot"), "{made_up}");
    }
}
