//! Hands batches to the store, one after the other.
//!
//! One at a time, because tasks of one priority are done in the order in which they were
//! submitted (D5), and that should be the order of the file. The reader works ahead meanwhile.
//!
//! A store that is away is asked again, under the same ids, so that it does not matter whether
//! it has heard the first time. A store that refuses a batch takes none of it. Then every task is
//! looked at; and if none of them is wrong by itself, such as one with a key that other work has,
//! the batch is cut in half and each half sent, until the task is alone that cannot be taken.

use std::sync::Arc;
use std::time::Duration;

use steadfast::drive::EventKind;
use steadfast::policy::PolicyError;
use steadfast::{Class, Fault, Jitter, Policy, Reason, retry};
use steadfast_api::{Api, ApiError, ErrorKind, NewTask, Submitted};
use tokio::sync::mpsc::Receiver;

use super::batch::Batch;
use super::interrupt::Interrupt;
use super::journal::{Checkpoint, Journal};
use super::parser::{InvalidLine, ParsedBatch, TaskParser};
use super::progress::Progress;
use super::reader::{Next, ReadError};
use super::rejects::Rejects;
use super::tally::Tally;
use crate::error::CliError;

/// How many tasks that are set aside are told one by one.
const MAX_REPORTED_LINES: u64 = 10;

/// Everything that a submission needs.
pub(super) struct Sending {
    pub(super) api: Box<dyn Api>,
    pub(super) reading: Arc<TaskParser>,
    pub(super) policy: Policy,
    pub(super) stop: Interrupt,
    pub(super) journal: Option<Journal>,
    pub(super) rejects: Option<Rejects>,
    pub(super) progress: Progress,
    /// What the store has.
    pub(super) kept: Checkpoint,
}

/// Why it ended before the end.
#[derive(Debug)]
pub(super) enum StopError {
    Reading(ReadError),
    /// The store could not be asked, for longer than it was waited for.
    Store(ApiError),
    /// Somebody asked for it.
    Interrupted,
    /// Something of our own went wrong.
    Own(CliError),
}

impl From<CliError> for StopError {
    fn from(problem: CliError) -> Self {
        Self::Own(problem)
    }
}

/// How a store that is away is asked again.
pub(super) fn store_retry_policy(longest: Duration) -> Result<Policy, PolicyError> {
    let base = Duration::from_millis(200).min(longest);
    Policy::exponential(base)
        .max_delay(Duration::from_secs(10).max(base))
        .jitter(Jitter::Equal)
        .max_attempts(if longest.is_zero() { 1 } else { u32::MAX })
        .max_duration(longest)
        .build()
}

impl Sending {
    /// Sends everything.
    pub(super) async fn all(&mut self, mut batches: Receiver<Next>) -> Result<(), StopError> {
        loop {
            let stop = self.stop.clone();
            let next = tokio::select! {
                biased;
                () = stop.asked() => return Err(StopError::Interrupted),
                next = batches.recv() => next,
            };
            let Some(next) = next else { return Ok(()) };
            let (batch, read) = next.map_err(StopError::Reading)?;
            if let Some(journal) = &mut self.journal {
                journal.sending(&batch.after)?;
            }
            self.batch(&batch, read).await?;
            self.progress.reached(self.kept.tasks, batch.after.bytes);
        }
    }

    async fn batch(&mut self, batch: &Batch, read: ParsedBatch) -> Result<(), StopError> {
        let ParsedBatch { tasks, bad, .. } = read;
        let (mut ready, reading) = (Some(tasks), self.reading.clone());
        let tasks = || ready.take().unwrap_or_else(|| reading.read(batch).tasks);
        match self.ask(tasks).await? {
            Ok(taken) => self.all_taken(batch, &bad, existed(&taken)),
            Err(_) => self.sort_out(batch).await,
        }
    }

    /// Sends what can be taken of a batch that was refused.
    async fn sort_out(&mut self, batch: &Batch) -> Result<(), StopError> {
        let ParsedBatch { tasks, places, mut bad } = self.reading.read_thoroughly(batch);
        let stops_at = bad.first().filter(|_| self.rejects.is_none()).map(|bad| bad.place);
        let end = stops_at.map_or(tasks.len(), |stop| places.partition_point(|at| *at < stop));
        let (whole, mut there) = (0..end, 0);
        // What is still to be sent, the next at the end.
        let mut left = vec![whole];
        while let Some(range) = left.pop() {
            let some = tasks.get(range.clone()).unwrap_or_default();
            match self.ask(|| some.to_vec()).await? {
                Ok(taken) => there += existed(&taken),
                Err(_) if range.len() > 1 => {
                    let middle = range.start + range.len() / 2;
                    left.extend([middle..range.end, range.start..middle]);
                }
                Err(error) => {
                    let place = places.get(range.start).copied().unwrap_or_default();
                    let line = batch.texts().nth(place).map(|(line, _)| line).unwrap_or_default();
                    let refused = InvalidLine { place, line, error };
                    if self.rejects.is_none() {
                        return self.stop_before(batch, refused, there);
                    }
                    bad.push(refused);
                }
            }
        }
        bad.sort_by_key(|bad| bad.place);
        match bad.first() {
            Some(_) if self.rejects.is_none() => self.stop_before(batch, bad.swap_remove(0), there),
            _ => self.all_taken(batch, &bad, there),
        }
    }

    fn all_taken(
        &mut self,
        batch: &Batch,
        bad: &[InvalidLine],
        existed: u64,
    ) -> Result<(), StopError> {
        self.kept.existed += existed;
        self.set_aside(batch, bad)?;
        self.keep(&batch.after)
    }

    /// Everything before a task that the store refuses is kept; this is where to go on.
    fn stop_before(
        &mut self,
        batch: &Batch,
        refused: InvalidLine,
        existed: u64,
    ) -> Result<(), StopError> {
        let before = batch.after_first(refused.place);
        self.kept.existed += existed;
        if let Some(journal) = &mut self.journal {
            journal.sending(&before)?;
        }
        self.keep(&before)?;
        Err(StopError::Reading(ReadError::Bad(refused.line, Box::new(refused.error))))
    }

    fn keep(&mut self, to: &Tally) -> Result<(), StopError> {
        self.kept.tasks = to.tasks;
        self.kept.line = to.line;
        match &mut self.journal {
            Some(journal) => Ok(journal.kept(self.kept)?),
            None => Ok(()),
        }
    }

    fn set_aside(&mut self, batch: &Batch, bad: &[InvalidLine]) -> Result<(), CliError> {
        let Some(rejects) = self.rejects.as_mut().filter(|_| !bad.is_empty()) else {
            return Ok(());
        };
        for InvalidLine { line, error, .. } in bad {
            match self.kept.rejected {
                told if told < MAX_REPORTED_LINES => {
                    self.progress.note(&format!("line {line} is set aside: {error}"));
                }
                MAX_REPORTED_LINES => {
                    self.progress.note("more are set aside, and not told one by one")
                }
                _ => {}
            }
            self.kept.rejected += 1;
        }
        self.kept.rejected_bytes = rejects.add(batch, bad)?;
        Ok(())
    }

    /// Asks the store to take tasks until it answers: that it has, or that it will not.
    async fn ask(
        &mut self,
        mut tasks: impl FnMut() -> Vec<NewTask>,
    ) -> Result<Result<Vec<Submitted>, ApiError>, StopError> {
        let Self { api, policy, stop, progress, .. } = self;
        let attempt = || api.submit_all(tasks());
        let answer = retry(policy, attempt)
            .facts(|error: &ApiError| Fault::http(error.status).with_message(error.with_cause()))
            .judge(|fault| Some(class(fault.http_status)))
            .cancel_with(&stop.handle)
            .on_retry(|event| {
                if let EventKind::Retrying { fault, delay, .. } = &event.what {
                    progress
                        .store_unavailable(fault.message.as_deref().unwrap_or_default(), *delay);
                }
            })
            .await;
        let error = match answer {
            Ok(answer) => return Ok(Ok(answer)),
            Err(error) if error.reason() == Reason::Cancelled => {
                return Err(StopError::Interrupted);
            }
            Err(error) => error.into_error(),
        };
        match error {
            Ok(error) if matches!(error.kind, ErrorKind::Invalid | ErrorKind::KeyTaken) => {
                Ok(Err(error))
            }
            Ok(error) => Err(StopError::Store(error)),
            Err(gave_up) => Err(CliError::failed(gave_up.to_string()).into()),
        }
    }
}

fn existed(taken: &[Submitted]) -> u64 {
    taken.iter().filter(|one| one.existed).count() as u64
}

/// A store that is away, full or busy may answer later. Everything else is an answer.
const fn class(status: Option<u16>) -> Class {
    match status {
        Some(429 | 502..=504 | 507) => Class::Retryable,
        _ => Class::Final,
    }
}
