//! Operations that must succeed, for most cases.

use std::time::Duration;

use steadfast::Fault;
use steadfast_store::{
    ClaimRequest, Claimed, FailureContext, Filter, Listener, PageRequest, Retention, Settled,
    Status, StoredTask, Task, TaskId, Verdict, Wake,
};

use super::{
    DONE, Harness, Middle, at_once, eventually, gone, operator, secs, settlement, task, tasks,
    unavailable,
};

/// The time limit for anything that should happen promptly.
const TIMEOUT: Duration = secs(20);

impl Harness {
    pub(crate) async fn put(&self, task: Task) -> TaskId {
        self.submit(task).await.unwrap().id
    }

    /// Submits default tasks in one call.
    pub(crate) async fn put_many(&self, count: usize) -> Vec<TaskId> {
        let submitted = self.submit_all(tasks(count)).await.unwrap();
        submitted.iter().map(|one| one.id).collect()
    }

    pub(crate) async fn claim_batch(&self, limit: u32) -> Vec<Claimed> {
        self.claim(&ClaimRequest::new("w1", limit)).await.unwrap().tasks
    }

    /// Claims the next task; there must be one.
    pub(crate) async fn claim_one(&self) -> Claimed {
        self.claim_batch(1).await.pop().unwrap()
    }

    /// The ids of the tasks that a claim gets.
    pub(crate) async fn claimed(&self, request: &ClaimRequest) -> Vec<TaskId> {
        self.claim(request).await.unwrap().tasks.iter().map(|task| task.id).collect()
    }

    /// Submits and claims a task.
    pub(crate) async fn running(&self, task: Task) -> Claimed {
        let id = self.put(task).await;
        let claimed = self.claim_one().await;
        assert_eq!(claimed.id, id, "no other task was pending");
        claimed
    }

    pub(crate) async fn settle_one(&self, task: &Claimed, verdict: Verdict) -> Settled {
        self.settle(vec![settlement(task, verdict)]).await.unwrap()[0]
    }

    pub(crate) async fn complete(&self, task: &Claimed) -> Settled {
        self.settle_one(task, DONE).await
    }

    /// The verdict on this fault now, by the task's own policy.
    pub(crate) async fn verdict(&self, task: &Claimed, fault: Fault) -> Verdict {
        let context = FailureContext::at(self.now().await.unwrap());
        task.failed(fault, context, &mut Middle)
    }

    pub(crate) async fn fail(&self, task: &Claimed, fault: Fault) -> Settled {
        let verdict = self.verdict(task, fault).await;
        self.settle_one(task, verdict).await
    }

    /// A task that has used up its three attempts.
    pub(crate) async fn exhausted(&self) -> TaskId {
        let id = self.put(task().under(at_once())).await;
        for _ in 0..3 {
            let task = self.claim_one().await;
            assert_eq!(self.fail(&task, unavailable()).await, Settled::Accepted);
        }
        id
    }

    /// A task that has ended with this status.
    pub(crate) async fn ended(&self, status: Status, task: Task) -> TaskId {
        let claimed = self.running(task).await;
        match status {
            Status::Completed => assert_eq!(self.complete(&claimed).await, Settled::Accepted),
            Status::Failed => {
                assert_eq!(self.fail(&claimed, gone()).await, Settled::Accepted);
            }
            Status::Cancelled => self.cancel(claimed.id, &operator()).await.unwrap(),
            other => panic!("{other} is not an end status"),
        }
        claimed.id
    }

    /// Promotes due tasks until this many are promoted; polls instead of sleeping for their delay.
    pub(crate) async fn promote_until(&self, count: u64) {
        let mut promoted = 0;
        eventually("the tasks are promoted", async || {
            promoted += self.promote(1000).await.unwrap().count;
            promoted >= count
        })
        .await;
        assert_eq!(promoted, count);
    }

    /// Waits for this wake-up and skips others, for a limited time.
    pub(crate) async fn expect_wake(&self, listener: &mut Listener, expected: Wake) {
        let wake = async { while listener.next().await != expected {} };
        let in_time = tokio::time::timeout(TIMEOUT, wake).await;
        assert!(in_time.is_ok(), "{expected:?} was not received");
    }

    pub(crate) async fn show(&self, id: TaskId) -> StoredTask {
        self.task(id).await.unwrap()
    }

    pub(crate) async fn status(&self, id: TaskId) -> Status {
        self.show(id).await.status
    }

    /// Aggregates every minute that is over.
    pub(crate) async fn rollup_all(&self) {
        while self.rollup().await.unwrap() {}
    }

    /// Prunes every finished task.
    pub(crate) async fn prune_ended(&self) {
        let mut retention = Retention::forever();
        retention.ended_at_most = Some(0);
        while !self.prune(&retention).await.unwrap().is_nothing() {}
    }

    /// Every task of a list, page by page.
    pub(crate) async fn listed(&self, filter: &Filter) -> Vec<StoredTask> {
        let mut page = PageRequest { limit: 1000, after: None };
        let mut all = Vec::new();
        loop {
            let part = self.tasks(filter, &page).await.unwrap();
            all.extend(part.items);
            if part.next.is_none() {
                return all;
            }
            page.after = part.next;
        }
    }

    pub(crate) async fn ids(&self, filter: &Filter) -> Vec<TaskId> {
        self.listed(filter).await.iter().map(|task| task.id).collect()
    }
}
