//! `steadfast breaker open` and `close`: what is wanted of a breaker, in every instance.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use steadfast_api::Api;
use steadfast_store::BreakerCommand;

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::near_miss::nearest;
use crate::output::Answer;
use crate::problem::Problem;
use crate::target::{self, Place};

const OPEN: &[Example] = &[
    ("steadfast breaker open payments", "until its timeout is over and a probe succeeds"),
    ("steadfast breaker open payments --hold", "until somebody closes it"),
];

const CLOSE: &[Example] = &[("steadfast breaker close payments", "let calls through again")];

/// Let no calls through, in every instance.
///
/// The breaker stays open for its timeout and then lets a probe through, as if it had opened by
/// itself. With --hold it stays open until somebody closes it, also in instances that start
/// later: those hear of it within seconds of their first call. Tasks wait meanwhile and use up no
/// attempt.
#[derive(Debug, Args)]
#[command(after_help = after_help(OPEN, &[]))]
pub(super) struct Open {
    /// The policy whose breaker it is
    #[arg(value_name = "POLICY")]
    policy: String,

    /// Keep it open until it is closed by hand
    #[arg(long)]
    hold: bool,

    #[command(flatten)]
    place: Place,
}

/// Let calls through again, in every instance.
///
/// Closes the breaker and forgets the failures so far.
#[derive(Debug, Args)]
#[command(after_help = after_help(CLOSE, &[]))]
pub(super) struct Close {
    /// The policy whose breaker it is
    #[arg(value_name = "POLICY")]
    policy: String,

    #[command(flatten)]
    place: Place,
}

impl Open {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let wish = if self.hold { BreakerCommand::Isolate } else { BreakerCommand::Open };
        order(&self.place, &self.policy, wish, common)
    }
}

impl Close {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        order(&self.place, &self.policy, BreakerCommand::Close, common)
    }
}

fn order(
    place: &Place,
    policy: &str,
    wish: BreakerCommand,
    common: &Common,
) -> Result<Exit, Problem> {
    let ordered = target::block_on(async {
        let api = place.look().await?;
        let instances = instances(&*api, policy, wish).await?;
        api.override_breaker(policy, wish).await?;
        Ok(Ordered { policy: policy.to_owned(), wish, instances })
    })?;
    common.output().answer(&ordered)?;
    Ok(Exit::Good)
}

/// How many instances have the breaker. To hold one open is an order for those to come, too;
/// everything else is one for nobody if there are none, and probably a slip.
async fn instances(api: &dyn Api, policy: &str, wish: BreakerCommand) -> Result<usize, Problem> {
    let breakers = api.breakers().await?;
    let known = breakers.iter().find(|view| view.policy == policy);
    if known.is_none() && wish != BreakerCommand::Isolate {
        let near = nearest(policy, breakers.iter().map(|view| view.policy.as_str()));
        let next = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "`steadfast breaker list` shows those that there are".to_owned(),
        };
        let what = format!("no instance has a breaker of the policy `{policy}`");
        return Err(Problem::usage(what).with_next(next));
    }
    Ok(known.map_or(0, |view| view.instances.len()))
}

#[derive(Serialize)]
struct Ordered {
    policy: String,
    wish: BreakerCommand,
    instances: usize,
}

impl Answer for Ordered {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let what = match self.wish {
            BreakerCommand::Open => "opens",
            BreakerCommand::Close => "closes",
            BreakerCommand::Isolate => "opens and stays open until it is closed by hand",
        };
        let policy = &self.policy;
        match self.instances {
            0 => writeln!(
                page,
                "the breaker of {policy} {what} in every instance that comes to use it"
            ),
            1 => writeln!(page, "the breaker of {policy} {what} within seconds, in 1 instance"),
            count => {
                writeln!(
                    page,
                    "the breaker of {policy} {what} within seconds, in {count} instances"
                )
            }
        }
    }
}
