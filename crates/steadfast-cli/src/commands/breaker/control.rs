//! `steadfast breaker open` and `close`: breaker overrides for all instances.

use steadfast::__private::nearest;
use steadfast_api::Api;
use steadfast_store::BreakerCommand;

use crate::commands::prelude::*;

const OPEN: &[Example] = &[
    ("steadfast breaker open payments", "until its timeout ends and a probe succeeds"),
    ("steadfast breaker open payments --hold", "until it is closed manually"),
];

const CLOSE: &[Example] = &[("steadfast breaker close payments", "allow calls again")];

/// Open a breaker in every instance, blocking calls.
///
/// The breaker stays open for its timeout and then allows a probe, as if it had opened by itself.
/// With --hold it stays open until it is closed manually, including in instances that start later.
/// Meanwhile, tasks wait without using up attempts.
#[derive(Debug, Args)]
#[command(after_help = after_help(OPEN, &[]))]
pub(super) struct Open {
    /// Policy whose breaker to open
    #[arg(value_name = "POLICY")]
    policy: String,

    /// Keep it open until it is closed manually
    #[arg(long)]
    hold: bool,

    #[command(flatten)]
    target: Target,
}

/// Close a breaker in every instance, allowing calls again.
///
/// Resets its failure count.
#[derive(Debug, Args)]
#[command(after_help = after_help(CLOSE, &[]))]
pub(super) struct Close {
    /// Policy whose breaker to close
    #[arg(value_name = "POLICY")]
    policy: String,

    #[command(flatten)]
    target: Target,
}

impl Open {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let command = if self.hold { BreakerCommand::Isolate } else { BreakerCommand::Open };
        set_override(&self.target, &self.policy, command, common)
    }
}

impl Close {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        set_override(&self.target, &self.policy, BreakerCommand::Close, common)
    }
}

fn set_override(
    target: &Target,
    policy: &str,
    command: BreakerCommand,
    common: &Common,
) -> Result<Exit, CliError> {
    target.print(common, async |api| {
        let instances = instances(api, policy, command).await?;
        api.override_breaker(policy, command).await?;
        Ok(BreakerChange { policy: policy.to_owned(), command, instances })
    })
}

/// Counts the instances that have the breaker. Without any, only holding it open makes sense: it
/// applies to instances that start later. Otherwise the policy name is probably misspelled.
async fn instances(
    api: &dyn Api,
    policy: &str,
    command: BreakerCommand,
) -> Result<usize, CliError> {
    let breakers = api.breakers().await?;
    let known = breakers.iter().find(|view| view.policy == policy);
    if known.is_none() && command != BreakerCommand::Isolate {
        let near = nearest(policy, breakers.iter().map(|view| view.policy.as_str()));
        let next = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`steadfast breaker list` lists the breakers".to_owned(),
        };
        let what = format!("no instance has a breaker for the policy `{policy}`");
        return Err(CliError::usage(what).with_help(next));
    }
    Ok(known.map_or(0, |view| view.instances.len()))
}

#[derive(Serialize)]
struct BreakerChange {
    policy: String,
    command: BreakerCommand,
    instances: usize,
}

impl Printable for BreakerChange {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let what = match self.command {
            BreakerCommand::Open => "opened",
            BreakerCommand::Close => "closed",
            BreakerCommand::Isolate => "held open until it is closed manually",
        };
        let policy = &self.policy;
        match self.instances {
            0 => writeln!(
                page,
                "breaker of policy {policy} {what}, in every instance that starts to use it"
            ),
            count => {
                let instances = counted(count, "instance", "instances");
                writeln!(
                    page,
                    "breaker of policy {policy} {what}; {instances} will apply it within seconds"
                )
            }
        }
    }
}
