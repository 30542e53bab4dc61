//! A runner: takes a task, runs its handler, queues the result, and takes the next task.
//!
//! A worker has as many runners as it may run tasks at a time. They live as long as the worker, so a
//! task that ends at once needs no new tokio task, and a thousand of them are run by whichever
//! runners happen to be awake.

use std::sync::Arc;

use metrics::histogram;
use steadfast::decide::SessionLimits;
use steadfast::judge::Judgement;
use steadfast::{Class, Fault, Kind};
use steadfast_store::{AttemptOutcome, AttemptPermit, FailureContext, GuardEnv, Verdict};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::attempt::{self, AttemptEnd};
use super::attempt_span;
use super::context::Context;
use super::handler::Outcome;
use super::handler_registry::StartFn;
use crate::claim::PrefetchedTask;
use crate::settle::TaskResult;
use crate::state::WorkerState;
use crate::store_clock::StoreClock;

pub(crate) struct Runner {
    pub(crate) state: Arc<WorkerState>,
    /// Its index in [`RunningTasks`](super::RunningTasks).
    pub(crate) slot: usize,
}

impl Runner {
    pub(crate) async fn run(self) {
        let mut previous = None;
        while let Some((task, slot)) = self.state.prefetch.next(previous).await {
            let result = self.run_task(task).await;
            self.state.settle(result).await;
            previous = Some(slot);
        }
    }

    /// Makes an attempt, unless the task is too late, has no handler or gets no permit.
    async fn run_task(&self, PrefetchedTask { claimed, clock }: PrefetchedTask) -> TaskResult {
        let now = clock.now();
        if claimed.is_too_late(now) {
            return TaskResult::new(&claimed, claimed.too_late(), || now);
        }
        let Some(start) = self.state.handlers.find(&claimed.kind) else {
            self.state.handlers.record_unknown(&claimed.kind);
            return TaskResult::without_event(&claimed, Verdict::Released);
        };
        let permit = match claimed.acquire_permit() {
            Ok(permit) => permit,
            Err(postponed) => return TaskResult::new(&claimed, postponed, || now),
        };
        let limit = claimed.attempt_limit(now);
        let context = Context::new(claimed, limit);
        let span = attempt_span::new(context.claimed());
        let end = self.attempt(start, &context).instrument(span.clone()).await;
        let AttemptOutcome { verdict, change } = outcome(permit, end, &context, clock);
        attempt_span::record(&span, &verdict);
        let claimed = context.claimed();
        if let Some(change) = change {
            self.state.breakers_changed.notify_one();
            let event = claimed.report_breaker(change, &self.state.config.name, clock.now());
            event.into_iter().for_each(|event| self.state.events.send(event));
        }
        TaskResult::new(claimed, verdict, || clock.now())
    }

    async fn attempt(&self, start: &StartFn, context: &Context) -> AttemptEnd {
        let started = Instant::now();
        self.state.running.start(self.slot, context);
        let end = attempt::run(|| start(context), context).await;
        self.state.running.finish(self.slot);
        histogram!("steadfast_attempt_duration_seconds", "kind" => context.kind().to_owned())
            .record(started.elapsed().as_secs_f64());
        end
    }
}

fn outcome(
    permit: AttemptPermit,
    end: AttemptEnd,
    context: &Context,
    clock: StoreClock,
) -> AttemptOutcome {
    let claimed = context.claimed();
    let failure = || FailureContext {
        now: clock.now(),
        key_in_use: context.key_in_use(),
        idempotent: context.idempotent(),
    };
    match end {
        AttemptEnd::Finished(Outcome::Completed(result)) => permit.succeeded(result),
        AttemptEnd::Finished(Outcome::Failed(fault)) => permit.failed(claimed, fault, failure()),
        AttemptEnd::Finished(Outcome::FailedForGood(fault)) => {
            let judgement = Judgement::by_code(Class::Final, None);
            permit.failed_as(claimed, fault, judgement, failure())
        }
        // The guards count no result; dropping the permit releases it.
        AttemptEnd::Cancelled => {
            AttemptOutcome { verdict: cancelled_verdict(context, clock), change: None }
        }
    }
}

/// Releases the task as if it had not started, unless a repeat is unsafe (J9).
fn cancelled_verdict(context: &Context, clock: StoreClock) -> Verdict {
    let claimed = context.claimed();
    let (key_in_use, idempotent) = (context.key_in_use(), context.idempotent());
    let limits = SessionLimits::IN_STORE.key_in_use(key_in_use).idempotent(idempotent);
    if limits.may_repeat(&claimed.policy) {
        return Verdict::Released;
    }
    let fault = Fault::of(Kind::Interrupted).with_unknown_outcome();
    let fault = fault.with_message("cancelled while running; the operation may have taken effect");
    let judgement = Judgement::by_code(Class::UnknownOutcome, None);
    let failure = FailureContext { idempotent, ..FailureContext::at(clock.now()) };
    claimed.failed_as(fault, judgement, failure, &mut GuardEnv(&mut ()))
}
