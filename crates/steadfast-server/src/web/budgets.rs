//! The retry budgets panel: available retries per instance (G3), read-only.

use maud::{Markup, html};
use steadfast_store::BudgetReport;

use super::parts::{self, Number, Text};
use super::policies::budget_limit;
use super::{PolicyLinks, View};

pub(super) fn panel(view: &View, policies: &PolicyLinks, budgets: &[BudgetReport]) -> Markup {
    let content = match budgets {
        [] => empty(),
        budgets => table(view, policies, budgets),
    };
    parts::panel("Retry budgets", content)
}

fn empty() -> Markup {
    let instructions = html! {
        p { "A retry budget limits retries to a share of the traffic, so that retries do not multiply the load during an outage. It belongs to a policy; workers report it here once they run a task with that policy." }
        (parts::command("policies:\n  billing:\n    budget:\n      retries_per_second: 10"))
    };
    parts::empty("No budgets reported yet", instructions)
}

fn table(view: &View, policies: &PolicyLinks, budgets: &[BudgetReport]) -> Markup {
    let columns = [
        Text("Policy"),
        Text("Instance"),
        Number("Available retries"),
        Text("Limit"),
        Text("Last report"),
    ];
    parts::table("stacked", &columns, budgets.iter().map(|budget| row(view, policies, budget)))
}

fn row(view: &View, policies: &PolicyLinks, budget: &BudgetReport) -> Markup {
    html! {
        tr id={ "budget-" (budget.policy) "-" (budget.instance) } data-row {
            td { (policies.link(&budget.policy)) }
            td class="wide" { (budget.instance) }
            td class="number" data-label="available retries" {
                @if budget.balance == 0 { span class="tag open" { "exhausted" } " " }
                (parts::count(budget.balance))
            }
            td data-label="limit" { (budget_limit(&budget.settings)) }
            td class="muted" data-label="last report" { @if let Some(time) = budget.seen_at { (parts::at(view.now, time)) } }
        }
    }
}
