//! Every value of a policy, and who wrote it (F3).
//!
//! A value that surprises was written by somebody, so what was written comes first; what is built
//! in is folded away.

use std::cmp::Reverse;

use maud::{Markup, html};
use steadfast::file::{Explained, Explanation, Layer};
use steadfast_api::policy_fields;

use crate::web::parts;
use crate::web::parts::Column::Text;

/// The values.
pub(super) fn values(explanation: &Explanation) -> Markup {
    let (built_in, mut ours): (Vec<&Explained>, Vec<&Explained>) =
        explanation.values.iter().partition(|it| it.origin.layer() == Layer::BuiltIn);
    ours.sort_by_key(|it| Reverse(it.origin.layer()));
    let is_ready_made = ours.is_empty();
    parts::panel(
        "Values, and who wrote them",
        html! {
            @if !is_ready_made { (table("What was written", &ours)) }
            details class="table" open[is_ready_made] {
                summary { (parts::counted(built_in.len() as u64, "default")) }
                (table("What is built in", &built_in))
            }
        },
    )
}

fn table(name: &str, values: &[&Explained]) -> Markup {
    let columns = [Text("Field"), Text("Value"), Text("From")];
    parts::read_only_table(
        name,
        "values stacked",
        &columns,
        html! {
            @for it in values {
                tr {
                    td { code { (it.field) } }
                    td class="value" { @match policy_fields::value(&it.field, &it.value) {
                        Some(value) => (value), None => span class="muted" { "none" },
                    } }
                    td class="muted" title=(from(it)) { (last_part(&from(it))) }
                }
            }
        },
    )
}

/// A file by its name: where it is on the server's disk is for whoever points at it.
pub(super) fn last_part(from: &str) -> &str {
    from.rsplit_once(['/', '\\']).map_or(from, |(_, last)| last)
}

/// A line of the file says which policy it is of by itself, unless it is everybody's.
fn from(value: &Explained) -> String {
    match value.origin.layer() {
        Layer::GlobalDefaults => format!("{} (global_defaults)", value.origin),
        _ => value.origin.to_string(),
    }
}
