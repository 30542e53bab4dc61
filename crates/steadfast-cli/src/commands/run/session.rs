//! The retrying itself: the command's attempts, with signals between them.

use std::io;

use nix::sys::signal::Signal;
use steadfast::observe::{Memory, Recorder};
use steadfast::{Attempt, GaveUp, Policy, retry};

use super::between::Between;
use super::ending::Ending;
use super::parting::Ended;
use super::program::Program;
use super::signals::{self, Signals};
use super::verdict;
use super::waiting::Waiting;

/// Tries the command until it succeeds, is given up or somebody ends it.
pub(super) async fn run(
    program: &Program<'_>,
    policy: &Policy,
    waiting: &Waiting<'_, '_>,
    memory: &Memory,
) -> io::Result<(Ended, Option<GaveUp>)> {
    let signals = Signals::heard()?;
    let name = program.name();
    let session = retry(policy, |attempt: Attempt| async move {
        waiting.is_over();
        program.attempt(&attempt).await
    })
    .environment(Between(program))
    .named(&name)
    .judge(|fault| verdict::class(policy, program, fault))
    .instrument(Recorder::new(memory).component("run"))
    .on_retry(|happening| waiting.begins(happening));
    let ended = tokio::select! {
        // Who ended the attempt is to be known when the attempt is judged.
        biased;
        told = ending_signal(program, signals) => Err(told),
        ended = session.into_future() => Ok(ended),
    };
    waiting.is_over();
    program.gone().await;
    Ok(match ended {
        Ok(Ok(())) => (Ended { ending: Some(Ending::GOOD), told: program.interrupted() }, None),
        Ok(Err(error)) => {
            let ended = Ended { ending: program.last(), told: program.interrupted() };
            waiting.gave_up(&error, ended);
            (ended, Some(error.into_gave_up()))
        }
        Err(told) => (Ended { ending: None, told: Some(told) }, None),
    })
}

/// Passes signals on until one comes that ends everything. One that comes while the command runs
/// is the command's: it ends as it likes, and nothing follows.
async fn ending_signal(program: &Program<'_>, mut signals: Signals) -> Signal {
    loop {
        let signal = signals.next().await;
        program.pass_on(signal);
        if !signals::is_ending(signal) {
            continue;
        }
        if !program.is_running() {
            return signal;
        }
        program.interrupt(signal);
    }
}
