//! Claims of workers outside this process, answered by a store.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::value::RawValue;
use steadfast::decide::DecisionEnv;
use steadfast::guard::{self, Transition};
use steadfast::judge;
use steadfast_store::{
    AttemptPermit, Claimed, FailureContext, FencingToken, GuardEnv, Settled, Settlement, Status,
    Store, StoreError, TaskId, Verdict, document,
};

use super::in_flight::InFlight;
use super::requests::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
use crate::error::{ApiError, ErrorKind};
use crate::workers::HttpWorkers;

/// Claims, heartbeats and outcomes of workers outside this process.
pub(crate) struct ClaimService<'l> {
    pub(crate) store: &'l Store,
    pub(crate) in_flight: &'l InFlight,
    pub(crate) workers: &'l HttpWorkers,
}

impl ClaimService<'_> {
    pub(crate) async fn claim(&self, request: &NewClaim) -> Result<Claims, ApiError> {
        let steadfast_store::Claims { now, tasks, .. } =
            self.store.claim(&request.request()?).await?;
        self.workers.register(self.store, request);
        Ok(Claims { claims: self.start_attempts(tasks, request.lease, now).await, now })
    }

    /// The claims to return; tasks that cannot be attempted are settled instead. This does not fail:
    /// the batch is leased, so the worker must receive it.
    async fn start_attempts(
        &self,
        tasks: Vec<Claimed>,
        lease: Duration,
        now: Timestamp,
    ) -> Vec<ClaimView> {
        let (mut claims, mut withheld) = (Vec::with_capacity(tasks.len()), Vec::new());
        for mut claimed in tasks {
            match self.start_attempt(&mut claimed, lease, now) {
                Ok(claim) => claims.push(claim),
                Err(verdict) => withheld.push((claimed, verdict)),
            }
        }
        let withheld: Vec<_> =
            withheld.iter().map(|(task, verdict)| (task, verdict.clone())).collect();
        if let Err(error) = self.settle_all(&withheld, now).await {
            // The tasks come back when their leases expire.
            let tasks = withheld.len();
            tracing::warn!(target: "steadfast", tasks, %error, "cannot settle withheld tasks");
        }
        claims
    }

    /// The claim to return, or the verdict on a task that is not attempted.
    fn start_attempt(
        &self,
        claimed: &mut Claimed,
        lease: Duration,
        now: Timestamp,
    ) -> Result<ClaimView, Verdict> {
        if claimed.is_too_late(now) {
            return Err(claimed.too_late());
        }
        // One payload that is not JSON must not lose the rest of the batch.
        let payload = RawValue::from_string(std::mem::take(&mut claimed.payload))
            .map_err(|error| claimed.quarantine(&format!("payload is not valid JSON: {error}")))?;
        let (id, fencing_token, permit) =
            (claimed.id, claimed.fencing_token, claimed.acquire_permit()?);
        self.in_flight.begin(id, fencing_token, permit, lease);
        Ok(ClaimView::new(id, fencing_token, ClaimedTask::new(claimed, payload, now)))
    }

    pub(crate) async fn heartbeat(
        &self,
        id: TaskId,
        request: HeartbeatRequest,
    ) -> Result<(), ApiError> {
        let HeartbeatRequest { fencing_token, lease } = request;
        let beat = self.store.heartbeat(&[fencing_token], &[id], lease).await?;
        if beat.lost.is_empty() && beat.ended.is_empty() {
            self.in_flight.extend(id, fencing_token, lease);
            return Ok(());
        }
        Err(self.lease_lost_or_missing(id, fencing_token).await)
    }

    pub(crate) async fn complete(
        &self,
        id: TaskId,
        completion: Completion,
    ) -> Result<(), ApiError> {
        let result = completion.result.map(|result| result.get().to_owned());
        result.as_deref().map_or(Ok(()), |result| document("result", result)).map_err(|error| {
            ApiError::from(error)
                .next("send a smaller result, or store it elsewhere and send a link")
        })?;
        let claimed = self.held(id, completion.fencing_token).await?;
        let now = self.store.now().await?;
        self.settle(&claimed, Verdict::Completed { result }, now).await?;
        self.record_transition(&claimed, self.take_permit(&claimed).record_success(), now).await;
        Ok(())
    }

    pub(crate) async fn fail(
        &self,
        id: TaskId,
        failure: AttemptFailure,
    ) -> Result<FailResponse, ApiError> {
        let AttemptFailure { fencing_token, fault, key_in_use, idempotent } = failure;
        let claimed = self.held(id, fencing_token).await?;
        let now = self.store.now().await?;
        let judgement = judge::judge(claimed.policy.rules(), &fault);
        let mut env = ChargeOnce { claimed: &claimed, in_flight: self.in_flight };
        let context = FailureContext { now, key_in_use, idempotent };
        let verdict = claimed.failed_as(fault, judgement, context, &mut env);
        let response = response(&verdict);
        self.settle(&claimed, verdict, now).await?;
        let transition = self.take_permit(&claimed).record_failure(judgement.class());
        self.record_transition(&claimed, transition, now).await;
        Ok(response)
    }

    /// The attempt that a worker reports on, if it still holds the lease.
    async fn held(&self, id: TaskId, token: FencingToken) -> Result<Claimed, ApiError> {
        match self.store.held(id, token).await? {
            Some(held) => Ok(held),
            None => Err(self.lease_lost_or_missing(id, token).await),
        }
    }

    /// The error of a lease that is not held: the task does not exist, or the lease is lost.
    async fn lease_lost_or_missing(&self, id: TaskId, token: FencingToken) -> ApiError {
        let lost = self.lease_lost(id, token);
        match self.store.task(id).await {
            Err(missing @ StoreError::NotFound(_)) => missing.into(),
            _ => lost,
        }
    }

    /// Drops an attempt whose lease is lost.
    fn lease_lost(&self, id: TaskId, token: FencingToken) -> ApiError {
        drop(self.in_flight.end(id, token));
        stale_token(id, token)
    }

    /// The permit of an attempt that has ended. It is released only after the store has committed
    /// the outcome: a worker that gets no response reports again, and it is one attempt.
    fn take_permit(&self, claimed: &Claimed) -> AttemptPermit {
        let permit = self.in_flight.end(claimed.id, claimed.fencing_token);
        permit.unwrap_or_else(|| claimed.remote_permit())
    }

    async fn settle(
        &self,
        claimed: &Claimed,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        match self.settle_all(&[(claimed, verdict)], now).await?.as_slice() {
            [Settled::Accepted] => Ok(()),
            _ => Err(self.lease_lost(claimed.id, claimed.fencing_token)),
        }
    }

    async fn record_transition(
        &self,
        claimed: &Claimed,
        transition: Option<Transition>,
        now: Timestamp,
    ) {
        if let Some(transition) = transition {
            let event = claimed.report_breaker(transition, &instance(), now);
            self.store.record_events(event.as_slice()).await;
        }
    }

    /// Settles tasks, and records the events of those that were accepted.
    async fn settle_all(
        &self,
        tasks: &[(&Claimed, Verdict)],
        now: Timestamp,
    ) -> Result<Vec<Settled>, StoreError> {
        let settlement = |(claimed, verdict): &(&Claimed, Verdict)| Settlement {
            id: claimed.id,
            fencing_token: claimed.fencing_token,
            verdict: verdict.clone(),
        };
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let settled = self.store.settle(tasks.iter().map(settlement).collect()).await?;
        let accepted = tasks.iter().zip(&settled).filter(|(_, it)| **it == Settled::Accepted);
        let events = accepted.filter_map(|((claimed, verdict), _)| claimed.report(verdict, now));
        self.store.record_events(&events.collect::<Vec<_>>()).await;
        Ok(settled)
    }
}

/// The environment of a decision that may be made twice for one attempt: the budget is charged once
/// (G3).
struct ChargeOnce<'d> {
    claimed: &'d Claimed,
    in_flight: &'d InFlight,
}

impl DecisionEnv for ChargeOnce<'_> {
    fn draw(&mut self) -> u64 {
        GuardEnv(&mut ()).draw()
    }

    fn withdraw(&mut self) -> bool {
        let mut guards = guard::for_policy(&self.claimed.policy);
        let (id, token) = (self.claimed.id, self.claimed.fencing_token);
        match guards.1 {
            Some(_) => self.in_flight.grant_retry(id, token, || GuardEnv(&mut guards).withdraw()),
            None => true,
        }
    }
}

/// The name of this process in events of its breakers.
fn instance() -> String {
    format!("server-{}", std::process::id())
}

fn response(verdict: &Verdict) -> FailResponse {
    let (status, next_delay, reason) = match verdict {
        Verdict::Failed { reason, .. } => (Status::Failed, None, Some(*reason)),
        Verdict::Retry { delay, .. } if delay.is_zero() => (Status::Pending, Some(*delay), None),
        Verdict::Retry { delay, .. } => (Status::Scheduled, Some(*delay), None),
        _ => (Status::Pending, None, None),
    };
    FailResponse { status, next_delay, reason }
}

fn stale_token(id: TaskId, token: FencingToken) -> ApiError {
    let detail = format!("the lease on task {id} with fencing token {token} is lost");
    ApiError::new(ErrorKind::StaleLease, detail).field("fencing_token").next(
        "stop working on the task: it was cancelled, another worker has finished it, or the lease \
         expired; send heartbeats before it expires",
    )
}

#[cfg(test)]
mod tests {
    use steadfast_store::{ClaimRequest, Task};

    use super::*;
    use crate::claims::requests::DEFAULT_LEASE;

    /// D4: a task with an unreadable payload is put off without an attempt, and the rest of its
    /// batch is returned.
    #[tokio::test]
    async fn unreadable_payload_does_not_lose_the_batch() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        store.submit_all(vec![Task::new("a", &1), Task::new("b", &2)]).await.unwrap();
        let steadfast_store::Claims { now, mut tasks, .. } =
            store.claim(&ClaimRequest::new("w1", 2)).await.unwrap();
        tasks[0].payload = "{".to_owned();
        let unreadable = tasks[0].id;
        let (in_flight, workers) = (InFlight::default(), HttpWorkers::default());
        let service = ClaimService { store: &store, in_flight: &in_flight, workers: &workers };
        let claims = service.start_attempts(tasks, DEFAULT_LEASE, now).await;
        assert_eq!(claims.iter().map(|claim| claim.task.kind.as_str()).collect::<Vec<_>>(), ["b"]);
        let task = store.task(unreadable).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Scheduled, 0));
    }
}
