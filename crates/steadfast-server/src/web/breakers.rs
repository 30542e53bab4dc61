//! Breakers: how they stand in every instance, and what is wanted of them (G1); and
//! [budgets](super::budgets).

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use steadfast::guard::breaker::BreakerState;
use steadfast_api::{Api, BreakerView};
use steadfast_store::{BreakerCommand, BreakerOverride, BreakerReport};

use super::done::Done;
use super::icon::{Icon, icon};
use super::linkable::LinkablePolicies;
use super::parts::Column::Text;
use super::section::Section;
use super::view::View;
use super::{budgets, link, parts};
use crate::app::App;
use crate::extract::{Ask, Operator};
use crate::path_parameters::Named;
use crate::problem::Problem;

/// The pages of breakers.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/breakers", get(list))
        .route("/breakers/{policy}/open", post(open))
        .route("/breakers/{policy}/close", post(close))
        .route("/breakers/{policy}/isolate", post(isolate))
}

async fn open(operator: Operator, policy: Named) -> Result<Response, Problem> {
    order(operator, policy, BreakerCommand::Open).await
}

async fn close(operator: Operator, policy: Named) -> Result<Response, Problem> {
    order(operator, policy, BreakerCommand::Close).await
}

async fn isolate(operator: Operator, policy: Named) -> Result<Response, Problem> {
    order(operator, policy, BreakerCommand::Isolate).await
}

async fn order(
    Operator(api): Operator,
    Named(policy): Named,
    wish: BreakerCommand,
) -> Result<Response, Problem> {
    api.order_breaker(&policy, wish).await?;
    let done = match wish {
        BreakerCommand::Open => Done::Opened,
        BreakerCommand::Close => Done::Closed,
        BreakerCommand::Isolate => Done::Isolated,
    };
    Ok(done.then("/breakers"))
}

async fn list(view: View, Ask(api): Ask) -> Result<Response, Problem> {
    let (breakers, budgets) = (api.breakers().await?, api.budgets().await?);
    let policies = LinkablePolicies::now(&api).await?;
    let inside = html! {
        (parts::head("Breakers", html! {}))
        @if breakers.is_empty() { section class="panel" { (none()) } }
        @for breaker in &breakers { (one(&view, &policies, breaker)) }
        (budgets::panel(&view, &policies, &budgets))
    };
    Ok(view.show(Section::Breakers, "Breakers", &inside))
}

fn none() -> Markup {
    parts::empty(
        "No breaker has reported yet",
        html! {
            p { "A breaker stops calls to a service that fails, for as long as it needs to come back, and then lets a single one through to see. It belongs to a policy; workers report it here once they run a task under that policy." }
            (parts::command("policies:\n  billing:\n    enable_circuit_breaker: true\n    circuit_breaker_threshold: 5\n    circuit_breaker_timeout: 60s"))
        },
    )
}

fn one(view: &View, policies: &LinkablePolicies, breaker: &BreakerView) -> Markup {
    let policy = &breaker.policy;
    html! {
        section class="panel" id={ "of-" (policy) } aria-label={ "Breaker of " (policy) } {
            div class="panel-head" {
                h2 { (policies.named(policy)) }
                @if view.may_change() { div class="ways" { (acts(breaker)) } }
            }
            @if let Some(order) = holds(breaker) { (wanted(view, order)) }
            @if breaker.instances.is_empty() {
                div class="empty small" { p { "No instance was heard of lately. What is wanted holds for those that come." } }
            } @else { (instances(view, &breaker.instances)) }
        }
    }
}

/// What was wanted last, until an instance does something else by itself: an order to close is over
/// when a breaker opens after it.
fn holds(breaker: &BreakerView) -> Option<&BreakerOverride> {
    let order = breaker.order.as_ref()?;
    let is_over = |report: &BreakerReport| {
        let is_later = report.last_state_change.is_some_and(|change| change > order.at);
        let is_closed = report.state == BreakerState::Closed;
        match order.wish {
            BreakerCommand::Open => is_later && is_closed,
            BreakerCommand::Close => is_later && !is_closed,
            BreakerCommand::Isolate => false,
        }
    };
    (!breaker.instances.iter().any(is_over)).then_some(order)
}

fn wanted(view: &View, order: &BreakerOverride) -> Markup {
    let did = match order.wish {
        BreakerCommand::Open => "opened it",
        BreakerCommand::Close => "closed it",
        BreakerCommand::Isolate => "isolated it",
    };
    html! {
        p class="note" {
            strong { (order.by.actor) } " " (did) " " (parts::at(view.now, order.at))
            @if order.wish == BreakerCommand::Isolate { "; it rejects every call until somebody closes it" }
        }
    }
}

fn acts(breaker: &BreakerView) -> Markup {
    let is_closed = breaker.instances.iter().all(|it| it.state == BreakerState::Closed);
    let is_isolated = breaker.order.as_ref().is_some_and(|it| it.wish == BreakerCommand::Isolate);
    let is_open = !is_closed && breaker.instances.iter().all(|it| it.state == BreakerState::Open);
    let path = link::to("/breakers", &breaker.policy);
    let name = &breaker.policy;
    html! {
        @if !is_closed || is_isolated { (act(&path, "close", "Close", "button small main", None)) }
        @if !is_open || is_isolated {
            (act(&path, "open", "Open", "button small", Some((
                format!("Open {name}"),
                format!("Open the breaker of {name} in every instance? Calls are rejected for as long as it would reject them by itself, then it probes."),
            ))))
        }
        @if !is_isolated {
            (act(&path, "isolate", "Isolate", "button small danger", Some((
                format!("Isolate {name}"),
                format!("Isolate {name} in every instance? Every call is rejected until somebody closes it."),
            ))))
        }
    }
}

/// What can be done, perhaps after a question that has a yes of its own.
fn act(path: &str, what: &str, label: &str, looks: &str, ask: Option<(String, String)>) -> Markup {
    let (yes, ask) = ask.unzip();
    html! {
        form method="post" action={ (path) "/" (what) } {
            button class=(looks) data-yes=[yes] data-confirm=[ask] { (label) }
        }
    }
}

fn instances(view: &View, reports: &[BreakerReport]) -> Markup {
    let columns = [
        Text("State"),
        Text("Instance"),
        Text("Failures"),
        Text("Since"),
        Text("Next probe"),
        Text("Last report"),
    ];
    parts::table("stacked", &columns, html! { @for report in reports { (instance(view, report)) } })
}

fn instance(view: &View, report: &BreakerReport) -> Markup {
    let at = |time| parts::at(view.now, time);
    html! {
        tr id={ "breaker-" (report.policy) "-" (report.instance) } data-row {
            td { (state(report.state)) }
            td class="wide" { (report.instance) }
            td {
                (parts::count(report.failure_count))
                // Calls that were under way when it opened are counted beyond it.
                @if let Some(threshold) = report.threshold.filter(|most| report.failure_count <= u64::from(*most)) {
                    span class="muted" { " of " (threshold) }
                }
                @if let Some(time) = report.last_failure_time { span class="muted" { ", last " (at(time)) } }
            }
            td data-label="since" { @match report.last_state_change { Some(time) => (at(time)), None => span class="muted" { "the start" } } }
            td data-label="next probe" { @match report.next_probe_at {
                Some(time) if time > view.now => (at(time)),
                Some(_) => "with the next call",
                None => span class="muted" { "–" },
            } }
            td class="muted" data-label="last report" { @if let Some(time) = report.seen_at { (at(time)) } }
        }
    }
}

/// By colour, by shape and in words.
fn state(state: BreakerState) -> Markup {
    let (looks, shape) = match state {
        BreakerState::Closed => ("completed", Icon::Completed),
        BreakerState::HalfOpen => ("scheduled", Icon::Running),
        _ => ("failed", Icon::Failed),
    };
    html! { span class={ "status " (looks) } { (icon(shape)) (state.to_string().replace('_', " ")) } }
}
