//! Checking of submitted tasks: their policies are resolved, and prior attempts counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::__private::nearest;
use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::drive::FailedAttempt;
use steadfast::judge::{self, Judgement};
use steadfast::policy::{Draft as PolicyDraft, PRESETS};
use steadfast::{Fault, Policy, Reason};

use crate::error::InputError;
use crate::retry::decision::{DecidedFailure, GuardEnv, moment};
use crate::task::policy_snapshot;
use crate::task::{Before, Draft, FaultRecord, Task, Wanted, When};

/// Finds a policy by name, as a registry does.
pub(crate) type FindPolicy = dyn Fn(&str) -> Option<Arc<Policy>> + Send + Sync;

/// The policies of one batch, each resolved once, so that a reload does not split the batch.
pub(crate) struct Policies<'f> {
    find: &'f FindPolicy,
    found: HashMap<String, Arc<Policy>>,
    /// The last inline policy: a batch usually has one.
    checked: Option<Arc<Policy>>,
}

impl<'f> Policies<'f> {
    pub(crate) fn new(find: &'f FindPolicy) -> Self {
        Self { find, found: HashMap::new(), checked: None }
    }

    fn get(&mut self, wanted: &Wanted) -> Result<Arc<Policy>, InputError> {
        let name = match wanted {
            Wanted::Given(policy) => return self.inline(policy),
            Wanted::Named(name) => name,
            Wanted::Default => "default",
        };
        if let Some(policy) = self.found.get(name) {
            return Ok(policy.clone());
        }
        let policy = match (self.find)(name) {
            Some(policy) => policy,
            None => built_in(wanted, name)?,
        };
        self.found.insert(name.to_owned(), policy.clone());
        Ok(policy)
    }

    fn inline(&mut self, policy: &Arc<Policy>) -> Result<Arc<Policy>, InputError> {
        if !self.checked.as_ref().is_some_and(|checked| Arc::ptr_eq(checked, policy)) {
            policy_snapshot::check(policy)?;
            self.checked = Some(policy.clone());
        }
        Ok(policy.clone())
    }
}

fn built_in(wanted: &Wanted, name: &str) -> Result<Arc<Policy>, InputError> {
    let draft = match wanted {
        Wanted::Default => PolicyDraft::new(),
        _ => PolicyDraft::preset(name).ok_or_else(|| unknown(name))?,
    };
    let built = draft.id(name).build();
    built.map(Arc::new).map_err(|error| InputError::new("policy", error.to_string()))
}

/// A checked task with its policy and prior attempts.
#[derive(Clone, Debug)]
pub struct CheckedTask {
    pub(crate) draft: Box<Draft>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) prior: PriorAttempts,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct PriorAttempts {
    pub(crate) progress: Progress,
    pub(crate) faults: Vec<FaultRecord>,
    /// The reason why the task has already failed: its last failure cannot be retried.
    pub(crate) ended: Option<Reason>,
}

impl CheckedTask {
    /// `now` is the store's time, for tasks with prior attempts.
    pub(crate) fn new(
        task: Task,
        policies: &mut Policies<'_>,
        now: Timestamp,
    ) -> Result<Self, InputError> {
        let mut draft = task.checked()?;
        let policy = policies.get(&draft.policy)?;
        let prior = match std::mem::replace(&mut draft.before, Before::Nothing) {
            Before::Nothing => PriorAttempts::default(),
            Before::Fault(fault) => {
                let judgement = judge::judge(policy.rules(), &fault);
                after_failure(&mut draft, &policy, Vec::new(), (*fault, judgement), now)
            }
            Before::Session(failures) => after_session(&mut draft, &policy, failures, now),
        };
        Ok(Self { draft, policy, prior })
    }
}

impl Task {
    /// Whether it has prior attempts, so that the time matters.
    pub(crate) const fn has_prior_attempts(&self) -> bool {
        !matches!(self.before(), Before::Nothing)
    }
}

fn unknown(name: &str) -> InputError {
    let next = match nearest(name, PRESETS.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the presets are {}", PRESETS.join(", ")),
    };
    InputError::new("policy", format!("no policy is called `{name}`; {next}"))
}

/// The failures of a session become the first attempts of the task.
fn after_session(
    draft: &mut Draft,
    policy: &Policy,
    mut failures: Vec<FailedAttempt>,
    now: Timestamp,
) -> PriorAttempts {
    let Some(last) = failures.pop() else {
        return PriorAttempts::default();
    };
    let earlier = failures.into_iter().map(|failure| fault_record(policy, failure, now)).collect();
    let attempt = last.attempt;
    // A hint of the server applies, however the failure was classified.
    let hint = judge::judge(policy.rules(), &last.fault).hint();
    let judgement = Judgement::by_code(last.class, hint);
    let mut prior = after_failure(draft, policy, earlier, (last.fault, judgement), now);
    // The session numbers its own attempts.
    if let Some(last) = prior.faults.last_mut() {
        last.attempt = attempt;
    }
    prior
}

/// The record of an earlier attempt. The session's policy decided about it, so this one cannot
/// explain it.
fn fault_record(policy: &Policy, failure: FailedAttempt, now: Timestamp) -> FaultRecord {
    let failure_record = DecidedFailure {
        attempt: failure.attempt,
        at: now,
        judgement: Judgement::by_code(failure.class, None),
        delay: Ok(failure.delay.unwrap_or_default()),
    };
    FaultRecord { why: None, ..failure_record.record(policy, failure.fault) }
}

/// Decides about the last failure, after the earlier ones.
fn after_failure(
    draft: &mut Draft,
    policy: &Policy,
    mut faults: Vec<FaultRecord>,
    (fault, judgement): (Fault, Judgement),
    now: Timestamp,
) -> PriorAttempts {
    let mut progress = Progress::default();
    let started = moment(now);
    let expires_at = draft.expires.map(|when| moment(when.from(now)));
    let key_in_use = draft.key.is_some();
    let limits = SessionLimits::IN_STORE;
    let limits = limits.started(started).expires_at(expires_at).key_in_use(key_in_use);
    let env = &mut GuardEnv(&mut ());
    let (delay, ended) = match progress.decide(policy, &limits, started, &judgement, env) {
        Decision::Retry(delay) => (Ok(delay), None),
        Decision::GiveUp(reason) => (Err(reason), Some(reason)),
    };
    if let (Ok(delay), When::Now) = (delay, draft.run) {
        draft.run = When::After(delay);
    }
    // It counts as the first attempt of the task, whatever came before it.
    let last = DecidedFailure { attempt: 1, at: now, judgement, delay };
    faults.push(last.record(policy, fault));
    PriorAttempts { progress, faults, ended }
}

impl When {
    /// The absolute time.
    pub(crate) fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Now => now,
            Self::After(delay) => later(now, delay),
            Self::At(time) => time,
        }
    }
}

/// A later time, at most the latest possible.
pub(crate) fn later(time: Timestamp, delay: Duration) -> Timestamp {
    time.checked_add(delay).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn check(task: Task, find: &FindPolicy) -> Result<CheckedTask, InputError> {
        CheckedTask::new(task, &mut Policies::new(find), Timestamp::UNIX_EPOCH)
    }

    /// F6: registered policies come before presets, and the default is `default`.
    #[test]
    fn registered_policy_precedes_preset() {
        let named = |name: &str| {
            let policy = PolicyDraft::new().id(name).max_attempts(77).build().ok()?;
            ["default", "sql"].contains(&name).then(|| Arc::new(policy))
        };
        let attempts = |task: Task| check(task, &named).unwrap().policy.max_attempts();
        assert_eq!(attempts(Task::new("k", &1)), 77);
        assert_eq!(attempts(Task::new("k", &1).policy("sql")), 77);
        assert_ne!(attempts(Task::new("k", &1).policy("patient")), 77);
        let none = |_: &str| None;
        assert_eq!(check(Task::new("k", &1), &none).unwrap().policy.id(), Some("default"));
        let error = check(Task::new("k", &1).policy("unknown"), &none).unwrap_err();
        assert_eq!(error.field(), "policy");
    }

    /// D9: the tasks of a batch share one lookup per name.
    #[test]
    fn policy_name_is_resolved_once_per_batch() {
        let lookups = AtomicU32::new(0);
        let find = move |_: &str| {
            let attempts = lookups.fetch_add(1, Ordering::Relaxed) + 1;
            PolicyDraft::new().max_attempts(attempts).build().ok().map(Arc::new)
        };
        let mut policies = Policies::new(&find);
        let mut attempts = || {
            let task = Task::new("k", &1).policy("mine");
            let now = Timestamp::UNIX_EPOCH;
            CheckedTask::new(task, &mut policies, now).unwrap().policy.max_attempts()
        };
        assert_eq!([attempts(), attempts(), attempts()], [1, 1, 1]);
    }

    /// K4: a delay beyond the latest time is the latest time.
    #[test]
    fn time_is_clamped_to_the_latest_possible() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(When::After(Duration::MAX).from(now), Timestamp::MAX);
        assert_eq!(When::Now.from(now), now);
        assert_eq!(When::At(Timestamp::MIN).from(now), Timestamp::MIN);
    }
}
