//! The checker: reads every journal and the store as it was left, and finds what cannot be.
//!
//! | promise | what would break it |
//! |---|---|
//! | nothing is lost | a submitted task that is not in the store, or has not ended |
//! | one holder | a version granted to two processes; two versions of one task out of order |
//! | fencing | a last word that was accepted although a later claim had been granted before it was asked; two accepted under one version |
//! | every fault is kept | fewer faults in a task's history than were accepted |
//! | counts add up | attempts that are not the faults that count, plus the success |
//!
//! A process that was killed, or cut off, may have had a last word without hearing the answer.
//! Such a word may count or not, and the sums are checked with that much room.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use steadfast_store::{FencingToken, Settled, Status, StoredTask, TaskId};

use crate::journal::{Instant, Sight, Word};

/// Something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation(pub(crate) String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What was seen of one task.
#[derive(Debug, Default)]
struct Story {
    claims: Vec<Grant>,
    words: Vec<Speech>,
    /// How many words were had, less those whose answers were heard.
    unheard: usize,
}

#[derive(Clone, Copy, Debug)]
struct Grant {
    granted: Instant,
    version: FencingToken,
}

#[derive(Clone, Copy, Debug)]
struct Speech {
    asked: Instant,
    version: FencingToken,
    word: Word,
    answer: Settled,
}

/// How much was looked at, for the report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) tasks: usize,
    pub(crate) claims: usize,
    pub(crate) attempts: usize,
    pub(crate) accepted: usize,
    pub(crate) stale: usize,
    pub(crate) unheard: usize,
    pub(crate) faults: usize,
    pub(crate) lost_workers: usize,
    pub(crate) completed: usize,
    pub(crate) failed: usize,
}

/// Everything that cannot be, and how much was looked at. `journals` are one for each process.
pub(crate) fn check(journals: &[Vec<Sight>], tasks: &[StoredTask]) -> (Vec<Violation>, Seen) {
    let mut checker = Checker::default();
    for (process, journal) in journals.iter().enumerate() {
        journal.iter().for_each(|sight| checker.hear(process, sight));
    }
    checker.check_tasks(tasks);
    checker.seen.tasks = tasks.len();
    (checker.violations, checker.seen)
}

#[derive(Default)]
struct Checker {
    submitted: BTreeSet<TaskId>,
    holders: BTreeMap<FencingToken, usize>,
    stories: BTreeMap<TaskId, Story>,
    violations: Vec<Violation>,
    seen: Seen,
}

impl Checker {
    fn blame(&mut self, what: String) {
        self.violations.push(Violation(what));
    }

    fn hear(&mut self, process: usize, sight: &Sight) {
        match sight {
            Sight::Submitted { ids } => self.submitted.extend(ids),
            Sight::Claimed { granted, version, ids, .. } => {
                self.seen.claims += 1;
                let other = self.holders.insert(*version, process);
                if let Some(other) = other.filter(|other| *other != process) {
                    self.blame(format!(
                        "version {version} was granted to processes {other} and {process}"
                    ));
                }
                for id in ids {
                    let grant = Grant { granted: *granted, version: *version };
                    self.stories.entry(*id).or_default().claims.push(grant);
                }
            }
            Sight::Saying { id, .. } => self.stories.entry(*id).or_default().unheard += 1,
            Sight::Said { asked, id, version, word, answer, .. } => {
                let story = self.stories.entry(*id).or_default();
                story.unheard = story.unheard.saturating_sub(1);
                let speech =
                    Speech { asked: *asked, version: *version, word: *word, answer: *answer };
                story.words.push(speech);
            }
            Sight::Ran { .. } => self.seen.attempts += 1,
        }
    }

    fn check_tasks(&mut self, tasks: &[StoredTask]) {
        let kept: BTreeMap<TaskId, &StoredTask> =
            tasks.iter().map(|task| (task.id, task)).collect();
        for id in self.submitted.clone() {
            match kept.get(&id) {
                None => self.blame(format!("task {id} was submitted and is not there")),
                Some(task) if !task.status.is_ended() => {
                    self.blame(format!("task {id} is still {}", task.status));
                }
                Some(_) => {}
            }
        }
        for task in tasks {
            let story = self.stories.remove(&task.id).unwrap_or_default();
            self.count(&story, task);
            for broken in fencing(&story).into_iter().chain(sums(&story, task)) {
                self.blame(format!("task {}: {broken}", task.id));
            }
        }
    }

    fn count(&mut self, story: &Story, task: &StoredTask) {
        let answered = |answer| story.words.iter().filter(|said| said.answer == answer).count();
        self.seen.accepted += answered(Settled::Accepted);
        self.seen.stale += answered(Settled::Stale);
        self.seen.unheard += story.unheard;
        self.seen.faults += task.faults.len();
        let lost = |kind| kind == Some(steadfast::Kind::WorkerLost);
        self.seen.lost_workers += task.faults.iter().filter(|fault| lost(fault.fault.kind)).count();
        self.seen.completed += usize::from(task.status == Status::Completed);
        self.seen.failed += usize::from(task.status == Status::Failed);
    }
}

fn fencing(story: &Story) -> Vec<String> {
    let mut broken = Vec::new();
    let mut accepted = BTreeSet::new();
    for said in story.words.iter().filter(|said| said.answer == Settled::Accepted) {
        if !accepted.insert(said.version) {
            broken.push(format!("two last words were accepted under version {}", said.version));
        }
        let overtaken = |grant: &&Grant| grant.version > said.version && grant.granted < said.asked;
        if let Some(later) = story.claims.iter().find(overtaken) {
            broken.push(format!(
                "version {} was granted before a last word under {} was asked, and that was accepted",
                later.version, said.version
            ));
        }
        if !story.claims.iter().any(|grant| grant.version == said.version) {
            broken.push(format!("a last word was accepted under {}, never granted", said.version));
        }
    }
    let done = story.words.iter().filter(|said| {
        said.answer == Settled::Accepted && matches!(said.word, Word::Completed | Word::Failed)
    });
    for end in done {
        if let Some(later) = story.claims.iter().find(|grant| grant.version > end.version) {
            broken.push(format!(
                "it had ended under {} and was claimed as {}",
                end.version, later.version
            ));
        }
    }
    broken
}

fn sums(story: &Story, task: &StoredTask) -> Vec<String> {
    let mut broken = Vec::new();
    let accepted = |words: &[Word]| {
        let counts =
            |said: &&Speech| said.answer == Settled::Accepted && words.contains(&said.word);
        story.words.iter().filter(counts).count()
    };
    let heard = accepted(&[Word::Retry, Word::Failed]);
    let kept = task.faults.len();
    let room = story.unheard;
    if kept < heard || kept > heard + room {
        broken.push(format!(
            "{heard} faults were accepted, {room} more may have been, {kept} are kept"
        ));
    }
    let hinted = task.faults.iter().filter(|fault| is_hinted_wait(fault)).count();
    let succeeded = usize::from(task.status == Status::Completed);
    let attempts = kept - hinted + succeeded;
    if attempts != task.attempts as usize {
        broken.push(format!("{attempts} attempts were made, {} are counted", task.attempts));
    }
    if hinted != task.rate_limit_waits as usize {
        broken
            .push(format!("{hinted} waits were asked for, {} are counted", task.rate_limit_waits));
    }
    if task.attempts > task.max_attempts {
        broken.push(format!("{} attempts of at most {}", task.attempts, task.max_attempts));
    }
    if task.status == Status::Completed && accepted(&[Word::Completed]) + room == 0 {
        broken.push("it is completed, and nobody said so".to_owned());
    }
    broken
}

/// Whether a failure was answered with a wait that uses up no attempt.
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

    fn claimed(at: i64, version: i64, id: TaskId) -> Sight {
        let (asked, granted) = (Instant(at), Instant(at + 1));
        Sight::Claimed { asked, granted, version: FencingToken(version), ids: vec![id] }
    }

    fn said(at: i64, version: i64, id: TaskId, word: Word, answer: Settled) -> [Sight; 2] {
        let (asked, answered, version) = (Instant(at), Instant(at + 1), FencingToken(version));
        [
            Sight::Saying { at: asked, id, version, word },
            Sight::Said { asked, answered, id, version, word, answer },
        ]
    }

    fn broken(journals: &[Vec<Sight>], tasks: &[StoredTask]) -> String {
        let (violations, _) = check(journals, tasks);
        violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_task_that_was_tried_twice_and_completed_is_in_order() {
        let task = task(Status::Completed, 2, 1);
        let mut journal = vec![Sight::Submitted { ids: vec![task.id] }, claimed(0, 1, task.id)];
        journal.extend(said(10, 1, task.id, Word::Retry, Settled::Accepted));
        journal.push(claimed(20, 2, task.id));
        journal.extend(said(30, 2, task.id, Word::Completed, Settled::Accepted));
        assert_eq!(broken(&[journal], &[task]), "");
    }

    /// D4: nothing is lost.
    #[test]
    fn a_lost_task_and_one_that_never_ends_are_found() {
        let (lost, open) = (TaskId::fresh(), task(Status::Scheduled, 0, 0));
        let told = broken(&[vec![Sight::Submitted { ids: vec![lost, open.id] }]], &[open]);
        assert!(told.contains("was submitted and is not there"), "{told}");
        assert!(told.contains("is still scheduled"), "{told}");
    }

    /// D4: never two holders of one lease.
    #[test]
    fn a_version_that_two_processes_hold_is_found() {
        let task = task(Status::Completed, 1, 0);
        let mut one = vec![claimed(0, 1, task.id)];
        one.extend(said(10, 1, task.id, Word::Completed, Settled::Accepted));
        let told = broken(&[one, vec![claimed(0, 1, task.id)]], &[task]);
        assert!(told.contains("granted to processes 0 and 1"), "{told}");
    }

    /// D4: a stale word is refused.
    #[test]
    fn a_stale_word_that_was_accepted_is_found() {
        let task = task(Status::Completed, 1, 0);
        let mut late = vec![claimed(0, 1, task.id)];
        late.extend(said(100, 1, task.id, Word::Completed, Settled::Accepted));
        let told = broken(&[late, vec![claimed(50, 2, task.id)]], &[task]);
        assert!(told.contains("version 2 was granted before a last word under 1"), "{told}");
    }

    /// D8: every fault is kept.
    #[test]
    fn a_fault_that_was_not_kept_is_found() {
        let task = task(Status::Completed, 1, 0);
        let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
        journal.extend(said(10, 1, task.id, Word::Retry, Settled::Accepted));
        journal.extend(said(30, 2, task.id, Word::Completed, Settled::Accepted));
        let told = broken(&[journal], &[task]);
        assert!(
            told.contains("1 faults were accepted, 0 more may have been, 0 are kept"),
            "{told}"
        );
    }

    #[test]
    fn a_word_whose_answer_was_lost_may_count_or_not() {
        for (attempts, faults) in [(2, 1), (1, 0)] {
            let task = task(Status::Completed, attempts, faults);
            let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
            journal
                .extend(said(10, 1, task.id, Word::Retry, Settled::Accepted).into_iter().take(1));
            journal.extend(said(30, 2, task.id, Word::Completed, Settled::Accepted));
            assert_eq!(broken(&[journal], &[task]), "");
        }
    }

    /// D8: attempts add up.
    #[test]
    fn a_wrong_count_is_found() {
        let task = task(Status::Completed, 3, 1);
        let mut journal = vec![claimed(0, 1, task.id), claimed(20, 2, task.id)];
        journal.extend(said(10, 1, task.id, Word::Retry, Settled::Accepted));
        journal.extend(said(30, 2, task.id, Word::Completed, Settled::Accepted));
        let told = broken(&[journal], &[task]);
        assert!(told.contains("2 attempts were made, 3 are counted"), "{told}");
    }
}
