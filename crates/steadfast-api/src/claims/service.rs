//! The desk where workers elsewhere take tasks, and bring word of them.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::value::RawValue;
use steadfast::decide::DecisionEnv;
use steadfast::guard::{self, Transition};
use steadfast::judge;
use steadfast_store::{
    Asked, AttemptPermit, Claimed, FailureContext, FencingToken, Settled, Settlement, Status,
    Store, StoreError, TaskId, Verdict, document,
};

use super::in_flight::UnderWay;
use super::requests::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
use crate::error::{ApiError, ErrorKind};
use crate::workers::Callers;

/// Where workers elsewhere take tasks, and bring word of them.
pub(crate) struct Desk<'l> {
    pub(crate) store: &'l Store,
    pub(crate) under_way: &'l UnderWay,
    pub(crate) callers: &'l Callers,
}

impl Desk<'_> {
    pub(crate) async fn claim(&self, wanted: &NewClaim) -> Result<Claims, ApiError> {
        let steadfast_store::Claims { now, tasks, .. } =
            self.store.claim(&wanted.request()?).await?;
        self.callers.heard(self.store, wanted);
        Ok(Claims { claims: self.hand_out(tasks, wanted.lease, now).await, now })
    }

    /// What was taken, but for what there is no use in telling. Nothing fails here: the batch is
    /// leased, and its worker has to hear of it.
    async fn hand_out(
        &self,
        tasks: Vec<Claimed>,
        lease: Duration,
        now: Timestamp,
    ) -> Vec<ClaimView> {
        let (mut claims, mut kept_back) = (Vec::with_capacity(tasks.len()), Vec::new());
        for mut claimed in tasks {
            match self.begin(&mut claimed, lease, now) {
                Ok(claim) => claims.push(claim),
                Err(verdict) => kept_back.push((claimed, verdict)),
            }
        }
        let kept_back: Vec<_> = kept_back.iter().map(|(task, why)| (task, why.clone())).collect();
        if let Err(error) = self.settle_all(&kept_back, now).await {
            // Whoever seizes the lease does it.
            let tasks = kept_back.len();
            tracing::warn!(target: "steadfast", tasks, %error, "claimed tasks were not settled");
        }
        claims
    }

    /// What its worker is told of an attempt, or what becomes of the task if there is none.
    fn begin(
        &self,
        claimed: &mut Claimed,
        lease: Duration,
        now: Timestamp,
    ) -> Result<ClaimView, Verdict> {
        if claimed.is_too_late(now) {
            return Err(claimed.too_late());
        }
        // One whose payload is no JSON any more must not lose the rest of the batch.
        let payload = RawValue::from_string(std::mem::take(&mut claimed.payload))
            .map_err(|error| claimed.set_aside(&format!("its payload cannot be read: {error}")))?;
        let (id, version, leave) = (claimed.id, claimed.version, claimed.leave()?);
        self.under_way.begin(id, version, leave, lease);
        Ok(ClaimView { id, version, task: ClaimedTask::new(claimed, payload, now) })
    }

    pub(crate) async fn heartbeat(
        &self,
        id: TaskId,
        sign: HeartbeatRequest,
    ) -> Result<(), ApiError> {
        let HeartbeatRequest { version, lease } = sign;
        let beat = self.store.heartbeat(&[version], &[id], lease).await?;
        if beat.lost.is_empty() && beat.ended.is_empty() {
            self.under_way.keep(id, version, lease);
            return Ok(());
        }
        Err(self.ended_elsewhere(id, version))
    }

    pub(crate) async fn complete(&self, id: TaskId, done: Completion) -> Result<(), ApiError> {
        let result = done.result.map(|result| result.get().to_owned());
        result.as_deref().map_or(Ok(()), |result| document("result", result)).map_err(|wrong| {
            ApiError::from(wrong).next("say it in less JSON, or keep it elsewhere and say where")
        })?;
        let claimed = self.held(id, done.version).await?;
        let now = self.store.now().await?;
        self.settle(&claimed, Verdict::Completed { result }, now).await?;
        self.tell_of(&claimed, self.leave(&claimed).tell_success(), now).await;
        Ok(())
    }

    pub(crate) async fn fail(
        &self,
        id: TaskId,
        failure: AttemptFailure,
    ) -> Result<FailResponse, ApiError> {
        let AttemptFailure { version, fault, key_in_use } = failure;
        let claimed = self.held(id, version).await?;
        let now = self.store.now().await?;
        let judgement = judge::judge(claimed.policy.rules(), &fault);
        let mut once = Once { attempt: (id, version), claimed: &claimed, desk: self };
        let verdict =
            claimed.failed_as(fault, judgement, FailureContext { now, key_in_use }, &mut once);
        let told = what_follows(&verdict);
        self.settle(&claimed, verdict, now).await?;
        let change = self.leave(&claimed).tell_failure(judgement.class());
        self.tell_of(&claimed, change, now).await;
        Ok(told)
    }

    /// The attempt that a worker brings word of.
    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Claimed, ApiError> {
        let held = self.store.held(id, version).await?;
        held.ok_or_else(|| self.ended_elsewhere(id, version))
    }

    /// Nothing more will be heard of an attempt here.
    fn ended_elsewhere(&self, id: TaskId, version: FencingToken) -> ApiError {
        drop(self.under_way.end(id, version));
        stale(id, version)
    }

    /// The leave that was given for an attempt, which has ended. Its guards hear how when the store
    /// has taken the word: a worker that gets no answer says it again, and it is one attempt.
    fn leave(&self, claimed: &Claimed) -> AttemptPermit {
        let leave = self.under_way.end(claimed.id, claimed.version);
        leave.unwrap_or_else(|| claimed.remote_permit())
    }

    async fn settle(
        &self,
        claimed: &Claimed,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        match self.settle_all(&[(claimed, verdict)], now).await?.as_slice() {
            [Settled::Accepted] => Ok(()),
            _ => Err(self.ended_elsewhere(claimed.id, claimed.version)),
        }
    }

    async fn tell_of(&self, claimed: &Claimed, change: Option<Transition>, now: Timestamp) {
        if let Some(change) = change {
            let event = claimed.tell_of_breaker(change, &instance(), now);
            self.store.keep_events(event.as_slice()).await;
        }
    }

    /// Writes down what becomes of tasks, and tells of it where that holds.
    async fn settle_all(
        &self,
        tasks: &[(&Claimed, Verdict)],
        now: Timestamp,
    ) -> Result<Vec<Settled>, StoreError> {
        let settlement = |(claimed, verdict): &(&Claimed, Verdict)| Settlement {
            id: claimed.id,
            version: claimed.version,
            verdict: verdict.clone(),
        };
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let settled = self.store.settle(tasks.iter().map(settlement).collect()).await?;
        let accepted = tasks.iter().zip(&settled).filter(|(_, it)| **it == Settled::Accepted);
        let told = accepted.filter_map(|((claimed, verdict), _)| claimed.tell(verdict, now));
        self.store.keep_events(&told.collect::<Vec<_>>()).await;
        Ok(settled)
    }
}

/// What is asked about a failure of which word may come twice: the budget is drawn on once (G3).
struct Once<'d> {
    attempt: (TaskId, FencingToken),
    claimed: &'d Claimed,
    desk: &'d Desk<'d>,
}

impl DecisionEnv for Once<'_> {
    fn draw(&mut self) -> u64 {
        Asked(&mut ()).draw()
    }

    fn withdraw(&mut self) -> bool {
        let (id, version) = self.attempt;
        let mut guards = guard::for_policy(&self.claimed.policy);
        match guards.1 {
            Some(_) => self.desk.under_way.grant(id, version, || Asked(&mut guards).withdraw()),
            None => true,
        }
    }
}

/// What this process is called where one of its breakers changed.
fn instance() -> String {
    format!("server-{}", std::process::id())
}

fn what_follows(verdict: &Verdict) -> FailResponse {
    let (status, next_delay, reason) = match verdict {
        Verdict::Failed { reason, .. } => (Status::Failed, None, Some(*reason)),
        Verdict::Retry { delay, .. } if delay.is_zero() => (Status::Pending, Some(*delay), None),
        Verdict::Retry { delay, .. } => (Status::Scheduled, Some(*delay), None),
        _ => (Status::Pending, None, None),
    };
    FailResponse { status, next_delay, reason }
}

fn stale(id: TaskId, version: FencingToken) -> ApiError {
    let detail = format!("task {id} is not held under version {version} any more");
    ApiError::new(ErrorKind::StaleLease, detail).field("version").next(
        "stop working on it: it was cancelled or settled, or its lease ran out and it is somebody \
         else's; send heartbeats in time",
    )
}

#[cfg(test)]
mod tests {
    use steadfast_store::{ClaimRequest, Task};

    use super::*;
    use crate::claims::requests::LEASE;

    /// D4: a task that cannot be read is put off uncounted, and the rest of its batch is told.
    #[tokio::test]
    async fn one_payload_that_cannot_be_read_does_not_lose_the_batch() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        store.submit_all(vec![Task::new("a", &1), Task::new("b", &2)]).await.unwrap();
        let steadfast_store::Claims { now, mut tasks, .. } =
            store.claim(&ClaimRequest::new("w1", 2)).await.unwrap();
        tasks[0].payload = "{".to_owned();
        let spoiled = tasks[0].id;
        let (under_way, callers) = (UnderWay::default(), Callers::default());
        let desk = Desk { store: &store, under_way: &under_way, callers: &callers };
        let claims = desk.hand_out(tasks, LEASE, now).await;
        assert_eq!(claims.iter().map(|claim| claim.task.kind.as_str()).collect::<Vec<_>>(), ["b"]);
        let left = store.task(spoiled).await.unwrap();
        assert_eq!((left.status, left.attempts), (Status::Scheduled, 0));
    }
}
