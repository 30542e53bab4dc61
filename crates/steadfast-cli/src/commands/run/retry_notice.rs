//! Messages between attempts: a countdown on a terminal, a line elsewhere.

use std::cell::RefCell;
use std::io::Write;
use std::time::Duration;

use steadfast::Policy;
use steadfast::drive::AttemptFailed;
use steadfast_store::TaskId;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::attempt_status::AttemptStatus;
use super::countdown::Countdown;
use super::program::Program;
use super::run_result::RunResult;
use crate::error::CliError;
use crate::output::human_duration::format as human_duration;
use crate::output::sanitize;

/// Prints the reason and the delay of the next attempt.
pub(super) struct RetryNotice<'p, 'c> {
    program: &'p Program<'c>,
    attempts: u32,
    /// The end of `max_duration`, if set.
    deadline: Option<Instant>,
    quiet: bool,
    drawing: RefCell<Option<(Countdown, JoinHandle<()>)>>,
}

impl<'p, 'c> RetryNotice<'p, 'c> {
    pub(super) fn new(program: &'p Program<'c>, policy: &Policy, quiet: bool) -> Self {
        let deadline = policy.max_duration().and_then(|limit| Instant::now().checked_add(limit));
        let attempts = policy.max_attempts();
        Self { program, attempts, deadline, quiet, drawing: RefCell::new(None) }
    }

    /// Announces the next attempt after a failure.
    pub(super) fn start<E>(&self, failed: &AttemptFailed<'_, E>, delay: Duration) {
        if self.quiet {
            return;
        }
        let next = format!("attempt {} of {}", failed.attempt().saturating_add(1), self.attempts);
        let why = sanitize::line(&failed.fault().to_string());
        match Countdown::on(self.program.foreground.clone()) {
            Some(countdown) => self.count_down(countdown, delay, next, why),
            None => self.print_line(delay, &next, &why),
        }
    }

    pub(super) fn clear(&self) {
        if let Some((countdown, drawing)) = self.drawing.borrow_mut().take() {
            drawing.abort();
            countdown.wipe();
        }
    }

    pub(super) fn gave_up(&self, why: &impl ToString, ended: RunResult) {
        let known = ended.status.is_some_and(AttemptStatus::is_already_reported);
        if !self.quiet && ended.stopped_by.is_none() && !known {
            print_message(&why.to_string());
        }
    }

    pub(super) fn handed_over(&self, to: Result<Option<TaskId>, CliError>) {
        match to {
            Ok(Some(task)) if !self.quiet => {
                print_message(&format!("handed over to the store as task {task}"));
            }
            Ok(_) => {}
            Err(problem) => _ = problem.report(),
        }
    }

    fn print_line(&self, delay: Duration, next: &str, why: &str) {
        let left = self.deadline.map(|deadline| format!("; {}", left_until(deadline)));
        print_message(&format!(
            "{why}; retrying in {} ({next}){}",
            human_duration(delay),
            left.unwrap_or_default()
        ));
    }

    fn count_down(&self, countdown: Countdown, delay: Duration, next: String, why: String) {
        let (is_terminating, exited) = (self.program.is_terminating(), self.program.exited());
        let (deadline, drawn) = (self.deadline, countdown.clone());
        let drawing = tokio::spawn(async move {
            if is_terminating {
                drawn.draw(&["terminating", &why]);
            }
            exited.await;
            let until = Instant::now() + delay;
            loop {
                let left = until.saturating_duration_since(Instant::now());
                let budget = deadline.map(left_until).unwrap_or_default();
                drawn.draw(&[&format!("retrying in {} ({next})", shown(left)), &why, &budget]);
                tokio::time::sleep(tick(left)).await;
            }
        });
        self.drawing.replace(Some((countdown, drawing)));
    }
}

fn left_until(deadline: Instant) -> String {
    let left = deadline.saturating_duration_since(Instant::now());
    format!("{} left", shown_left(left))
}

/// Formats whole seconds, and milliseconds in the last second.
fn shown_left(left: Duration) -> String {
    human_duration(match left.as_secs() {
        0 => Duration::from_millis(u64::from(left.subsec_millis())),
        seconds => Duration::from_secs(seconds),
    })
}

/// Below this, tenths of a second are shown.
const TENTHS_BELOW: Duration = Duration::from_secs(10);

/// Formats whole seconds, with tenths near the end.
fn shown(left: Duration) -> String {
    if left < TENTHS_BELOW {
        return format!("{:.1}s", left.as_secs_f64());
    }
    human_duration(Duration::from_secs(left.as_secs()))
}

/// The interval until the countdown changes.
fn tick(left: Duration) -> Duration {
    if left < TENTHS_BELOW + Duration::from_secs(1) {
        return Duration::from_millis(100);
    }
    Duration::from_secs(1)
}

fn print_message(text: &str) {
    // A closed stderr is not an error.
    let _ = writeln!(anstream::stderr(), "steadfast: {}", sanitize::line(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_below_a_second_is_not_zero() {
        assert_eq!(shown_left(Duration::from_micros(300_700)), "300ms");
        assert_eq!(shown_left(Duration::from_millis(299_900)), "4m 59s");
        assert_eq!(shown_left(Duration::ZERO), "0s");
    }
}
