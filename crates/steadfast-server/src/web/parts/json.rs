//! JSON documents.

use maud::{Markup, html};
use serde_json::Value;

use super::copy::button;

/// An indented document. The caller has redacted its secrets.
pub(crate) fn document(name: &str, value: &Value) -> Markup {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    html! {
        div class="document" {
            pre tabindex="0" aria-label=(name) { code { (text) } }
            (button(name))
        }
    }
}
