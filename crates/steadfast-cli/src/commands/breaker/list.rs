//! `steadfast breaker list`: breaker states of all instances.

use jiff::Timestamp;
use steadfast_api::BreakerView;
use steadfast_store::{BreakerCommand, BreakerOverride, BreakerReport};

use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::{relative_time, width};

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "the store of this directory"),
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
        let breakers = target::block_on(async {
            let api = self.target.open().await?;
            Ok(BreakerList { breakers: api.breakers().await?, now: api.now().await? })
        })?;
        common.output().print(&breakers)?;
        Ok(Exit::Success)
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct BreakerList {
    breakers: Vec<BreakerView>,
    #[serde(skip)]
    now: Timestamp,
}

const COLUMNS: [(&str, Align); 7] = [
    ("policy", Align::Left),
    ("instance", Align::Left),
    ("state", Align::Left),
    ("since", Align::Left),
    ("failures", Align::Right),
    ("probe", Align::Left),
    ("override", Align::Left),
];

impl BreakerList {
    fn row(&self, report: &BreakerReport, order: Option<&BreakerOverride>) -> [String; 7] {
        let away =
            |time: Option<Timestamp>| time.map(|time| relative_time::from_now(time, self.now));
        let failures = match report.threshold {
            Some(threshold) => format!("{} of {threshold}", report.failure_count),
            None => report.failure_count.to_string(),
        };
        [
            report.policy.clone(),
            report.instance.clone(),
            report.state.to_string(),
            away(report.last_state_change).unwrap_or_default(),
            failures,
            away(report.next_probe_at).unwrap_or_default(),
            order.map(|order| self.override_text(order)).unwrap_or_default(),
        ]
    }

    /// The row of a breaker that no instance has, but that has an override.
    fn row_without_instance(&self, policy: &str, order: &BreakerOverride) -> [String; 7] {
        let nothing = String::new;
        let none = "no instance".to_owned();
        [
            policy.to_owned(),
            none,
            nothing(),
            nothing(),
            nothing(),
            nothing(),
            self.override_text(order),
        ]
    }

    fn override_text(&self, order: &BreakerOverride) -> String {
        let what = match order.command {
            BreakerCommand::Open => "opened",
            BreakerCommand::Close => "closed",
            BreakerCommand::Isolate => "held open",
        };
        format!("{what} by {} {}", order.actor.name, relative_time::from_now(order.at, self.now))
    }
}

impl Printable for BreakerList {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.breakers.is_empty() {
            return writeln!(
                page,
                "no breakers: instances report one for each policy in use with \
                 enable_circuit_breaker"
            );
        }
        let mut table = Table::with_columns(&COLUMNS);
        for BreakerView { policy, instances, order } in &self.breakers {
            instances.iter().for_each(|report| table.row(self.row(report, order.as_ref())));
            if let (true, Some(order)) = (instances.is_empty(), order) {
                table.row(self.row_without_instance(policy, order));
            }
        }
        table.write(page, width::of_stdout())
    }
}
