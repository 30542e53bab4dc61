//! A journal of claims and settlements: the roles that grant leases and settle tasks are wrapped.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use steadfast_store::engine::{Claim, Engine, Maintain, Roles, Settle};
use steadfast_store::{
    ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, Promoted, Pruned, Result, Retention,
    Settled, Settlement, Store, TaskId, Verdict,
};

use crate::journal::{Instant, Journal, Sight, Word};

/// Writes granted leases and settlements to a journal.
pub(crate) struct Witness {
    roles: Roles,
    journal: Arc<Journal>,
}

impl Witness {
    /// A store on the engine whose claims and settlements are written to the journal.
    pub(crate) fn store(engine: Arc<dyn Engine>, journal: Arc<Journal>) -> Store {
        let witness = Arc::new(Self { roles: engine.into(), journal });
        Store::with_roles(Roles {
            claim: witness.clone(),
            settle: witness.clone(),
            maintain: witness.clone(),
            ..witness.roles.clone()
        })
    }

    fn granted(&self, asked: Instant, tasks: impl Iterator<Item = (TaskId, FencingToken)>) {
        let (ids, tokens): (Vec<_>, Vec<_>) = tasks.unzip();
        if let Some(version) = tokens.first().copied() {
            self.journal.write(&Sight::Claimed { asked, granted: Instant::now(), version, ids });
        }
    }
}

const fn word(verdict: &Verdict) -> Word {
    match verdict {
        Verdict::Completed { .. } => Word::Completed,
        Verdict::Retry { .. } => Word::Retry,
        Verdict::Failed { fault: Some(_), .. } => Word::Failed,
        _ => Word::Untried,
    }
}

#[async_trait]
impl Claim for Witness {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let asked = Instant::now();
        let claims = self.roles.claim.claim(request).await?;
        self.granted(asked, claims.tasks.iter().map(|task| (task.id, task.fencing_token)));
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
impl Settle for Witness {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let asked = Instant::now();
        let said: Vec<_> =
            settlements.iter().map(|one| (one.id, one.fencing_token, word(&one.verdict))).collect();
        for (id, version, word) in said.iter().copied() {
            self.journal.write(&Sight::Saying { at: asked, id, version, word });
        }
        let answers = self.roles.settle.settle(settlements).await?;
        let answered = Instant::now();
        for ((id, version, word), answer) in said.into_iter().zip(answers.iter().copied()) {
            self.journal.write(&Sight::Said { asked, answered, id, version, word, answer });
        }
        Ok(answers)
    }
}

#[async_trait]
impl Maintain for Witness {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.roles.maintain.promote(limit).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let asked = Instant::now();
        let reclaimed = self.roles.maintain.reclaim_expired(worker, limit).await?;
        self.granted(asked, reclaimed.iter().map(|(task, _)| (task.id, task.fencing_token)));
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
