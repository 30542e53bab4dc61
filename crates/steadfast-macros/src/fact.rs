//! One fact of `#[fault(...)]`: its name, and its value as a constant or a field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::names;
use crate::syntax::{Error, Expression, Literal, Member, Result, Text, Type, unraw};
use crate::values;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Name {
    Kind,
    Http,
    SqlState,
    Grpc,
    Exit,
    Hint,
}

pub(crate) struct Fact {
    pub(crate) name: Name,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    Constant(TokenStream),
    Field(FieldRef),
}

/// A field that holds a fact.
#[derive(Clone)]
pub(crate) struct FieldRef {
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

impl Name {
    pub(crate) const ALL: &[Self] =
        &[Self::Kind, Self::Http, Self::SqlState, Self::Grpc, Self::Exit, Self::Hint];

    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Http => "http",
            Self::SqlState => "sqlstate",
            Self::Grpc => "grpc",
            Self::Exit => "exit",
            Self::Hint => "hint",
        }
    }

    /// A description of a valid value, for errors.
    const fn example(self) -> &'static str {
        match self {
            Self::Kind => "a kind is a name such as \"timeout\"",
            Self::Http => "an HTTP status is a number from 100 to 599",
            Self::SqlState => "a SQLSTATE is a string such as \"40P01\"",
            Self::Grpc => "a gRPC status code is a name such as \"UNAVAILABLE\"",
            Self::Exit => "an exit code is a whole number such as 75",
            Self::Hint => "a hint is a duration such as \"30s\"",
        }
    }

    /// A literal, as a constant of the fact's type. The library validates names: the constant panics if
    /// the name is unknown.
    pub(crate) fn constant(self, value: &Expression) -> Result<TokenStream> {
        let constant = match (self, value.literal()) {
            (Self::Kind, Some(Literal::Text(name))) => Some(named("Kind", &name, KINDS)),
            (Self::Grpc, Some(Literal::Text(name))) => Some(named("GrpcCode", &name, GRPC_CODES)),
            (Self::SqlState, Some(Literal::Text(state))) => Some(constant(
                "SqlState",
                "new",
                &state,
                &quote!(::steadfast::SqlState::UNREADABLE),
            )),
            (Self::Http, Some(Literal::Number(_, digits))) => {
                let status = digits.parse().ok().filter(|status| (100u16..600).contains(status));
                status.map(|status| quote!(#status))
            }
            (Self::Exit, Some(Literal::Number(_, digits))) => {
                digits.parse::<i32>().ok().map(|code| quote!(#code))
            }
            (Self::Hint, Some(Literal::Text(text))) => {
                let wait = steadfast_duration::parse(text.value())
                    .map_err(|error| Error::spanned(value, error))?;
                let wait = values::constant_duration(wait, value);
                Some(quote!(::steadfast::Hint::After(#wait)))
            }
            _ => None,
        };
        constant.ok_or_else(|| {
            Error::spanned(value, format!("{}, or the name of a field", self.example()))
        })
    }
}

/// A constant that the library parses from a string at compile time.
fn constant(ty: &str, reader: &str, text: &Text, otherwise: &TokenStream) -> TokenStream {
    let [ty, reader] = [ty, reader].map(|part| format_ident!("{part}"));
    quote_spanned! {text.span()=> {
        const PARSED: ::steadfast::#ty = match ::steadfast::#ty::#reader(#text) {
            ::core::option::Option::Some(parsed) => parsed,
            ::core::option::Option::None => ::core::panic!("{}", #otherwise),
        };
        PARSED
    }}
}

/// A constant for a name. `candidates` are the names for suggestions.
fn named(ty: &str, name: &Text, candidates: &[&str]) -> TokenStream {
    let otherwise = match names::nearest(name.value(), candidates) {
        Some(near) => {
            let message = format!("unknown name; did you mean `{near}`?");
            quote!(#message)
        }
        None => {
            let ty = format_ident!("{ty}");
            quote!(::steadfast::#ty::UNKNOWN)
        }
    };
    constant(ty, "named", name, &otherwise)
}

/// The names of kinds, for suggestions.
const KINDS: &[&str] = &[
    "timeout",
    "connection_failed",
    "connection_refused",
    "connection_reset",
    "connection_aborted",
    "not_connected",
    "broken_pipe",
    "unreachable",
    "unexpected_eof",
    "pool_timeout",
    "pool_exhausted",
    "tls_would_block",
    "tls_certificate",
    "tls_hostname",
    "tls_protocol",
    "tls_failed",
    "query",
    "syntax",
    "data",
    "argument",
    "interrupted",
    "not_found",
    "permission_denied",
    "storage_full",
    "value_rejected",
    "cancelled",
    "other",
];

/// The gRPC status codes, for suggestions.
const GRPC_CODES: &[&str] = &[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

impl Fact {
    /// The field that holds the fact, and the trait bounds of its type.
    pub(crate) fn bounds(&self) -> Option<(&FieldRef, TokenStream)> {
        let Value::Field(field) = &self.value else {
            return None;
        };
        let into = |ty| quote!(::core::clone::Clone + ::core::convert::Into<#ty>);
        let bound = match self.name {
            Name::Kind => into(quote!(::steadfast::Kind)),
            Name::Http => into(quote!(u16)),
            Name::Grpc | Name::Exit => into(quote!(i32)),
            Name::SqlState => quote!(::core::convert::AsRef<str>),
            Name::Hint => quote!(::steadfast::__private::AsHint),
        };
        Some((field, bound))
    }

    /// The statement that sets the fact in `fault`.
    pub(crate) fn set(&self) -> TokenStream {
        let member = match self.name {
            Name::Kind => quote!(kind),
            Name::Http => quote!(http_status),
            Name::SqlState => quote!(sqlstate),
            Name::Grpc => quote!(grpc_status),
            Name::Exit => quote!(exit_code),
            Name::Hint => quote!(hint),
        };
        let value = match &self.value {
            Value::Constant(value) => quote!(::core::option::Option::Some(#value)),
            Value::Field(field) => self.field_value(field),
        };
        quote!(fault.#member = #value;)
    }

    /// The value of a field, as an `Option` of the fact.
    fn field_value(&self, field: &FieldRef) -> TokenStream {
        let (variable, span) = (field.variable(), field.ty.span());
        if self.name == Name::Hint {
            return quote_spanned!(span=> ::steadfast::__private::AsHint::as_hint(#variable));
        }
        let value = Ident::new("value", Span::mixed_site());
        let into = |ty| {
            let clone = quote_spanned!(span=> ::core::clone::Clone::clone(#value));
            quote_spanned!(span=> ::core::convert::Into::<#ty>::into(#clone))
        };
        let some = |fact| quote!(::core::option::Option::Some(#fact));
        let fact = match self.name {
            Name::Kind => some(into(quote!(::steadfast::Kind))),
            Name::Http => some(into(quote!(u16))),
            Name::Exit => some(into(quote!(i32))),
            Name::Grpc => {
                let number = into(quote!(i32));
                quote!(::steadfast::GrpcCode::from_number(#number))
            }
            Name::SqlState | Name::Hint => {
                let text = quote_spanned!(span=> ::core::convert::AsRef::<str>::as_ref(#value));
                quote!(::steadfast::SqlState::new(#text))
            }
        };
        if field.inner().is_some() {
            return quote!(#variable.as_ref().and_then(|#value| #fact));
        }
        quote!({ let #value = #variable; #fact })
    }
}

impl FieldRef {
    /// The variable that the field is bound to.
    pub(crate) fn variable(&self) -> Ident {
        let name = match &self.member {
            Member::Named(name) => format!("__{}", unraw(name)),
            Member::Unnamed(index) => format!("__{index}"),
        };
        Ident::new(&name, Span::mixed_site().located_at(self.ty.span()))
    }

    /// `T` of `Option<T>`.
    pub(crate) fn inner(&self) -> Option<Type> {
        let path = self.ty.path()?;
        if path.name == "Option" { path.types().next() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_exist_in_the_library() {
        for kind in KINDS {
            assert!(steadfast::Kind::named(kind).is_some(), "{kind}");
        }
        for code in GRPC_CODES {
            assert!(steadfast::GrpcCode::named(code).is_some(), "{code}");
        }
    }
}
