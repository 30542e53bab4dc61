//! The selection of rows.

use anyhow::{Result, bail};

use crate::entry::{Entry, Program, Run};
use crate::peers;

/// What was asked for.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Whether few peers and small numbers are enough.
    pub quick: bool,
    /// Whether peers that run on Node are wanted.
    pub node: bool,
    /// Whose rows are wanted; everyone's if none is named.
    pub only: Vec<String>,
}

/// A row: a peer, and a way to set it.
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
    /// Rejects an unknown name, and one that is not available this way.
    pub fn check(&self) -> Result<()> {
        for name in &self.only {
            let Some(entry) = peers::named(name) else {
                let names: Vec<&str> = peers::all().map(|entry| entry.name).collect();
                bail!("unknown peer `{name}`; the peers are {}", names.join(", "));
            };
            if matches!(entry.program, Program::Node(_)) && !self.node {
                bail!("{name} runs on Node: add --node");
            }
        }
        Ok(())
    }

    /// The rows that are wanted. The first of all is what the others are compared with,
    /// and always among them.
    pub(super) fn cases(
        &self,
        entries: &'static [Entry],
        runs: fn(&Entry) -> &'static [Run],
    ) -> Vec<Case> {
        let all =
            entries.iter().flat_map(|entry| runs(entry).iter().map(move |run| Case { entry, run }));
        let mut first = true;
        all.filter(|case| std::mem::take(&mut first) || self.wants(case)).collect()
    }

    fn wants(&self, case: &Case) -> bool {
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

    fn drained(choice: &Choice) -> Vec<String> {
        let cases = choice.cases(peers::ON_POSTGRES, |entry| entry.drain);
        cases.iter().map(Case::label).collect()
    }

    fn only(name: &str) -> Choice {
        Choice { only: vec![name.to_owned()], ..Choice::default() }
    }

    #[test]
    fn node_peers_need_the_flag() {
        let has_boss = |choice: &Choice| drained(choice).iter().any(|row| row.contains("pg-boss"));
        assert!(!has_boss(&Choice::default()));
        assert!(has_boss(&Choice { node: true, ..Choice::default() }));
    }

    #[test]
    fn quick_report_has_fewer_rows() {
        let quick = drained(&Choice { quick: true, ..Choice::default() });
        assert!(quick.len() < drained(&Choice::default()).len());
    }

    #[test]
    fn named_peer_is_compared_only_with_its_baseline() {
        let rows = drained(&Choice { quick: true, ..only("underway") });
        let (first, others) = rows.split_first().unwrap();
        assert!(first.starts_with("raw, "));
        assert_eq!(others.len(), 2);
        assert!(others.iter().all(|row| row.starts_with("underway, ")));
    }

    #[test]
    fn unavailable_name_is_rejected() {
        let refusal = |choice: Choice| choice.check().unwrap_err().to_string();
        assert!(refusal(only("aws")).contains("the peers are raw, "));
        assert_eq!(refusal(only("pg-boss")), "pg-boss runs on Node: add --node");
        assert!(only("awa").check().is_ok());
    }
}
