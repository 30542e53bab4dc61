//! Query plans of the statements that must stay fast (D6).
//!
//! No statistics are gathered first: a store must not depend on them.

use sqlx::{AssertSqlSafe, Row};

use crate::Fixture;

/// The steps of a statement, which is not executed.
async fn plan(statement: &str) -> Vec<String> {
    let fixture = Fixture::new().await;
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = sqlx::query(explain).fetch_all(&mut fixture.connection().await).await.unwrap();
    rows.iter().map(|row| row.get("detail")).collect()
}

/// Asserts that no stored table is scanned and nothing is sorted. JSON arguments and results of
/// earlier steps may be scanned.
fn assert_direct(plan: &[String]) {
    for step in plan {
        let is_given = step.contains("VIRTUAL TABLE") || step.contains("(subquery-");
        assert!(!step.starts_with("SCAN") || is_given, "{step} in {plan:#?}");
        assert!(!step.contains("TEMP B-TREE"), "{step} in {plan:#?}");
    }
}

fn assert_step(plan: &[String], expected: &str) {
    assert!(plan.iter().any(|step| step.starts_with(expected)), "no `{expected}` in {plan:#?}");
}

/// D5, D6: a claim reads only the head of the claim order.
#[tokio::test]
async fn claim_searches_in_claim_order() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/claim_source.sql")).await;
    assert_direct(&plan);
    let order = "(queue=? AND (rank,submitted_at,id)>(?,?,?))";
    assert_step(&plan, &format!("SEARCH ready USING PRIMARY KEY {order}"));
}

/// D5, D6: it does not scan the other categories.
#[tokio::test]
async fn claim_by_category_searches_its_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/claim_source_category.sql")).await;
    assert_direct(&plan);
    let index = "USING INDEX steadfast_ready_category";
    let order = "(queue=? AND category=? AND (rank,submitted_at,id)>(?,?,?))";
    assert_step(&plan, &format!("SEARCH ready {index} {order}"));
}

/// D5, D6: the head of a queue is looked up by index, for every claim filter.
#[tokio::test]
async fn head_of_each_queue_uses_the_index() {
    let heads = [
        (include_str!("../../src/engine/sqlite/sql/claim_heads.sql"), "PRIMARY KEY (queue=?)"),
        (
            include_str!("../../src/engine/sqlite/sql/claim_heads_category.sql"),
            "COVERING INDEX steadfast_ready_category (queue=? AND category=?)",
        ),
    ];
    for (statement, search) in heads {
        let plan = plan(statement).await;
        assert_step(&plan, &format!("SEARCH ready USING {search}"));
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:#?}");
    }
}

/// D6: scheduled tasks are never read, even when something is due.
#[tokio::test]
async fn promotion_searches_by_due_time() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/promote.sql")).await;
    assert_direct(&plan);
    assert_step(&plan, "SEARCH steadfast_waiting USING PRIMARY KEY (due_at<?)");
}

/// D7: expired leases are found by their time.
#[tokio::test]
async fn reclaim_searches_leases_by_expiry() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/reclaim.sql")).await;
    assert_step(&plan, "SEARCH lease USING INDEX steadfast_leases_until (until<?)");
}

/// H3: how far a page scans is found along the order of the list.
#[tokio::test]
async fn list_bound_uses_the_index() {
    let statements = [
        include_str!("../../src/engine/sqlite/sql/list_bound_all.sql"),
        include_str!("../../src/engine/sqlite/sql/list_bound_ended.sql"),
        include_str!("../../src/engine/sqlite/sql/list_bound_scheduled.sql"),
        include_str!("../../src/engine/sqlite/sql/list_bound_pending.sql"),
    ];
    for statement in statements {
        assert_direct(&plan(statement).await);
    }
}

/// D15: the first due task of each queue is looked up by index, whatever its length.
#[tokio::test]
async fn due_times_are_found_without_a_scan() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/count_due.sql")).await;
    assert_step(&plan, "SEARCH ready USING PRIMARY KEY (queue=? AND rank>?)");
    assert_step(&plan, "SEARCH ready USING PRIMARY KEY (queue=? AND rank=?)");
    assert_step(&plan, "SEARCH state USING PRIMARY KEY (due_at<?)");
    let scans = ["SCAN ready", "SCAN state", "SCAN steadfast_waiting"];
    let is_scan = |step: &String| scans.iter().any(|scan| step.starts_with(scan));
    assert!(!plan.iter().any(is_scan), "{plan:#?}");
}

/// D15: finished tasks are not read to count them.
#[tokio::test]
async fn ended_tasks_are_counted_by_counters() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/count.sql")).await;
    assert!(!plan.iter().any(|step| step.contains("steadfast_ended")), "{plan:#?}");
}

/// O1: the next minute to aggregate is found by time.
#[tokio::test]
async fn next_end_uses_the_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/rollup_next.sql")).await;
    assert_step(&plan, "SEARCH steadfast_ended USING COVERING INDEX steadfast_ended_age");
    assert_step(&plan, "SEARCH steadfast_records USING COVERING INDEX steadfast_records_age");
}

/// O1, H3: recently finished tasks are found by time, for each of the three statuses.
#[tokio::test]
async fn latest_ended_tasks_use_the_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/latest_ended.sql")).await;
    let search = "SEARCH steadfast_ended USING COVERING INDEX steadfast_ended_age (status=?";
    assert_eq!(plan.iter().filter(|step| step.starts_with(search)).count(), 3, "{plan:#?}");
}

/// D6, W4: ended nodes are found by the time of their end, not among all open ones.
#[tokio::test]
async fn missed_completions_use_the_index() {
    let plan =
        plan(include_str!("../../src/engine/sqlite/sql/execution_missed_completions.sql")).await;
    let age = "steadfast_ended_age (status=? AND ended_at>?)";
    assert_step(&plan, &format!("SEARCH ended USING COVERING INDEX {age}"));
    assert_step(&plan, "SEARCH node USING COVERING INDEX steadfast_nodes_submitted (task=?)");
}

/// The statement of `prune.sql` with this name.
fn prune(name: &str) -> &'static str {
    let statements = include_str!("../../src/engine/sqlite/sql/prune.sql").split("-- name: ");
    statements.into_iter().find_map(|statement| statement.strip_prefix(name)).unwrap()
}

/// D14: the oldest tasks beyond a count are found in order of time, and whether a completion was
/// processed by key.
#[tokio::test]
async fn oldest_tasks_use_the_index() {
    let plan = plan(prune("oldest\n")).await;
    assert_step(&plan, "SEARCH ended USING COVERING INDEX steadfast_ended_age (status=?)");
    assert_step(&plan, "SEARCH node USING COVERING INDEX steadfast_nodes_submitted (task=?)");
    assert!(!plan.iter().any(|step| step.starts_with("SCAN node")), "{plan:#?}");
}

/// D5: each task is found by its key.
#[tokio::test]
async fn transitions_search_by_key() {
    let statements = [
        include_str!("../../src/engine/sqlite/sql/claim_remove.sql"),
        include_str!("../../src/engine/sqlite/sql/claim_rows.sql"),
        include_str!("../../src/engine/sqlite/sql/settle_held.sql"),
        include_str!("../../src/engine/sqlite/sql/end.sql"),
        include_str!("../../src/engine/sqlite/sql/enqueue_pending.sql"),
        include_str!("../../src/engine/sqlite/sql/enqueue_scheduled.sql"),
        include_str!("../../src/engine/sqlite/sql/remove_pending.sql"),
        include_str!("../../src/engine/sqlite/sql/remove_scheduled.sql"),
        include_str!("../../src/engine/sqlite/sql/remove_running.sql"),
        include_str!("../../src/engine/sqlite/sql/remove_ended.sql"),
        include_str!("../../src/engine/sqlite/sql/history_add_faults.sql"),
        include_str!("../../src/engine/sqlite/sql/set_due.sql"),
        include_str!("../../src/engine/sqlite/sql/shrink_leases.sql"),
        include_str!("../../src/engine/sqlite/sql/delete_empty_leases.sql"),
        include_str!("../../src/engine/sqlite/sql/heartbeat_ended.sql"),
        prune("aged\n"),
        prune("unchanged\n"),
        include_str!("../../src/engine/sqlite/sql/compress_candidates.sql"),
        include_str!("../../src/engine/sqlite/sql/task_state.sql"),
        include_str!("../../src/engine/sqlite/sql/submit_existing.sql"),
    ];
    for statement in statements {
        assert_direct(&plan(statement).await);
    }
}
