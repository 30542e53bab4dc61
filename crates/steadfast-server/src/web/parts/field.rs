//! Parts of forms: a name, what was typed, and what is wrong with it.

use maud::{Markup, html};

/// What a time looks like.
pub(crate) const A_TIME: &str = "2026-07-01T08:00Z";

/// One line, or several, to be filled in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field<'f> {
    /// What it is sent as.
    pub(crate) name: &'f str,
    /// What people call it.
    pub(crate) label: &'f str,
    /// What was typed.
    pub(crate) value: &'f str,
    /// What can be typed.
    pub(crate) example: &'f str,
    /// What it is for.
    pub(crate) help: &'f str,
    /// What is wrong with it.
    pub(crate) problem: Option<&'f str>,
    /// How many lines; one if none.
    pub(crate) lines: u8,
    /// Whether there must be something.
    pub(crate) required: bool,
}

/// What a list is narrowed down by: its name and its label, what was typed, what can be.
pub(crate) fn filter(name: &str, label: &str, value: Option<&str>, example: &str) -> Markup {
    let value = value.unwrap_or_default();
    Field { name, label, value, example, ..Field::default() }.show()
}

impl Field<'_> {
    /// The field under its label.
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
                        placeholder=(self.example) required[self.required] aria-invalid=[invalid]
                        aria-describedby=[described] { "\n" (self.value) }
                } @else {
                    input id=(self.name) name=(self.name) value=(self.value) autocomplete="off"
                        spellcheck="false" placeholder=(self.example) required[self.required]
                        aria-invalid=[invalid] aria-describedby=[described];
                }
                @if let Some(told) = self.problem {
                    p class="problem" id=(problem) { (told) }
                } @else if !self.help.is_empty() {
                    p class="help" id=(help) { (self.help) }
                }
            }
        }
    }
}

/// One of several. The first of a pair is sent, the second is shown.
pub(crate) fn choice<'o>(
    name: &str,
    label: &str,
    chosen: &str,
    options: impl IntoIterator<Item = (&'o str, &'o str)>,
) -> Markup {
    html! {
        div class="field" {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for (value, shown) in options {
                    option value=(value) selected[value == chosen] { (shown) }
                }
            }
        }
    }
}

/// Something that is sent along.
pub(crate) fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}
