//! The what-if simulation of a policy.
//!
//! A few settings decide whether retries bridge an outage or make it worse. The form changes them and
//! shows the delays and the simulated load on the service beside those of the current policy. The
//! policy itself is not changed; the result can be copied into its file.

mod changes;
mod form;
mod result;
mod simulation;

use maud::{Markup, html};
use steadfast_api::{PolicyDetails, PolicySummary};

pub(super) use changes::WhatIfQuery;
pub(crate) use simulation::Simulations;

use changes::Change;
use result::Comparison;
use simulation::OutageLength;

pub(super) async fn panel(
    simulations: &Simulations,
    known: &PolicyDetails,
    query: &WhatIfQuery,
) -> Markup {
    let outage = OutageLength::parse(&query.outage, PolicySummary::of(&known.policy).total_delay);
    let change = query.apply(known);
    let comparison = compare(simulations, known, &change, outage).await;
    html! {
        section class="panel what-if" id="what-if" aria-labelledby="what-if-title" {
            div class="panel-head" {
                h2 id="what-if-title" { "What-if simulation" }
                span class="muted" { "The policy itself is not changed" }
            }
            div class="simulation" {
                (form::form(known, query, &change, outage))
                (result::result(known, &change, comparison.as_ref()))
            }
        }
    }
}

async fn compare(
    simulations: &Simulations,
    known: &PolicyDetails,
    change: &Change,
    outage: OutageLength,
) -> Option<Comparison> {
    let current = simulations.run(simulation::bounded(&known.draft)?, outage).await?;
    let changed = match &change.policy {
        Some((draft, _)) => Some(simulations.run(simulation::bounded(draft)?, outage).await?),
        None => None,
    };
    Some(Comparison { outage, current, changed })
}
