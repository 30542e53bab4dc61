//! A runner: takes a task, runs its handler, hands in what became of it, and takes the next.
//!
//! A worker has as many runners as it may run tasks at a time. They live as long as it does, so
//! a task that ends at once costs no task of the runtime, and a thousand of them are run by
//! whichever runners happen to be awake.

use std::sync::Arc;
use std::time::Duration;

use steadfast::decide::Surroundings;
use steadfast::drive::{Environment, Instrument, Real};
use steadfast::guard::{self, Rejection, Transition};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault, Kind};
use steadfast_store::{Circumstances, Claimed, Settlement, Verdict};

use crate::attempt::{self, Ended};
use crate::clock::StoreTime;
use crate::context::Context;
use crate::handler::Outcome;
use crate::kinds::Start;
use crate::log;
use crate::prefetch::Waiting;
use crate::running::Slot;
use crate::shared::Shared;

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
            let (id, version) = (task.claimed.id, task.claimed.version);
            let verdict = self.perform(task).await;
            self.shared.settle(Settlement { id, version, verdict }).await;
            last = Some(place);
        }
    }

    /// Everything that comes before an attempt, and the attempt if nothing comes between.
    async fn perform(&self, Waiting { claimed, time }: Waiting) -> Verdict {
        let now = time.now();
        if claimed.is_too_late(now) {
            return logged(&claimed, claimed.too_late());
        }
        let Some(start) = self.shared.kinds.find(&claimed.kind) else {
            return self.shared.kinds.put_off(&claimed.kind);
        };
        let mut guards = guard::of(&claimed.policy);
        if let Err(rejection) = guards.before_attempt(|| Real.now()) {
            return logged(&claimed, put_off(&rejection));
        }
        let limit = claimed.attempt_limit(now);
        let context = Context::new(claimed, limit);
        let ended = self.attempt(start, &context).await;
        let verdict = match ended {
            Ended::With(Outcome::Done(result)) => succeeded(&context, &mut guards, result),
            Ended::With(Outcome::Failed(fault)) => {
                let judgement = judge::judge(context.claimed().policy.rules(), &fault);
                Failure { context: &context, time, fault, judgement }.decide(&mut guards)
            }
            Ended::With(Outcome::Hopeless(fault)) => {
                let judgement = Judgement::by_code(Class::Final, None);
                Failure { context: &context, time, fault, judgement }.decide(&mut guards)
            }
            // The guards hear nothing of it, and take their permit back.
            Ended::CalledOff => called_off(&context, time),
        };
        logged(context.claimed(), verdict)
    }

    async fn attempt(&self, start: &Start, context: &Context) -> Ended {
        self.shared.running.begin(self.slot, context);
        let ended = attempt::run(|| start(context), context).await;
        self.shared.running.end(self.slot);
        ended
    }
}

fn logged(claimed: &Claimed, verdict: Verdict) -> Verdict {
    log::verdict(claimed, &verdict);
    verdict
}

/// A rejection is no attempt (G2): the task waits until the breaker lets a probe through.
fn put_off(rejection: &Rejection) -> Verdict {
    let wait = rejection.retry_after.unwrap_or(ISOLATED);
    Verdict::Postponed { delay: wait + wait.mul_f64(SPREAD * fastrand::f64()) }
}

fn succeeded(context: &Context, guards: &mut impl Instrument, result: Option<String>) -> Verdict {
    tell(context, guards.after_success(|| Real.now()));
    Verdict::Completed { result }
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

fn tell(context: &Context, change: Option<Transition>) {
    if let Some(change) = change {
        log::breaker(context.claimed(), change);
    }
}

/// An attempt that failed.
struct Failure<'a> {
    context: &'a Context,
    time: StoreTime,
    fault: Fault,
    judgement: Judgement,
}

impl Failure<'_> {
    fn decide(self, guards: &mut impl Instrument) -> Verdict {
        let Self { context, time, fault, judgement } = self;
        tell(context, guards.after_failure(judgement.class(), Real.now()));
        let circumstances = Circumstances { now: time.now(), key_in_use: context.key_in_use() };
        context.claimed().failed_as(fault, judgement, circumstances, &mut Asked(guards))
    }
}

/// What the core may ask: chance, and the policy's budget (G3).
pub(crate) struct Asked<'g, G>(pub(crate) &'g mut G);

impl<G: Instrument> Surroundings for Asked<'_, G> {
    fn draw(&mut self) -> u64 {
        fastrand::u64(..)
    }

    fn withdraw(&mut self) -> bool {
        self.0.withdraw(Real.now())
    }
}
