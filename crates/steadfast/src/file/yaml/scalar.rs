//! The type of a scalar, by its style and tag.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};

use super::raw::Shape;

/// Without a tag, the style decides.
pub(super) fn untagged(text: Cow<'_, str>, style: ScalarStyle) -> Shape<'_> {
    match style {
        ScalarStyle::Plain if is_null(&text) => Shape::Null,
        ScalarStyle::Plain => Shape::Plain(text),
        _ => Shape::Text(text),
    }
}

/// The scalar with a tag applied; `None` if the tag is unknown or not for scalars.
pub(super) fn tagged<'t>(text: &Cow<'t, str>, tag: &Tag) -> Option<Shape<'t>> {
    match tag.core_suffix() {
        Some("str") => Some(Shape::Text(text.clone())),
        Some("int" | "float" | "bool") => Some(Shape::Plain(text.clone())),
        Some("null") if is_null(text) => Some(Shape::Null),
        None if is_non_specific_tag(tag) => Some(Shape::Text(text.clone())),
        _ => None,
    }
}

/// The tag `!`, which makes a scalar a string.
fn is_non_specific_tag(tag: &Tag) -> bool {
    tag.handle().is_empty() && tag.suffix() == "!"
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}
