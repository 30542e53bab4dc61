//! `steadfast policy plan`: the delays of a policy.

use std::time::Duration;

use steadfast::Policy;
use steadfast::decide::PlannedAttempt;

use crate::commands::prelude::*;
use crate::output::human_duration::{band, format as human_duration};
use crate::output::seconds::Seconds;
use crate::policy_flags::{self, PolicyFlags};

pub(super) const DEFAULT_ROWS: u32 = 100;

/// Attempts computed at most: a policy can have four billion.
const MAX_ROWS: u32 = 100_000;

const EXAMPLES: &[Example] = &[
    ("steadfast policy plan --preset sql", "a preset"),
    ("steadfast policy plan --base-delay 500ms --jitter full", "a policy from flags"),
    ("steadfast policy plan --preset grpc --max-attempts 6", "a preset with changes"),
    ("steadfast policy plan --backoff-type custom --schedule 7d,14d", "a custom schedule"),
    ("steadfast policy plan --preset patient --json", "for a script, in seconds"),
];

/// Print the delay before each attempt, with its jitter range and the running total.
///
/// Shows when each attempt starts if all earlier ones fail immediately. The delay is
/// without jitter, `with jitter` is its range, and the total adds up all delays so far.
/// Without flags it shows the built-in defaults; use --policy default for the policy `default` of
/// the policy file.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(crate) struct Plan {
    /// Show at most this many attempts [default: 100]
    #[arg(long, value_name = "N", value_parser = rows)]
    attempts: Option<u32>,

    #[command(flatten)]
    policy: PolicyFlags,
}

pub(super) fn rows(text: &str) -> Result<u32, String> {
    let rows = text.parse().ok().filter(|rows| (1..=MAX_ROWS).contains(rows));
    rows.ok_or_else(|| format!("must be a whole number from 1 to {MAX_ROWS}"))
}

impl Plan {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let policy = self.policy.policy(common.config.as_deref())?;
        let rows = self.attempts.unwrap_or(DEFAULT_ROWS);
        let plan = Planned::of(&policy, rows);
        common.print(&plan)?;
        plan.notes().for_each(|text| output::note(&text));
        Ok(Exit::Success)
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Planned<'p> {
    policy: Option<&'p str>,
    attempts: Vec<Row>,
    /// Attempts possible within max_duration.
    #[serde(skip)]
    made: usize,
    /// Attempts without max_duration.
    #[serde(skip)]
    pub(super) most: usize,
    #[serde(skip)]
    max_duration: Option<Duration>,
}

#[derive(Debug, Serialize)]
struct Row {
    attempt: u32,
    delay: Seconds,
    min: Seconds,
    max: Seconds,
    total_min: Seconds,
    total_max: Seconds,
}

impl From<PlannedAttempt> for Row {
    fn from(planned: PlannedAttempt) -> Self {
        Self {
            attempt: planned.attempt,
            delay: Seconds(planned.delay),
            min: Seconds(planned.min),
            max: Seconds(planned.max),
            total_min: Seconds(planned.total_min),
            total_max: Seconds(planned.total_max),
        }
    }
}

impl<'p> Planned<'p> {
    pub(super) fn of(policy: &'p Policy, rows: u32) -> Self {
        let most = policy.plan().size_hint().1.unwrap_or(usize::MAX);
        let counted = policy.plan().take(MAX_ROWS as usize).count();
        Self {
            policy: policy.id(),
            attempts: policy.plan().take(rows as usize).map(Row::from).collect(),
            made: if counted < MAX_ROWS as usize { counted } else { most },
            most,
            max_duration: policy.max_duration(),
        }
    }

    /// Notes on attempts not listed and attempts not made, which `--json` does not contain.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.hidden_attempts_note().into_iter().chain(self.max_duration_note())
    }

    fn hidden_attempts_note(&self) -> Option<String> {
        let shown = self.made.min(MAX_ROWS as usize);
        match self.made.saturating_sub(self.attempts.len()) {
            0 => None,
            1 => Some(format!("1 more attempt: show it with --attempts {shown}")),
            more => Some(format!("{more} more attempts: show them with --attempts {shown}")),
        }
    }

    fn max_duration_note(&self) -> Option<String> {
        let limit = human_duration(self.max_duration.filter(|_| self.made < self.most)?);
        let late = self.made + 1;
        Some(format!(
            "max_duration {limit} ends before attempt {late} starts: it and later attempts are not made"
        ))
    }
}

impl Printable for Planned<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let columns = ["attempt", "delay", "with jitter", "total"];
        let mut table = Table::with_columns(&columns, &["attempt", "delay"]);
        for row in &self.attempts {
            table.row([
                row.attempt.to_string(),
                human_duration(row.delay.0),
                band(row.min.0, row.max.0),
                band(row.total_min.0, row.total_max.0),
            ]);
        }
        table.write(page)
    }
}
