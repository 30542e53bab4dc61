//! Claims by category (D5).

use steadfast_store::{ClaimRequest, QueueLimit, TaskId};

use crate::harness::*;

cases![
    three_of_fifty_categories_are_claimed_in_order,
    task_without_a_category_is_not_claimed_by_category,
    missing_category_is_empty,
    empty_category_list_claims_nothing,
    category_is_claimed_from_the_requested_queues,
    limit_applies_to_all_categories_together,
    queue_limit_applies_to_all_categories_together,
];

/// Two tasks of each of fifty categories, category by category.
async fn fifty_categories(store: &Harness) -> Vec<(usize, TaskId)> {
    let mut ids = Vec::new();
    for _ in 0..2 {
        let batch = tasks(50).into_iter().enumerate();
        let batch = batch.map(|(number, task)| task.category(format!("c{number}")));
        let submitted = store.submit_all(batch.collect()).await.unwrap();
        ids.extend(submitted.iter().enumerate().map(|(number, one)| (number, one.id)));
    }
    ids
}

/// D5: a filter does not change the order, and matches nothing else.
async fn three_of_fifty_categories_are_claimed_in_order(store: &Harness) {
    let all = fifty_categories(store).await;
    let urgent = store.put(task().category("c31").priority(1)).await;
    let allowed = |number: usize| [7, 31, 49].contains(&number);
    let mut expected = vec![urgent];
    expected.extend(all.iter().filter(|(number, _)| allowed(*number)).map(|(_, id)| *id));
    let request = ClaimRequest::new("w1", 100).categories(["c49", "c7", "c31"]);
    assert_eq!(store.claimed(&request).await, expected);
    assert_eq!(store.claimed(&request).await, []);
    assert_eq!(store.stats().await.unwrap().pending, 94);
}

/// D5: a claim by category gets only tasks with a category.
async fn task_without_a_category_is_not_claimed_by_category(store: &Harness) {
    store.put(task()).await;
    let with = store.put(task().category("a")).await;
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9).categories(["a", "null"])).await, [with]);
    assert_eq!(store.claim_batch(9).await.len(), 1, "a claim without categories gets all");
}

/// D5: an unknown name is not an error, as for queues.
async fn missing_category_is_empty(store: &Harness) {
    let id = store.put(task().category("a")).await;
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9).categories(["b"])).await, []);
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9).categories(["b", "a"])).await, [id]);
}

/// D5: a worker without permitted categories gets nothing.
async fn empty_category_list_claims_nothing(store: &Harness) {
    store.put(task().category("a")).await;
    store.put(task()).await;
    let request = ClaimRequest::new("w1", 9).categories(Vec::<String>::new());
    assert_eq!(store.claimed(&request).await, []);
}

/// D5: both filters apply.
async fn category_is_claimed_from_the_requested_queues(store: &Harness) {
    store.put(task().queue("mail").category("a")).await;
    store.put(task().queue("print").category("b")).await;
    let both = store.put(task().queue("print").category("a")).await;
    let request = ClaimRequest::new("w1", 9).queue("print").categories(["a"]);
    assert_eq!(store.claimed(&request).await, [both]);
}

/// D5: the first tasks of all categories are claimed, not the first of each.
async fn limit_applies_to_all_categories_together(store: &Harness) {
    let mut ids = Vec::new();
    for category in ["a", "a", "b", "a", "b"] {
        ids.push(store.put(task().category(category)).await);
    }
    let request = ClaimRequest::new("w1", 3).categories(["b", "a"]);
    assert_eq!(store.claimed(&request).await, ids[..3]);
    assert_eq!(store.claimed(&request).await, ids[3..]);
}

/// D5, D13: a queue's limit is not per category, and a category that is named twice counts once.
async fn queue_limit_applies_to_all_categories_together(store: &Harness) {
    for number in 0..9 {
        store.put(task().queue("mail").category(format!("c{}", number % 3))).await;
    }
    let other = store.put(task().queue("other").category("c1")).await;
    let mut request = ClaimRequest::new("w1", 9).categories(["c0", "c1", "c2", "c1"]);
    let queue_limit =
        |queue: &str, limit| QueueLimit { queue: queue.to_owned(), limit, after: None };
    request.queues = vec![queue_limit("mail", 2), queue_limit("other", 5)];
    let claimed = store.claimed(&request).await;
    assert_eq!(claimed.len(), 3);
    assert_eq!(claimed[2], other);
}
