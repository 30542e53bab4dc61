//! Budgets: how many retries each instance allows now, of how many, which nobody can change (G3).

use maud::{Markup, html};
use steadfast_store::BudgetReport;

use super::linkable::LinkablePolicies;
use super::parts;
use super::parts::Column::{Number, Text};
use super::policies::allows;
use super::view::View;

/// All of them.
pub(super) fn panel(view: &View, policies: &LinkablePolicies, budgets: &[BudgetReport]) -> Markup {
    let within = match budgets {
        [] => none(),
        budgets => table(view, policies, budgets),
    };
    parts::panel("Budgets", within)
}

fn none() -> Markup {
    parts::empty(
        "No budget has reported yet",
        html! {
            p { "A budget keeps retries to a share of the work: when a service fails for everybody, not everybody tries it four times. It belongs to a policy; workers report it here once they run a task under that policy." }
            (parts::command("policies:\n  billing:\n    budget:\n      retries_per_second: 10"))
        },
    )
}

fn table(view: &View, policies: &LinkablePolicies, budgets: &[BudgetReport]) -> Markup {
    let columns = [
        Text("Policy"),
        Text("Instance"),
        Number("Retries left now"),
        Text("Allows"),
        Text("Last report"),
    ];
    parts::table(
        "stacked",
        &columns,
        html! { @for budget in budgets { (row(view, policies, budget)) } },
    )
}

fn row(view: &View, policies: &LinkablePolicies, budget: &BudgetReport) -> Markup {
    html! {
        tr id={ "budget-" (budget.policy) "-" (budget.instance) } data-row {
            td { (policies.named(&budget.policy)) }
            td class="wide" { (budget.instance) }
            td class="number" data-label="retries left" {
                @if budget.balance == 0 { span class="tag open" { "used up" } " " }
                (parts::count(budget.balance))
            }
            td data-label="allows" { (allows(&budget.settings)) }
            td class="muted" data-label="last report" { @if let Some(time) = budget.seen_at { (parts::at(view.now, time)) } }
        }
    }
}
