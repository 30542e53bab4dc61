//! The commands, one file or directory each, named after the command.

pub(crate) mod audit;
pub(crate) mod breaker;
pub(crate) mod classify;
pub(crate) mod completions;
pub(crate) mod db;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod flow;
pub(crate) mod man;
pub(crate) mod policy;
pub(crate) mod prelude;
pub(crate) mod queue;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod stats;
pub(crate) mod submit;
pub(crate) mod tasks;
pub(crate) mod token;

use crate::cli::{Cli, Command};
use crate::error::CliError;
use crate::exit::Exit;

/// Runs the given command.
pub(crate) fn run(cli: &Cli) -> Result<Exit, CliError> {
    match &cli.command {
        Command::Audit(audit) => audit.run(&cli.common),
        Command::Breaker(breaker) => breaker.run(&cli.common),
        Command::Classify(classify) => classify.run(&cli.common),
        Command::Completions(completions) => completions.run(),
        Command::Db(db) => db.run(&cli.common),
        Command::Doctor(doctor) => doctor.run(&cli.common),
        Command::Events(events) => events.run(&cli.common),
        Command::Flow(flow) => flow.run(&cli.common),
        Command::Man(man) => man.run(&cli.common),
        Command::Policy(policy) => policy.run(&cli.common),
        Command::Queue(queue) => queue.run(&cli.common),
        Command::Run(run) => run.run(&cli.common),
        Command::Serve(serve) => serve.run(&cli.common),
        Command::Simulate(simulate) => simulate.run(&cli.common),
        Command::Stats(stats) => stats.run(&cli.common),
        Command::Submit(submit) => submit.run(&cli.common),
        Command::Tasks(tasks) => tasks.run(&cli.common),
        Command::Token(token) => token.run(&cli.common),
    }
}
