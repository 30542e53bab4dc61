//! What follows from what was moved, beside what holds now.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::file::{Explained, Explanation, Layer, Route};
use steadfast::policy::BackoffType;
use steadfast_api::{KnownPolicy, PolicySummary, policy_fields};
use steadfast_sim::{Outcome, draw};

use super::asked::Changed;
use super::play::{CLIENTS, Weather};
use crate::web::parts::{self, Looks};
use crate::web::policies::plan::SHOWN;

/// What was played.
pub(super) struct Compared {
    pub(super) weather: Weather,
    pub(super) now: Arc<Outcome>,
    pub(super) changed: Option<Arc<Outcome>>,
}

/// Figures, two charts and the policy to copy.
pub(super) fn result(
    known: &KnownPolicy,
    changed: &Changed,
    compared: Option<&Compared>,
) -> Markup {
    let policy = changed.policy.as_ref().map(|(_, policy)| policy);
    html! {
        div class="result" id="what-if-result" {
            @if !changed.problems.is_empty() { (problems(changed)) }
            (figures(&known.policy, policy, compared))
            div class="drawn" {
                div { h3 { "Delay before each attempt" } (parts::side_chart(&delays(&known.policy, policy), Looks::Compared)) }
                @if let Some(compared) = compared {
                    div { h3 { "Calls that the service gets" } (parts::side_chart(&load(compared), Looks::Compared)) }
                }
            }
            p class="muted" { @match compared {
                Some(compared) => (scene(compared.weather)),
                None => "The server plays other outages just now; move something, or try again.",
            } }
            @if let Some(policy) = policy { (yaml(known, policy)) }
        }
    }
}

/// The script finds the fields by their names here.
fn problems(changed: &Changed) -> Markup {
    html! {
        div class="form-problem" role="alert" {
            ul { @for (field, told) in &changed.problems { li data-wrong=(field) { code { (field) } ": " (told) } } }
        }
    }
}

fn scene(weather: Weather) -> String {
    let clients = parts::count(CLIENTS.into());
    let outage = weather.words();
    match weather.scenario().capacity {
        Some(_) => format!(
            "Simulated: {clients} clients that each want one thing, of a service that can do a quarter \
             more than it is usually asked for and is away for {outage}."
        ),
        None => format!(
            "Simulated: {clients} clients that each want one thing, of a service that is away for {outage}."
        ),
    }
}

fn figures(now: &Policy, changed: Option<&Policy>, compared: Option<&Compared>) -> Markup {
    let played = compared.map(|it| it.now.as_ref());
    let tried = compared.and_then(|it| it.changed.as_deref());
    let row = |label: &str, of: &dyn Fn(&Policy, Option<&Outcome>) -> String| {
        html! {
            tr {
                th scope="row" { (label) }
                td class="number" { (of(now, played)) }
                @if let Some(changed) = changed { td class="number" { strong { (of(changed, tried)) } } }
            }
        }
    };
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Figures" {
            table class="figures" {
                thead { tr {
                    td {} th scope="col" class="number" { "Now" }
                    @if changed.is_some() { th scope="col" class="number" { "Changed" } }
                } }
                tbody aria-live="polite" {
                    (row("Attempts at most", &|policy, _| attempts(policy)))
                    (row("Waiting in all", &|policy, _| waiting(policy)))
                    (row("Calls for each client", &|_, played| told(played, |it| format!("{:.2}", it.amplification))))
                    (row("Most calls in a second", &|_, played| told(played, |it| parts::count(it.peak_rps as u64))))
                    (row("Clients that got through", &|_, played| told(played, through)))
                    (row("99 of 100 of those within", &|_, played| told(played, |it| it.p99.map_or_else(|| "–".to_owned(), parts::seconds))))
                }
            }
        }
    }
}

fn told(played: Option<&Outcome>, of: impl FnOnce(&Outcome) -> String) -> String {
    played.map_or_else(|| "–".to_owned(), of)
}

fn attempts(policy: &Policy) -> String {
    parts::count(PolicySummary::of(policy).attempts.into())
}

/// From the shortest to the longest that all waits together can be.
fn waiting(policy: &Policy) -> String {
    let last = draw::retries(policy, 10_000).pop();
    let (shortest, longest) = last.map_or((Duration::ZERO, Duration::ZERO), |last| {
        let limit = policy.max_duration().unwrap_or(Duration::MAX);
        (last.total_min.min(limit), last.total_max.min(limit))
    });
    parts::band(shortest, longest)
}

fn through(outcome: &Outcome) -> String {
    parts::percent(outcome.completed as f64 / f64::from(outcome.clients.max(1)))
}

fn delays(now: &Policy, changed: Option<&Policy>) -> steadfast_draw::Chart {
    let chart = draw::delay_chart("Delay before each attempt", false);
    let chart = draw::delays(chart, "now", now, SHOWN);
    match changed {
        Some(changed) => draw::delays(chart, "changed", changed, SHOWN),
        None => chart,
    }
}

fn load(compared: &Compared) -> steadfast_draw::Chart {
    let named = |outcome: &Outcome, name: &str| {
        let mut outcome = outcome.clone();
        name.clone_into(&mut outcome.policy);
        outcome
    };
    let mut outcomes = vec![named(&compared.now, "now")];
    outcomes.extend(compared.changed.as_deref().map(|changed| named(changed, "changed")));
    draw::load(&compared.weather.scenario(), &outcomes)
}

/// The changed policy as a file would have it: what was written, and what was moved.
fn yaml(known: &KnownPolicy, changed: &Policy) -> Markup {
    let explained = Explanation::of(changed);
    let is_shown = |it: &&Explained| {
        let before = known.explanation.value(&it.field);
        let was_written = before.is_some_and(|before| before.origin.layer() != Layer::BuiltIn);
        let is_moved = before.is_none_or(|before| before.value != it.value);
        matches!(known.route, Route::Preset) || was_written || is_moved
    };
    let backoff = changed.timing().backoff_type();
    let is_said = |it: &&Explained| match it.field.as_str() {
        "name" => changed.name() != changed.id(),
        "multiplier" => backoff == BackoffType::Exponential,
        "increment" => backoff == BackoffType::Linear,
        _ => true,
    };
    let values = explained.values.iter().filter(is_shown).filter(is_said);
    let fields = policy_fields::fields(values.map(|it| (it.field.as_str(), &it.value)));
    let id = policy_fields::scalar(known.policy.id().unwrap_or_default());
    let lines = fields.lines().map(|line| format!("    {line}\n")).collect::<String>();
    html! {
        h3 { "To put it into the policy file" }
        (parts::command(&format!("policies:\n  {id}:\n{lines}")))
    }
}
