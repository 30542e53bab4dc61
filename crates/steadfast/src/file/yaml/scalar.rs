//! What a scalar is, by its quotes and its tag.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};

use super::written::Shape;

/// Without a tag, quotes decide.
pub(super) fn untagged(text: Cow<'_, str>, style: ScalarStyle) -> Shape<'_> {
    match style {
        ScalarStyle::Plain if is_null(&text) => Shape::Null,
        ScalarStyle::Plain => Shape::Word(text),
        _ => Shape::Text(text),
    }
}

/// What the tag makes of a scalar; `None` if it is not for scalars, or unknown.
pub(super) fn tagged<'t>(text: &Cow<'t, str>, tag: &Tag) -> Option<Shape<'t>> {
    match tag.core_suffix() {
        Some("str") => Some(Shape::Text(text.clone())),
        Some("int" | "float" | "bool") => Some(Shape::Word(text.clone())),
        Some("null") if is_null(text) => Some(Shape::Null),
        None if is_lone_mark(tag) => Some(Shape::Text(text.clone())),
        _ => None,
    }
}

/// `!` alone says: as if it had quotes.
fn is_lone_mark(tag: &Tag) -> bool {
    tag.handle().is_empty() && tag.suffix() == "!"
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}
