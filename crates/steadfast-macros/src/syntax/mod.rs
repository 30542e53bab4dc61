//! The syntax that the macros look into: functions, types, enums, structs and the values of parameters.
//!
//! The macros change a signature and copy the rest, so most of the input stays tokens, and the compiler
//! reports what is wrong with it. A complete syntax tree (syn) would take a third of the build time of the
//! library's default features.

mod attribute;
mod error;
mod expression;
mod function;
mod generics;
mod item;
mod literal;
mod parser;
mod types;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};

pub(crate) use attribute::Attribute;
pub(crate) use error::{Error, Errors, Result};
pub(crate) use expression::{Expression, NamedValue, named_values};
pub(crate) use function::{Function, Input, Receiver, Signature, TypedArgument};
pub(crate) use generics::Generics;
pub(crate) use item::{Field, Fields, Item, Member, Shape};
pub(crate) use literal::{Literal, Text};
pub(crate) use types::{PathType, Type};

/// The span of the first token, where the compiler reports errors of generated code.
pub(crate) fn span_of(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// The name without `r#`.
pub(crate) fn unraw(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map_or_else(|| name.clone(), str::to_owned)
}

/// The tokens without the invisible groups that a `macro_rules` macro puts around them.
fn ungrouped(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream())
        }
        _ => tokens,
    }
}
