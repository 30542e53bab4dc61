//! The breakers page: state in every instance and operator commands (G1), and the retry budgets: available
//! retries per instance (G3), read-only.

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};
use steadfast::guard::breaker::BreakerState;
use steadfast_api::{Api, BreakerView};
use steadfast_store::{BreakerCommand, BreakerOverride, BreakerReport, BudgetReport};

use super::parts::{self, Number, Text};
use super::policies::budget_limit;
use super::{Flash, Icon, PageResult, PolicyLinks, Section, View, link};
use crate::app::App;
use crate::auth::{Operator, Viewer};
use crate::http::PathName;

pub(super) fn routes() -> Router<App> {
    let control = |command| post(move |by, policy| override_breaker(by, policy, command));
    Router::new()
        .route("/breakers", get(list))
        .route("/breakers/{policy}/open", control(BreakerCommand::Open))
        .route("/breakers/{policy}/close", control(BreakerCommand::Close))
        .route("/breakers/{policy}/isolate", control(BreakerCommand::Isolate))
}

async fn override_breaker(
    Operator(api): Operator,
    PathName(policy): PathName,
    command: BreakerCommand,
) -> PageResult {
    api.override_breaker(&policy, command).await?;
    let flash = match command {
        BreakerCommand::Open => Flash::OPENED,
        BreakerCommand::Close => Flash::CLOSED,
        BreakerCommand::Isolate => Flash::ISOLATED,
    };
    Ok(flash.redirect("/breakers"))
}

async fn list(view: View, Viewer(api): Viewer) -> PageResult {
    let (breakers, budgets) = (api.breakers().await?, api.budgets().await?);
    let policies = PolicyLinks::load(&api).await?;
    let content = html! {
        (parts::head("Breakers", html! {}))
        @if breakers.is_empty() { section class="panel" { (empty()) } }
        @for breaker in &breakers { (panel(&view, &policies, breaker)) }
        (budgets_panel(&view, &policies, &budgets))
    };
    Ok(view.show(Section::BREAKERS, "Breakers", &content))
}

fn empty() -> Markup {
    let instructions = html! {
        p { "A circuit breaker stops calls to a failing service, then lets single probe calls through until the service recovers. It belongs to a policy; workers report it here once they run a task with that policy." }
        (parts::yaml("policies:\n  billing:\n    enable_circuit_breaker: true\n    circuit_breaker_threshold: 5\n    circuit_breaker_timeout: 60s"))
    };
    parts::empty("No breakers reported yet", instructions)
}

fn panel(view: &View, policies: &PolicyLinks, breaker: &BreakerView) -> Markup {
    let policy = &breaker.policy;
    html! {
        section class="panel" id={ "of-" (policy) } aria-label={ "Breaker for policy " (policy) } {
            div class="panel-head" {
                h2 { (policies.link(policy)) }
                @if view.can_operate() { div class="buttons" { (buttons(breaker)) } }
            }
            @if let Some(order) = active_override(breaker) { (override_note(view, order)) }
            @if breaker.instances.is_empty() {
                div class="empty small" { p { "No instance has reported recently. The override applies to instances that start later." } }
            } @else { (instances(view, &breaker.instances)) }
        }
    }
}

/// The last override, until an instance changes state by itself: closing is over when a breaker
/// opens afterwards.
fn active_override(breaker: &BreakerView) -> Option<&BreakerOverride> {
    let order = breaker.last_override.as_ref()?;
    let is_over = |report: &BreakerReport| {
        let is_later = report.last_state_change.is_some_and(|change| change > order.at);
        let is_closed = report.state == BreakerState::Closed;
        match order.command {
            BreakerCommand::Open => is_later && is_closed,
            BreakerCommand::Close => is_later && !is_closed,
            BreakerCommand::Isolate => false,
        }
    };
    (!breaker.instances.iter().any(is_over)).then_some(order)
}

fn override_note(view: &View, order: &BreakerOverride) -> Markup {
    let action = match order.command {
        BreakerCommand::Open => "opened the breaker",
        BreakerCommand::Close => "closed the breaker",
        BreakerCommand::Isolate => "set the breaker to stay open",
    };
    html! {
        p class="note" {
            strong { (order.actor.name) } " " (action) " " (parts::at(view.now, order.at))
            @if order.command == BreakerCommand::Isolate { "; all calls are rejected until it is closed" }
        }
    }
}

fn buttons(breaker: &BreakerView) -> Markup {
    let is_closed = breaker.instances.iter().all(|it| it.state == BreakerState::Closed);
    let is_isolated =
        breaker.last_override.as_ref().is_some_and(|it| it.command == BreakerCommand::Isolate);
    let is_open = !is_closed && breaker.instances.iter().all(|it| it.state == BreakerState::Open);
    let path = link::to("/breakers", &breaker.policy);
    let name = &breaker.policy;
    let button = |action: &str, class, label: &str, question: Option<&str>| {
        let confirm = question.map(|question| (label, question));
        parts::post_button(&format!("{path}/{action}"), class, label, confirm)
    };
    html! {
        @if !is_closed || is_isolated { (button("close", "button small main", "Close", None)) }
        @if !is_open || is_isolated {
            (button("open", "button small", "Open", Some(&format!(
                "Open the breaker for policy {name} on all instances? Calls are rejected until its timeout ends and a probe succeeds."
            ))))
        }
        @if !is_isolated {
            (button("isolate", "button small danger", "Hold open", Some(&format!(
                "Hold open the breaker for policy {name} on all instances? Calls are rejected until it is closed."
            ))))
        }
    }
}

fn instances(view: &View, reports: &[BreakerReport]) -> Markup {
    let columns =
        ["State", "Instance", "Failures", "State since", "Next probe", "Last report"].map(Text);
    parts::table("stacked", &columns, reports.iter().map(|report| instance(view, report)))
}

fn instance(view: &View, report: &BreakerReport) -> Markup {
    let at = |time| parts::at(view.now, time);
    html! {
        tr id={ "breaker-" (report.policy) "-" (report.instance) } data-row {
            td { (state(report.state)) }
            td class="wide" { (report.instance) }
            td {
                (parts::count(report.failure_count))
                // Calls in flight when it opened may push the count beyond the threshold.
                @if let Some(threshold) = report.threshold.filter(|threshold| report.failure_count <= u64::from(*threshold)) {
                    span class="muted" { " of " (threshold) }
                }
                @if let Some(time) = report.last_failure_time { span class="muted" { ", last " (at(time)) } }
            }
            td data-label="state since" { @match report.last_state_change { Some(time) => (at(time)), None => span class="muted" { "startup" } } }
            td data-label="next probe" { @match report.next_probe_at {
                Some(time) if time > view.now => (at(time)),
                Some(_) => "on next call",
                None => span class="muted" { "–" },
            } }
            td class="muted" data-label="last report" { @if let Some(time) = report.seen_at { (at(time)) } }
        }
    }
}

fn state(state: BreakerState) -> Markup {
    let (class, shape) = match state {
        BreakerState::Closed => ("completed", Icon::COMPLETED),
        BreakerState::HalfOpen => ("scheduled", Icon::RUNNING),
        _ => ("failed", Icon::FAILED),
    };
    parts::badge_with(class, shape, parts::breaker_state(state))
}

fn budgets_panel(view: &View, policies: &PolicyLinks, budgets: &[BudgetReport]) -> Markup {
    let content = match budgets {
        [] => no_budgets(),
        budgets => budget_table(view, policies, budgets),
    };
    parts::panel("Retry budgets", content)
}

fn no_budgets() -> Markup {
    let instructions = html! {
        p { "A retry budget limits retries to a rate or to a share of the traffic, so that retries do not multiply the load during an outage. It belongs to a policy; workers report it here once they run a task with that policy." }
        (parts::yaml("policies:\n  billing:\n    budget:\n      retries_per_second: 10"))
    };
    parts::empty("No budgets reported yet", instructions)
}

fn budget_table(view: &View, policies: &PolicyLinks, budgets: &[BudgetReport]) -> Markup {
    let columns = [
        Text("Policy"),
        Text("Instance"),
        Number("Available retries"),
        Text("Limit"),
        Text("Last report"),
    ];
    parts::table(
        "stacked",
        &columns,
        budgets.iter().map(|budget| budget_row(view, policies, budget)),
    )
}

fn budget_row(view: &View, policies: &PolicyLinks, budget: &BudgetReport) -> Markup {
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
