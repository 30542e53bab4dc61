//! The type of a scalar, by its style and tag.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};

use crate::file::tree::Content;

/// Without a tag, the style decides.
pub(super) fn untagged(text: Cow<'_, str>, style: ScalarStyle) -> Content {
    match style {
        ScalarStyle::Plain if is_null(&text) => Content::Null,
        ScalarStyle::Plain => Content::Plain(text.into_owned()),
        _ => Content::Text(text.into_owned()),
    }
}

/// The scalar with a tag applied; `None` if the tag is unknown or not for scalars.
pub(super) fn tagged(text: &str, tag: &Tag) -> Option<Content> {
    match tag.core_suffix() {
        Some("str") => Some(Content::Text(text.to_owned())),
        Some("int" | "float" | "bool") => Some(Content::Plain(text.to_owned())),
        Some("null") if is_null(text) => Some(Content::Null),
        None if is_non_specific_tag(tag) => Some(Content::Text(text.to_owned())),
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
