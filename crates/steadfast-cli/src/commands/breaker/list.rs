//! `steadfast breaker list`: how the breakers of all instances stand.

use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use steadfast_api::BreakerView;
use steadfast_store::{BreakerCommand, BreakerOverride, BreakerReport};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::table::{Align, Table};
use crate::output::{Answer, moment, width};
use crate::problem::Problem;
use crate::target::{self, Place};

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "of steadfast.db in this directory"),
    ("steadfast breaker list --json", "for a script"),
];

/// Show how the breakers of all instances stand.
///
/// One line for each policy and instance: where its breaker stands and since when, how many
/// failures count, when an open one lets a probe through, and what was last wanted of it by hand.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    place: Place,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let stand = target::block_on(async {
            let api = self.place.look().await?;
            Ok(Stand { breakers: api.breakers().await?, now: api.now().await? })
        })?;
        common.output().answer(&stand)?;
        Ok(Exit::Good)
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Stand {
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
    ("by hand", Align::Left),
];

impl Stand {
    fn row(&self, report: &BreakerReport, order: Option<&BreakerOverride>) -> [String; 7] {
        let away = |time: Option<Timestamp>| time.map(|time| moment::away(time, self.now));
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
            order.map(|order| self.wanted(order)).unwrap_or_default(),
        ]
    }

    /// A breaker that nobody has at the moment, but somebody wants something of.
    fn absent(&self, policy: &str, order: &BreakerOverride) -> [String; 7] {
        let nothing = String::new;
        let none = "no instance".to_owned();
        [policy.to_owned(), none, nothing(), nothing(), nothing(), nothing(), self.wanted(order)]
    }

    fn wanted(&self, order: &BreakerOverride) -> String {
        let what = match order.command {
            BreakerCommand::Open => "opened",
            BreakerCommand::Close => "closed",
            BreakerCommand::Isolate => "held open",
        };
        format!("{what} by {} {}", order.actor.name, moment::away(order.at, self.now))
    }
}

impl Answer for Stand {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.breakers.is_empty() {
            return writeln!(
                page,
                "no breakers: an instance has one for each policy in use with \
                 enable_circuit_breaker, and tells of it within seconds"
            );
        }
        let mut table = Table::with_columns(&COLUMNS);
        for BreakerView { policy, instances, order } in &self.breakers {
            instances.iter().for_each(|report| table.row(self.row(report, order.as_ref())));
            if let (true, Some(order)) = (instances.is_empty(), order) {
                table.row(self.absent(policy, order));
            }
        }
        table.write(page, width::of_stdout())
    }
}
