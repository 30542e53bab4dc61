//! `steadfast classify`: what a failure means, and which rule says so.
//!
//! A program in any language can ask for the judgement that the library would give (J1): it
//! tells the facts, as flags or as JSON.

mod facts;
mod fault_file;
mod next;
mod verdict;

use clap::Args;
use steadfast::judge;

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::policy_flags::{self, PolicyFlags};
use crate::problem::Problem;
use facts::Facts;
use verdict::Verdict;

const EXAMPLES: &[Example] = &[
    ("steadfast classify --sqlstate 40P01", "a deadlock"),
    ("steadfast classify --http 429 --retry-after 120", "told to slow down"),
    ("steadfast classify --grpc UNAVAILABLE --pushback 250", "told when to come back"),
    ("steadfast classify --kind timeout --unknown-outcome --idempotent false", "sent, no answer"),
    ("steadfast classify --http 404 --retry-on 404,5xx", "by rules of your own"),
    ("steadfast classify --fault failure.json --json", "facts from a program"),
];

/// Judge a failure: its class and the rule that gave it.
///
/// Tell what is known about a failure and see whether it would be tried again. The class is
/// final, retryable, rate_limited (the other side asked for patience) or unknown_outcome (it
/// may have taken effect). Facts can be combined; policy flags change the rules.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(crate) struct Classify {
    #[command(flatten)]
    facts: Facts,

    #[command(flatten)]
    policy: PolicyFlags,
}

impl Classify {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let policy = self.policy.policy(common.config.as_deref())?;
        let fault = self.facts.fault()?;
        let judgement = judge::judge(policy.rules(), &fault);
        common.output().answer(&Verdict::new(&policy, fault, &judgement))?;
        Ok(Exit::Good)
    }
}
