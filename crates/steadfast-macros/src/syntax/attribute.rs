//! Attributes.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use super::parser::Parser;

/// An outer attribute: `#[...]`.
#[derive(Clone)]
pub(crate) struct Attribute {
    tokens: TokenStream,
    /// Its name, unless that is a path.
    name: Option<Ident>,
    /// The tokens in parentheses after the name.
    pub(crate) arguments: TokenStream,
}

impl Attribute {
    /// The attributes that follow.
    pub(super) fn read_all(parser: &mut Parser<'_>) -> Vec<Self> {
        std::iter::from_fn(|| Self::read(parser)).collect()
    }

    fn read(parser: &mut Parser<'_>) -> Option<Self> {
        let [TokenTree::Punct(pound), TokenTree::Group(group), rest @ ..] = parser.0 else {
            return None;
        };
        if pound.as_char() != '#' || group.delimiter() != Delimiter::Bracket {
            return None;
        }
        parser.0 = rest;
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut inner = Parser(&inner);
        let name = inner.ident().filter(|_| !inner.is_punct(':')).cloned();
        let arguments = inner.group(Delimiter::Parenthesis).map(|group| group.stream());
        let tokens = [TokenTree::from(pound.clone()), group.clone().into()].into_iter().collect();
        Some(Self { tokens, name, arguments: arguments.unwrap_or_default() })
    }

    /// The inner attributes at the start of a body, as outer ones.
    pub(super) fn read_inner(parser: &mut Parser<'_>) -> Vec<Self> {
        let mut attributes = Vec::new();
        while let [TokenTree::Punct(pound), TokenTree::Punct(mark), group, rest @ ..] = parser.0
            && (pound.as_char(), mark.as_char()) == ('#', '!')
        {
            let outer = [TokenTree::from(pound.clone()), group.clone()];
            let Some(attribute) = Self::read(&mut Parser(&outer)) else {
                break;
            };
            attributes.push(attribute);
            parser.0 = rest;
        }
        attributes
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.as_ref().is_some_and(|own| own == name)
    }

    pub(crate) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }
}

impl ToTokens for Attribute {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}
