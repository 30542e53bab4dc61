//! What if a policy said something else?
//!
//! A few numbers in a policy decide whether an outage is survived or made worse, and nobody sees
//! that by looking at them. So they can be moved here, and what follows is shown at once beside
//! what holds now: the delays, and the calls that a service gets through an outage. The policy
//! itself is not touched; what was tried can be copied into its file.

mod asked;
mod controls;
mod play;
mod result;

use maud::{Markup, html};
use steadfast_api::{KnownPolicy, PolicySummary};

pub(super) use asked::Asked;
pub(crate) use play::Simulations;

use asked::Changed;
use play::Weather;
use result::Compared;

/// The controls, and what follows from them.
pub(super) async fn panel(simulations: &Simulations, known: &KnownPolicy, asked: &Asked) -> Markup {
    let weather = Weather::asked(&asked.outage, PolicySummary::of(&known.policy).total_delay);
    let changed = asked.changed(known);
    let compared = compare(simulations, known, &changed, weather).await;
    html! {
        section class="panel what-if" id="what-if" aria-labelledby="what-if-title" {
            div class="panel-head" {
                h2 id="what-if-title" { "What if" }
                span class="muted" { "Nothing is changed by this." }
            }
            div class="trying" {
                (controls::form(known, asked, &changed, weather))
                (result::result(known, &changed, compared.as_ref()))
            }
        }
    }
}

async fn compare(
    simulations: &Simulations,
    known: &KnownPolicy,
    changed: &Changed,
    weather: Weather,
) -> Option<Compared> {
    let now = simulations.play(play::bounded(&known.draft)?, weather).await?;
    let changed = match &changed.policy {
        Some((draft, _)) => Some(simulations.play(play::bounded(draft)?, weather).await?),
        None => None,
    };
    Some(Compared { weather, now, changed })
}
