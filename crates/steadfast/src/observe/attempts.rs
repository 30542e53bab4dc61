//! The attempts of a session under way, as its record will have them.

use std::time::Duration;

use super::attempt::AttemptRecord;
use super::clock::Calendar;
use super::error::ErrorRecord;
use super::why::Why;
use crate::{Fault, Moment};

/// How many attempts of a session are kept.
const MOST: usize = 256;

/// All attempts so far, and the one under way.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    pub(super) kept: Vec<AttemptRecord>,
    pub(super) forgotten: u64,
    /// The delay before the attempt under way or to come.
    pub(super) delay: Duration,
    stage: Stage,
}

/// Where the attempt under way stands.
#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    /// There is none.
    #[default]
    None,
    Begun(Moment),
    /// It failed, and what follows is not decided yet.
    Failed(Moment, Moment),
    /// It will never end, or never began because a guard rejected it.
    CutOff(Moment),
}

impl Attempts {
    pub(super) fn begin(&mut self, now: Moment) {
        self.stage = Stage::Begun(now);
    }

    pub(super) fn fail(&mut self, now: Moment) {
        if let Stage::Begun(began) = self.stage {
            self.stage = Stage::Failed(began, now);
        }
    }

    pub(super) fn cut_off(&mut self) {
        if let Stage::Begun(began) = self.stage {
            self.stage = Stage::CutOff(began);
        }
    }

    /// Whether more than one was made.
    pub(super) fn were_repeated(&self) -> bool {
        self.forgotten > 0 || self.kept.len() > 1
    }

    pub(super) fn keep_success(&mut self, calendar: &mut Calendar, now: Moment) {
        if let Stage::Begun(began) = self.stage {
            let record = self.record(calendar, began).succeeded(now.since(began));
            self.keep(record);
        }
    }

    /// Keeps the attempt that has just failed, and says whether one has.
    pub(super) fn keep_failure(
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
        self.keep(record.judged(fault.clone(), why.clone()));
        true
    }

    /// Keeps the attempt that will never end, if there is one.
    pub(super) fn keep_cut_off(
        &mut self,
        calendar: &mut Calendar,
        now: Moment,
        error: &ErrorRecord,
        why: &Why,
    ) {
        if let Stage::CutOff(began) | Stage::Begun(began) = self.stage {
            let mut record = self.record(calendar, began).failed(now.since(began), error.clone());
            record.why = Some(why.clone());
            self.keep(record);
        }
    }

    /// The record of an attempt that began then, without its end.
    fn record(&mut self, calendar: &mut Calendar, began: Moment) -> AttemptRecord {
        let number = self.forgotten.saturating_add(self.kept.len() as u64).saturating_add(1);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        AttemptRecord::new(number, calendar.at(began), std::mem::take(&mut self.delay))
    }

    fn keep(&mut self, record: AttemptRecord) {
        if self.kept.len() >= MOST {
            self.kept.remove(0);
            self.forgotten = self.forgotten.saturating_add(1);
        }
        self.kept.push(record);
        self.stage = Stage::None;
    }
}
