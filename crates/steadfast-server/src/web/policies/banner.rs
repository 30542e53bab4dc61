//! The banner shown while the policy file is invalid and the previous policies stay active (F4).

use maud::{Markup, html};
use steadfast_api::Local;

/// How many errors are listed.
const MAX_LISTED: usize = 5;

/// The errors of the file, if it is invalid.
pub(super) fn banner(api: &Local) -> Markup {
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
