//! Changes of stored times and rows, in both dialects.

use std::time::Duration;

use jiff::Timestamp;
use steadfast_store::{TaskId, inspect};

use super::Harness;

/// The time in an SQLite file: microseconds since 1970.
const SQLITE_NOW: &str = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";

impl Harness {
    /// Lets every lease expire, before any worker has noticed.
    pub(crate) async fn expire_leases(&self) {
        let on_postgres = "UPDATE steadfast.leases SET until = now() - interval '1 second'";
        let on_sqlite = format!("UPDATE steadfast_leases SET until = {SQLITE_NOW} - 1000000");
        self.database.execute(on_postgres, &on_sqlite).await;
    }

    /// Sets the time of submission of a task.
    pub(crate) async fn backdate(&self, task: TaskId, submitted_at: Timestamp) {
        let on_postgres = ["tasks", "ready", "waiting"].map(|table| {
            format!(
                "UPDATE steadfast.{table} SET submitted_at = '{submitted_at}' WHERE id = '{task}';"
            )
        });
        let (time, id) = (submitted_at.as_microsecond(), blob(task));
        let on_sqlite = ["tasks", "ready"].map(|table| {
            format!("UPDATE steadfast_{table} SET submitted_at = {time} WHERE id = {id};")
        });
        self.database.execute(&on_postgres.concat(), &on_sqlite.concat()).await;
    }

    /// Makes a scheduled task due now, without promoting it.
    pub(crate) async fn make_due(&self, task: TaskId) {
        self.due_since(task, 1).await;
    }

    /// The same, for longer than a promotion usually looks back.
    pub(crate) async fn make_long_due(&self, task: TaskId) {
        self.due_since(task, 7200).await;
    }

    async fn due_since(&self, task: TaskId, seconds: u32) {
        let on_postgres = format!(
            "UPDATE steadfast.waiting SET run_at = now() - interval '{seconds} seconds'
              WHERE id = '{task}';
             UPDATE steadfast.tasks t SET scheduled_at = w.run_at
               FROM steadfast.waiting w WHERE w.id = t.id AND t.id = '{task}';"
        );
        let id = blob(task);
        let due_at = format!("(SELECT due_at FROM steadfast_waiting WHERE id = {id})");
        let on_sqlite = format!(
            "UPDATE steadfast_waiting SET due_at = {SQLITE_NOW} - {seconds} * 1000000
              WHERE id = {id};
             UPDATE steadfast_progress SET due_at = {due_at}
              WHERE id = {id} AND due_at IS NOT NULL AND {due_at} IS NOT NULL;
             UPDATE steadfast_tasks SET due_at = {due_at}
              WHERE id = {id} AND {due_at} IS NOT NULL;"
        );
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Moves the end of every finished task back by this much.
    pub(crate) async fn age_ended(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres = format!(
            "UPDATE steadfast.ended SET ended_at = ended_at - interval '{seconds} seconds'"
        );
        let on_sqlite = ["ended", "packed"].map(|table| {
            format!("UPDATE steadfast_{table} SET ended_at = ended_at - {seconds} * 1000000;")
        });
        self.database.execute(&on_postgres, &on_sqlite.concat()).await;
    }

    /// Moves the time of every record back by this much.
    pub(crate) async fn age_records(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres =
            format!("UPDATE steadfast.records SET at = at - interval '{seconds} seconds'");
        let on_sqlite = format!("UPDATE steadfast_records SET at = at - {seconds} * 1000000");
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Moves the time of every audit entry back by this much.
    pub(crate) async fn age_audit(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres =
            format!("UPDATE steadfast.audit SET at = at - interval '{seconds} seconds'");
        let on_sqlite = format!("UPDATE steadfast_audit SET at = at - {seconds} * 1000000");
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Makes every write to the audit log fail.
    pub(crate) async fn drop_audit_log(&self) {
        self.database.execute("DROP TABLE steadfast.audit", "DROP TABLE steadfast_audit").await;
    }

    /// Moves the last report of every breaker back by this much.
    pub(crate) async fn age_breakers(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres = format!(
            "UPDATE steadfast.breakers SET seen_at = seen_at - interval '{seconds} seconds'"
        );
        let on_sqlite =
            format!("UPDATE steadfast_breakers SET seen_at = seen_at - {seconds} * 1000000");
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Moves the last report of every worker and budget back by this much.
    pub(crate) async fn age_reports(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres = ["workers", "budgets"].map(|table| {
            format!(
                "UPDATE steadfast.{table} SET seen_at = seen_at - interval '{seconds} seconds';"
            )
        });
        let on_sqlite = ["workers", "budgets"].map(|table| {
            format!("UPDATE steadfast_{table} SET seen_at = seen_at - {seconds} * 1000000;")
        });
        self.database.execute(&on_postgres.concat(), &on_sqlite.concat()).await;
    }

    /// The number of stored reports of workers and of budgets.
    pub(crate) async fn report_rows(&self) -> [u64; 2] {
        let found = inspect(&self.url()).await.unwrap();
        ["workers", "budgets"]
            .map(|name| found.tables.iter().find(|table| table.name == name).unwrap().rows)
    }

    /// Downgrades the schema to the first version.
    pub(crate) async fn downgrade_to_first_schema(&self) {
        self.downgrade_before_rollups().await;
        let on_postgres = "DROP TABLE steadfast.breakers, steadfast.breaker_orders;
             DROP SEQUENCE steadfast.breaker_order;
             DELETE FROM steadfast.schema_versions WHERE version > 1;";
        let on_sqlite = "DROP TABLE steadfast_breakers; DROP TABLE steadfast_breaker_orders;
             DELETE FROM steadfast_schema WHERE version > 1;";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Downgrades the schema to the last version without kinds in the pending and scheduled tables.
    pub(crate) async fn downgrade_before_kinds(&self) {
        let on_postgres = "ALTER TABLE steadfast.ready DROP COLUMN kind;
             ALTER TABLE steadfast.waiting DROP COLUMN kind;
             DELETE FROM steadfast.schema_versions WHERE version > 5;";
        let on_sqlite = "DROP TRIGGER steadfast_new_is_ready;
             ALTER TABLE steadfast_ready DROP COLUMN kind;
             CREATE TRIGGER steadfast_new_is_ready AFTER INSERT ON steadfast_tasks
             WHEN new.due_at <= new.submitted_at BEGIN
                 INSERT INTO steadfast_ready (queue, rank, submitted_at, id, category)
                 VALUES (new.queue, -new.priority, new.submitted_at, new.id, new.category);
             END;
             DELETE FROM steadfast_schema WHERE version > 7;";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Downgrades the schema to the second version.
    pub(crate) async fn downgrade_before_rollups(&self) {
        self.downgrade_before_kinds().await;
        let on_postgres = "DROP TABLE steadfast.sums, steadfast.summed;
             DROP TABLE steadfast.workflows, steadfast.executions, steadfast.nodes;
             DROP TABLE steadfast.workers, steadfast.budgets;
             DROP INDEX steadfast.records_in_time, steadfast.audit_by_actor, steadfast.audit_by_target;
             DELETE FROM steadfast.schema_versions WHERE version > 2;";
        let on_sqlite = "DROP VIEW steadfast_overview; DROP TABLE steadfast_ends;
             DROP TABLE steadfast_sums; DROP TABLE steadfast_summed;
             DROP TABLE steadfast_workflows; DROP TABLE steadfast_executions;
             DROP TABLE steadfast_nodes;
             DROP TABLE steadfast_workers; DROP TABLE steadfast_budgets;
             DROP INDEX steadfast_records_age;
             DELETE FROM steadfast_schema WHERE version > 2;";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Marks the schema as that of a newer program.
    pub(crate) async fn mark_schema_as_newer(&self) {
        let on_postgres = "INSERT INTO steadfast.schema_versions (version) VALUES (1000000)";
        let on_sqlite = "INSERT INTO steadfast_schema (version) VALUES (1000000)";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Replaces the task's policy by one in the format of a newer version.
    pub(crate) async fn replace_policy_by_newer_version(&self, id: TaskId) {
        let on_postgres = format!(
            "UPDATE steadfast.policies SET body = '{{\"v\": 99}}'
              WHERE id = (SELECT policy FROM steadfast.tasks WHERE id = '{id}')"
        );
        let on_sqlite = format!(
            "UPDATE steadfast_policies SET body = '{{\"v\": 99}}'
              WHERE number = (SELECT policy FROM steadfast_tasks WHERE id = {})",
            blob(id)
        );
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Replaces question marks in stored policies by U+0000, which earlier versions accepted.
    pub(crate) async fn put_u0000_into_policies(&self) {
        let on_postgres =
            r"UPDATE steadfast.policies SET body = replace(body::text, '?', '\u0000')::json";
        let on_sqlite = r"UPDATE steadfast_policies SET body = replace(body, '?', '\u0000')";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Marks the time up to this far ahead as aggregated, with one session in its last minute.
    pub(crate) async fn rollup_ahead(&self, by: Duration) {
        let seconds = by.as_secs();
        let columns = "(minute, policy_id, subsystem, sessions, successful, attempts,
                        most_attempts, seconds)";
        let on_postgres = format!(
            "UPDATE steadfast.summed SET until = until + {seconds} * 1000000::bigint;
             INSERT INTO steadfast.sums {columns}
             SELECT until - 60000000, 'p', 's', 1, 1, 1, 1, 1 FROM steadfast.summed;"
        );
        let on_sqlite = format!(
            "UPDATE steadfast_summed SET until = until + {seconds} * 1000000;
             INSERT INTO steadfast_sums {columns}
             SELECT until - 60000000, 'p', 's', 1, 1, 1, 1, 1 FROM steadfast_summed;"
        );
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Makes every record unusable for rollups.
    pub(crate) async fn corrupt_records(&self) {
        let on_postgres = "UPDATE steadfast.records SET body =
             '{\"policy_id\": \"a\", \"operation\": \"b\", \"total_attempts\": 1e999999}'";
        let on_sqlite = "UPDATE steadfast_records SET body = '{'";
        self.database.execute(on_postgres, on_sqlite).await;
    }

    /// Replaces the task's first fault by one in the format of a newer version.
    pub(crate) async fn replace_fault_by_newer_version(&self, id: TaskId) {
        let on_postgres = format!(
            "UPDATE steadfast.faults SET record = '{{\"v\": 99}}'
              WHERE task = '{id}' AND number = (SELECT min(number) FROM steadfast.faults WHERE task = '{id}')"
        );
        let on_sqlite = format!(
            "UPDATE steadfast_faults SET body = '{{\"v\": 99}}'
              WHERE id = {} AND number = 1",
            blob(id)
        );
        self.database.execute(&on_postgres, &on_sqlite).await;
    }
}

fn blob(task: TaskId) -> String {
    format!("x'{}'", task.to_string().replace('-', ""))
}
