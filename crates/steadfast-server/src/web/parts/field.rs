//! Form fields with label, help and error, and buttons that post.

use maud::{Markup, Render, html};

pub(crate) const TIME_PLACEHOLDER: &str = "2026-07-01T08:00Z";

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field<'f> {
    pub(crate) name: &'f str,
    pub(crate) label: &'f str,
    pub(crate) value: &'f str,
    pub(crate) placeholder: &'f str,
    pub(crate) help: &'f str,
    pub(crate) problem: Option<&'f str>,
    /// The rows of a text area; 0 or 1 is a single-line input.
    pub(crate) lines: u8,
    pub(crate) required: bool,
}

pub(crate) fn filter(name: &str, label: &str, value: Option<&str>, placeholder: &str) -> Markup {
    let value = value.unwrap_or_default();
    Field { name, label, value, placeholder, ..Field::default() }.show()
}

impl Field<'_> {
    pub(crate) fn show(&self) -> Markup {
        let help = format!("{}-help", self.name);
        let problem = format!("{}-problem", self.name);
        let described = match (self.help.is_empty(), self.problem) {
            (_, Some(_)) => Some(&problem),
            (false, None) => Some(&help),
            (true, None) => None,
        };
        let invalid = self.problem.map(|_| "true");
        html! {
            div class="field" {
                label for=(self.name) { (self.label) }
                @if self.lines > 1 {
                    textarea id=(self.name) name=(self.name) rows=(self.lines) spellcheck="false"
                        placeholder=(self.placeholder) required[self.required] aria-invalid=[invalid]
                        aria-describedby=[described] { "\n" (self.value) }
                } @else {
                    input id=(self.name) name=(self.name) value=(self.value) autocomplete="off"
                        spellcheck="false" placeholder=(self.placeholder) required[self.required]
                        aria-invalid=[invalid] aria-describedby=[described];
                }
                @if let Some(message) = self.problem {
                    p class="problem" id=(problem) { (message) }
                } @else if !self.help.is_empty() {
                    p class="help" id=(help) { (self.help) }
                }
            }
        }
    }
}

/// A select. Each option is a pair of value and label.
pub(crate) fn choice<'o>(
    name: &str,
    label: &str,
    selected: &str,
    options: impl IntoIterator<Item = (&'o str, &'o str)>,
) -> Markup {
    html! {
        div class="field" {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for (value, label) in options {
                    option value=(value) selected[value == selected] { (label) }
                }
            }
        }
    }
}

pub(crate) fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// A button that posts to this URL, with an optional confirmation: its button label and its question.
pub(crate) fn post_button(
    url: &str,
    class: &str,
    label: impl Render,
    confirm: Option<(&str, &str)>,
) -> Markup {
    let (yes, question) = confirm.unzip();
    html! {
        form method="post" action=(url) {
            button class=(class) data-yes=[yes] data-confirm=[question] { (label) }
        }
    }
}
