//! The timeline of past and upcoming attempts.

use std::io::{self, Write};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use steadfast::Class;
use steadfast::observe::{DecidedBy, Why};
use steadfast_api::{NextAttempt, TaskView};
use steadfast_store::{FaultRecord, Status};
use supports_unicode::Stream;
use textwrap::{Options, WordSplitter};

use super::properties::relative_and_absolute;
use crate::output::colour::{BAD, DIM, GOOD};
use crate::output::human_duration::format as human_duration;
use crate::output::{relative_time, sanitize, width};

const MAX_LISTED_ATTEMPTS: usize = 5;

struct Signs {
    failed: char,
    line: char,
    now: char,
    next: char,
    good: char,
    bad: char,
}

const UNICODE_SIGNS: Signs =
    Signs { failed: '●', line: '│', now: '▶', next: '○', good: '✓', bad: '✗' };
const ASCII_SIGNS: Signs =
    Signs { failed: '*', line: '|', now: '>', next: 'o', good: '+', bad: 'x' };

pub(super) struct Timeline<'t> {
    task: &'t TaskView,
    now: Timestamp,
    signs: &'static Signs,
    width: usize,
    /// How long the next attempt is overdue. Later attempts shift by as much.
    late: SignedDuration,
}

impl<'t> Timeline<'t> {
    pub(super) fn new(task: &'t TaskView, now: Timestamp) -> Self {
        let signs =
            if supports_unicode::on(Stream::Stdout) { &UNICODE_SIGNS } else { &ASCII_SIGNS };
        let due = task.next.as_deref().and_then(<[_]>::first).map_or(now, |next| next.earliest);
        let late = now.duration_since(due).max(SignedDuration::ZERO);
        Self { task, now, signs, width: width::of_text_on_stdout(), late }
    }

    pub(super) fn write(&self, page: &mut dyn Write) -> io::Result<()> {
        let faults = self.task.faults.as_deref().unwrap_or_default();
        faults.iter().try_for_each(|fault| self.failed(page, fault))?;
        match self.task.status {
            Status::Pending | Status::Scheduled => {}
            Status::Running => self.running(page)?,
            Status::Completed => self.ended(page, self.signs.good, GOOD)?,
            Status::Failed | Status::Cancelled => self.ended(page, self.signs.bad, BAD)?,
        }
        self.upcoming(page, self.task.next.as_deref().unwrap_or_default())
    }

    fn failed(&self, page: &mut dyn Write, fault: &FaultRecord) -> io::Result<()> {
        let when = relative_and_absolute(fault.at, self.now);
        writeln!(page, "  {BAD}{}{BAD:#} {}  {when}", self.signs.failed, fault.attempt)?;
        self.below(page, &format!("{}: {}", class(fault.class), fault.message))?;
        if let Some(why) = &fault.why {
            self.below(page, &format!("because {why}"))?;
        }
        match fault.next_delay.and_then(|delay| Duration::try_from_secs_f64(delay).ok()) {
            Some(delay) if !has_delay(fault.why.as_ref(), delay) => {
                self.below(page, &format!("next attempt after {}", human_duration(delay)))
            }
            _ => Ok(()),
        }
    }

    fn running(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "  {} {}  now", self.signs.now, self.task.attempts + 1)
    }

    fn ended(&self, page: &mut dyn Write, sign: char, style: anstyle::Style) -> io::Result<()> {
        let ended =
            self.task.ended_at.map(|at| relative_and_absolute(at, self.now)).unwrap_or_default();
        let status = self.task.status;
        writeln!(page, "  {style}{sign} {status}{style:#}  {ended}")
    }

    fn upcoming(&self, page: &mut dyn Write, next: &[NextAttempt]) -> io::Result<()> {
        for attempt in next.iter().take(MAX_LISTED_ATTEMPTS) {
            let when = self.time_range(attempt);
            writeln!(page, "  {DIM}{} {}  {when}{DIM:#}", self.signs.next, attempt.attempt)?;
        }
        let more = next.len().saturating_sub(MAX_LISTED_ATTEMPTS)
            + self.task.and_more.unwrap_or(0) as usize;
        match next.get(MAX_LISTED_ATTEMPTS..).unwrap_or_default() {
            [] => Ok(()),
            // The time of the last one is unknown.
            [only, ..] if more > next.len() - MAX_LISTED_ATTEMPTS => {
                let when = self.time_range(only);
                writeln!(page, "  {DIM}{} {more} more, from {when}{DIM:#}", self.signs.line)
            }
            [only] => {
                let when = self.time_range(only);
                writeln!(page, "  {DIM}{} {}  {when}{DIM:#}", self.signs.next, only.attempt)
            }
            [.., last] => {
                let when = self.time_range(last);
                writeln!(page, "  {DIM}{} {more} more, last {when}{DIM:#}", self.signs.line)
            }
        }
    }

    /// The time range of an attempt, given by jitter.
    fn time_range(&self, attempt: &NextAttempt) -> String {
        let away = |time: Timestamp| {
            relative_time::from_now(time.checked_add(self.late).unwrap_or(Timestamp::MAX), self.now)
        };
        let (earliest, latest) = (away(attempt.earliest), away(attempt.latest));
        match latest.strip_prefix("in ") {
            _ if earliest == latest => earliest,
            Some(latest) => format!("{earliest} to {latest}"),
            None => earliest,
        }
    }

    fn below(&self, page: &mut dyn Write, text: &str) -> io::Result<()> {
        let indent = format!("  {}    ", self.signs.line);
        let options = Options::new(self.width)
            .initial_indent(&indent)
            .subsequent_indent(&indent)
            .word_splitter(WordSplitter::NoHyphenation);
        let text = sanitize::line(text);
        textwrap::wrap(&text, options).iter().try_for_each(|line| writeln!(page, "{line}"))
    }
}

/// Whether the explanation contains the delay.
fn has_delay(why: Option<&Why>, delay: Duration) -> bool {
    let explained = match why.map(|why| why.decided_by) {
        Some(DecidedBy::Backoff { delay, .. }) => Some(delay),
        Some(DecidedBy::Hint { wait, delay, .. }) => Some(delay.unwrap_or(wait)),
        _ => None,
    };
    explained.is_some_and(|explained| human_duration(explained) == human_duration(delay))
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Final => "not retryable",
        Class::Retryable => "retryable",
        Class::RateLimited => "rate limited",
        Class::UnknownOutcome => "unknown outcome",
    }
}
