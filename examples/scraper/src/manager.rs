//! The one place where anything is tried again.
//!
//! A subsystem says what it does and under which name of the policy file; whether, when and how
//! often it is tried again is no business of its own any more. Here the flag chooses between the
//! policy and the old loop, and every session under a policy is recorded.

use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use steadfast::observe::{Event, Figures, Memory, Recorder, Session, Sink, Tally};
use steadfast::registry::{Loader, Outcome, Registry};

use crate::flags::Flags;
use crate::old;
use crate::trouble::Trouble;

/// What is done, and the name that leads to its policy.
pub struct Job {
    operation: &'static str,
    policy: &'static str,
    page: Option<String>,
    context: Vec<(&'static str, Value)>,
}

impl Job {
    /// An operation, and `subsystem.operation.case` of the policy file: the case is the trouble
    /// that is to be expected of it.
    pub const fn new(operation: &'static str, policy: &'static str) -> Self {
        Self { operation, policy, page: None, context: Vec::new() }
    }

    /// The page that it is done for: whatever all subsystems did for it can be found by that.
    pub fn page(mut self, page: &str) -> Self {
        self.page = Some(page.to_owned());
        self
    }

    /// Something else that is worth knowing of it.
    pub fn about(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.context.push((key, value.into()));
        self
    }

    fn recorder<S: Sink>(self, sink: S) -> Recorder<S> {
        let mut recorder = Recorder::new(sink).component("retry_manager");
        if let Some(page) = self.page {
            recorder = recorder.correlation_id(page);
        }
        self.context
            .into_iter()
            .fold(recorder, |recorder, (key, value)| recorder.context(key, value))
    }
}

/// Tries again, for everybody.
pub struct RetryManager {
    /// The policies in force, and the sessions under way.
    pub registry: Registry,
    /// The sessions that have ended, and what happened in them.
    pub journal: Memory,
    flags: Arc<Flags>,
    started: Timestamp,
}

impl RetryManager {
    /// With the policies and flags of a file, which is watched, and what is laid over it. Each
    /// change is told in words, and each that was refused.
    pub fn load(
        file: &Path,
        lay_over: impl FnOnce(Loader) -> Loader,
        told: impl Fn(String) + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let flags = Arc::new(Flags::default());
        let (turning, read_again) = (Arc::clone(&flags), file.to_owned());
        let loader = Loader::file(file).on_change(move |change| {
            told(change.to_string());
            if let Outcome::Refused { .. } = change.outcome {
                return;
            }
            match turning.read(&read_again) {
                Ok(turned) => turned.into_iter().for_each(&told),
                Err(refused) => told(refused),
            }
        });
        let registry = lay_over(loader).load().map_err(|problems| problems.to_string())?;
        flags.read(file)?;
        Ok(Self { registry, journal: Memory::default(), flags, started: Timestamp::now() })
    }

    /// Does it, and again if the policy says so.
    pub async fn run<T, Try, Work>(&self, job: Job, attempt: Try) -> Result<T, Trouble>
    where
        T: Serialize,
        Try: Fn() -> Work,
        Work: Future<Output = Result<T, Trouble>>,
    {
        if self.flags.is_old(job.policy) {
            return old::run(job.policy, attempt).await;
        }
        let (attempt, result) = (&attempt, &Mutex::new(None));
        let noted = move || async move {
            let value = attempt().await?;
            *result.lock().unwrap_or_else(PoisonError::into_inner) =
                serde_json::to_value(&value).ok();
            Ok(value)
        };
        self.registry
            .run(job.policy, noted)
            .named(job.operation)
            .instrument(job.recorder(WithResult { journal: &self.journal, result }))
            .await
            .map_err(|error| error.into_error().unwrap_or_else(Trouble::from))
    }

    /// The figures of all sessions that ended until then, by policy and by subsystem.
    pub fn figures(&self, until: Timestamp) -> Figures {
        let mut tally = Tally::new(self.started, until);
        for session in self.journal.sessions() {
            tally.add(&session);
        }
        tally.figures()
    }
}

/// Writes what a session returned into its record: a recorder sees attempts, not values.
struct WithResult<'r> {
    journal: &'r Memory,
    result: &'r Mutex<Option<Value>>,
}

impl Sink for WithResult<'_> {
    fn event(&self, event: Event) {
        self.journal.event(event);
    }

    fn session(&self, mut session: Session) {
        session.final_result = self.result.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.journal.session(session);
    }
}
