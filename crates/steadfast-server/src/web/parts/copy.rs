//! Text with a copy button: IDs, commands and documents.

use maud::{Markup, html};
use serde_json::Value;
use steadfast_store::TaskId;

use super::panel::panel;
use crate::web::{Icon, icon};

/// A button that copies the code beside it. The script unhides it.
fn button(name: &str) -> Markup {
    html! {
        button class="plain copy" type="button" data-copy hidden {
            (icon(Icon::COPY)) span class="visually-hidden" { "Copy " (name) }
        }
    }
}

pub(crate) fn copyable(text: &str, name: &str) -> Markup {
    html! { span class="copyable" { code { (text) } (button(name)) } }
}

/// A command with a copy button.
pub(crate) fn command(text: &str) -> Markup {
    snippet(text, "command")
}

/// A part of a policy file with a copy button.
pub(crate) fn yaml(text: &str) -> Markup {
    snippet(text, "YAML")
}

fn snippet(text: &str, name: &str) -> Markup {
    html! {
        div class="command" { pre tabindex="0" { code { (text) } } (button(name)) }
    }
}

/// The last characters of a task ID: they differ between tasks, while the first encode the time.
pub(crate) fn id(id: TaskId) -> Markup {
    let text = id.to_string();
    let start = text.len().saturating_sub(8);
    html! { code title=(text) { "…" (text.get(start..).unwrap_or(&text)) } }
}

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

pub(crate) fn document_panel(title: &str, name: &str, value: &Value) -> Markup {
    panel(title, html! { div class="panel-body" { (document(name, value)) } })
}
