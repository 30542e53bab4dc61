//! Time travel: what would take hours is written into the rows.

use std::time::Duration;

use jiff::Timestamp;
use steadfast_store::TaskId;

use super::Harness;

impl Harness {
    /// Every lease has run out, and nobody has noticed yet.
    pub(crate) async fn expire_leases(&self) {
        let on_postgres = "UPDATE steadfast.leases SET until = now() - interval '1 second'";
        self.database.execute(on_postgres.to_owned()).await;
    }

    /// A task was submitted at another time than it was.
    pub(crate) async fn backdate(&self, task: TaskId, submitted_at: Timestamp) {
        let on_postgres = ["tasks", "ready", "waiting"].map(|table| {
            format!(
                "UPDATE steadfast.{table} SET submitted_at = '{submitted_at}' WHERE id = '{task}';"
            )
        });
        self.database.execute(on_postgres.concat()).await;
    }

    /// A scheduled task's time has just come, and it was not moved yet.
    pub(crate) async fn make_due(&self, task: TaskId) {
        self.due_since(task, 1).await;
    }

    /// The same, for longer than a look for due tasks usually goes back.
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
        self.database.execute(on_postgres).await;
    }

    /// Everything that has ended did so this much earlier.
    pub(crate) async fn age_ended(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres = format!(
            "UPDATE steadfast.ended SET ended_at = ended_at - interval '{seconds} seconds'"
        );
        self.database.execute(on_postgres).await;
    }

    /// Every record was written this much earlier.
    pub(crate) async fn age_records(&self, by: Duration) {
        let seconds = by.as_secs();
        let on_postgres =
            format!("UPDATE steadfast.records SET at = at - interval '{seconds} seconds'");
        self.database.execute(on_postgres).await;
    }
}
