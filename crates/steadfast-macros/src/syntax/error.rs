//! Errors of a macro, which the compiler shows where they are in the source.

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// One or more errors, each with the first and the last token that it concerns.
#[derive(Debug)]
pub(crate) struct Error(Vec<(Span, Span, String)>);

impl Error {
    pub(crate) fn new(span: Span, message: impl ToString) -> Self {
        Self(vec![(span, span, message.to_string())])
    }

    /// An error that concerns all of these tokens.
    pub(crate) fn spanned(tokens: &impl ToTokens, message: impl ToString) -> Self {
        let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
        let start = spans.next().unwrap_or_else(Span::call_site);
        Self(vec![(start, spans.last().unwrap_or(start), message.to_string())])
    }

    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        self.0.into_iter().map(|(_, _, message)| message).collect()
    }

    /// A `compile_error!` for each error.
    pub(crate) fn into_compile_error(self) -> TokenStream {
        let compile_error = |(start, end, message): (Span, Span, String)| {
            let mut text = Literal::string(&message);
            text.set_span(end);
            let mut group = Group::new(Delimiter::Brace, TokenTree::from(text).into());
            group.set_span(end);
            quote_spanned!(start=> ::core::compile_error! #group)
        };
        self.0.into_iter().map(compile_error).collect()
    }
}

/// A collector that reports all errors together.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn add(&mut self, Error(errors): Error) {
        self.0.get_or_insert_with(|| Error(Vec::new())).0.extend(errors);
    }

    /// The value. An error is collected.
    pub(crate) fn collect<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// `value` if there are no errors.
    pub(crate) fn finish<T>(self, value: T) -> Result<T> {
        match self.0 {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }
}
