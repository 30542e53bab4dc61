//! Brings the tasks of lost workers back (D7).
//!
//! A worker that was killed says nothing; its leases run out. Whoever finds that takes its tasks
//! over and settles them as failed: the loss counts as an attempt with a fault of its own, so
//! a task that kills its worker ends as failed and does not kill the next one forever. What such
//! a task has done is unknown, so it is only repeated if that is safe (J9).

use std::sync::Arc;

use jiff::Timestamp;
use steadfast::guard;
use steadfast_store::{
    Asked, Claimed, FailureContext, Settled, StoreError, judged_lost, worker_lost,
};
use tracing::warn;

use super::next_round;
use crate::shared::Shared;
use crate::task_result::HandedIn;

/// How many at a time.
const LIMIT: u32 = 100;

pub(super) async fn run(shared: Arc<Shared>) {
    while next_round(&shared, shared.settings.reclaims_every()).await {
        // A piece is of one lease, or of some: only one with nothing in it is the last.
        while reclaim(&shared).await.is_some_and(|count| count > 0) {}
    }
}

/// Takes over some and settles them; how many, unless the worker stops.
async fn reclaim(shared: &Shared) -> Option<usize> {
    let Shared { store, settings, patience, .. } = shared;
    let reclaim_expired = || store.reclaim_expired(&settings.name, LIMIT);
    let lost = patience.ask("look for lost tasks", reclaim_expired).await?;
    if lost.is_empty() {
        return Some(0);
    }
    let now = patience.ask("read the time", || store.now()).await?;
    let handed_in: Vec<_> =
        lost.iter().map(|(claimed, owner)| counted(claimed, owner, now)).collect();
    let settlements = || handed_in.iter().map(|one| one.settlement.clone()).collect();
    let settle = || store.settle(settlements());
    match patience.ask_while(StoreError::may_pass, "settle lost tasks", settle).await? {
        Ok(answers) => tell(shared, &lost, handed_in, &answers, now),
        // They are seized again when this lease is over; the others are not kept waiting.
        Err(error) => {
            let tasks = lost.len();
            warn!(target: "steadfast", %error, tasks, "lost tasks could not be settled");
        }
    }
    Some(lost.len())
}

fn tell(
    shared: &Shared,
    lost: &[(Claimed, String)],
    handed_in: Vec<HandedIn>,
    answers: &[Settled],
    now: Timestamp,
) {
    for (((claimed, owner), one), answer) in lost.iter().zip(handed_in).zip(answers) {
        if *answer == Settled::Accepted {
            claimed.measure_loss();
            shared.reports.tell(claimed.lease_lost(owner, now));
            one.event.into_iter().for_each(|event| shared.reports.tell(*event));
        }
    }
}

fn counted(claimed: &Claimed, owner: &str, now: Timestamp) -> HandedIn {
    // Nobody can say whether the handler handed its key on. A task that was given one is one
    // whose submitter had that in mind.
    let key_in_use = claimed.idempotency_key.is_some();
    let verdict = claimed.failed_as(
        worker_lost(owner),
        judged_lost(),
        FailureContext { now, key_in_use },
        &mut Asked(&mut guard::for_policy(&claimed.policy)),
    );
    HandedIn::new(claimed, verdict, || now)
}
