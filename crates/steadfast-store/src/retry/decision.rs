//! Retry decisions about failed attempts.
//!
//! This is the only retry logic of the store: it passes the task's policy, its progress and the
//! store's time to [`decide`](steadfast::decide). Local workers, remote workers and the reclaimer
//! of lost workers all use it.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::decide::{self, Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::drive::{Environment, Instrument, Real};
use steadfast::judge::{self, Judgement};
use steadfast::observe::{Redactor, Why};
use steadfast::{Class, Fault, Kind, Moment, Policy, Reason};

use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::task::FaultRecord;

/// The context of a failed attempt.
#[derive(Clone, Copy, Debug)]
pub struct FailureContext {
    /// The store's time.
    pub now: Timestamp,
    /// Whether the attempt used the task's idempotency key, so that a retry is safe (J9).
    pub key_in_use: bool,
    /// Whether the operation is idempotent, where the policy does not say and the worker knows (J9).
    pub idempotent: Option<bool>,
}

impl FailureContext {
    /// The context of an attempt that failed now and of which nothing else is known.
    #[must_use]
    pub const fn at(now: Timestamp) -> Self {
        Self { now, key_in_use: false, idempotent: None }
    }
}

/// The environment of a decision: random numbers, and the policy's budget (G3), which is one of its
/// [guards](steadfast::guard::for_policy). `()` has no guards.
#[derive(Debug)]
pub struct GuardEnv<'g, G>(pub &'g mut G);

impl<G: Instrument> DecisionEnv for GuardEnv<'_, G> {
    fn draw(&mut self) -> u64 {
        fastrand::u64(..)
    }

    fn withdraw(&mut self) -> bool {
        self.0.withdraw(Real.now())
    }
}

/// The fault of an attempt whose worker was lost (D7). It may have taken effect.
pub fn worker_lost(owner: &str) -> Fault {
    let message = format!("worker `{owner}` was lost: its lease expired");
    Fault::of(Kind::WorkerLost).with_message(message).with_unknown_outcome()
}

/// The classification of a lost worker, for a task or an execution. It is not an error of the
/// work, so the rules of a policy do not apply.
#[must_use]
pub const fn worker_lost_judgement() -> Judgement {
    Judgement::by_code(Class::UnknownOutcome, None)
}

impl Claimed {
    /// Classifies the fault of the current attempt and decides about a retry.
    #[must_use]
    pub fn failed(
        &self,
        fault: Fault,
        context: FailureContext,
        env: &mut impl DecisionEnv,
    ) -> Verdict {
        let judgement = judge::judge(self.policy.rules(), &fault);
        self.failed_as(fault, judgement, context, env)
    }

    /// The same for a fault that is already classified.
    #[must_use]
    pub fn failed_as(
        &self,
        fault: Fault,
        judgement: Judgement,
        context: FailureContext,
        env: &mut impl DecisionEnv,
    ) -> Verdict {
        let mut progress = self.progress;
        let FailureContext { key_in_use, idempotent, .. } = context;
        let limits = self.limits().key_in_use(key_in_use).idempotent(idempotent);
        let now = moment(context.now);
        let decision = progress.decide(&self.policy, &limits, now, &judgement, env);
        let attempt = self.progress.attempt();
        let record = |delay| {
            let failure = DecidedFailure { attempt, at: context.now, judgement, delay };
            Box::new(failure.record(&self.policy, fault))
        };
        match decision {
            Decision::Retry(delay) => Verdict::Retry {
                fault: record(Ok(delay)),
                progress,
                delay,
                // After a hint of zero the backoff applies, which delays only this task.
                hold: self.hold_category && judgement.hint().is_some_and(|hint| !hint.is_zero()),
            },
            Decision::GiveUp(reason) => {
                Verdict::Failed { fault: Some(record(Err(reason))), progress, reason }
            }
        }
    }

    /// Whether it has expired, so that no attempt may start.
    #[must_use]
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        decide::is_too_late(&self.policy, &self.limits(), moment(now))
    }

    /// The verdict on an [expired](Self::is_too_late) task.
    #[must_use]
    pub fn too_late(&self) -> Verdict {
        Verdict::Failed { fault: None, progress: self.progress, reason: Reason::OutOfTime }
    }

    /// The time limit of an attempt that starts now.
    #[must_use]
    pub fn attempt_limit(&self, now: Timestamp) -> Option<Duration> {
        Progress::attempt_limit(&self.policy, &self.limits(), moment(now))
    }

    fn limits(&self) -> SessionLimits {
        let started = moment(self.counted_from);
        SessionLimits::IN_STORE.started(started).expires_at(self.expires_at.map(moment))
    }
}

/// The store's time as a moment: nanoseconds since 1970.
pub(crate) fn moment(time: Timestamp) -> Moment {
    let nanos = time.as_nanosecond().max(0);
    Moment::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// A failure with its decision.
pub(crate) struct DecidedFailure {
    pub(crate) attempt: u32,
    pub(crate) at: Timestamp,
    pub(crate) judgement: Judgement,
    pub(crate) delay: Result<Duration, Reason>,
}

impl DecidedFailure {
    /// Its record, without secrets (O5).
    pub(crate) fn record(self, policy: &Policy, mut fault: Fault) -> FaultRecord {
        Redactor::installed().fault(&mut fault);
        shorten(&mut fault);
        let judgement = self.judgement;
        let why = match self.delay {
            Ok(delay) => Why::retried(policy, judgement, self.attempt, delay),
            Err(reason) => Why::gave_up(policy, Some(judgement), reason),
        };
        FaultRecord {
            attempt: self.attempt,
            at: self.at,
            class: judgement.class(),
            // PostgreSQL cannot store U+0000 in a text.
            message: fault.to_string().replace('\0', "\u{fffd}"),
            fault,
            why: Some(why),
            next_delay: self.delay.ok().map(|delay| delay.as_secs_f64()),
        }
    }
}

/// The limits of an error's message and type name in bytes, and of its causes (K4).
const MAX_MESSAGE_BYTES: usize = 8 * 1024;
const MAX_TYPE_NAME_BYTES: usize = 255;
const MAX_CAUSES: usize = 32;

/// Shortens a fault: an error may quote a whole page, and a task stores every fault.
fn shorten(fault: &mut Fault) {
    fault.causes.truncate(MAX_CAUSES);
    fault.causes.iter_mut().for_each(shorten_own);
    shorten_own(fault);
}

fn shorten_own(fault: &mut Fault) {
    if let Some(message) = &mut fault.message {
        cut(message, MAX_MESSAGE_BYTES);
    }
    if let Some(name) = fault.type_name.as_mut().filter(|name| name.len() > MAX_TYPE_NAME_BYTES) {
        cut(name.to_mut(), MAX_TYPE_NAME_BYTES);
    }
}

fn cut(text: &mut String, max_bytes: usize) {
    if text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use steadfast::policy::Draft;
    use steadfast::{Class, Hint};

    use super::*;
    use crate::queue::claim::FencingToken;
    use crate::task::TaskId;

    const NOW: Timestamp = Timestamp::constant(1_700_000_000, 0);

    fn claimed(policy: Draft) -> Claimed {
        Claimed {
            id: TaskId::fresh(),
            fencing_token: FencingToken(1),
            kind: "send".to_owned(),
            payload: "1".to_owned(),
            queue: "default".to_owned(),
            category: Some("customer".to_owned()),
            priority: 0,
            policy: Arc::new(policy.build().unwrap()),
            progress: Progress::default(),
            submitted_at: NOW,
            counted_from: NOW,
            scheduled_at: NOW,
            expires_at: None,
            idempotency_key: None,
            correlation_id: None,
            hold_category: false,
        }
    }

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn failed(task: &Claimed, fault: Fault, key_in_use: bool) -> Verdict {
        let context = FailureContext { key_in_use, ..FailureContext::at(NOW) };
        task.failed(fault, context, &mut GuardEnv(&mut ()))
    }

    fn retried(verdict: Verdict) -> (FaultRecord, Progress, Duration, bool) {
        match verdict {
            Verdict::Retry { fault, progress, delay, hold } => (*fault, progress, delay, hold),
            other => panic!("it is not retried: {other:?}"),
        }
    }

    fn limited(seconds: u64) -> Fault {
        Fault::http(429).with_hint(Hint::After(secs(seconds)))
    }

    /// D8: a failure is counted, classified and recorded, and the policy decides about a retry.
    #[test]
    fn failure_is_decided_by_the_policy() {
        let mut task = claimed(Policy::fixed(secs(60)).max_attempts(2));
        let (fault, progress, delay, hold) = retried(failed(&task, Fault::http(503), false));
        assert_eq!((progress.attempts, delay, hold), (1, secs(60), false));
        assert_eq!((fault.attempt, fault.at, fault.class), (1, NOW, Class::Retryable));
        assert_eq!((fault.next_delay, fault.why.is_some()), (Some(60.0), true));

        task.progress = progress;
        let Verdict::Failed { fault: Some(fault), progress, reason } =
            failed(&task, Fault::http(503), false)
        else {
            panic!("there is no other attempt");
        };
        assert_eq!((progress.attempts, reason), (2, Reason::AttemptsExhausted));
        assert_eq!((fault.attempt, fault.next_delay), (2, None));
    }

    /// D8, D17: a rate limit uses no attempt, and holds the category if the task says so.
    #[test]
    fn rate_limit_uses_no_attempt_and_may_hold_the_category() {
        let mut task = claimed(Policy::fixed(secs(60)));
        for hold_category in [false, true] {
            task.hold_category = hold_category;
            let (_, progress, delay, hold) = retried(failed(&task, limited(7), false));
            assert_eq!((progress.attempts, progress.rate_limit_waits), (0, 1));
            assert_eq!((delay, hold), (secs(7), hold_category));
        }
        let backoff = failed(&task, Fault::http(503), false);
        assert!(matches!(backoff, Verdict::Retry { hold: false, .. }), "backoff holds no category");
        let (_, _, delay, hold) = retried(failed(&task, limited(0), false));
        assert_eq!((delay, hold), (secs(60), false), "a hint of zero is a backoff");
    }

    /// P2: in a store the longest hint is a day unless the policy has another limit.
    #[test]
    fn hint_of_a_day_is_honoured_unless_the_policy_says_otherwise() {
        let day = 86_400;
        let unset = || claimed(Policy::fixed(secs(1)));
        let honoured = failed(&unset(), limited(day), false);
        assert!(matches!(honoured, Verdict::Retry { delay, .. } if delay == secs(day)));
        let hurried = claimed(Policy::fixed(secs(1)).max_hint(secs(60)));
        for (task, hint) in [(unset(), day + 1), (hurried, 61)] {
            let verdict = failed(&task, limited(hint), false);
            assert_eq!(verdict.reason(), Some(Reason::HintTooLong));
        }
    }

    /// J2, P2: a hundred hinted waits consume no attempt; the next one does.
    #[test]
    fn hinted_wait_beyond_the_limit_consumes_an_attempt() {
        let mut task = claimed(Policy::fixed(secs(60)).max_attempts(2));
        task.progress.rate_limit_waits = 100;
        let (_, progress, delay, _) = retried(failed(&task, limited(7), false));
        assert_eq!((progress.attempts, progress.rate_limit_waits), (1, 100));
        assert_eq!(delay, secs(7));
        task.progress = progress;
        let reason = failed(&task, limited(7), false).reason();
        assert_eq!(reason, Some(Reason::AttemptsExhausted));
    }

    /// P1: rows of earlier versions have the former defaults written out, and mean the same.
    #[test]
    fn policy_of_an_earlier_version_keeps_its_meaning() {
        let row = r#"{"id": "p", "idempotent": true, "max_rate_limit_waits": 100}"#;
        let policy: Policy = serde_json::from_str(row).unwrap();
        let task = Claimed { policy: Arc::new(policy), ..claimed(Draft::new()) };
        let known = FailureContext { idempotent: Some(false), ..FailureContext::at(NOW) };
        let lost = Fault::of(Kind::Timeout).with_unknown_outcome();
        let verdict = task.failed(lost, known, &mut GuardEnv(&mut ()));
        assert!(matches!(verdict, Verdict::Retry { .. }), "{verdict:?}");
        let (_, progress, ..) = retried(failed(&task, limited(7), false));
        assert_eq!((progress.attempts, progress.rate_limit_waits), (0, 1));
    }

    /// P5: `max_duration` counts from when it was first due or from the last fresh start, and the
    /// expiry is the task's own.
    #[test]
    fn retry_after_the_deadline_fails_the_task() {
        let mut task = claimed(Policy::fixed(secs(60)).max_duration(secs(90)));
        assert!(matches!(failed(&task, Fault::http(503), false), Verdict::Retry { .. }));
        task.counted_from = NOW - secs(31);
        let out_of_time = |verdict| {
            matches!(verdict, Verdict::Failed { reason: Reason::OutOfTime, fault: Some(_), .. })
        };
        assert!(out_of_time(failed(&task, Fault::http(503), false)));
        let mut task = claimed(Policy::fixed(secs(60)));
        task.expires_at = Some(NOW + secs(60));
        assert!(out_of_time(failed(&task, Fault::http(503), false)));
    }

    /// P5: a task expires at its expiry, without another attempt.
    #[test]
    fn task_expires_at_its_expiry() {
        let mut task = claimed(Policy::immediate().attempt_timeout(secs(30)));
        assert!(!task.is_too_late(Timestamp::MAX), "without an expiry");
        task.expires_at = Some(Timestamp::MAX);
        assert!(!task.is_too_late(NOW), "it is in the year 9999");
        task.expires_at = Some(NOW);
        assert!(task.is_too_late(NOW) && !task.is_too_late(NOW - secs(1)));
        assert_eq!(task.attempt_limit(NOW - secs(10)), Some(secs(10)), "clipped by what is left");
        let verdict = task.too_late();
        assert!(
            matches!(verdict, Verdict::Failed { fault: None, progress, .. } if progress.attempts == 0)
        );
    }

    /// D7, J9: a lost worker's attempt may have taken effect.
    #[test]
    fn lost_attempt_is_retried_only_if_safe() {
        let once = || claimed(Policy::immediate().idempotent(false));
        let lost = |task: &Claimed, key_in_use| failed(task, worker_lost("w1"), key_in_use);
        let Verdict::Failed { fault: Some(fault), reason, .. } = lost(&once(), false) else {
            panic!("it is not safe");
        };
        assert_eq!((reason, fault.class), (Reason::NotSafeToRetry, Class::UnknownOutcome));
        assert!(fault.message.contains("`w1`"), "{}", fault.message);
        assert!(matches!(lost(&once(), true), Verdict::Retry { .. }), "its key makes it safe");
        let unset = claimed(Policy::immediate());
        assert!(matches!(lost(&unset, false), Verdict::Retry { .. }));
        let known = FailureContext { idempotent: Some(false), ..FailureContext::at(NOW) };
        let verdict = unset.failed(worker_lost("w1"), known, &mut GuardEnv(&mut ()));
        assert_eq!(verdict.reason(), Some(Reason::NotSafeToRetry), "a POST without a key");
    }

    /// K4: a long error message is shortened.
    #[test]
    fn long_message_is_shortened() {
        let page = "ä".repeat(1 << 20);
        let mut fault = Fault::http(503).with_message(page.as_str());
        fault.causes = vec![Fault::default().with_message(page.as_str()); 100];
        fault.type_name = Some(page.clone().into());
        let (fault, ..) = retried(failed(&claimed(Policy::immediate()), fault, false));
        assert!(fault.message.ends_with('…'), "{}", fault.message.len());
        let row = serde_json::to_string(&fault).unwrap();
        assert!(row.len() < 40 * MAX_MESSAGE_BYTES, "{}", row.len());
    }

    /// J6: the longest possible hint can be stored and decoded.
    #[test]
    fn fault_with_the_longest_hint_can_be_decoded() {
        let longest = Duration::from_secs(u64::MAX);
        let fault = Fault::http(429).with_hint(Hint::After(longest));
        let task = claimed(Policy::immediate().max_hint(longest));
        let (fault, ..) = retried(failed(&task, fault, false));
        let row = serde_json::to_string(&fault).unwrap();
        assert!(serde_json::from_str::<FaultRecord>(&row).is_ok(), "{row}");
    }

    /// O5: a record has no secrets, and no U+0000.
    #[test]
    fn fault_is_recorded_without_secrets() {
        let fault = Fault::http(503).with_message("https://me:hunter2@example.com/\0");
        let (fault, ..) = retried(failed(&claimed(Policy::immediate()), fault, false));
        let row = serde_json::to_string(&fault).unwrap();
        assert!(row.contains("example.com") && !row.contains("hunter2"), "{row}");
        assert!(!fault.message.contains('\0'));
    }
}
