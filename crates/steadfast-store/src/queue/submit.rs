//! From a task as it was written to one that can be kept: its policy is looked up, and what it
//! went through before is counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::drive::FailedAttempt;
use steadfast::judge::{self, Judgement};
use steadfast::policy::{Draft as PolicyDraft, PRESETS};
use steadfast::{Fault, Policy, Reason, nearest};

use crate::error::Invalid;
use crate::retry::decision::{Asked, Told, moment};
use crate::task::policy_snapshot;
use crate::task::{Before, Draft, FaultRecord, Task, Wanted, When};

/// Finds policies by name, such as a registry does.
pub(crate) type FindPolicy = dyn Fn(&str) -> Option<Arc<Policy>> + Send + Sync;

/// The policies of one submission, each found once: tasks submitted together mean the same by
/// a name, whatever is reloaded meanwhile.
pub(crate) struct Policies<'f> {
    find: &'f FindPolicy,
    found: HashMap<String, Arc<Policy>>,
    /// The last one that a task brought along: a batch usually has one.
    checked: Option<Arc<Policy>>,
}

impl<'f> Policies<'f> {
    pub(crate) fn new(find: &'f FindPolicy) -> Self {
        Self { find, found: HashMap::new(), checked: None }
    }

    fn get(&mut self, wanted: &Wanted) -> Result<Arc<Policy>, Invalid> {
        let name = match wanted {
            Wanted::Given(policy) => return self.brought_along(policy),
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

    fn brought_along(&mut self, policy: &Arc<Policy>) -> Result<Arc<Policy>, Invalid> {
        if !self.checked.as_ref().is_some_and(|checked| Arc::ptr_eq(checked, policy)) {
            policy_snapshot::check(policy)?;
            self.checked = Some(policy.clone());
        }
        Ok(policy.clone())
    }
}

fn built_in(wanted: &Wanted, name: &str) -> Result<Arc<Policy>, Invalid> {
    let draft = match wanted {
        Wanted::Default => PolicyDraft::new(),
        _ => PolicyDraft::preset(name).ok_or_else(|| unknown(name))?,
    };
    let built = draft.id(name).build();
    built.map(Arc::new).map_err(|error| Invalid::new("policy", error.to_string()))
}

/// A task that is ready to be written: its policy is known, and so is what happened before.
#[derive(Clone, Debug)]
pub struct Admission {
    pub(crate) draft: Box<Draft>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) head_start: HeadStart,
}

/// What a task brings along.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadStart {
    pub(crate) progress: Progress,
    pub(crate) faults: Vec<FaultRecord>,
    /// Ended before it began: what failed elsewhere cannot be helped by trying again.
    pub(crate) ended: Option<Reason>,
}

impl Admission {
    /// `now` is the store's time, for tasks that have a past.
    pub(crate) fn new(
        task: Task,
        policies: &mut Policies<'_>,
        now: Timestamp,
    ) -> Result<Self, Invalid> {
        let mut draft = task.checked()?;
        let policy = policies.get(&draft.policy)?;
        let head_start = match std::mem::replace(&mut draft.before, Before::Nothing) {
            Before::Nothing => HeadStart::default(),
            Before::Fault(fault) => {
                let judgement = judge::judge(policy.rules(), &fault);
                let past = Past { policy: &policy, now, earlier: Vec::new() };
                past.decide(&mut draft, *fault, judgement)
            }
            Before::Session(failures) => after_session(&mut draft, &policy, failures, now),
        };
        Ok(Self { draft, policy, head_start })
    }
}

impl Task {
    /// Whether something happened to it before, so that the time matters.
    pub(crate) const fn has_a_past(&self) -> bool {
        !matches!(self.before(), Before::Nothing)
    }
}

fn unknown(name: &str) -> Invalid {
    let next = match nearest(name, PRESETS.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are the presets {}", PRESETS.join(", ")),
    };
    Invalid::new("policy", format!("no policy is called `{name}`; {next}"))
}

/// A session that gave up is the first attempt of the task that goes on.
fn after_session(
    draft: &mut Draft,
    policy: &Policy,
    mut failures: Vec<FailedAttempt>,
    now: Timestamp,
) -> HeadStart {
    let Some(last) = failures.pop() else {
        return HeadStart::default();
    };
    let earlier = failures.into_iter().map(|failure| kept(policy, failure, now)).collect();
    // What the other side asked for still holds, however the class was found.
    let hint = judge::judge(policy.rules(), &last.fault).hint();
    let judgement = Judgement::by_code(last.class, hint);
    Past { policy, now, earlier }.decide(draft, last.fault, judgement)
}

fn kept(policy: &Policy, failure: FailedAttempt, now: Timestamp) -> FaultRecord {
    let told = Told {
        attempt: failure.attempt,
        at: now,
        judgement: Judgement::by_code(failure.class, None),
        delay: Ok(failure.delay.unwrap_or_default()),
    };
    told.record(policy, failure.fault)
}

/// What a task went through before its last failure.
struct Past<'p> {
    policy: &'p Policy,
    now: Timestamp,
    earlier: Vec<FaultRecord>,
}

impl Past<'_> {
    fn decide(self, draft: &mut Draft, fault: Fault, judgement: Judgement) -> HeadStart {
        let mut progress = Progress::default();
        let started = moment(self.now);
        let expires_at = draft.expires.map(|when| moment(when.from(self.now)));
        let key_in_use = draft.key.is_some();
        let terms = SessionLimits { started, expires_at, max_hint: None, key_in_use };
        let decision =
            progress.decide(self.policy, &terms, started, &judgement, &mut Asked(&mut ()));
        let (delay, ended) = match decision {
            Decision::Retry(delay) => (Ok(delay), None),
            Decision::GiveUp(reason) => (Err(reason), Some(reason)),
        };
        if let (Ok(delay), When::Now) = (delay, draft.run) {
            draft.run = When::After(delay);
        }
        let attempt = self.earlier.last().map_or(1, |earlier| earlier.attempt.saturating_add(1));
        let told = Told { attempt, at: self.now, judgement, delay };
        let mut faults = self.earlier;
        faults.push(told.record(self.policy, fault));
        HeadStart { progress, faults, ended }
    }
}

impl When {
    /// The time itself.
    pub(crate) fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Now => now,
            Self::After(delay) => later(now, delay),
            Self::At(time) => time,
        }
    }
}

/// A time so much later; what is too far away is as far as time goes.
pub(crate) fn later(time: Timestamp, delay: Duration) -> Timestamp {
    time.checked_add(delay).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn admit(task: Task, find: &FindPolicy) -> Result<Admission, Invalid> {
        Admission::new(task, &mut Policies::new(find), Timestamp::UNIX_EPOCH)
    }

    /// F6: what is registered goes before what is built in, and no name means `default`.
    #[test]
    fn a_policy_is_found_where_it_is_registered_first() {
        let named = |name: &str| {
            let policy = PolicyDraft::new().id(name).max_attempts(77).build().ok()?;
            ["default", "sql"].contains(&name).then(|| Arc::new(policy))
        };
        let attempts = |task: Task| admit(task, &named).unwrap().policy.max_attempts();
        assert_eq!(attempts(Task::new("k", &1)), 77);
        assert_eq!(attempts(Task::new("k", &1).policy("sql")), 77);
        assert_ne!(attempts(Task::new("k", &1).policy("patient")), 77);
        let nobody = |_: &str| None;
        assert_eq!(admit(Task::new("k", &1), &nobody).unwrap().policy.id(), Some("default"));
        let refused = admit(Task::new("k", &1).policy("nobody"), &nobody).unwrap_err();
        assert_eq!(refused.field(), "policy");
    }

    /// D9: tasks submitted together mean the same by a name.
    #[test]
    fn a_name_is_looked_up_once_for_a_batch() {
        let asked = AtomicU32::new(0);
        let find = move |_: &str| {
            let attempts = asked.fetch_add(1, Ordering::Relaxed) + 1;
            PolicyDraft::new().max_attempts(attempts).build().ok().map(Arc::new)
        };
        let mut policies = Policies::new(&find);
        let mut attempts = || {
            let task = Task::new("k", &1).policy("mine");
            let now = Timestamp::UNIX_EPOCH;
            Admission::new(task, &mut policies, now).unwrap().policy.max_attempts()
        };
        assert_eq!([attempts(), attempts(), attempts()], [1, 1, 1]);
    }

    /// K4: a delay beyond the end of time is the end of time.
    #[test]
    fn a_time_too_far_away_is_as_far_as_time_goes() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(When::After(Duration::MAX).from(now), Timestamp::MAX);
        assert_eq!(When::Now.from(now), now);
        assert_eq!(When::At(Timestamp::MIN).from(now), Timestamp::MIN);
    }
}
