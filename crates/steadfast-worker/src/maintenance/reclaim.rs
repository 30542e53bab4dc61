//! Brings the tasks of lost workers back (D7).
//!
//! A worker that was killed says nothing; its leases run out. Whoever finds that takes its tasks
//! over and settles them as failed: the loss counts as an attempt with a fault of its own, so
//! a task that kills its worker ends as failed and does not kill the next one forever. What such
//! a task has done is unknown, so it is only repeated if that is safe (J9).

use std::sync::Arc;

use jiff::Timestamp;
use steadfast::Class;
use steadfast::guard;
use steadfast::judge::Judgement;
use steadfast_store::{Circumstances, Claimed, Settlement, worker_lost};
use tracing::warn;

use super::next_round;
use crate::log;
use crate::runner::Asked;
use crate::settling::may_pass;
use crate::shared::Shared;

/// How many at a time.
const LIMIT: u32 = 100;

pub(super) async fn run(shared: Arc<Shared>) {
    while next_round(&shared, shared.settings.maintenance.reclaim_every).await {
        while let Some(count) = reclaim(&shared).await
            && count >= LIMIT as usize
        {}
    }
}

/// Takes over some and settles them; how many, unless the worker stops.
async fn reclaim(shared: &Shared) -> Option<usize> {
    let Shared { store, settings, patience, .. } = shared;
    let seize = || store.seize(&settings.name, LIMIT);
    let lost = patience.ask("look for lost tasks", seize).await?;
    if lost.is_empty() {
        return Some(0);
    }
    let now = patience.ask("read the time", || store.now()).await?;
    let settlements: Vec<_> =
        lost.iter().map(|(claimed, owner)| settlement(claimed, owner, now)).collect();
    let settle = || store.settle(settlements.clone());
    if let Err(error) = patience.ask_while(may_pass, "settle lost tasks", settle).await? {
        // They are seized again when this lease is over; the others are not kept waiting.
        warn!(target: "steadfast", %error, tasks = lost.len(), "lost tasks could not be settled");
    }
    Some(lost.len())
}

fn settlement(claimed: &Claimed, owner: &str, now: Timestamp) -> Settlement {
    // Nobody can say whether the handler handed its key on. A task that was given one is one
    // whose submitter had that in mind.
    let key_in_use = claimed.idempotency_key.is_some();
    let verdict = claimed.failed_as(
        worker_lost(owner),
        Judgement::by_code(Class::UnknownOutcome, None),
        Circumstances { now, key_in_use },
        &mut Asked(&mut guard::of(&claimed.policy)),
    );
    log::verdict(claimed, &verdict);
    Settlement { id: claimed.id, version: claimed.version, verdict }
}
