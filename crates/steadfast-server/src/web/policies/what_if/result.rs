//! The result of the what-if simulation: the changed policy beside the current one.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::file::{Explained, Explanation, Layer, Route};
use steadfast::policy::BackoffType;
use steadfast_api::{PolicyDetails, PolicySummary, policy_fields};
use steadfast_sim::{Outcome, draw};

use super::changes::Change;
use super::simulation::{CLIENTS, OutageLength};
use crate::web::parts;
use crate::web::policies::show::MAX_ATTEMPTS_SHOWN;

pub(super) struct Comparison {
    pub(super) outage: OutageLength,
    pub(super) current: Arc<Outcome>,
    pub(super) changed: Option<Arc<Outcome>>,
}

/// A table, two charts and the policy to copy.
pub(super) fn result(
    known: &PolicyDetails,
    change: &Change,
    comparison: Option<&Comparison>,
) -> Markup {
    let policy = change.policy.as_ref().map(|(_, policy)| policy);
    html! {
        div class="result" id="what-if-result" {
            @if !change.problems.is_empty() { (problems(change)) }
            (table(&known.policy, policy, comparison))
            div class="result-charts" {
                div { h3 { "Delay before each attempt" } (parts::side_chart(&delays(&known.policy, policy), "compared")) }
                @if let Some(comparison) = comparison {
                    div { h3 { "Calls to the service" } (parts::side_chart(&load(comparison), "compared")) }
                }
            }
            p class="muted" { @match comparison {
                Some(comparison) => (scenario(comparison.outage)),
                None => "The server is busy with other simulations; try again in a moment.",
            } }
            @if let Some(policy) = policy { (yaml(known, policy)) }
        }
    }
}

/// The errors. The script finds their fields by name.
fn problems(change: &Change) -> Markup {
    html! {
        div class="form-problem" role="alert" {
            ul { @for (field, message) in &change.problems { li data-invalid=(field) { code { (field) } ": " (message) } } }
        }
    }
}

fn scenario(outage: OutageLength) -> String {
    let clients = parts::count(CLIENTS.into());
    let down = outage.label;
    let capacity = match outage.scenario().capacity {
        Some(_) => " with 25 % spare capacity",
        None => "",
    };
    format!(
        "Simulation: {clients} clients make one call each to a service{capacity}. The service is down \
         for {down}."
    )
}

fn table(current: &Policy, changed: Option<&Policy>, comparison: Option<&Comparison>) -> Markup {
    let before = comparison.map(|it| it.current.as_ref());
    let after = comparison.and_then(|it| it.changed.as_deref());
    let row = |label: &str, of: &dyn Fn(&Policy, Option<&Outcome>) -> String| {
        html! {
            tr {
                th scope="row" { (label) }
                td class="number" { (of(current, before)) }
                @if let Some(changed) = changed { td class="number" { strong { (of(changed, after)) } } }
            }
        }
    };
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Comparison" {
            table class="comparison" {
                thead { tr {
                    td {} th scope="col" class="number" { "Current" }
                    @if changed.is_some() { th scope="col" class="number" { "Changed" } }
                } }
                tbody aria-live="polite" {
                    (row("Max attempts", &|policy, _| parts::count(PolicySummary::of(policy).attempts.into())))
                    (row("Total delay", &|policy, _| total_delay(policy)))
                    (row("Calls per client", &|_, outcome| metric(outcome, |it| format!("{:.2}", it.amplification))))
                    (row("Peak calls per second", &|_, outcome| metric(outcome, |it| parts::count(it.peak_rps as u64))))
                    (row("Successful clients", &|_, outcome| metric(outcome, |it| parts::percent(it.completed as f64 / f64::from(it.clients.max(1))))))
                    (row("p99 time to success", &|_, outcome| metric(outcome, |it| it.p99.map_or_else(|| "–".to_owned(), parts::seconds))))
                }
            }
        }
    }
}

fn metric(outcome: Option<&Outcome>, of: impl FnOnce(&Outcome) -> String) -> String {
    outcome.map_or_else(|| "–".to_owned(), of)
}

/// The range of the sum of all delays.
fn total_delay(policy: &Policy) -> String {
    let last = draw::retries(policy, 10_000).pop();
    let (shortest, longest) = last.map_or((Duration::ZERO, Duration::ZERO), |last| {
        let limit = policy.max_duration().unwrap_or(Duration::MAX);
        (last.total_min.min(limit), last.total_max.min(limit))
    });
    parts::duration_range(shortest, longest)
}

fn delays(current: &Policy, changed: Option<&Policy>) -> steadfast_draw::Chart {
    let chart = draw::delay_chart("Delay before each attempt", false);
    let chart = draw::delays(chart, "current", current, MAX_ATTEMPTS_SHOWN);
    match changed {
        Some(changed) => draw::delays(chart, "changed", changed, MAX_ATTEMPTS_SHOWN),
        None => chart,
    }
}

fn load(comparison: &Comparison) -> steadfast_draw::Chart {
    let named = |outcome: &Outcome, name: &str| {
        let mut outcome = outcome.clone();
        name.clone_into(&mut outcome.policy);
        outcome
    };
    let mut outcomes = vec![named(&comparison.current, "current")];
    outcomes.extend(comparison.changed.as_deref().map(|changed| named(changed, "changed")));
    draw::load(&comparison.outage.scenario(), &outcomes)
}

/// The changed policy as a file entry: configured settings and changed ones.
fn yaml(known: &PolicyDetails, changed: &Policy) -> Markup {
    let explained = Explanation::of(changed);
    let is_shown = |it: &&Explained| {
        let before = known.explanation.value(&it.field);
        let was_configured = before.is_some_and(|before| before.origin.layer() != Layer::BuiltIn);
        let is_changed = before.is_none_or(|before| before.value != it.value);
        matches!(known.route, Route::Preset) || was_configured || is_changed
    };
    let backoff = changed.timing().backoff_type();
    let applies = |it: &&Explained| match it.field.as_str() {
        "name" => changed.name() != changed.id(),
        "multiplier" => backoff == BackoffType::Exponential,
        "increment" => backoff == BackoffType::Linear,
        _ => true,
    };
    let values = explained.values.iter().filter(is_shown).filter(applies);
    let fields = policy_fields::fields(values.map(|it| (it.field.as_str(), &it.value)));
    let id = policy_fields::scalar(known.policy.id().unwrap_or_default());
    let lines = fields.lines().map(|line| format!("    {line}\n")).collect::<String>();
    html! {
        h3 { "Policy file entry" }
        (parts::yaml(&format!("policies:\n  {id}:\n{lines}")))
    }
}
