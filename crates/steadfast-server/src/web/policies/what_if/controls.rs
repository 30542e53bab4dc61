//! What can be moved: a field for each value, and a slider beside it for who has a script.
//!
//! The field is what is sent. The slider only writes into it, out of a list of values that are
//! worth trying, so a delay can go from milliseconds to hours in one movement.

use maud::{Markup, html};
use steadfast_api::{KnownPolicy, PolicySummary};

use super::asked::{Asked, Changed, present};
use super::play::Weather;
use crate::web::link;
use crate::web::parts;

const ATTEMPTS: &str = "1 2 3 4 5 6 7 8 9 10 12 15 20 25 30 40 50 75 100";
const DELAYS: &str =
    "10ms 20ms 50ms 100ms 200ms 500ms 1s 2s 5s 10s 15s 30s 1m 2m 5m 10m 15m 30m 1h 2h 6h 12h 1d";
const FACTORS: &str = "1 1.1 1.2 1.3 1.5 1.6 1.8 2 2.5 3 4 5 10";

/// The form. It is sent by GET, so what was tried can be sent to somebody.
pub(super) fn form(
    known: &KnownPolicy,
    asked: &Asked,
    changed: &Changed,
    weather: Weather,
) -> Markup {
    let id = known.policy.id().unwrap_or_default();
    let path = link::to("/policies", id);
    let usual = Weather::asked("", PolicySummary::of(&known.policy).total_delay);
    let slider = |field, label, steps| control(known, asked, changed, field, label, steps);
    html! {
        form class="controls" action=(path) data-what-if data-keep {
            (slider("max_attempts", "Attempts", ATTEMPTS))
            (select(known, asked, "backoff_type", "Backoff", &["exponential", "linear", "fixed", "immediate"]))
            (slider("base_delay", "Base delay", DELAYS))
            (slider("multiplier", "Multiplier", FACTORS))
            (slider("max_delay", "Longest delay", DELAYS))
            (select(known, asked, "jitter", "Jitter", &["none", "full", "equal", "decorrelated"]))
            div data-now=(usual.name()) {
                (parts::choice("outage", "An outage of", weather.name(), Weather::ALL.map(|it| (it.name(), it.words()))))
            }
            div class="ways" {
                button class="button main" { "Try" }
                a class="button" href={ (path) "#what-if" } { "As it is now" }
            }
        }
    }
}

fn control(
    known: &KnownPolicy,
    asked: &Asked,
    changed: &Changed,
    field: &str,
    label: &str,
    steps: &str,
) -> Markup {
    let now = present(known, field);
    let value = if asked.typed(field).is_empty() { now.as_str() } else { asked.typed(field) };
    let last = steps.split(' ').count() - 1;
    let problem = changed.problem(field);
    let described = format!("{field}-problem");
    html! {
        div class="field control" data-now=(now) {
            label for=(field) { (label) }
            input id=(field) name=(field) value=(value) autocomplete="off" spellcheck="false"
                placeholder="as it is" aria-invalid=[problem.map(|_| "true")]
                aria-describedby=[problem.map(|_| &described)];
            input type="range" min="0" max=(last) step="1" data-steps=(steps) data-moves=(field)
                aria-label={ (label) ", by steps" } hidden;
            @if let Some(told) = problem { p class="problem" id=(described) { (told) } }
        }
    }
}

/// One of a few names; what a policy has that is none of them stays unless another is chosen.
fn select(
    known: &KnownPolicy,
    asked: &Asked,
    field: &'static str,
    label: &str,
    names: &[&str],
) -> Markup {
    let now = present(known, field);
    let chosen = if asked.typed(field).is_empty() { now.as_str() } else { asked.typed(field) };
    let other = if now.is_empty() { "as it is" } else { now.as_str() };
    let is_other = !names.contains(&now.as_str());
    let options = is_other.then_some((now.as_str(), other)).into_iter();
    let options = options.chain(names.iter().map(|name| (*name, *name)));
    html! { div class="field control" data-now=(now) { (parts::choice(field, label, chosen, options)) } }
}
