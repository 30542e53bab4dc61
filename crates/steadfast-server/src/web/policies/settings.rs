//! The effective settings of a policy and their sources (F3).
//!
//! Configured settings come first; defaults are collapsed.

use std::cmp::Reverse;

use maud::{Markup, html};
use steadfast::file::{Explained, Explanation, Layer};
use steadfast_api::policy_fields;

use crate::web::parts::{self, Text};

pub(super) fn settings(explanation: &Explanation) -> Markup {
    let (defaults, mut configured): (Vec<&Explained>, Vec<&Explained>) =
        explanation.values.iter().partition(|it| it.origin.layer() == Layer::BuiltIn);
    configured.sort_by_key(|it| Reverse(it.origin.layer()));
    let is_preset = configured.is_empty();
    let content = html! {
        @if !is_preset { (table("Configured settings", &configured)) }
        details class="table" open[is_preset] {
            summary { (parts::pluralize(defaults.len() as u64, "default")) }
            (table("Default settings", &defaults))
        }
    };
    parts::panel("Effective settings and their sources", content)
}

fn table(name: &str, values: &[&Explained]) -> Markup {
    let row = |it: &&Explained| {
        html! {
            tr {
                td { code { (it.field) } }
                td class="value" { @match policy_fields::value(&it.field, &it.value) {
                    Some(value) => (value), None => span class="muted" { "none" },
                } }
                td class="muted" title=(source(it)) { (file_name(&source(it))) }
            }
        }
    };
    let columns = [Text("Setting"), Text("Value"), Text("Source")];
    parts::read_only_table(name, "values stacked", &columns, values.iter().map(row))
}

/// The file name without its directory, which the tooltip shows.
pub(super) fn file_name(source: &str) -> &str {
    source.rsplit_once(['/', '\\']).map_or(source, |(_, last)| last)
}

/// The source of a setting. A line of `global_defaults` is marked as such.
fn source(value: &Explained) -> String {
    match value.origin.layer() {
        Layer::GlobalDefaults => format!("{} (global_defaults)", value.origin),
        _ => value.origin.to_string(),
    }
}
