//! The values of a YAML text as they are written, aliases unresolved.
//!
//! The values are in one list and refer to each other by their place in it, so that an
//! anchor costs nothing and nothing here goes deep.

use std::borrow::Cow;

use crate::file::tree::Span;

/// What is written in a text.
pub(super) struct Written<'t> {
    pub(super) values: Vec<Value<'t>>,
    pub(super) top: Id,
}

/// The place of a value in the list.
pub(super) type Id = usize;

/// A value, and where it is written.
#[derive(Clone)]
pub(super) struct Value<'t> {
    pub(super) at: Span,
    pub(super) shape: Shape<'t>,
}

/// What a value is.
#[derive(Clone)]
pub(super) enum Shape<'t> {
    /// It was refused, and is left out.
    Refused,
    Null,
    Word(Cow<'t, str>),
    Text(Cow<'t, str>),
    List(Vec<Id>),
    Map(Vec<Pair<'t>>),
    Alias(Id),
}

/// A key and its value.
#[derive(Clone)]
pub(super) struct Pair<'t> {
    pub(super) key: Key<'t>,
    pub(super) value: Id,
}

/// A key, and where it is written.
#[derive(Clone)]
pub(super) struct Key<'t> {
    pub(super) name: Cow<'t, str>,
    pub(super) at: Span,
    /// It is `<<`, without quotes.
    pub(super) merges: bool,
}
