//! The checker: compares every journal with the contents of the store, and finds violations.
//!
//! | guarantee | violated by |
//! |---|---|
//! | no task is lost | a submitted task that is not in the store, or has not ended |
//! | one lease holder | a fencing token granted to two processes; two tokens of one task out of order |
//! | fencing | a settlement that was accepted although a later claim had been granted before it was sent; two accepted under one token |
//! | every fault is stored | fewer faults in a task's history than were accepted |
//! | counts match | attempts that differ from the counted faults plus the success |
//!
//! A process that was killed or disconnected may have settled a task without receiving the answer. Such
//! a settlement may count or not, and the counts are checked with that tolerance.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use steadfast_store::{FencingToken, Settled, Status, StoredTask, TaskId};

use crate::journal::{Entry, Instant, VerdictKind};

/// A violated guarantee.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation(pub(crate) String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The journal entries of one task.
#[derive(Debug, Default)]
struct TaskHistory {
    claims: Vec<Grant>,
    settlements: Vec<Settlement>,
    /// How many settlements were sent without an answer.
    unanswered: usize,
}

#[derive(Clone, Copy, Debug)]
struct Grant {
    granted: Instant,
    token: FencingToken,
}

#[derive(Clone, Copy, Debug)]
struct Settlement {
    sent: Instant,
    token: FencingToken,
    verdict: VerdictKind,
    answer: Settled,
}

/// The counts for the report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) tasks: usize,
    pub(crate) claims: usize,
    pub(crate) attempts: usize,
    pub(crate) accepted: usize,
    pub(crate) stale: usize,
    pub(crate) unanswered: usize,
    pub(crate) faults: usize,
    pub(crate) lost_workers: usize,
    pub(crate) completed: usize,
    pub(crate) failed: usize,
}

/// All violations, and the counts. There is one journal per process.
pub(crate) fn check(journals: &[Vec<Entry>], tasks: &[StoredTask]) -> (Vec<Violation>, Counts) {
    let mut checker = Checker::default();
    for (process, journal) in journals.iter().enumerate() {
        journal.iter().for_each(|entry| checker.read(process, entry));
    }
    checker.check_tasks(tasks);
    checker.counts.tasks = tasks.len();
    (checker.violations, checker.counts)
}

#[derive(Default)]
struct Checker {
    submitted: BTreeSet<TaskId>,
    holders: BTreeMap<FencingToken, usize>,
    histories: BTreeMap<TaskId, TaskHistory>,
    violations: Vec<Violation>,
    counts: Counts,
}

impl Checker {
    fn add_violation(&mut self, what: String) {
        self.violations.push(Violation(what));
    }

    fn read(&mut self, process: usize, entry: &Entry) {
        match entry {
            Entry::Submitted { ids } => self.submitted.extend(ids),
            Entry::Claimed { granted, token, ids, .. } => {
                self.counts.claims += 1;
                let other = self.holders.insert(*token, process);
                if let Some(other) = other.filter(|other| *other != process) {
                    self.add_violation(format!(
                        "token {token} was granted to processes {other} and {process}"
                    ));
                }
                for id in ids {
                    let grant = Grant { granted: *granted, token: *token };
                    self.histories.entry(*id).or_default().claims.push(grant);
                }
            }
            Entry::SettlementSent { id, .. } => {
                self.histories.entry(*id).or_default().unanswered += 1
            }
            Entry::SettlementAnswered { requested, id, token, verdict, answer, .. } => {
                let history = self.histories.entry(*id).or_default();
                history.unanswered = history.unanswered.saturating_sub(1);
                let settlement = Settlement {
                    sent: *requested,
                    token: *token,
                    verdict: *verdict,
                    answer: *answer,
                };
                history.settlements.push(settlement);
            }
            Entry::Started { .. } => self.counts.attempts += 1,
        }
    }

    fn check_tasks(&mut self, tasks: &[StoredTask]) {
        let stored: BTreeMap<TaskId, &StoredTask> =
            tasks.iter().map(|task| (task.id, task)).collect();
        for id in self.submitted.clone() {
            match stored.get(&id) {
                None => self.add_violation(format!("task {id} was submitted and is missing")),
                Some(task) if !task.status.is_ended() => {
                    self.add_violation(format!("task {id} is still {}", task.status));
                }
                Some(_) => {}
            }
        }
        for task in tasks {
            let history = self.histories.remove(&task.id).unwrap_or_default();
            self.count(&history, task);
            for violation in check_fencing(&history).into_iter().chain(check_counts(&history, task))
            {
                self.add_violation(format!("task {}: {violation}", task.id));
            }
        }
    }

    fn count(&mut self, history: &TaskHistory, task: &StoredTask) {
        let answered =
            |answer| history.settlements.iter().filter(|sent| sent.answer == answer).count();
        self.counts.accepted += answered(Settled::Accepted);
        self.counts.stale += answered(Settled::Stale);
        self.counts.unanswered += history.unanswered;
        self.counts.faults += task.faults.len();
        let lost = |kind| kind == Some(steadfast::Kind::WorkerLost);
        self.counts.lost_workers +=
            task.faults.iter().filter(|fault| lost(fault.fault.kind)).count();
        self.counts.completed += usize::from(task.status == Status::Completed);
        self.counts.failed += usize::from(task.status == Status::Failed);
    }
}

fn check_fencing(history: &TaskHistory) -> Vec<String> {
    let mut broken = Vec::new();
    let mut accepted = BTreeSet::new();
    for sent in history.settlements.iter().filter(|sent| sent.answer == Settled::Accepted) {
        if !accepted.insert(sent.token) {
            broken.push(format!("two settlements were accepted under token {}", sent.token));
        }
        let overtaken = |grant: &&Grant| grant.token > sent.token && grant.granted < sent.sent;
        if let Some(later) = history.claims.iter().find(overtaken) {
            broken.push(format!(
                "token {} was granted before a settlement under {} was sent, which was accepted",
                later.token, sent.token
            ));
        }
        if !history.claims.iter().any(|grant| grant.token == sent.token) {
            broken.push(format!("a settlement was accepted under {}, never granted", sent.token));
        }
    }
    let ends = history.settlements.iter().filter(|sent| {
        sent.answer == Settled::Accepted
            && matches!(sent.verdict, VerdictKind::Completed | VerdictKind::Failed)
    });
    for end in ends {
        if let Some(later) = history.claims.iter().find(|grant| grant.token > end.token) {
            broken.push(format!(
                "it ended under {} and was claimed again under {}",
                end.token, later.token
            ));
        }
    }
    broken
}

fn check_counts(history: &TaskHistory, task: &StoredTask) -> Vec<String> {
    let mut broken = Vec::new();
    let accepted = |kinds: &[VerdictKind]| {
        let counts =
            |sent: &&Settlement| sent.answer == Settled::Accepted && kinds.contains(&sent.verdict);
        history.settlements.iter().filter(counts).count()
    };
    let answered = accepted(&[VerdictKind::Retry, VerdictKind::Failed]);
    let stored = task.faults.len();
    let unanswered = history.unanswered;
    if stored < answered || stored > answered + unanswered {
        broken.push(format!(
            "{answered} faults were accepted, {unanswered} more may have been, {stored} are stored"
        ));
    }
    let hinted = task.faults.iter().filter(|fault| is_hinted_wait(fault)).count();
    let succeeded = usize::from(task.status == Status::Completed);
    let attempts = stored - hinted + succeeded;
    if attempts != task.attempts as usize {
        broken.push(format!("{attempts} attempts were made, {} are counted", task.attempts));
    }
    if hinted != task.rate_limit_waits as usize {
        broken.push(format!("{hinted} hinted waits, {} are counted", task.rate_limit_waits));
    }
    if task.attempts > task.max_attempts {
        broken.push(format!("{} attempts of at most {}", task.attempts, task.max_attempts));
    }
    if task.status == Status::Completed && accepted(&[VerdictKind::Completed]) + unanswered == 0 {
        broken.push("it is completed without a settlement".to_owned());
    }
    broken
}

/// Whether a fault led to a hinted wait, which does not count as an attempt.
fn is_hinted_wait(fault: &steadfast_store::FaultRecord) -> bool {
    fault.class == steadfast::Class::RateLimited
        && fault.fault.hint.is_some()
        && fault.next_delay.is_some()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use serde_json::Value;
    use steadfast::{Class, Fault, Policy};
    use steadfast_store::FaultRecord;

    use super::*;

    fn task(status: Status, attempts: u32, faults: u32) -> StoredTask {
        let policy = Policy::immediate().max_attempts(3).build().unwrap();
        let fault = |attempt| FaultRecord {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            class: Class::Retryable,
            message: "HTTP 503".to_owned(),
            fault: Fault::http(503),
            why: None,
            next_delay: Some(1.0),
        };
        StoredTask {
            id: TaskId::fresh(),
            kind: "chaos".to_owned(),
            payload: Value::Null,
            queue: "default".to_owned(),
            category: None,
            priority: 0,
            max_attempts: policy.max_attempts(),
            policy: Some(Arc::new(policy)),
            status,
            reason: None,
            attempts,
            rate_limit_waits: 0,
            submitted_at: Timestamp::UNIX_EPOCH,
            counted_from: Timestamp::UNIX_EPOCH,
            scheduled_at: Timestamp::UNIX_EPOCH,
            last_attempt_at: None,
            ended_at: None,
            expires_at: None,
            lease: None,
            last_error: None,
            faults: (1..=faults).map(fault).collect(),
            result: None,
            idempotency_key: None,
            correlation_id: None,
            hold_category: false,
            problem: None,
        }
    }

    fn claimed(at: i64, token: i64, id: TaskId) -> Entry {
        let (requested, granted) = (Instant(at), Instant(at + 1));
        Entry::Claimed { requested, granted, token: FencingToken(token), ids: vec![id] }
    }

    fn settled(
        at: i64,
        token: i64,
        id: TaskId,
        verdict: VerdictKind,
        answer: Settled,
    ) -> [Entry; 2] {
        let (requested, answered, token) = (Instant(at), Instant(at + 1), FencingToken(token));
        [
            Entry::SettlementSent { at: requested, id, token, verdict },
            Entry::SettlementAnswered { requested, answered, id, token, verdict, answer },
        ]
    }

    fn broken(journals: &[Vec<Entry>], tasks: &[StoredTask]) -> String {
        let (violations, _) = check(journals, tasks);
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn retried_and_completed_task_has_no_violation() {
        let task = task(Status::Completed, 2, 1);
        let mut journal = vec![Entry::Submitted { ids: vec![task.id] }, claimed(0, 1, task.id)];
        journal.extend(settled(10, 1, task.id, VerdictKind::Retry, Settled::Accepted));
        journal.push(claimed(20, 2, task.id));
        journal.extend(settled(30, 2, task.id, VerdictKind::Completed, Settled::Accepted));
        assert_eq!(broken(&[journal], &[task]), "");
    }

    /// D4: no task is lost.
    #[test]
    fn missing_or_open_task_is_a_violation() {
        let (lost, open) = (TaskId::fresh(), task(Status::Scheduled, 0, 0));
        let violations = broken(&[vec![Entry::Submitted { ids: vec![lost, open.id] }]], &[open]);
        assert!(violations.contains("was submitted and is missing"), "{violations}");
        assert!(violations.contains("is still scheduled"), "{violations}");
    }

    /// D4: never two holders of one lease.
    #[test]
    fn token_granted_to_two_processes_is_a_violation() {
        let task = task(Status::Completed, 1, 0);
        let mut one = vec![claimed(0, 1, task.id)];
        one.extend(settled(10, 1, task.id, VerdictKind::Completed, Settled::Accepted));
        let violations = broken(&[one, vec![claimed(0, 1, task.id)]], &[task]);
        assert!(violations.contains("granted to processes 0 and 1"), "{violations}");
    }

    /// D4: a stale settlement is rejected.
    #[test]
    fn accepted_stale_settlement_is_a_violation() {
        let task = task(Status::Completed, 1, 0);
        let mut late = vec![claimed(0, 1, task.id)];
        late.extend(settled(100, 1, task.id, VerdictKind::Completed, Settled::Accepted));
        let violations = broken(&[late, vec![claimed(50, 2, task.id)]], &[task]);
        assert!(
            violations.contains("token 2 was granted before a settlement under 1"),
            "{violations}"
        );
    }

    /// D8: every fault is stored.
    #[test]
    fn missing_fault_is_a_violation() {
        let task = task(Status::Completed, 1, 0);
        let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
        journal.extend(settled(10, 1, task.id, VerdictKind::Retry, Settled::Accepted));
        journal.extend(settled(30, 2, task.id, VerdictKind::Completed, Settled::Accepted));
        let violations = broken(&[journal], &[task]);
        assert!(
            violations.contains("1 faults were accepted, 0 more may have been, 0 are stored"),
            "{violations}"
        );
    }

    #[test]
    fn unanswered_settlement_may_count_or_not() {
        for (attempts, faults) in [(2, 1), (1, 0)] {
            let task = task(Status::Completed, attempts, faults);
            let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
            journal.extend(
                settled(10, 1, task.id, VerdictKind::Retry, Settled::Accepted).into_iter().take(1),
            );
            journal.extend(settled(30, 2, task.id, VerdictKind::Completed, Settled::Accepted));
            assert_eq!(broken(&[journal], &[task]), "");
        }
    }

    /// D8: the attempts match.
    #[test]
    fn wrong_attempt_count_is_a_violation() {
        let task = task(Status::Completed, 3, 1);
        let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
        journal.extend(settled(10, 1, task.id, VerdictKind::Retry, Settled::Accepted));
        journal.extend(settled(30, 2, task.id, VerdictKind::Completed, Settled::Accepted));
        let violations = broken(&[journal], &[task]);
        assert!(violations.contains("2 attempts were made, 3 are counted"), "{violations}");
    }
}
