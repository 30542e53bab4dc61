//! A runner: takes a task, runs its handler, hands in what became of it, and takes the next.
//!
//! A worker has as many runners as it may run tasks at a time. They live as long as it does, so
//! a task that ends at once costs no task of the runtime, and a thousand of them are run by
//! whichever runners happen to be awake.

use std::sync::Arc;
use std::time::Duration;

use metrics::histogram;
use steadfast::drive::{self, Environment, Instrument as _, Real};
use steadfast::guard::{self, Rejection, Transition};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault, Kind};
use steadfast_store::{Asked, Circumstances, Verdict, breaker_event};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::attempt::{self, Ended};
use crate::clock::StoreTime;
use crate::context::Context;
use crate::handed_in::HandedIn;
use crate::handler::Outcome;
use crate::kinds::Start;
use crate::log;
use crate::prefetch::Waiting;
use crate::running::Slot;
use crate::shared::Shared;
use crate::span;

/// How long tasks wait for a breaker that only a person can close, before they ask again.
const ISOLATED: Duration = Duration::from_secs(30);

/// How much later than a breaker's next probe its tasks may come back. If all came at once, the
/// first would be the probe and the others be rejected for as long again.
const SPREAD: f64 = 0.1;

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
        let mut guards = guard::of(&claimed.policy);
        if let Err(rejection) = guards.before_attempt(|| Real.now()) {
            return HandedIn::new(&claimed, put_off(&rejection), || now);
        }
        let limit = claimed.attempt_limit(now);
        let context = Context::new(claimed, limit);
        let span = span::of_attempt(context.claimed());
        let ended = self.attempt(start, &context).instrument(span.clone()).await;
        let (verdict, change) = match ended {
            Ended::With(Outcome::Done(result)) => {
                (Verdict::Completed { result }, guards.after_success(|| Real.now()))
            }
            Ended::With(Outcome::Failed(fault)) => {
                let judgement = judge::judge(context.claimed().policy.rules(), &fault);
                Failure { context: &context, time, fault, judgement }.decide(&mut guards)
            }
            Ended::With(Outcome::Hopeless(fault)) => {
                let judgement = Judgement::by_code(Class::Final, None);
                Failure { context: &context, time, fault, judgement }.decide(&mut guards)
            }
            // The guards hear nothing of it, and take their permit back.
            Ended::CalledOff => (called_off(&context, time), None),
        };
        span::decided(&span, &verdict);
        if let Some(change) = change {
            self.tell_of_breaker(&context, change, time);
        }
        HandedIn::new(context.claimed(), verdict, || time.now())
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

    fn tell_of_breaker(&self, context: &Context, change: Transition, time: StoreTime) {
        let claimed = context.claimed();
        log::breaker(claimed, change);
        self.shared.breakers.notify_one();
        let Some(policy) = claimed.policy.id() else {
            return;
        };
        let event = breaker_event(policy, change, &self.shared.settings.name, time.now());
        event.into_iter().for_each(|event| self.shared.reports.tell(event));
    }
}

/// A rejection is no attempt (G2): the task waits until the breaker lets a probe through.
fn put_off(rejection: &Rejection) -> Verdict {
    let wait = rejection.retry_after.unwrap_or(ISOLATED);
    Verdict::Postponed { delay: wait + wait.mul_f64(SPREAD * fastrand::f64()) }
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
    let circumstances = Circumstances { now: time.now(), key_in_use: false };
    claimed.failed_as(fault, judgement, circumstances, &mut Asked(&mut ()))
}

/// An attempt that failed.
struct Failure<'a> {
    context: &'a Context,
    time: StoreTime,
    fault: Fault,
    judgement: Judgement,
}

impl Failure<'_> {
    /// What becomes of it, and what its breaker did.
    fn decide(self, guards: &mut impl drive::Instrument) -> (Verdict, Option<Transition>) {
        let Self { context, time, fault, judgement } = self;
        let change = guards.after_failure(judgement.class(), Real.now());
        let circumstances = Circumstances { now: time.now(), key_in_use: context.key_in_use() };
        let claimed = context.claimed();
        (claimed.failed_as(fault, judgement, circumstances, &mut Asked(guards)), change)
    }
}
