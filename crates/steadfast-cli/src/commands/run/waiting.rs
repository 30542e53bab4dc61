//! What people are told between attempts: a countdown on a terminal, a line elsewhere.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use steadfast::Policy;
use steadfast::drive::{EventKind, SessionEvent};
use steadfast_store::TaskId;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::countdown::Countdown;
use super::ending::Ending;
use super::foreground::Foreground;
use super::parting::Ended;
use super::program::Program;
use crate::output::sanitize;
use crate::output::time::people;
use crate::problem::Problem;

/// Says what is waited for, and how long.
pub(super) struct Waiting<'p, 'c> {
    program: &'p Program<'c>,
    attempts: u32,
    /// When time is up, if it ever is.
    deadline: Option<Instant>,
    quiet: bool,
    drawing: RefCell<Option<(Countdown, JoinHandle<()>)>>,
}

impl<'p, 'c> Waiting<'p, 'c> {
    pub(super) fn new(program: &'p Program<'c>, policy: &Policy, quiet: bool) -> Self {
        let deadline = policy.max_duration().and_then(|most| Instant::now().checked_add(most));
        let attempts = policy.max_attempts();
        Self { program, attempts, deadline, quiet, drawing: RefCell::new(None) }
    }

    /// An attempt has failed, and another follows.
    pub(super) fn begins(&self, happening: &SessionEvent<'_>) {
        let EventKind::Retrying { fault, delay, .. } = happening.kind else {
            return;
        };
        if self.quiet {
            return;
        }
        let next = format!("attempt {} of {}", happening.attempt.saturating_add(1), self.attempts);
        let why = sanitize::line(&fault.to_string());
        match Countdown::on(self.terminal()) {
            Some(countdown) => self.count_down(countdown, delay, next, why),
            None => self.tell(delay, &next, &why),
        }
    }

    /// The next attempt begins, or none does.
    pub(super) fn is_over(&self) {
        if let Some((countdown, drawing)) = self.drawing.borrow_mut().take() {
            drawing.abort();
            countdown.wipe();
        }
    }

    /// No more is tried.
    pub(super) fn gave_up(&self, why: &impl ToString, ended: Ended) {
        let known = ended.ending.is_some_and(Ending::speaks_for_itself);
        if !self.quiet && ended.told.is_none() && !known {
            say(&why.to_string());
        }
    }

    /// A store goes on, or could not be told to.
    pub(super) fn handed_over(&self, to: Result<Option<TaskId>, Problem>) {
        match to {
            Ok(Some(task)) if !self.quiet => {
                say(&format!("handed over to the store as task {task}"));
            }
            Ok(_) => {}
            Err(problem) => _ = problem.report(),
        }
    }

    fn terminal(&self) -> Option<Arc<Foreground>> {
        self.program.foreground.clone()
    }

    fn tell(&self, delay: Duration, next: &str, why: &str) {
        let left = self.deadline.map(|deadline| format!("; {}", left_until(deadline)));
        say(&format!("{why}; {next} in {}{}", people(delay), left.unwrap_or_default()));
    }

    fn count_down(&self, countdown: Countdown, delay: Duration, next: String, why: String) {
        let (is_leaving, gone) = (self.program.is_leaving(), self.program.gone());
        let (deadline, drawn) = (self.deadline, countdown.clone());
        let drawing = tokio::spawn(async move {
            if is_leaving {
                drawn.draw(&["ending it", &why]);
            }
            gone.await;
            let until = Instant::now() + delay;
            loop {
                let left = until.saturating_duration_since(Instant::now());
                let budget = deadline.map(left_until).unwrap_or_default();
                drawn.draw(&[&format!("{next} in {}", shown(left)), &why, &budget]);
                tokio::time::sleep(tick(left)).await;
            }
        });
        self.drawing.replace(Some((countdown, drawing)));
    }
}

fn left_until(deadline: Instant) -> String {
    let left = deadline.saturating_duration_since(Instant::now());
    format!("{} left", people(Duration::from_secs(left.as_secs())))
}

/// Below this, tenths of a second are shown.
const SOON: Duration = Duration::from_secs(10);

/// Whole seconds, and tenths at the end.
fn shown(left: Duration) -> String {
    if left < SOON {
        return format!("{:.1}s", left.as_secs_f64());
    }
    people(Duration::from_secs(left.as_secs()))
}

/// How long what is shown stays true.
fn tick(left: Duration) -> Duration {
    if left < SOON + Duration::from_secs(1) {
        return Duration::from_millis(100);
    }
    Duration::from_secs(1)
}

/// Says something on a line of its own.
fn say(text: &str) {
    // Who has closed stderr does not want to know.
    let _ = writeln!(anstream::stderr(), "steadfast: {}", sanitize::line(text));
}
