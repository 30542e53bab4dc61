//! The raw values of a YAML text, with unresolved aliases.
//!
//! The values are in one list and refer to each other by index, so that an anchor is free and
//! nothing here is recursive.

use std::borrow::Cow;

use crate::file::tree::Span;

/// The values of a text.
pub(super) struct RawDocument<'t> {
    pub(super) values: Vec<Value<'t>>,
    pub(super) top: ValueIndex,
}

/// The index of a value in the list.
pub(super) type ValueIndex = usize;

/// A value and its span.
#[derive(Clone)]
pub(super) struct Value<'t> {
    pub(super) at: Span,
    pub(super) shape: Shape<'t>,
}

/// The type and content of a value.
#[derive(Clone)]
pub(super) enum Shape<'t> {
    /// It is invalid and is left out.
    Invalid,
    Null,
    Plain(Cow<'t, str>),
    Text(Cow<'t, str>),
    List(Vec<ValueIndex>),
    Map(Vec<Pair<'t>>),
    Alias(ValueIndex),
}

/// A key and its value.
#[derive(Clone)]
pub(super) struct Pair<'t> {
    pub(super) key: Key<'t>,
    pub(super) value: ValueIndex,
}

/// A key and its span.
#[derive(Clone)]
pub(super) struct Key<'t> {
    pub(super) name: Cow<'t, str>,
    pub(super) at: Span,
    /// It is an unquoted `<<`.
    pub(super) is_merge: bool,
}
