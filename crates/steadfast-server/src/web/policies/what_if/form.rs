//! The what-if form: a field and a slider for each setting.
//!
//! The field is submitted. The slider, which needs a script, writes one of a list of sensible values
//! into it, so that a delay ranges from milliseconds to a day.

use maud::{Markup, html};
use steadfast_api::{PolicyDetails, PolicySummary};

use super::changes::{Change, WhatIfQuery, current_value};
use super::simulation::OutageLength;
use crate::web::{link, parts};

const ATTEMPT_STEPS: &str = "1 2 3 4 5 6 7 8 9 10 12 15 20 25 30 40 50 75 100";
const DELAY_STEPS: &str =
    "10ms 20ms 50ms 100ms 200ms 500ms 1s 2s 5s 10s 15s 30s 1m 2m 5m 10m 15m 30m 1h 2h 6h 12h 1d";
const MULTIPLIER_STEPS: &str = "1 1.1 1.2 1.3 1.5 1.6 1.8 2 2.5 3 4 5 10";

/// The form. It uses GET so that the URL can be shared.
pub(super) fn form(
    known: &PolicyDetails,
    query: &WhatIfQuery,
    change: &Change,
    outage: OutageLength,
) -> Markup {
    let id = known.policy.id().unwrap_or_default();
    let path = link::to("/policies", id);
    let default = OutageLength::parse("", PolicySummary::of(&known.policy).total_delay);
    let slider = |field, label, steps| control(known, query, change, field, label, steps);
    html! {
        form class="controls" action=(path) data-what-if data-preserve {
            (slider("max_attempts", "Max attempts", ATTEMPT_STEPS))
            (select(known, query, "backoff_type", "Backoff", &["exponential", "linear", "fibonacci", "fixed", "immediate"]))
            (slider("base_delay", "Base delay", DELAY_STEPS))
            (slider("multiplier", "Multiplier", MULTIPLIER_STEPS))
            (slider("max_delay", "Max delay", DELAY_STEPS))
            (select(known, query, "jitter", "Jitter", &["none", "full", "equal", "decorrelated", "proportional"]))
            div data-now=(default.name) {
                (parts::choice("outage", "Outage length", outage.name, OutageLength::ALL.map(|it| (it.name, it.label))))
            }
            div class="buttons" {
                button class="button main" { "Simulate" }
                a class="button" href={ (path) "#what-if" } { "Reset" }
            }
        }
    }
}

fn control(
    known: &PolicyDetails,
    query: &WhatIfQuery,
    change: &Change,
    field: &str,
    label: &str,
    steps: &str,
) -> Markup {
    let now = current_value(known, field);
    let value = if query.value(field).is_empty() { now.as_str() } else { query.value(field) };
    let last = steps.split(' ').count() - 1;
    let problem = change.problem(field);
    let described = format!("{field}-problem");
    html! {
        div class="field control" data-now=(now) {
            label for=(field) { (label) }
            input id=(field) name=(field) value=(value) autocomplete="off" spellcheck="false"
                placeholder="unset" aria-invalid=[problem.map(|_| "true")]
                aria-describedby=[problem.map(|_| &described)];
            input type="range" min="0" max=(last) step="1" data-steps=(steps) data-slider-for=(field)
                aria-label={ (label) " slider" } hidden;
            @if let Some(message) = problem { p class="problem" id=(described) { (message) } }
        }
    }
}

/// A select. A current value that is not among the names is an option of its own.
fn select(
    known: &PolicyDetails,
    query: &WhatIfQuery,
    field: &'static str,
    label: &str,
    names: &[&str],
) -> Markup {
    let now = current_value(known, field);
    let selected = if query.value(field).is_empty() { now.as_str() } else { query.value(field) };
    let other = if now.is_empty() { "unset" } else { now.as_str() };
    let is_other = !names.contains(&now.as_str());
    let options = is_other.then_some((now.as_str(), other)).into_iter();
    let options = options.chain(names.iter().map(|name| (*name, *name)));
    html! { div class="field control" data-now=(now) { (parts::choice(field, label, selected, options)) } }
}
