//! Tables: a head that says what each column is, and rows under it. One that is too wide for its
//! place scrolls there, and the page stays.

use maud::{Markup, html};

/// What a column is called, and how it is set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column<'c> {
    /// Words, from the left.
    Text(&'c str),
    /// Numbers, one below the other.
    Number(&'c str),
    /// What nobody has to read to know what it is: buttons.
    Unseen(&'c str),
}

/// A table of this class. Rows come as they are: each page knows its own.
pub(crate) fn table(class: &str, columns: &[Column<'_>], rows: Markup) -> Markup {
    html! { div class="scroll" { (plain_table(class, columns, rows)) } }
}

/// The same with nothing in it that a keyboard could go to, so that it has to be a place itself.
pub(crate) fn read_only_table(
    name: &str,
    class: &str,
    columns: &[Column<'_>],
    rows: Markup,
) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(name) {
            (plain_table(class, columns, rows))
        }
    }
}

/// The table alone, for a place that is wide enough for it.
pub(crate) fn plain_table(class: &str, columns: &[Column<'_>], rows: Markup) -> Markup {
    html! {
        table class=[Some(class).filter(|class| !class.is_empty())] {
            thead { tr { @for column in columns { (column.head()) } } }
            tbody { (rows) }
        }
    }
}

impl Column<'_> {
    fn head(self) -> Markup {
        match self {
            Self::Text(name) => html! { th scope="col" { (name) } },
            Self::Number(name) => html! { th scope="col" class="number" { (name) } },
            Self::Unseen(name) => html! { th scope="col" { span class="unseen" { (name) } } },
        }
    }
}
