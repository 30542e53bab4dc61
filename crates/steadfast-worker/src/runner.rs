//! A runner: takes a task, runs its handler, hands in what became of it, and takes the next.
//!
//! A worker has as many runners as it may run tasks at a time. They live as long as it does, so
//! a task that ends at once costs no task of the runtime, and a thousand of them are run by
//! whichever runners happen to be awake.

use std::sync::Arc;

use metrics::histogram;
use steadfast::judge::Judgement;
use steadfast::{Class, Fault, Kind};
use steadfast_store::{Asked, AttemptOutcome, AttemptPermit, FailureContext, Verdict};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::attempt::{self, Ended};
use crate::clock::StoreTime;
use crate::context::Context;
use crate::handler::Outcome;
use crate::kinds::Start;
use crate::prefetch::Waiting;
use crate::running::Slot;
use crate::shared::Shared;
use crate::span;
use crate::task_result::HandedIn;

pub(crate) struct Runner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) slot: Slot,
}

impl Runner {
    pub(crate) async fn run(self) {
        let mut last = None;
        while let Some((task, place)) = self.shared.prefetch.take(last).await {
            let handed_in = self.perform(task).await;
            self.shared.settle(handed_in).await;
            last = Some(place);
        }
    }

    /// Everything that comes before an attempt, and the attempt if nothing comes between.
    async fn perform(&self, Waiting { claimed, time }: Waiting) -> HandedIn {
        let now = time.now();
        if claimed.is_too_late(now) {
            return HandedIn::new(&claimed, claimed.too_late(), || now);
        }
        let Some(start) = self.shared.kinds.find(&claimed.kind) else {
            self.shared.kinds.met_a_stranger(&claimed.kind);
            return HandedIn::silently(&claimed, Verdict::Released);
        };
        let leave = match claimed.leave() {
            Ok(leave) => leave,
            Err(put_off) => return HandedIn::new(&claimed, put_off, || now),
        };
        let limit = claimed.attempt_limit(now);
        let context = Context::new(claimed, limit);
        let span = span::of_attempt(context.claimed());
        let ended = self.attempt(start, &context).instrument(span.clone()).await;
        let AttemptOutcome { verdict, change } = follows(leave, ended, &context, time);
        span::decided(&span, &verdict);
        let claimed = context.claimed();
        if let Some(change) = change {
            self.shared.breakers.notify_one();
            let event = claimed.tell_of_breaker(change, &self.shared.settings.name, time.now());
            event.into_iter().for_each(|event| self.shared.reports.tell(event));
        }
        HandedIn::new(claimed, verdict, || time.now())
    }

    async fn attempt(&self, start: &Start, context: &Context) -> Ended {
        let began = Instant::now();
        self.shared.running.begin(self.slot, context);
        let ended = attempt::run(|| start(context), context).await;
        self.shared.running.end(self.slot);
        histogram!("steadfast_attempt_duration_seconds", "kind" => context.kind().to_owned())
            .record(began.elapsed().as_secs_f64());
        ended
    }
}

fn follows(
    leave: AttemptPermit,
    ended: Ended,
    context: &Context,
    time: StoreTime,
) -> AttemptOutcome {
    let claimed = context.claimed();
    let circumstances = || FailureContext { now: time.now(), key_in_use: context.key_in_use() };
    match ended {
        Ended::With(Outcome::Done(result)) => leave.succeeded(result),
        Ended::With(Outcome::Failed(fault)) => leave.failed(claimed, fault, circumstances()),
        Ended::With(Outcome::Hopeless(fault)) => {
            let judgement = Judgement::by_code(Class::Final, None);
            leave.failed_as(claimed, fault, judgement, circumstances())
        }
        // The guards hear nothing of it, and take their permit back.
        Ended::CalledOff => AttemptOutcome { verdict: called_off(context, time), change: None },
    }
}

/// Goes back as if it had not begun, unless what it may have done must not be done twice (J9).
fn called_off(context: &Context, time: StoreTime) -> Verdict {
    let claimed = context.claimed();
    if claimed.policy.is_idempotent() || context.key_in_use() {
        return Verdict::Released;
    }
    let fault = Fault::of(Kind::Interrupted).with_unknown_outcome();
    let fault = fault.with_message("called off while it ran; it may have been done");
    let judgement = Judgement::by_code(Class::UnknownOutcome, None);
    let circumstances = FailureContext { now: time.now(), key_in_use: false };
    claimed.failed_as(fault, judgement, circumstances, &mut Asked(&mut ()))
}
