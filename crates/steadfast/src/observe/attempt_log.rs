//! The attempts of a session in progress.

use std::time::Duration;

use super::attempt::AttemptRecord;
use super::clock::Calendar;
use super::error::ErrorRecord;
use super::why::Why;
use crate::{Fault, Moment};

/// The most attempts in a record; older ones are dropped.
const MAX_KEPT_ATTEMPTS: usize = 256;

/// The attempts so far, and the current one.
#[derive(Debug, Default)]
pub(super) struct AttemptLog {
    pub(super) records: Vec<AttemptRecord>,
    pub(super) dropped: u64,
    /// The delay before the current or next attempt.
    pub(super) delay: Duration,
    stage: Stage,
}

/// The state of the current attempt.
#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    #[default]
    None,
    Started(Moment),
    /// It failed, and the decision is pending.
    Failed(Moment, Moment),
    /// It was abandoned, or a guard rejected it.
    CutOff(Moment),
}

impl AttemptLog {
    pub(super) fn begin(&mut self, now: Moment) {
        self.stage = Stage::Started(now);
    }

    pub(super) fn fail(&mut self, now: Moment) {
        if let Stage::Started(began) = self.stage {
            self.stage = Stage::Failed(began, now);
        }
    }

    pub(super) fn cut_off(&mut self) {
        if let Stage::Started(began) = self.stage {
            self.stage = Stage::CutOff(began);
        }
    }

    /// Whether there was more than one attempt.
    pub(super) fn has_retries(&self) -> bool {
        self.dropped > 0 || self.records.len() > 1
    }

    pub(super) fn record_success(&mut self, calendar: &mut Calendar, now: Moment) {
        if let Stage::Started(began) = self.stage {
            let record = self.record(calendar, began).succeeded(now.since(began));
            self.push(record);
        }
    }

    /// Records the attempt that has just failed. Returns whether there was one.
    pub(super) fn record_failure(
        &mut self,
        calendar: &mut Calendar,
        fault: &Fault,
        why: &Why,
    ) -> bool {
        let Stage::Failed(began, failed) = self.stage else {
            return false;
        };
        let record = self.record(calendar, began);
        let record = record.failed(failed.since(began), ErrorRecord::of(fault));
        self.push(record.judged(fault.clone(), why.clone()));
        true
    }

    /// Records the abandoned attempt, if there is one.
    pub(super) fn record_cut_off(
        &mut self,
        calendar: &mut Calendar,
        now: Moment,
        error: &ErrorRecord,
        why: &Why,
    ) {
        if let Stage::CutOff(began) | Stage::Started(began) = self.stage {
            let mut record = self.record(calendar, began).failed(now.since(began), error.clone());
            record.why = Some(why.clone());
            self.push(record);
        }
    }

    /// The record of an attempt that started then.
    fn record(&mut self, calendar: &mut Calendar, began: Moment) -> AttemptRecord {
        let number = self.dropped.saturating_add(self.records.len() as u64).saturating_add(1);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        AttemptRecord::new(number, calendar.at(began), std::mem::take(&mut self.delay))
    }

    fn push(&mut self, record: AttemptRecord) {
        if self.records.len() >= MAX_KEPT_ATTEMPTS {
            self.records.remove(0);
            self.dropped = self.dropped.saturating_add(1);
        }
        self.records.push(record);
        self.stage = Stage::None;
    }
}
