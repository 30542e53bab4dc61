//! Query plans of the statements that must stay fast (D6).

use std::time::Duration;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Row as _};
use steadfast_store::{ClaimRequest, Settlement, Task, Verdict};

use crate::{Fixture, task, with_store};

const SESSION: &str = include_str!("../../src/engine/postgres/sql/session.sql");
const CLAIM: &str = include_str!("../../src/engine/postgres/sql/claim.sql");
const CLAIM_ANY: &str = include_str!("../../src/engine/postgres/sql/claim_any.sql");
const CLAIM_CATEGORY: &str = include_str!("../../src/engine/postgres/sql/claim_category.sql");
const PRUNE: &str = include_str!("../../src/engine/postgres/sql/prune.sql");
const COUNT_DUE: &str = include_str!("../../src/engine/postgres/sql/count_due.sql");
const PROMOTE: &str = include_str!("../../src/engine/postgres/sql/promote.sql");
const EXECUTION_STATES: &str = include_str!("../../src/engine/postgres/sql/execution_states.sql");
const NODE_STATES: &str = include_str!("../../src/engine/postgres/sql/execution_node_states.sql");
const VALUES: &str = include_str!("../../src/engine/postgres/sql/execution_values.sql");
const LOCK_CURRENT: &str = include_str!("../../src/engine/postgres/sql/execution_lock_current.sql");
const ENDED_COUNT: &str = include_str!("../../src/engine/postgres/sql/latest_ended_count.sql");
const ENDED_SPAN: &str = include_str!("../../src/engine/postgres/sql/latest_ended_span.sql");
const END: &str = include_str!("../../src/engine/postgres/sql/execution_end_nodes.sql");

/// Enough rows to make a sequential scan expensive.
const LATER: u32 = 20_000;
const NOW: u32 = 2000;

/// The plan of an executed statement.
struct Plan(Value);

impl Plan {
    /// Every step that touches a table, as `Index Scan of ready`.
    fn steps(&self) -> Vec<String> {
        let mut steps = Vec::new();
        collect(&self.0["Plan"], &mut steps);
        steps
    }

    /// The number of pages read, cached or not.
    fn pages(&self) -> u64 {
        let count = |name: &str| self.0["Plan"][name].as_u64().unwrap();
        count("Shared Hit Blocks") + count("Shared Read Blocks")
    }
}

fn collect(node: &Value, steps: &mut Vec<String>) {
    if let (Some(kind), Some(table)) = (node["Node Type"].as_str(), node["Relation Name"].as_str())
    {
        steps.push(format!("{kind} of {table}"));
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, steps);
    }
}

impl Fixture {
    /// The generic plan, which has to do without the arguments and without statistics.
    async fn plan(&mut self, statement: &str, arguments: &str) -> Plan {
        let mode = "SET plan_cache_mode = force_generic_plan";
        let prepare = format!("{SESSION}; {mode}; DEALLOCATE ALL; PREPARE it AS {statement}");
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut self.connection).await.unwrap();
        self.plan_again(arguments).await
    }

    /// The same plan once more.
    async fn plan_again(&mut self, arguments: &str) -> Plan {
        let given = if arguments.is_empty() { String::new() } else { format!("({arguments})") };
        let explain = format!("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE it {given}");
        let row = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_one(&mut self.connection).await;
        let text: String = row.unwrap().try_get_unchecked(0).unwrap();
        Plan(serde_json::from_str::<Value>(&text).unwrap()[0].take())
    }

    async fn put_now(&self) {
        let now = |number: u32| task(number).category(format!("c{}", number % 50));
        self.store.submit_all((0..NOW).map(now).collect()).await.unwrap();
    }

    async fn put_later(&self) {
        let later = |number| task(number).after(Duration::from_hours(24));
        self.store.submit_all((0..LATER).map(later).collect()).await.unwrap();
    }
}

/// Executions with two nodes each, without statistics.
const EXECUTIONS: &str = "
    INSERT INTO steadfast.executions (id, workflow, started_at, due_at, counted_from, previous_delay,
                                      attempts, rate_limit_waits, name, started_with)
    SELECT gen_random_uuid(), 1, now(), now(), now(), 0, 0, 0, 'w', '1' FROM generate_series(1, 20000);
    INSERT INTO steadfast.nodes (execution, task, began_at, number, status)
    SELECT id, gen_random_uuid(), now(), number, 'submitted'
      FROM steadfast.executions, generate_series(0, 1) AS number;
    CREATE FUNCTION pg_temp.some() RETURNS uuid[] LANGUAGE sql AS
        'SELECT array_agg(id) FROM (SELECT id FROM steadfast.executions ORDER BY id LIMIT 20) AS x'";

fn prune_oldest() -> &'static str {
    PRUNE.split("-- name: ").find_map(|part| part.strip_prefix("oldest\n")).unwrap()
}

/// A claim without filters.
fn claim() -> String {
    claim_of("", CLAIM_ANY)
}

/// A claim by category.
fn claim_of_categories() -> String {
    claim_of("r.category,", CLAIM_CATEGORY)
}

fn claim_of(category: &str, conditions: &str) -> String {
    CLAIM.replace("/* category, */", category).replace("/* conditions */", conditions)
}

/// As many finished tasks, the oldest first.
const ENDED: &str = "
    INSERT INTO steadfast.ended (id, ended_at, outcome)
    SELECT gen_random_uuid(), now() - (20000 - n) * interval '1 second', 'completed'
      FROM generate_series(1, 20000) AS n;
    SELECT brin_summarize_new_values('steadfast.ended_in_time')";

/// One task of any queue, from the head of the claim order.
const ANY: &str = "'{}', '{}', '{}', '{}', '{}', 1, 'worker', 30000000, NULL, NULL";
/// The same, of three categories.
const OF_THREE: &str = "'{}', '{}', '{}', '{}', '{}', 1, 'worker', 30000000, '{c10,c20,c30}', NULL";
/// One task of a kind that comes after a few others.
const OF_A_KIND: &str = "'{}', '{}', '{}', '{}', '{}', 1, 'worker', 30000000, NULL, '{kind-5}'";
/// Up to a hundred due tasks.
const DUE: &str = "100, '-infinity'";

/// Asserts that no large table is scanned sequentially.
fn assert_direct(plan: &Plan) {
    let is_small = |step: &str| step.ends_with("of queues") || step.ends_with("of holds");
    for step in plan.steps() {
        assert!(!step.starts_with("Seq Scan") || is_small(&step), "{step} in {:#}", plan.0);
    }
}

/// D5, D6: a claim reads only the head of the claim order, and scheduled tasks do not change that.
#[test]
fn claim_cost_does_not_depend_on_scheduled_tasks() {
    with_store(async |mut fixture| {
        fixture.put_now().await;
        // The first run also reads the server's catalogs.
        fixture.plan(&claim(), ANY).await;
        let alone = fixture.plan(&claim(), ANY).await;
        assert_direct(&alone);
        fixture.put_later().await;
        let among_many = fixture.plan(&claim(), ANY).await;
        assert_direct(&among_many);
        assert!(!among_many.steps().iter().any(|step| step.ends_with("of waiting")));
        assert!(alone.pages() <= 20, "{}", alone.pages());
        assert!(among_many.pages() <= 20, "{}", among_many.pages());
    });
}

/// D6: nor does the number of queues.
#[test]
fn claim_reads_the_head_of_each_queue() {
    with_store(async |mut fixture| {
        let queues = (0..NOW).map(|number| task(number).queue(format!("q{}", number % 5)));
        fixture.store.submit_all(queues.collect()).await.unwrap();
        fixture.plan(&claim(), ANY).await;
        let plan = fixture.plan(&claim(), ANY).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 60, "{}", plan.pages());
    });
}

/// D5: a claim of one task does not lock the tasks of other queues, even while it runs.
#[test]
fn claim_locks_only_claimed_rows() {
    with_store(async |mut fixture| {
        let task = |number| task(number).queue(format!("q{number}")).category("c");
        fixture.store.submit_all((0..5).map(task).collect()).await.unwrap();
        let one_of_c = "'{}', '{}', '{}', '{}', '{}', 1, 'worker', 30000000, '{c,d}', NULL";
        for (statement, arguments) in [(claim(), ANY), (claim_of_categories(), one_of_c)] {
            sqlx::raw_sql("BEGIN").execute(&mut fixture.connection).await.unwrap();
            fixture.plan(&statement, arguments).await;
            let others = fixture.store.claim(&ClaimRequest::new("other", 10)).await.unwrap();
            assert_eq!(others.tasks.len(), 4);
            sqlx::raw_sql("ROLLBACK").execute(&mut fixture.connection).await.unwrap();
            let released = others.tasks.iter().map(|task| Settlement {
                id: task.id,
                fencing_token: task.fencing_token,
                verdict: Verdict::Released,
            });
            fixture.store.settle(released.collect()).await.unwrap();
        }
    });
}

/// D5, D6: it does not scan the other categories.
#[test]
fn claim_by_category_uses_its_index() {
    with_store(async |mut fixture| {
        fixture.put_now().await;
        fixture.plan(&claim_of_categories(), OF_THREE).await;
        let plan = fixture.plan(&claim_of_categories(), OF_THREE).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 40, "{}", plan.pages());
    });
}

/// D5, D6: statistics of the current rows do not change that, because the queues will soon hold
/// other rows.
#[test]
fn claim_by_category_uses_its_index_with_skewed_statistics() {
    with_store(async |mut fixture| {
        let alike = (0..NOW).map(|number| task(number).category("c"));
        fixture.store.submit_all(alike.collect()).await.unwrap();
        sqlx::raw_sql("ANALYZE steadfast.ready").execute(&mut fixture.connection).await.unwrap();
        let rare = (0..2).map(|number| task(number).category("c10"));
        fixture.store.submit_all(rare.collect()).await.unwrap();
        fixture.plan(&claim_of_categories(), OF_THREE).await;
        let plan = fixture.plan(&claim_of_categories(), OF_THREE).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 50, "{} pages in {:#}", plan.pages(), plan.0);
    });
}

/// D6: a claim by kind reads the queue up to the first match, and only the tasks that it claims.
#[test]
fn claim_by_kind_scans_in_claim_order() {
    with_store(async |mut fixture| {
        let kinds = (0..NOW).map(|number| Task::new(format!("kind-{}", number % 10), &number));
        fixture.store.submit_all(kinds.collect()).await.unwrap();
        fixture.plan(&claim(), OF_A_KIND).await;
        let plan = fixture.plan(&claim(), OF_A_KIND).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 20, "{}", plan.pages());
    });
}

/// D6: scheduled tasks are never read, even when nothing is due.
#[test]
fn promotion_reads_only_due_tasks() {
    with_store(async |mut fixture| {
        fixture.put_later().await;
        fixture.plan(PROMOTE, DUE).await;
        let plan = fixture.plan(PROMOTE, DUE).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 5, "{}", plan.pages());
    });
}

/// D15: the first due task of each queue is looked up by index, whatever its length.
#[test]
fn due_times_are_found_without_a_scan() {
    with_store(async |mut fixture| {
        fixture.put_now().await;
        fixture.put_later().await;
        let two_ranks = |number| task(number).queue("two").priority(i16::from(number % 2 == 0));
        fixture.store.submit_all((0..LATER).map(two_ranks).collect()).await.unwrap();
        fixture.plan(COUNT_DUE, "").await;
        let plan = fixture.plan(COUNT_DUE, "").await;
        assert_direct(&plan);
        assert!(plan.pages() <= 60, "{} pages in {:#}", plan.pages(), plan.0);
    });
}

/// D6: a plan that was cached on empty tables is still efficient when they are full.
#[test]
fn plan_made_on_empty_tables_stays_good() {
    with_store(async |mut fixture| {
        fixture.plan(&claim(), ANY).await;
        fixture.put_now().await;
        fixture.put_later().await;
        fixture.plan_again(ANY).await;
        let cached = fixture.plan_again(ANY).await;
        assert_direct(&cached);
        assert!(cached.pages() <= 20, "{}", cached.pages());
    });
}

/// W4: the cost of a step does not grow with the number of stored executions.
#[test]
fn step_reads_only_its_executions() {
    with_store(async |mut fixture| {
        sqlx::raw_sql(EXECUTIONS).execute(&mut fixture.connection).await.unwrap();
        let each = |value: &str| format!("array_fill({value}, ARRAY[20])");
        let some = "pg_temp.some()".to_owned();
        let (zero, nothing) = (each("0::smallint"), each("NULL::text"));
        let no_task = each("NULL::uuid");
        let hold = [&some, &each("0::bigint"), &nothing, &nothing, &nothing, &no_task];
        let statements = [
            (EXECUTION_STATES, some.clone()),
            (NODE_STATES, some.clone()),
            (VALUES, format!("{some}, {some}, {zero}, 1000000")),
            (END, format!("{some}, {zero}, {}, {nothing}", each("'completed'::text"))),
            (LOCK_CURRENT, hold.map(String::as_str).join(", ")),
        ];
        for (statement, arguments) in statements {
            fixture.plan(statement, &arguments).await;
            let plan = fixture.plan(statement, &arguments).await;
            assert_direct(&plan);
            // The two tables together have more than a thousand pages.
            assert!(plan.pages() <= 600, "{} pages for {statement}", plan.pages());
        }
    });
}

/// D14: a batch reads no more than it deletes, however much is stored.
#[test]
fn prune_by_count_reads_only_pruned_rows() {
    with_store(async |mut fixture| {
        sqlx::raw_sql(ENDED).execute(&mut fixture.connection).await.unwrap();
        let up_to = "now() - interval '10000 seconds', gen_random_uuid(), 10";
        fixture.plan(prune_oldest(), up_to).await;
        let plan = fixture.plan_again(up_to).await;
        assert_direct(&plan);
        assert!(plan.pages() <= 200, "{}", plan.pages());
    });
}

/// O1, H3: tasks that ended in a time range are found by index, however many ended before.
#[test]
fn latest_ended_tasks_use_the_time_index() {
    with_store(async |mut fixture| {
        sqlx::raw_sql(ENDED).execute(&mut fixture.connection).await.unwrap();
        let span = "now() - interval '10 seconds', now()";
        let last = "'ffffffff-ffff-ffff-ffff-ffffffffffff'";
        for (statement, rest) in [(ENDED_COUNT, "2001"), (ENDED_SPAN, &*format!("{last}, 50"))] {
            // The first run also reads the server's catalogs.
            fixture.plan(statement, &format!("{span}, {rest}")).await;
            let plan = fixture.plan(statement, &format!("{span}, {rest}")).await;
            assert_direct(&plan);
            assert!(plan.pages() < 100, "{} pages in {:#}", plan.pages(), plan.0);
        }
    });
}
