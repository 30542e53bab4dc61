//! One fact: its name, and its value as a constant or in a field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Expr, GenericArgument, LitStr, Member, PathArguments, Result, Type};

use crate::values::{self, Written};
use crate::{duration, names};

/// A fact that has a value.
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
    Field(Place),
}

/// A field that something is in.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) member: Member,
    pub(crate) ty: Box<Type>,
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

    /// What it looks like, for those who wrote something else.
    const fn example(self) -> &'static str {
        match self {
            Self::Kind => "a kind is a name such as \"timeout\"",
            Self::Http => "an HTTP status is a number from 100 to 599",
            Self::SqlState => "a SQLSTATE is a text such as \"40P01\"",
            Self::Grpc => "a gRPC status code is a name such as \"UNAVAILABLE\"",
            Self::Exit => "an exit code is a whole number such as 75",
            Self::Hint => "a hint is a duration such as \"30s\"",
        }
    }

    /// A literal, as a constant of the fact's type. Names are for the library to know: the
    /// constant cannot be computed if it does not.
    pub(crate) fn constant(self, value: &Expr) -> Result<TokenStream> {
        let constant = match (self, Written::of(value)) {
            (Self::Kind, Written::Text(name)) => Some(named("Kind", &name, KINDS)),
            (Self::Grpc, Written::Text(name)) => Some(named("GrpcCode", &name, GRPC_CODES)),
            (Self::SqlState, Written::Text(state)) => Some(constant(
                "SqlState",
                "new",
                &state,
                &quote!(::steadfast::SqlState::UNREADABLE),
            )),
            (Self::Http, Written::Number(_, digits)) => {
                let status = digits.parse().ok().filter(|status| (100u16..600).contains(status));
                status.map(|status| quote!(#status))
            }
            (Self::Exit, Written::Number(_, digits)) => {
                digits.parse::<i32>().ok().map(|code| quote!(#code))
            }
            (Self::Hint, Written::Text(text)) => {
                let wait =
                    duration::parse(&text.value()).map_err(|why| Error::new_spanned(value, why))?;
                let wait = values::constant_duration(wait, value);
                Some(quote!(::steadfast::Hint::After(#wait)))
            }
            _ => None,
        };
        constant.ok_or_else(|| {
            Error::new_spanned(value, format!("{}, or the name of a field", self.example()))
        })
    }
}

/// What is read of a text by the library, when the program is compiled.
fn constant(ty: &str, reader: &str, text: &LitStr, otherwise: &TokenStream) -> TokenStream {
    let [ty, reader] = [ty, reader].map(|part| format_ident!("{part}"));
    quote_spanned! {text.span()=> {
        const READ: ::steadfast::#ty = match ::steadfast::#ty::#reader(#text) {
            ::core::option::Option::Some(read) => read,
            ::core::option::Option::None => ::core::panic!("{}", #otherwise),
        };
        READ
    }}
}

/// A name. Only the library knows which there are; `likely` are those that can be suggested.
fn named(ty: &str, name: &LitStr, likely: &[&str]) -> TokenStream {
    let otherwise = match names::nearest(&name.value(), likely) {
        Some(near) => {
            let message = format!("there is no such name; did you mean `{near}`?");
            quote!(#message)
        }
        None => {
            let ty = format_ident!("{ty}");
            quote!(::steadfast::#ty::UNKNOWN)
        }
    };
    constant(ty, "named", name, &otherwise)
}

/// The kinds, for those who mistype one.
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

/// The status codes of gRPC, for those who mistype one.
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
    /// The field that it is in, and what is asked of that field's type.
    pub(crate) fn needs(&self) -> Option<(&Place, TokenStream)> {
        let Value::Field(place) = &self.value else {
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
        Some((place, bound))
    }

    /// The statement that tells it to a `fault`.
    pub(crate) fn tell(&self) -> TokenStream {
        let field = match self.name {
            Name::Kind => quote!(kind),
            Name::Http => quote!(http_status),
            Name::SqlState => quote!(sqlstate),
            Name::Grpc => quote!(grpc_status),
            Name::Exit => quote!(exit_code),
            Name::Hint => quote!(hint),
        };
        let value = match &self.value {
            Value::Constant(value) => quote!(::core::option::Option::Some(#value)),
            Value::Field(place) => self.of_field(place),
        };
        quote!(fault.#field = #value;)
    }

    /// What a field says: an `Option` of the fact.
    fn of_field(&self, place: &Place) -> TokenStream {
        let (variable, span) = (place.variable(), place.ty.span());
        if self.name == Name::Hint {
            return quote_spanned!(span=> ::steadfast::__private::AsHint::as_hint(#variable));
        }
        let value = Ident::new("value", Span::mixed_site());
        let into = |ty| {
            let own = quote_spanned!(span=> ::core::clone::Clone::clone(#value));
            quote_spanned!(span=> ::core::convert::Into::<#ty>::into(#own))
        };
        let some = |fact| quote!(::core::option::Option::Some(#fact));
        let read = match self.name {
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
        if place.inner().is_some() {
            return quote!(#variable.as_ref().and_then(|#value| #read));
        }
        quote!({ let #value = #variable; #read })
    }
}

impl Place {
    /// The variable that the field is bound to.
    pub(crate) fn variable(&self) -> Ident {
        let name = match &self.member {
            Member::Named(name) => format!("__{}", name.unraw()),
            Member::Unnamed(index) => format!("__{}", index.index),
        };
        Ident::new(&name, Span::mixed_site().located_at(self.ty.span()))
    }

    /// `T` of `Option<T>`.
    pub(crate) fn inner(&self) -> Option<&Type> {
        let Type::Path(path) = &*self.ty else {
            return None;
        };
        let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => Some(inner),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_suggested_exists() {
        for kind in KINDS {
            assert!(steadfast::Kind::named(kind).is_some(), "{kind}");
        }
        for code in GRPC_CODES {
            assert!(steadfast::GrpcCode::named(code).is_some(), "{code}");
        }
    }
}
