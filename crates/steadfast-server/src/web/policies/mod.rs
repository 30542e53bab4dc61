//! Policies: the list, the schedule and effective settings of one, and the what-if simulation.

mod list;
mod show;
mod what_if;

use axum::Router;
use axum::routing::get;
use maud::{Markup, html};
use steadfast_api::Local;

use crate::app::App;

pub(super) use show::budget_limit;
pub(crate) use what_if::Simulations;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/policies", get(list::list)).route("/policies/{name}", get(show::show))
}

const MAX_LISTED: usize = 5;

/// The errors of the policy file while it is invalid and the previous policies stay active (F4).
fn banner(api: &Local) -> Markup {
    let Some(problems) = api.policy_problems() else {
        return html! {};
    };
    let problems = problems.as_slice();
    html! {
        section class="banner" role="alert" {
            h2 { "The policy file is invalid" }
            p { "The previous policies stay active until it is fixed." }
            ul {
                @for problem in problems.iter().take(MAX_LISTED) { li { code { (problem) } } }
            }
            @if problems.len() > MAX_LISTED { p { (problems.len() - MAX_LISTED) " more errors" } }
        }
    }
}
