//! A policy file that is wrong now, above policies that still hold (F4).

use maud::{Markup, html};
use steadfast_api::Local;

/// How many problems are told; who mends one sees the next.
const TOLD: usize = 5;

/// What is wrong with the file, if anything.
pub(super) fn banner(api: &Local) -> Markup {
    let Some(problems) = api.policy_problems() else {
        return html! {};
    };
    let problems = problems.as_slice();
    html! {
        section class="banner" role="alert" {
            h2 { "The policy file cannot be taken as it is" }
            p { "The policies from before it was changed stay in force until it is mended." }
            ul {
                @for problem in problems.iter().take(TOLD) { li { code { (problem) } } }
            }
            @if problems.len() > TOLD { p { "And " (problems.len() - TOLD) " more." } }
        }
    }
}
