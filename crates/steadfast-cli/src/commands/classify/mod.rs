//! `steadfast classify`: the class of a failure and the rule that decided it.
//!
//! Programs in any language can get the library's classification (J1) by passing the facts as
//! flags or JSON.

mod classification;
mod fault_file;
mod fault_flags;
mod next_step;

use steadfast::judge;

use crate::commands::prelude::*;
use crate::policy_flags::{self, PolicyFlags};
use classification::Classification;
use fault_flags::FaultFlags;

const EXAMPLES: &[Example] = &[
    ("steadfast classify --sqlstate 40P01", "a deadlock"),
    ("steadfast classify --http 429 --retry-after 120", "rate limited"),
    ("steadfast classify --grpc UNAVAILABLE --pushback 250", "with a retry hint"),
    ("steadfast classify --kind timeout --unknown-outcome --idempotent false", "sent, no response"),
    ("steadfast classify --http 404 --retry-on 404,5xx", "with custom rules"),
    ("steadfast classify --fault failure.json --json", "from a program"),
];

/// Classify a failure and show the rule that decided it.
///
/// There are four classes: `final` (not retryable), `retryable`, `rate_limited` (the server asked to
/// wait) and `unknown_outcome` (the request may have taken effect). The details of a failure can be combined; policy flags change the rules.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(crate) struct Classify {
    #[command(flatten)]
    fault: Option<FaultFlags>,

    #[command(flatten)]
    policy: PolicyFlags,
}

impl Classify {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let policy = self.policy.policy(common.config.as_deref())?;
        let fault = self.fault.as_ref().ok_or_else(no_facts)?.fault()?;
        let judgement = judge::judge(policy.rules(), &fault);
        common.print(&Classification::new(&policy, fault, &judgement))
    }
}

fn no_facts() -> CliError {
    CliError::usage("no failure details given").with_help(
    "pass at least one, such as --sqlstate 40P01, --http 503, --grpc UNAVAILABLE, --kind timeout or \
     --fault FILE; see `steadfast classify --help`",
    )
}
