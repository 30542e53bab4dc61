//! Budgets, as everybody sees them: how much retrying those of this process allow is written down
//! (G3).
//!
//! Nobody can want anything of a budget, so nothing is asked. What the store does not take is said
//! again in the next round.

use std::collections::HashMap;
use std::time::Duration;

use steadfast::drive::{Environment, Real};
use steadfast::guard::NamedBudget;
use steadfast_store::{BudgetReport, name};
use tokio::time::Instant;
use tracing::debug;

use crate::shared::Shared;

/// How often what has not changed is said again, so that it is believed to be there.
const SAY_AGAIN: Duration = Duration::from_secs(30);

/// What was said of each, and when.
#[derive(Default)]
pub(crate) struct Budgets {
    said: HashMap<String, (u64, Instant)>,
}

impl Budgets {
    /// Says what changed since it was last said, or was said too long ago.
    pub(crate) async fn tell(&mut self, shared: &Shared, budgets: &[NamedBudget]) {
        self.keep_to(budgets);
        let nameable = budgets.iter().filter(|budget| name("policy", &budget.name).is_ok());
        let mut reports: Vec<_> =
            nameable.map(|named| report(named, &shared.settings.name)).collect();
        reports.retain(|report| self.is_news(report));
        if reports.is_empty() {
            return;
        }
        if let Err(error) = shared.store.report_budgets(&reports).await {
            debug!(target: "steadfast", %error, "budgets cannot be reported");
            return;
        }
        for report in reports {
            self.said.insert(report.policy, (report.balance, Instant::now()));
        }
    }

    fn keep_to(&mut self, budgets: &[NamedBudget]) {
        let is_there =
            |name: &str| budgets.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok();
        self.said.retain(|name, _| is_there(name));
    }

    fn is_news(&self, report: &BudgetReport) -> bool {
        let said = self.said.get(&report.policy);
        said.is_none_or(|(before, at)| *before != report.balance || at.elapsed() >= SAY_AGAIN)
    }
}

fn report(named: &NamedBudget, instance: &str) -> BudgetReport {
    BudgetReport {
        policy: named.name.clone(),
        instance: instance.to_owned(),
        seen_at: None,
        balance: named.budget.balance(Real.now()),
        settings: *named.budget.settings(),
    }
}
