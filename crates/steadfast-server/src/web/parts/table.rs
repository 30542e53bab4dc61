//! Tables. A table that is wider than its container scrolls inside it.

use maud::{Markup, html};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Column<'c> {
    Text(&'c str),
    Number(&'c str),
    /// A heading for screen readers only, such as that of buttons.
    VisuallyHidden(&'c str),
}

pub(crate) fn table(
    class: &str,
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! { div class="scroll" { (plain_table(class, columns, rows)) } }
}

/// A table without links or buttons; it is focusable itself so that a keyboard can scroll it.
pub(crate) fn read_only_table(
    name: &str,
    class: &str,
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(name) {
            (plain_table(class, columns, rows))
        }
    }
}

/// The table without a scroll container.
pub(crate) fn plain_table(
    class: &str,
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        table class=[Some(class).filter(|class| !class.is_empty())] {
            thead { tr { @for column in columns { (heading(*column)) } } }
            tbody { @for row in rows { (row) } }
        }
    }
}

fn heading(column: Column<'_>) -> Markup {
    html! {
        @match column {
            Column::Text(name) => th scope="col" { (name) },
            Column::Number(name) => th scope="col" class="number" { (name) },
            Column::VisuallyHidden(name) => th scope="col" { span class="visually-hidden" { (name) } },
        }
    }
}
