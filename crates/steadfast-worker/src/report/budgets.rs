//! Reports of this process's retry budgets (G3).
//!
//! A report that fails is sent again in the next round.

use steadfast::drive::{Environment, Real};
use steadfast::guard::NamedBudget;
use steadfast_store::{BudgetReport, name};
use tracing::debug;

use super::LastReports;
use crate::state::WorkerState;

/// Reports the balances of the budgets that changed, or whose last report is too old.
pub(super) async fn send(
    state: &WorkerState,
    reported: &mut LastReports<u64>,
    budgets: &[NamedBudget],
) {
    reported.retain(|name| budgets.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok());
    let nameable = budgets.iter().filter(|budget| name("policy", &budget.name).is_ok());
    let mut reports: Vec<_> = nameable.map(|named| report(named, &state.config.name)).collect();
    reports.retain(|report| reported.is_due(&report.policy, &report.balance));
    if reports.is_empty() {
        return;
    }
    if let Err(error) = state.store.report_budgets(&reports).await {
        debug!(target: "steadfast", %error, "cannot report budgets");
        return;
    }
    for report in reports {
        reported.record(report.policy, report.balance);
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
