//! Submission of batches to the store.
//!
//! Batches are sent one at a time, because tasks of equal priority are claimed in submission
//! order (D5), which must be the order of the file. The reader works ahead meanwhile.
//!
//! While the store is unreachable, a batch is retried with the same ids, so it does not matter
//! whether an earlier attempt was stored. A store that rejects a batch stores none of it. Then
//! every task is validated; if all are valid, for example with a key conflict, the batch is halved
//! and each half sent, until the rejected task is found.

use std::sync::Arc;
use std::time::Duration;

use steadfast::drive::FailedAttempt;
use steadfast::policy::PolicyError;
use steadfast::{Class, Fault, GaveUp, Jitter, Policy, Reason, retry};
use steadfast_api::{Api, ApiError, ErrorKind, NewTask, Submitted};
use tokio::sync::mpsc::Receiver;

use super::batch::{Batch, Tally};
use super::interrupt::Interrupt;
use super::journal::{Checkpoint, Journal};
use super::parser::{InvalidLine, ParsedBatch, TaskParser};
use super::progress::Progress;
use super::reader::Next;
use super::rejects::Rejects;
use super::stop_error::StopError;
use crate::error::CliError;

const MAX_REPORTED_LINES: u64 = 10;

pub(super) struct Submission {
    pub(super) api: Box<dyn Api>,
    pub(super) parser: Arc<TaskParser>,
    pub(super) policy: Policy,
    pub(super) stop: Interrupt,
    pub(super) journal: Option<Journal>,
    pub(super) rejects: Option<Rejects>,
    pub(super) progress: Progress,
    pub(super) kept: Checkpoint,
}

pub(super) fn store_retry_policy(max_wait: Duration) -> Result<Policy, PolicyError> {
    let base = Duration::from_millis(200).min(max_wait);
    Policy::exponential(base)
        .max_delay(Duration::from_secs(10).max(base))
        .jitter(Jitter::Equal)
        .max_attempts(if max_wait.is_zero() { 1 } else { u32::MAX })
        .max_duration(max_wait)
        .build()
}

impl Submission {
    pub(super) async fn send_all(&mut self, mut batches: Receiver<Next>) -> Result<(), StopError> {
        loop {
            let stop = self.stop.clone();
            let next = tokio::select! {
                biased;
                () = stop.requested() => return Err(StopError::Interrupted),
                next = batches.recv() => next,
            };
            let Some(next) = next else { return Ok(()) };
            let (batch, read) = next?;
            self.sending(&batch.after)?;
            self.batch(&batch, read).await?;
            self.progress.reached(self.kept.tasks, batch.after.bytes);
        }
    }

    async fn batch(&mut self, batch: &Batch, read: ParsedBatch) -> Result<(), StopError> {
        let ParsedBatch { tasks, bad, .. } = read;
        let (mut ready, parser) = (Some(tasks), self.parser.clone());
        let tasks = || ready.take().unwrap_or_else(|| parser.read(batch).tasks);
        match self.ask(tasks).await? {
            Ok(taken) => self.all_taken(batch, &bad, existed(&taken)),
            Err(_) => self.split_batch(batch).await,
        }
    }

    /// Sends the valid tasks of a rejected batch.
    async fn split_batch(&mut self, batch: &Batch) -> Result<(), StopError> {
        let ParsedBatch { tasks, places, mut bad } = self.parser.read_thoroughly(batch);
        let stops_at = bad.first().filter(|_| self.rejects.is_none()).map(|bad| bad.place);
        let end = stops_at.map_or(tasks.len(), |stop| places.partition_point(|at| *at < stop));
        let (whole, mut existed_count) = (0..end, 0);
        // Ranges still to be sent, the next one last.
        let mut left = vec![whole];
        while let Some(range) = left.pop() {
            let some = tasks.get(range.clone()).unwrap_or_default();
            match self.ask(|| some.to_vec()).await? {
                Ok(taken) => existed_count += existed(&taken),
                Err(_) if range.len() > 1 => {
                    let middle = range.start + range.len() / 2;
                    left.extend([middle..range.end, range.start..middle]);
                }
                Err(error) => {
                    let place = places.get(range.start).copied().unwrap_or_default();
                    let line = batch.items.get(place).map_or(0, |item| item.line);
                    let refused = InvalidLine { place, line, error };
                    if self.rejects.is_none() {
                        return self.stop_before(batch, refused, existed_count);
                    }
                    bad.push(refused);
                }
            }
        }
        bad.sort_by_key(|bad| bad.place);
        match bad.first() {
            Some(_) if self.rejects.is_none() => {
                self.stop_before(batch, bad.swap_remove(0), existed_count)
            }
            _ => self.all_taken(batch, &bad, existed_count),
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

    /// Records everything before a rejected task, where a resumed run continues.
    fn stop_before(
        &mut self,
        batch: &Batch,
        refused: InvalidLine,
        existed: u64,
    ) -> Result<(), StopError> {
        let before = batch.after_first(refused.place);
        self.kept.existed += existed;
        self.sending(&before)?;
        self.keep(&before)?;
        Err(StopError::Invalid(Box::new(refused)))
    }

    fn sending(&mut self, to: &Tally) -> Result<(), CliError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.sending(to))
    }

    fn keep(&mut self, to: &Tally) -> Result<(), StopError> {
        self.kept.tasks = to.tasks;
        self.kept.line = to.line;
        if let Some(journal) = &mut self.journal {
            journal.kept(self.kept)?;
        }
        Ok(())
    }

    fn set_aside(&mut self, batch: &Batch, bad: &[InvalidLine]) -> Result<(), CliError> {
        let Some(rejects) = self.rejects.as_mut().filter(|_| !bad.is_empty()) else {
            return Ok(());
        };
        for InvalidLine { line, error, .. } in bad {
            match self.kept.rejected {
                count if count < MAX_REPORTED_LINES => {
                    self.progress.note(&format!("line {line} skipped: {error}"));
                }
                MAX_REPORTED_LINES => self.progress.note("more lines skipped, no longer listed"),
                _ => {}
            }
            self.kept.rejected += 1;
        }
        self.kept.rejected_bytes = rejects.add(batch, bad)?;
        Ok(())
    }

    /// Submits tasks, with retries, until the store accepts or rejects them.
    async fn ask(
        &mut self,
        mut tasks: impl FnMut() -> Vec<NewTask>,
    ) -> Result<Result<Vec<Submitted>, ApiError>, StopError> {
        let Self { api, policy, stop, progress, .. } = self;
        let attempt = || api.submit_all(tasks());
        let answer = retry(policy, attempt)
            .facts(|error| Fault::http(error.status).with_message(error.with_cause()))
            .judge(|fault| Some(class(fault.http_status)))
            .cancel_with(&stop.handle)
            .on_retry(|failed, delay| progress.store_unavailable(&failed.to_string(), delay))
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
            Err(gave_up) => Err(StopError::Store(unanswered(&gave_up))),
        }
    }
}

/// The error of a submission that was cut off at the end of the store timeout, with the last error that
/// the store returned before.
fn unanswered(gave_up: &GaveUp) -> ApiError {
    let returned = |failed: &FailedAttempt| {
        let is_of_store = failed.fault.http_status.is_some();
        failed.fault.message.clone().filter(|_| is_of_store)
    };
    let detail = match gave_up.failures.iter().rev().find_map(returned) {
        Some(before) => {
            format!("the store did not answer within --store-timeout; before that: {before}")
        }
        None => "the store did not answer within --store-timeout".to_owned(),
    };
    ApiError::new(ErrorKind::Unreachable, detail)
}

fn existed(taken: &[Submitted]) -> u64 {
    taken.iter().filter(|one| one.existed).count() as u64
}

/// Only an unreachable, full or busy store is retried.
const fn class(status: Option<u16>) -> Class {
    match status {
        Some(429 | 502..=504 | 507) => Class::Retryable,
        _ => Class::Final,
    }
}
