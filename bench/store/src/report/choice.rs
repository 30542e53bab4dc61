//! The selection of the rows to measure.

use anyhow::{Result, bail};

use crate::entry::{Entry, Program, Run};
use crate::peers;

/// The options that select rows.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Whether to measure few peers with few tasks.
    pub quick: bool,
    /// Whether to include the peers that run on Node.js.
    pub node: bool,
    /// The peers to measure; all if empty.
    pub only: Vec<String>,
}

/// A row: a peer in one configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) entry: &'static Entry,
    pub(super) run: &'static Run,
}

impl Case {
    pub(super) fn label(&self) -> String {
        format!("{}, {}", self.entry.name, self.run.label)
    }
}

impl Choice {
    /// Checks the names of the peers.
    ///
    /// # Errors
    /// A peer is unknown, or needs `--node`.
    pub fn check(&self) -> Result<()> {
        for name in &self.only {
            let Some(entry) = peers::find(name) else {
                let names: Vec<&str> = peers::all().map(|entry| entry.name).collect();
                bail!("unknown peer `{name}`: expected one of {}", names.join(", "));
            };
            if matches!(entry.program, Program::Node(_)) && !self.node {
                bail!("{name} runs on Node.js: add --node");
            }
        }
        Ok(())
    }

    /// The selected rows. The first row of all is the baseline and always included.
    pub(super) fn cases(
        &self,
        entries: &'static [Entry],
        runs: fn(&Entry) -> &'static [Run],
    ) -> Vec<Case> {
        let all =
            entries.iter().flat_map(|entry| runs(entry).iter().map(move |run| Case { entry, run }));
        let mut first = true;
        all.filter(|case| std::mem::take(&mut first) || self.includes(case)).collect()
    }

    fn includes(&self, case: &Case) -> bool {
        if !self.only.is_empty() {
            return self.only.iter().any(|name| name == case.entry.name);
        }
        let can_run = self.node || !matches!(case.entry.program, Program::Node(_));
        can_run && (case.run.quick || !self.quick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain_labels(choice: &Choice) -> Vec<String> {
        let cases = choice.cases(peers::ON_POSTGRES, |entry| entry.drain);
        cases.iter().map(Case::label).collect()
    }

    fn only(name: &str) -> Choice {
        Choice { only: vec![name.to_owned()], ..Choice::default() }
    }

    #[test]
    fn node_peer_requires_the_node_flag() {
        let has_pg_boss =
            |choice: &Choice| drain_labels(choice).iter().any(|row| row.contains("pg-boss"));
        assert!(!has_pg_boss(&Choice::default()));
        assert!(has_pg_boss(&Choice { node: true, ..Choice::default() }));
    }

    #[test]
    fn quick_report_has_fewer_rows() {
        let quick = drain_labels(&Choice { quick: true, ..Choice::default() });
        assert!(quick.len() < drain_labels(&Choice::default()).len());
    }

    #[test]
    fn selected_peer_is_measured_with_the_baseline_only() {
        let rows = drain_labels(&Choice { quick: true, ..only("underway") });
        let (first, others) = rows.split_first().unwrap();
        assert!(first.starts_with("raw, "));
        assert_eq!(others.len(), 2);
        assert!(others.iter().all(|row| row.starts_with("underway, ")));
    }

    #[test]
    fn unknown_or_unavailable_peer_is_rejected() {
        let error = |choice: Choice| choice.check().unwrap_err().to_string();
        assert!(error(only("aws")).contains("expected one of raw, "));
        assert_eq!(error(only("pg-boss")), "pg-boss runs on Node.js: add --node");
        assert!(only("awa").check().is_ok());
    }
}
