//! `steadfast breaker list`: breaker states of all instances.

use jiff::Timestamp;
use steadfast::guard::breaker::BreakerState;
use steadfast_api::BreakerView;
use steadfast_store::{BreakerCommand, BreakerOverride, BreakerReport};

use crate::commands::prelude::*;
use crate::output::relative_time;

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "the store in this directory"),
    ("steadfast breaker list --json", "for a script"),
];

/// List the breaker states of all instances.
///
/// One line per policy and instance: the state and since when, the failures counted, when an open
/// breaker allows a probe, and the last manual change.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    target: Target,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.print(common, async |api| {
            Ok(AsOf { value: api.breakers().await?, now: api.now().await? })
        })
    }
}

const COLUMNS: [&str; 7] =
    ["policy", "instance", "state", "since", "failures", "probe", "override"];

impl Printable for AsOf<Vec<BreakerView>> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.value.is_empty() {
            return writeln!(
                page,
                "no breakers: instances report one for each policy in use with \
                 enable_circuit_breaker"
            );
        }
        let mut table = Table::with_columns(&COLUMNS, &["failures"]);
        for BreakerView { policy, instances, last_override } in &self.value {
            let order = last_override.as_ref().map(|order| override_text(order, self.now));
            for report in instances {
                table.row(row(report, order.clone().unwrap_or_default(), self.now));
            }
            if let (true, Some(order)) = (instances.is_empty(), order) {
                table.row([policy, "no instance", "", "", "", "", &order].map(str::to_owned));
            }
        }
        table.write(page)
    }
}

fn row(report: &BreakerReport, order: String, now: Timestamp) -> [String; 7] {
    let away = |time: Option<Timestamp>| time.map(|time| relative_time::from_now(time, now));
    let failures = match report.threshold {
        Some(threshold) if report.failure_count <= u64::from(threshold) => {
            format!("{} of {threshold}", report.failure_count)
        }
        _ => report.failure_count.to_string(),
    };
    [
        report.policy.clone(),
        report.instance.clone(),
        state_text(report.state),
        away(report.last_state_change).unwrap_or_default(),
        failures,
        away(report.next_probe_at).unwrap_or_default(),
        order,
    ]
}

/// The state in the words of the commands: `open --hold` isolates a breaker.
fn state_text(state: BreakerState) -> String {
    match state {
        BreakerState::Isolated => "held open".to_owned(),
        state => state.to_string(),
    }
}

fn override_text(order: &BreakerOverride, now: Timestamp) -> String {
    let what = match order.command {
        BreakerCommand::Open => "opened",
        BreakerCommand::Close => "closed",
        BreakerCommand::Isolate => "held open",
    };
    format!("{what} by {} {}", order.actor.name, relative_time::from_now(order.at, now))
}
