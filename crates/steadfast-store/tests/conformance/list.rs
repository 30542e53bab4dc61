//! Lists of tasks and their pages (D15, H1).

use std::collections::BTreeSet;

use steadfast::Class;
use steadfast_store::{Cursor, Documents, Filter, PageRequest, Status, StoreError, Task, TaskId};

use crate::harness::*;

cases![
    pending_tasks_are_listed_in_claim_order,
    scheduled_tasks_are_listed_by_due_time,
    other_tasks_are_listed_newest_first,
    every_field_of_a_filter_applies,
    time_filters_apply,
    tasks_due_within_24_hours_are_listed,
    list_has_documents_but_no_history,
    pages_list_each_task_once,
    pages_list_each_task_once_during_submissions,
    page_continues_after_its_last_task_is_removed,
    last_page_has_no_cursor,
    invalid_cursor_is_rejected,
    cursor_of_another_list_is_rejected,
    reclaimed_task_is_listed_once,
    page_ends_early_with_long_documents,
    page_without_documents_is_full,
    task_that_cannot_be_decoded_is_listed_with_its_problem,
    page_scans_a_bounded_number_of_tasks,
];

fn ids_of(page: &steadfast_store::Page<steadfast_store::StoredTask>) -> Vec<TaskId> {
    page.items.iter().map(|task| task.id).collect()
}

async fn page(store: &Harness, filter: &Filter, limit: u32, after: Option<Cursor>) -> Vec<TaskId> {
    ids_of(&store.tasks(filter, &PageRequest { limit, after }).await.unwrap())
}

/// Each page of a list, with an action between two pages.
async fn pages(
    store: &Harness,
    filter: &Filter,
    limit: u32,
    between: impl AsyncFn(),
) -> Vec<Vec<TaskId>> {
    let mut request = PageRequest { limit, after: None };
    let mut pages = Vec::new();
    loop {
        let page = store.tasks(filter, &request).await.unwrap();
        pages.push(ids_of(&page));
        if page.next.is_none() {
            return pages;
        }
        request.after = page.next;
        between().await;
    }
}

/// D5: the list is in claim order.
async fn pending_tasks_are_listed_in_claim_order(store: &Harness) {
    let first = store.put(task().queue("b")).await;
    let second = store.put(task().queue("a")).await;
    let urgent = store.put(task().priority(3)).await;
    let waited = store.put(task().after(secs(60))).await;
    store.make_due(waited).await;
    let order = [urgent, first, second, waited];
    assert_eq!(store.ids(&Filter::status(Status::Pending)).await, order);
    assert_eq!(
        pages(store, &Filter::status(Status::Pending), 3, async || ()).await,
        [&order[..3], &order[3..]]
    );
    store.promote(10).await.unwrap();
    assert_eq!(store.claimed(&steadfast_store::ClaimRequest::new("w1", 9)).await, order);
}

/// D15: the next task comes first.
async fn scheduled_tasks_are_listed_by_due_time(store: &Harness) {
    let mut ids = Vec::new();
    for seconds in [300, 100, 200] {
        ids.push(store.put(task().after(secs(seconds)).priority(seconds as i16)).await);
    }
    let order = [ids[1], ids[2], ids[0]];
    assert_eq!(store.ids(&Filter::status(Status::Scheduled)).await, order);
    assert_eq!(
        pages(store, &Filter::status(Status::Scheduled), 2, async || ()).await,
        [&order[..2], &order[2..]]
    );
}

/// D15: the latest change comes first.
async fn other_tasks_are_listed_newest_first(store: &Harness) {
    let mut newest_first = store.put_many(3).await;
    newest_first.reverse();
    assert_eq!(store.ids(&Filter::all()).await, newest_first);
    let claimed = store.claim_batch(3).await;
    assert_eq!(store.ids(&Filter::status(Status::Running)).await, newest_first);
    for task in claimed.iter().rev() {
        store.complete(task).await;
    }
    assert_eq!(store.ids(&Filter::status(Status::Completed)).await, newest_first);
}

/// D15: every given field must match.
async fn every_field_of_a_filter_applies(store: &Harness) {
    let like = || task().queue("mail").category("c").correlation_id("r");
    let matching = store.put(like()).await;
    store.put(like().queue("print")).await;
    store.put(like().category("d")).await;
    store.put(like().correlation_id("s")).await;
    store.put(steadfast_store::Task::new("print", &1).queue("mail")).await;
    let mut filter = Filter::status(Status::Pending).queue("mail").category("c").kind("send");
    filter.correlation_id = Some("r".to_owned());
    assert_eq!(store.ids(&filter).await, [matching]);
    filter.status = None;
    assert_eq!(store.ids(&filter).await, [matching]);
    filter.class = Some(Class::Final);
    assert_eq!(store.ids(&filter).await, []);
    assert_eq!(store.ids(&Filter::all().queue("nowhere")).await, []);

    let failed = store.put(task().failed_once(gone())).await;
    let mut by_class = Filter::all();
    by_class.class = Some(Class::Final);
    assert_eq!(store.ids(&by_class).await, [failed]);
    let mut by_ids = Filter::all();
    by_ids.ids = Some(vec![matching, failed, TaskId::fresh()]);
    assert_eq!(store.ids(&by_ids).await, [failed, matching]);
    by_ids.ids = Some(Vec::new());
    assert_eq!(store.ids(&by_ids).await, [], "an empty list of ids matches no task");
}

/// D15: submitted since, ended since, due until.
async fn time_filters_apply(store: &Harness) {
    let old = store.put(task()).await;
    store.backdate(old, "2024-01-01T00:00:00Z".parse().unwrap()).await;
    let done = store.claim_one().await;
    store.complete(&done).await;
    store.age_ended(secs(3600)).await;
    let between = store.now().await.unwrap();
    let new = store.ended(Status::Completed, task()).await;
    let mut since = Filter::all();
    since.submitted_after = Some(between);
    assert_eq!(store.ids(&since).await, [new]);
    let mut ended = Filter::all();
    ended.ended_after = Some(between);
    assert_eq!(store.ids(&ended).await, [new]);
    ended.ended_after = Some(between - secs(7200));
    assert_eq!(store.ids(&ended).await, [new, old]);
    let running = store.running(task()).await.id;
    assert!(!store.ids(&ended).await.contains(&running), "an open task has no end");
}

/// D15: S2's second query.
async fn tasks_due_within_24_hours_are_listed(store: &Harness) {
    let hours = |hours: u64| task().after(secs(hours * 3600));
    let (late, soon) = (store.put(hours(23)).await, store.put(hours(1)).await);
    store.put(hours(25)).await;
    let tomorrow = store.now().await.unwrap() + secs(24 * 3600);
    let filter = Filter::status(Status::Scheduled).due_before(tomorrow);
    assert_eq!(store.ids(&filter).await, [soon, late]);
}

/// D15: what a page shows, and no more.
async fn list_has_documents_but_no_history(store: &Harness) {
    let id = store.ended(Status::Failed, task()).await;
    let listed = store.listed(&Filter::all()).await.remove(0);
    let shown = store.show(id).await;
    assert_eq!((listed.faults.len(), shown.faults.len()), (0, 1));
    assert_eq!(listed, steadfast_store::StoredTask { faults: Vec::new(), ..shown });
}

/// H1: in every list.
async fn pages_list_each_task_once(store: &Harness) {
    store.put_many(25).await;
    let batch = tasks(25).into_iter().enumerate();
    let batch = batch.map(|(number, task)| task.after(secs(60 + number as u64 % 3)));
    store.submit_all(batch.collect()).await.unwrap();
    for (filter, count) in [
        (Filter::all(), 50),
        (Filter::status(Status::Pending), 25),
        (Filter::status(Status::Scheduled), 25),
        (Filter::all().queue("default"), 50),
    ] {
        let pages = pages(store, &filter, 7, async || ()).await;
        assert!(pages.iter().all(|page| page.len() <= 7));
        let paged: Vec<_> = pages.concat();
        assert_eq!((paged.len(), paged.iter().collect::<BTreeSet<_>>().len()), (count, count));
        assert_eq!(paged, store.ids(&filter).await);
    }
}

/// H1: a growing list neither repeats nor omits a task.
async fn pages_list_each_task_once_during_submissions(store: &Harness) {
    let all: BTreeSet<_> = store.put_many(20).await.into_iter().collect();
    for filter in [Filter::all(), Filter::status(Status::Pending)] {
        let grow = async || {
            store.put(task()).await;
            store.put(task().priority(5)).await;
        };
        let paged = pages(store, &filter, 6, grow).await.concat();
        let distinct: BTreeSet<_> = paged.iter().copied().collect();
        assert_eq!(distinct.len(), paged.len(), "no task is listed twice");
        assert!(distinct.is_superset(&all), "all earlier tasks are listed");
    }
}

/// H1: a cursor is a position, not a task.
async fn page_continues_after_its_last_task_is_removed(store: &Harness) {
    let ids = store.put_many(6).await;
    let filter = Filter::status(Status::Pending);
    let first = store.tasks(&filter, &PageRequest { limit: 3, after: None }).await.unwrap();
    store.cancel(ids[2], &operator()).await.unwrap();
    store.cancel(ids[3], &operator()).await.unwrap();
    assert_eq!(page(store, &filter, 3, first.next).await, ids[4..]);
}

/// H1: no empty page at the end.
async fn last_page_has_no_cursor(store: &Harness) {
    let nothing = store.tasks(&Filter::all(), &PageRequest::default()).await.unwrap();
    assert_eq!((nothing.items.len(), nothing.next), (0, None));
    store.put_many(4).await;
    let whole = store.tasks(&Filter::all(), &PageRequest { limit: 4, after: None }).await.unwrap();
    assert_eq!((whole.items.len(), whole.next), (4, None));
}

async fn assert_rejected(store: &Harness, filter: &Filter, cursor: Cursor) {
    let request = PageRequest { limit: 5, after: Some(cursor.clone()) };
    let rejected = store.tasks(filter, &request).await;
    let field = match &rejected {
        Err(StoreError::Invalid(problem)) => problem.field(),
        other => panic!("{cursor:?} was answered with {other:?}"),
    };
    assert_eq!(field, "after");
}

/// K4: a made-up cursor is an input error, not a database error.
async fn invalid_cursor_is_rejected(store: &Harness) {
    let id = TaskId::fresh();
    for status in [None, Some(Status::Pending), Some(Status::Scheduled), Some(Status::Failed)] {
        let mut filter = Filter::all();
        filter.status = status;
        let texts = ["", "x", "~", "0", "-~-", "0~", "'; --", "99999999999999999999~0"];
        for text in texts.map(str::to_owned).into_iter().chain([
            id.to_string(),
            format!("-:-~{id}"),
            format!("9:9:9~{id}"),
            format!("99999:1~{id}"),
            format!("pending:x:0:{id}"),
        ]) {
            assert_rejected(store, &filter, Cursor(text)).await;
        }
    }
}

/// H1: a cursor is valid only for its own list; in another it would start anywhere.
async fn cursor_of_another_list_is_rejected(store: &Harness) {
    store.put_many(3).await;
    let batch = tasks(3).into_iter().map(|task| task.after(secs(60))).collect();
    store.submit_all(batch).await.unwrap();
    let lists = [Filter::all(), Filter::status(Status::Pending), Filter::status(Status::Scheduled)];
    for (made_by, one) in lists.iter().enumerate() {
        let page = store.tasks(one, &PageRequest { limit: 1, after: None }).await.unwrap();
        for (used_by, other) in lists.iter().enumerate() {
            if made_by != used_by {
                assert_rejected(store, other, page.next.clone().unwrap()).await;
            }
        }
    }
}

/// D4: also while its first lease still exists.
async fn reclaimed_task_is_listed_once(store: &Harness) {
    store.put_many(2).await;
    let claimed = store.claim_batch(2).await;
    store.settle_one(&claimed[0], steadfast_store::Verdict::Released).await;
    store.claim_one().await;
    assert_eq!(store.ids(&Filter::status(Status::Running)).await.len(), 2);
    assert_eq!(store.stats().await.unwrap().running, 2);
}

/// Ten tasks with a payload of a hundred bytes each, five of them completed.
async fn with_documents(store: &Harness) {
    let task = || Task::new("send", &"x".repeat(98));
    for _ in 0..5 {
        store.ended(Status::Completed, task()).await;
    }
    for _ in 0..5 {
        store.put(task()).await;
    }
}

/// K4: a response has a byte limit, and the next page continues after it.
async fn page_ends_early_with_long_documents(store: &Harness) {
    with_documents(store).await;
    let all = store.ids(&Filter::all()).await;
    for (bytes, most) in [(1, 1), (250, 3), (100_000, 10)] {
        let mut page = PageRequest { limit: 10, after: None };
        let mut paged = Vec::new();
        loop {
            let part =
                store.tasks_with(&Filter::all(), &page, Documents::UpTo(bytes)).await.unwrap();
            assert!((1..=most).contains(&part.items.len()), "{bytes}: {}", part.items.len());
            assert!(part.items.iter().all(|task| task.payload.is_string()));
            paged.extend(ids_of(&part));
            match part.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        assert_eq!(paged, all);
    }
}

/// H3: documents that are not shown are not read.
async fn page_without_documents_is_full(store: &Harness) {
    with_documents(store).await;
    let page = PageRequest { limit: 9, after: None };
    let part = store.tasks_with(&Filter::all(), &page, Documents::Without).await.unwrap();
    assert_eq!((part.items.len(), part.next.is_some()), (9, true));
    assert!(part.items.iter().all(|task| task.payload.is_null() && task.result.is_none()));
    let rest = PageRequest { limit: 9, after: part.next };
    let rest = store.tasks_with(&Filter::all(), &rest, Documents::Without).await.unwrap();
    assert_eq!((rest.items.len(), rest.next), (1, None));
}

/// K4: one task that cannot be decoded hides neither the others nor itself.
async fn task_that_cannot_be_decoded_is_listed_with_its_problem(store: &Harness) {
    let valid = store.put(task().policy("patient")).await;
    let undecodable = store.put(task().policy("sql")).await;
    store.replace_policy_by_newer_version(undecodable).await;
    // A store that has read the policy before the change has it cached.
    let fresh = store.another().await;
    let listed = fresh.tasks(&Filter::all(), &PageRequest::default()).await.unwrap().items;
    assert_eq!(listed.iter().map(|task| task.id).collect::<Vec<_>>(), [undecodable, valid]);
    let [newer, known] = <[_; 2]>::try_from(listed).unwrap();
    assert!(newer.problem.unwrap().contains("cannot decode its policy"));
    assert_eq!((newer.policy, newer.max_attempts), (None, 0));
    assert_eq!((newer.payload, known.problem), (known.payload, None));
    let shown = fresh.task(undecodable).await.unwrap();
    assert!(shown.problem.is_some() && shown.remaining().attempts.is_empty());
}

/// H3: a filter that matches few tasks is searched in bounded steps, whatever the order of the
/// list, and finds them.
async fn page_scans_a_bounded_number_of_tasks(store: &Harness) {
    const MANY: usize = 12_000;
    let rare = |task: Task| task.category("rare");
    let last_pending = store.put(rare(task()).priority(-1)).await;
    let last_due = store.put(rare(task()).after(secs(90_000))).await;
    store.put_many(MANY).await;
    let later = tasks(MANY).into_iter().map(|task| task.after(secs(600)));
    store.submit_all(later.collect()).await.unwrap();
    for (filter, found) in [
        (Filter::all(), vec![last_due, last_pending]),
        (Filter::status(Status::Pending), vec![last_pending]),
        (Filter::status(Status::Scheduled), vec![last_due]),
    ] {
        let pages = pages(store, &filter.category("rare"), 50, async || ()).await;
        assert!(pages.len() > 1 && pages[0].is_empty(), "{pages:?}");
        assert_eq!(pages.concat(), found);
    }
}
