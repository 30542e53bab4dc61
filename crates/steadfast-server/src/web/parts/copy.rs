//! What is there to be copied: ids, commands.

use maud::{Markup, html};
use steadfast_store::TaskId;

use crate::web::icon::{Icon, icon};

/// A button that copies the code beside it. It shows itself when there is a script to do it.
pub(super) fn button(what: &str) -> Markup {
    html! {
        button class="plain copy" type="button" data-copy hidden {
            (icon(Icon::Copy)) span class="unseen" { "Copy " (what) }
        }
    }
}

/// A text that people carry elsewhere.
pub(crate) fn copyable(text: &str, what: &str) -> Markup {
    html! { span class="copyable" { code { (text) } (button(what)) } }
}

/// A command to be typed.
pub(crate) fn command(text: &str) -> Markup {
    html! {
        div class="command" { pre tabindex="0" { code { (text) } } (button("the command")) }
    }
}

/// A task's id, in short: the end tells tasks apart, the beginning is but the time.
pub(crate) fn id(id: TaskId) -> Markup {
    let text = id.to_string();
    let start = text.len().saturating_sub(8);
    html! { code title=(text) { "…" (text.get(start..).unwrap_or(&text)) } }
}
