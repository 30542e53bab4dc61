//! Query plans of the statements that must stay fast (D6).
//!
//! No statistics are gathered first: a store must not depend on them.

use sqlx::{AssertSqlSafe, Row};

use crate::Fixture;

/// The steps of a statement, which is never run.
async fn plan(statement: &str) -> Vec<String> {
    let fixture = Fixture::new().await;
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = sqlx::query(explain).fetch_all(&mut fixture.connection().await).await.unwrap();
    rows.iter().map(|row| row.get("detail")).collect()
}

/// Nothing that is kept is read from end to end, and nothing is sorted. Lists that came as JSON
/// and what a step before has found are read whole.
fn assert_direct(plan: &[String]) {
    for step in plan {
        let is_given = step.contains("VIRTUAL TABLE") || step.contains("(subquery-");
        assert!(!step.starts_with("SCAN") || is_given, "{step} in {plan:#?}");
        assert!(!step.contains("TEMP B-TREE"), "{step} in {plan:#?}");
    }
}

fn assert_step(plan: &[String], wanted: &str) {
    assert!(plan.iter().any(|step| step.starts_with(wanted)), "no `{wanted}` in {plan:#?}");
}

/// D5, D6: a claim reads the head of the line and nothing else.
#[tokio::test]
async fn claim_searches_in_claim_order() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/claim_source.sql")).await;
    assert_direct(&plan);
    let order = "(queue=? AND (rank,submitted_at,id)>(?,?,?))";
    assert_step(&plan, &format!("SEARCH ready USING PRIMARY KEY {order}"));
}

/// D5, D6: nor does one of some categories step over the others.
#[tokio::test]
async fn claim_by_category_searches_its_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/claim_source_category.sql")).await;
    assert_direct(&plan);
    let index = "USING INDEX steadfast_ready_category";
    let order = "(queue=? AND category=? AND (rank,submitted_at,id)>(?,?,?))";
    assert_step(&plan, &format!("SEARCH ready {index} {order}"));
}

/// D5, D6: who stands first in a line is looked up, whatever the line is.
#[tokio::test]
async fn head_of_each_queue_uses_the_index() {
    let lines = [
        (include_str!("../../src/engine/sqlite/sql/claim_heads.sql"), "PRIMARY KEY (queue=?)"),
        (
            include_str!("../../src/engine/sqlite/sql/claim_heads_category.sql"),
            "COVERING INDEX steadfast_ready_category (queue=? AND category=?)",
        ),
    ];
    for (statement, search) in lines {
        let plan = plan(statement).await;
        assert_step(&plan, &format!("SEARCH ready USING {search}"));
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:#?}");
    }
}

/// D6: what is due later is never looked at, not even when something is due.
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

/// H3: how far a page of a list looks is found along the order of the list.
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

/// D15: what is due first is looked up in each line, however long the lines are.
#[tokio::test]
async fn due_times_are_found_without_a_scan() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/count_due.sql")).await;
    assert_step(&plan, "SEARCH ready USING PRIMARY KEY (queue=? AND rank>?)");
    assert_step(&plan, "SEARCH ready USING PRIMARY KEY (queue=? AND rank=?)");
    assert_step(&plan, "SEARCH place USING PRIMARY KEY (due_at<?)");
    let lines = ["SCAN ready", "SCAN place", "SCAN steadfast_waiting"];
    let walks = |step: &String| lines.iter().any(|line| step.starts_with(line));
    assert!(!plan.iter().any(walks), "{plan:#?}");
}

/// D15: what has ended is not looked at to know how much there is of it.
#[tokio::test]
async fn ended_tasks_are_counted_by_counters() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/count.sql")).await;
    assert!(!plan.iter().any(|step| step.contains("steadfast_ended")), "{plan:#?}");
}

/// O1: what is to be summed up next is found by its time.
#[tokio::test]
async fn next_end_uses_the_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/rollup_next.sql")).await;
    assert_step(&plan, "SEARCH steadfast_ended USING COVERING INDEX steadfast_ended_age");
    assert_step(&plan, "SEARCH steadfast_records USING COVERING INDEX steadfast_records_age");
}

/// O1, H3: what ended lately is found by its time, of each of the three ends.
#[tokio::test]
async fn latest_ended_tasks_use_the_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/latest_ended.sql")).await;
    let search = "SEARCH steadfast_ended USING COVERING INDEX steadfast_ended_age (status=?";
    assert_eq!(plan.iter().filter(|step| step.starts_with(search)).count(), 3, "{plan:#?}");
}

/// D6, W4: which nodes have ended is found by the time of their ends, not among all that wait.
#[tokio::test]
async fn missed_completions_use_the_index() {
    let plan =
        plan(include_str!("../../src/engine/sqlite/sql/execution_missed_completions.sql")).await;
    let age = "steadfast_ended_age (status=? AND ended_at>?)";
    assert_step(&plan, &format!("SEARCH ended USING COVERING INDEX {age}"));
    assert_step(&plan, "SEARCH node USING COVERING INDEX steadfast_nodes_submitted (task=?)");
}

/// D14: the oldest of too many are found along the order of times, and whether the end of each was
/// noticed by its key.
#[tokio::test]
async fn oldest_tasks_use_the_index() {
    let plan = plan(include_str!("../../src/engine/sqlite/sql/prune_oldest.sql")).await;
    assert_step(&plan, "SEARCH ended USING COVERING INDEX steadfast_ended_age (status=?)");
    assert_step(&plan, "SEARCH node USING COVERING INDEX steadfast_nodes_submitted (task=?)");
    assert!(!plan.iter().any(|step| step.starts_with("SCAN node")), "{plan:#?}");
}

/// D5: what moves tasks finds each of them by its key.
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
        include_str!("../../src/engine/sqlite/sql/prune_aged.sql"),
        include_str!("../../src/engine/sqlite/sql/prune_unchanged.sql"),
        include_str!("../../src/engine/sqlite/sql/compress_candidates.sql"),
        include_str!("../../src/engine/sqlite/sql/task_state.sql"),
        include_str!("../../src/engine/sqlite/sql/submit_existing.sql"),
    ];
    for statement in statements {
        assert_direct(&plan(statement).await);
    }
}
