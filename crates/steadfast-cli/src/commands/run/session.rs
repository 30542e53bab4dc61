//! The retry loop of the command, its delays and its signals.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use nix::sys::signal::Signal;
use steadfast::drive::{Environment, Real, Sleeper};
use steadfast::observe::{Memory, Recorder};
use steadfast::{Attempt, GaveUp, Moment, Policy, retry};
use tokio::time::sleep;

use super::attempt_status::AttemptStatus;
use super::classification;
use super::program::Program;
use super::retry_notice::RetryNotice;
use super::run_result::RunResult;
use super::signals;
use crate::signals::Signals;

/// Runs the command until it succeeds, fails for good or is stopped by a signal.
pub(super) async fn run(
    program: &Program<'_>,
    policy: &Policy,
    notice: &RetryNotice<'_, '_>,
    memory: &Memory,
) -> io::Result<(RunResult, Option<GaveUp>)> {
    let signals = signals::listen()?;
    let name = program.name();
    let session = retry(policy, |attempt: Attempt| async move {
        notice.clear();
        program.attempt(&attempt).await
    })
    .environment(RetryDelay(program))
    .named(&name)
    .judge(|fault| classification::class(policy, program, fault))
    .instrument(Recorder::new(memory).component("run"))
    .on_retry(|failed, delay| notice.start(failed, delay));
    let ended = tokio::select! {
        // The signal must be recorded before the attempt is classified.
        biased;
        stopped_by = stop_signal(program, signals) => Err(stopped_by),
        ended = session => Ok(ended),
    };
    notice.clear();
    program.exited().await;
    Ok(match ended {
        Ok(Ok(())) => (
            RunResult { status: Some(AttemptStatus::SUCCESS), stopped_by: program.interrupted() },
            None,
        ),
        Ok(Err(error)) => {
            let ended = RunResult { status: program.last(), stopped_by: program.interrupted() };
            notice.gave_up(&error, ended);
            (ended, Some(error.into_gave_up()))
        }
        Err(stopped_by) => (RunResult { status: None, stopped_by: Some(stopped_by) }, None),
    })
}

/// Forwards signals until one stops the run. A signal that arrives while the command runs is left
/// to the command, and no further attempts follow.
async fn stop_signal(program: &Program<'_>, mut signals: Signals) -> Signal {
    loop {
        let signal = signals.next().await;
        program.forward(signal);
        if !signals::is_ending(signal) {
            continue;
        }
        if !program.is_running() {
            return signal;
        }
        program.interrupt(signal);
    }
}

/// The real clock, with delays that start when the last attempt's processes have exited. A timed
/// out command may take a while to exit, and two attempts must not run at once.
struct RetryDelay<'p, 'c>(&'p Program<'c>);

impl<'p> Environment for RetryDelay<'p, '_> {
    type Sleep = Pin<Box<dyn Future<Output = ()> + 'p>>;

    fn now(&self) -> Moment {
        Real.now()
    }
}

impl Sleeper for RetryDelay<'_, '_> {
    fn sleep(&self, delay: Duration) -> Self::Sleep {
        let exited = self.0.exited();
        Box::pin(async move {
            exited.await;
            sleep(delay).await;
        })
    }
}
