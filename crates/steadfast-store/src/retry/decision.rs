//! What follows from a failed attempt of a task.
//!
//! This is the whole of what a store knows about retrying: it hands the task's policy, its
//! progress and the store's time to [`decide`](steadfast::decide) and writes down the answer.
//! Workers here, workers elsewhere and the service that finds lost workers all come through
//! this one door.

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

/// What is asked of whoever lets a task fail.
#[derive(Clone, Copy, Debug)]
pub struct FailureContext {
    /// The store's time.
    pub now: Timestamp,
    /// Whether the attempt handed the task's key on, so that repeating it is safe (J9).
    pub key_in_use: bool,
}

/// What the core may ask of whoever lets a task fail: chance, and the policy's budget (G3), which
/// is one of its [guards](steadfast::guard::of). `()` are no guards.
#[derive(Debug)]
pub struct Asked<'g, G>(pub &'g mut G);

impl<G: Instrument> DecisionEnv for Asked<'_, G> {
    fn draw(&mut self) -> u64 {
        fastrand::u64(..)
    }

    fn withdraw(&mut self) -> bool {
        self.0.withdraw(Real.now())
    }
}

/// The fault of an attempt whose worker was not heard of any more (D7). It may have taken
/// effect.
#[must_use]
pub fn worker_lost(owner: &str) -> Fault {
    let message = format!("worker `{owner}` was lost: its lease expired");
    Fault::of(Kind::WorkerLost).with_message(message).with_unknown_outcome()
}

/// How the loss of a worker is judged, of a task or of a whole execution: it is no error of the
/// work, so no rule of a policy speaks of it.
#[must_use]
pub const fn judged_lost() -> Judgement {
    Judgement::by_code(Class::UnknownOutcome, None)
}

impl Claimed {
    /// Judges the fault of the attempt under way and decides what follows.
    #[must_use]
    pub fn failed(
        &self,
        fault: Fault,
        circumstances: FailureContext,
        surroundings: &mut impl DecisionEnv,
    ) -> Verdict {
        let judgement = judge::judge(self.policy.rules(), &fault);
        self.failed_as(fault, judgement, circumstances, surroundings)
    }

    /// The same for a fault that was judged already.
    #[must_use]
    pub fn failed_as(
        &self,
        fault: Fault,
        judgement: Judgement,
        circumstances: FailureContext,
        surroundings: &mut impl DecisionEnv,
    ) -> Verdict {
        let mut progress = self.progress;
        let terms = self.terms(circumstances.key_in_use);
        let now = moment(circumstances.now);
        let decision = progress.decide(&self.policy, &terms, now, &judgement, surroundings);
        let attempt = self.progress.attempt();
        let record = |delay| {
            let told = Told { attempt, at: circumstances.now, judgement, delay };
            Box::new(told.record(&self.policy, fault))
        };
        match decision {
            Decision::Retry(delay) => Verdict::Retry {
                fault: record(Ok(delay)),
                progress,
                delay,
                hold: self.hold_category && judgement.hint().is_some(),
            },
            Decision::GiveUp(reason) => {
                Verdict::Failed { fault: Some(record(Err(reason))), progress, reason }
            }
        }
    }

    /// Whether it is too late to start an attempt.
    #[must_use]
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        decide::is_too_late(&self.policy, &self.terms(false), moment(now))
    }

    /// The verdict on a task that is [too late](Self::is_too_late).
    #[must_use]
    pub fn too_late(&self) -> Verdict {
        Verdict::Failed { fault: None, progress: self.progress, reason: Reason::OutOfTime }
    }

    /// How long the attempt that starts now may take.
    #[must_use]
    pub fn attempt_limit(&self, now: Timestamp) -> Option<Duration> {
        Progress::attempt_limit(&self.policy, &self.terms(false), moment(now))
    }

    fn terms(&self, key_in_use: bool) -> SessionLimits {
        SessionLimits {
            started: moment(self.counted_from),
            expires_at: self.expires_at.map(moment),
            max_hint: None,
            key_in_use,
        }
    }
}

/// The store's time as the core counts it: since 1970, for 584 years.
pub(crate) fn moment(time: Timestamp) -> Moment {
    let nanos = time.as_nanosecond().max(0);
    Moment::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// What is known of a failure once it is decided.
pub(crate) struct Told {
    pub(crate) attempt: u32,
    pub(crate) at: Timestamp,
    pub(crate) judgement: Judgement,
    pub(crate) delay: Result<Duration, Reason>,
}

impl Told {
    /// As it is kept. No secret reaches a row (O5).
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
            // PostgreSQL keeps no U+0000 in a text.
            message: fault.to_string().replace('\0', "\u{fffd}"),
            fault,
            why: Some(why),
            next_delay: self.delay.ok().map(|delay| delay.as_secs_f64()),
        }
    }
}

/// The most bytes that are kept of an error's own words and of its type's name, and the most of its
/// causes (K4).
const MOST_WORDS: usize = 8 * 1024;
const LONGEST_TYPE: usize = 255;
const MOST_CAUSES: usize = 32;

/// Leaves out what nobody reads: an error may quote a whole page, and a task keeps every fault.
fn shorten(fault: &mut Fault) {
    fault.causes.truncate(MOST_CAUSES);
    fault.causes.iter_mut().for_each(shorten_own);
    shorten_own(fault);
}

fn shorten_own(fault: &mut Fault) {
    if let Some(words) = &mut fault.message {
        cut(words, MOST_WORDS);
    }
    if let Some(name) = fault.type_name.as_mut().filter(|name| name.len() > LONGEST_TYPE) {
        cut(name.to_mut(), LONGEST_TYPE);
    }
}

fn cut(words: &mut String, most: usize) {
    if words.len() > most {
        words.truncate(words.floor_char_boundary(most));
        words.push('…');
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
            version: FencingToken(1),
            kind: "send".to_owned(),
            payload: "1".to_owned(),
            queue: "default".to_owned(),
            category: Some("customer".to_owned()),
            priority: 0,
            policy: Arc::new(policy.build().unwrap()),
            progress: Progress::default(),
            submitted_at: NOW,
            counted_from: NOW,
            due_at: NOW,
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
        task.failed(fault, FailureContext { now: NOW, key_in_use }, &mut Asked(&mut ()))
    }

    fn limited(seconds: u64) -> Fault {
        Fault::http(429).with_hint(Hint::After(secs(seconds)))
    }

    /// D8: a failure is counted, judged, dated and told why, and the policy says what follows.
    #[test]
    fn a_failure_is_followed_by_what_the_policy_says() {
        let mut task = claimed(Policy::fixed(secs(60)).max_attempts(2));
        let Verdict::Retry { fault, progress, delay, hold } =
            failed(&task, Fault::http(503), false)
        else {
            panic!("there is another attempt");
        };
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

    /// D8, D17: a wait that is asked for uses no attempt, and holds the category if the task
    /// says so.
    #[test]
    fn a_wait_that_is_asked_for_may_hold_the_category() {
        let mut task = claimed(Policy::fixed(secs(60)));
        for hold_category in [false, true] {
            task.hold_category = hold_category;
            let Verdict::Retry { progress, delay, hold, .. } = failed(&task, limited(7), false)
            else {
                panic!("it is waited for");
            };
            assert_eq!((progress.attempts, progress.rate_limit_waits), (0, 1));
            assert_eq!((delay, hold), (secs(7), hold_category));
        }
        let backoff = failed(&task, Fault::http(503), false);
        assert!(matches!(backoff, Verdict::Retry { hold: false, .. }), "nobody asked for it");
    }

    /// P2: in a store there is no longest hint unless the policy has one.
    #[test]
    fn a_wait_may_be_as_long_as_it_likes() {
        let month = 30 * 86_400;
        let patient = failed(&claimed(Policy::fixed(secs(1))), limited(month), false);
        assert!(matches!(patient, Verdict::Retry { delay, .. } if delay == secs(month)));
        let hurried = claimed(Policy::fixed(secs(1)).max_hint(secs(60)));
        let Verdict::Failed { reason, .. } = failed(&hurried, limited(month), false) else {
            panic!("it is not waited for");
        };
        assert_eq!(reason, Reason::HintTooLong);
    }

    /// P5: `max_duration` counts from when it was first due or from the last fresh start, and the
    /// expiry is the task's own.
    #[test]
    fn a_retry_that_would_start_too_late_is_not_made() {
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

    /// P5: at the very moment it is too late, and what was not tried is not counted.
    #[test]
    fn a_task_is_too_late_from_its_expiry_on() {
        let mut task = claimed(Policy::immediate().attempt_timeout(secs(30)));
        assert!(!task.is_too_late(Timestamp::MAX), "never, if nobody says so");
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
    fn a_lost_attempt_is_repeated_only_where_that_is_safe() {
        let once = || claimed(Policy::immediate().idempotent(false));
        let lost = |task: &Claimed, key_in_use| failed(task, worker_lost("w1"), key_in_use);
        let Verdict::Failed { fault: Some(fault), reason, .. } = lost(&once(), false) else {
            panic!("it is not safe");
        };
        assert_eq!((reason, fault.class), (Reason::NotSafeToRetry, Class::UnknownOutcome));
        assert!(fault.message.contains("`w1`"), "{}", fault.message);
        assert!(matches!(lost(&once(), true), Verdict::Retry { .. }), "its key makes it safe");
        assert!(matches!(lost(&claimed(Policy::immediate()), false), Verdict::Retry { .. }));
    }

    /// K4: an error that quotes a whole page is kept, but not the page.
    #[test]
    fn a_long_story_is_cut_short() {
        let page = "ä".repeat(1 << 20);
        let mut fault = Fault::http(503).with_message(page.as_str());
        fault.causes = vec![Fault::default().with_message(page.as_str()); 100];
        fault.type_name = Some(page.clone().into());
        let Verdict::Retry { fault, .. } = failed(&claimed(Policy::immediate()), fault, false)
        else {
            panic!("there is another attempt");
        };
        assert!(fault.message.ends_with('…'), "{}", fault.message.len());
        let row = serde_json::to_string(&fault).unwrap();
        assert!(row.len() < 40 * MOST_WORDS, "{}", row.len());
    }

    /// J6: the longest wait that a header can ask for is kept, and read again.
    #[test]
    fn a_fault_with_the_longest_hint_can_be_read_again() {
        let fault = Fault::http(429).with_hint(Hint::After(Duration::from_secs(u64::MAX)));
        let Verdict::Retry { fault, .. } = failed(&claimed(Policy::immediate()), fault, false)
        else {
            panic!("it is waited for");
        };
        let row = serde_json::to_string(&fault).unwrap();
        assert!(serde_json::from_str::<FaultRecord>(&row).is_ok(), "{row}");
    }

    /// O5: no secret reaches a row, and no character that a row cannot have.
    #[test]
    fn a_fault_is_kept_without_secrets() {
        let fault = Fault::http(503).with_message("https://me:hunter2@example.com/\0");
        let Verdict::Retry { fault, .. } = failed(&claimed(Policy::immediate()), fault, false)
        else {
            panic!("there is another attempt");
        };
        let row = serde_json::to_string(&fault).unwrap();
        assert!(row.contains("example.com") && !row.contains("hunter2"), "{row}");
        assert!(!fault.message.contains('\0'));
    }
}
