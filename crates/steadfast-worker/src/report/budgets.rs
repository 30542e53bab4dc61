//! Reports of this process's retry budgets (G3).
//!
//! A report that fails is sent again in the next round.

use std::time::Duration;

use steadfast::drive::{Environment, Real};
use steadfast::guard::NamedBudget;
use steadfast_store::{BudgetReport, name};
use tracing::debug;

use super::LastReports;
use crate::state::WorkerState;

/// How often an unchanged balance is reported.
const REFRESH_INTERVAL: Duration = Duration::from_secs(30);

/// The last reported balance of each budget.
pub(super) struct BudgetReports(LastReports<u64>);

impl Default for BudgetReports {
    fn default() -> Self {
        Self(LastReports::new(REFRESH_INTERVAL))
    }
}

impl BudgetReports {
    /// Reports the budgets that changed, or whose last report is too old.
    pub(super) async fn send(&mut self, state: &WorkerState, budgets: &[NamedBudget]) {
        let exists = |name: &str| budgets.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok();
        self.0.retain(exists);
        let nameable = budgets.iter().filter(|budget| name("policy", &budget.name).is_ok());
        let mut reports: Vec<_> = nameable.map(|named| report(named, &state.config.name)).collect();
        reports.retain(|report| self.0.is_due(&report.policy, &report.balance));
        if reports.is_empty() {
            return;
        }
        if let Err(error) = state.store.report_budgets(&reports).await {
            debug!(target: "steadfast", %error, "cannot report budgets");
            return;
        }
        for report in reports {
            self.0.record(report.policy, report.balance);
        }
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
