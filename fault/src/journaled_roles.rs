//! A journal of claims and settlements: the roles that grant leases and settle tasks are wrapped.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use steadfast_store::engine::{Claim, Engine, Maintain, Roles, Settle};
use steadfast_store::{
    ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, Promoted, Pruned, Result, Retention,
    Settled, Settlement, Store, TaskId, Verdict,
};

use crate::journal::{Entry, Instant, Journal, VerdictKind};

/// Writes granted leases and settlements to a journal.
pub(crate) struct JournaledRoles {
    roles: Roles,
    journal: Arc<Journal>,
}

impl JournaledRoles {
    /// A store on the engine whose claims and settlements are written to the journal.
    pub(crate) fn store(engine: Arc<dyn Engine>, journal: Arc<Journal>) -> Store {
        let journaled = Arc::new(Self { roles: engine.into(), journal });
        Store::with_roles(Roles {
            claim: journaled.clone(),
            settle: journaled.clone(),
            maintain: journaled.clone(),
            ..journaled.roles.clone()
        })
    }

    fn granted(&self, requested: Instant, tasks: impl Iterator<Item = (TaskId, FencingToken)>) {
        let (ids, tokens): (Vec<_>, Vec<_>) = tasks.unzip();
        if let Some(token) = tokens.first().copied() {
            self.journal.write(&Entry::Claimed { requested, granted: Instant::now(), token, ids });
        }
    }
}

const fn verdict_kind(verdict: &Verdict) -> VerdictKind {
    match verdict {
        Verdict::Completed { .. } => VerdictKind::Completed,
        Verdict::Retry { .. } => VerdictKind::Retry,
        Verdict::Failed { fault: Some(_), .. } => VerdictKind::Failed,
        _ => VerdictKind::NotAttempted,
    }
}

#[async_trait]
impl Claim for JournaledRoles {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let requested = Instant::now();
        let claims = self.roles.claim.claim(request).await?;
        self.granted(requested, claims.tasks.iter().map(|task| (task.id, task.fencing_token)));
        Ok(claims)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.roles.claim.heartbeat(leases, running, lease).await
    }

    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>> {
        self.roles.claim.held(id, fencing_token).await
    }
}

#[async_trait]
impl Settle for JournaledRoles {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let requested = Instant::now();
        let sent: Vec<_> = settlements
            .iter()
            .map(|one| (one.id, one.fencing_token, verdict_kind(&one.verdict)))
            .collect();
        for (id, token, verdict) in sent.iter().copied() {
            self.journal.write(&Entry::SettlementSent { at: requested, id, token, verdict });
        }
        let answers = self.roles.settle.settle(settlements).await?;
        let answered = Instant::now();
        for ((id, token, verdict), answer) in sent.into_iter().zip(answers.iter().copied()) {
            self.journal.write(&Entry::SettlementAnswered {
                requested,
                answered,
                id,
                token,
                verdict,
                answer,
            });
        }
        Ok(answers)
    }
}

#[async_trait]
impl Maintain for JournaledRoles {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.roles.maintain.promote(limit).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let requested = Instant::now();
        let reclaimed = self.roles.maintain.reclaim_expired(worker, limit).await?;
        self.granted(requested, reclaimed.iter().map(|(task, _)| (task.id, task.fencing_token)));
        Ok(reclaimed)
    }

    async fn rollup(&self) -> Result<bool> {
        self.roles.maintain.rollup().await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.roles.maintain.prune(retention).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        self.roles.maintain.prune_executions(retention).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        self.roles.maintain.compress(older_than, limit).await
    }
}
