//! The values of parameters, converted to constants of the field's type.
//!
//! Literals are parsed here, so that they can be written as in a file (`"500ms"`, `"full"`); other
//! expressions are left to the compiler. The library checks the range: see `policy.rs`.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprUnary, Ident, Lit, LitStr, Result, Token, UnOp};

use crate::names;

/// `name` or `name = value`, in an attribute.
pub(crate) struct NamedValue {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

impl Parse for NamedValue {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(ungrouped(input.parse()?)),
            None => None,
        };
        Ok(Self { name, value })
    }
}

pub(crate) enum Literal<'e> {
    Text(LitStr),
    Flag(bool),
    /// A number and its text.
    Number(f64, String),
    /// A literal that no field accepts.
    Unsupported,
    Expression(&'e Expr),
}

impl<'e> Literal<'e> {
    pub(crate) fn of(value: &'e Expr) -> Self {
        match value {
            Expr::Lit(literal) => Self::parse(&literal.lit, ""),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
                Expr::Lit(literal) => Self::parse(&literal.lit, "-"),
                _ => Self::Expression(value),
            },
            _ => Self::Expression(value),
        }
    }

    fn parse(literal: &Lit, sign: &str) -> Self {
        let number = |digits: &str| {
            let text = format!("{sign}{digits}");
            text.parse().map_or(Self::Unsupported, |number| Self::Number(number, text))
        };
        match literal {
            Lit::Str(text) if sign.is_empty() => Self::Text(text.clone()),
            Lit::Bool(flag) if sign.is_empty() => Self::Flag(flag.value),
            Lit::Int(whole) => number(whole.base10_digits()),
            Lit::Float(float) => number(float.base10_digits()),
            _ => Self::Unsupported,
        }
    }
}

/// The expression without the invisible groups that a macro may add.
pub(crate) fn ungrouped(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => ungrouped(*group.expr),
        value => value,
    }
}

/// A reference to the value of the expression, whether that is a value, a reference or a smart pointer.
pub(crate) fn reference(value: &Expr) -> TokenStream {
    match value {
        // Their branches must be references.
        Expr::Reference(_) | Expr::If(_) | Expr::Match(_) | Expr::Block(_) => quote!(#value),
        _ => quote_spanned!(value.span()=> &(#value)),
    }
}

pub(crate) fn text_of(value: &Expr) -> Option<LitStr> {
    match Literal::of(value) {
        Literal::Text(text) => Some(text),
        _ => None,
    }
}

fn invalid<T>(value: &Expr, message: String) -> Result<T> {
    Err(Error::new_spanned(value, message))
}

pub(crate) fn flag(field: &str, value: &Expr) -> Result<TokenStream> {
    match Literal::of(value) {
        Literal::Flag(flag) => Ok(quote!(#flag)),
        Literal::Expression(value) => Ok(quote!(#value)),
        _ => invalid(value, format!("`{field}` is either true or false")),
    }
}

pub(crate) fn count(field: &str, value: &Expr) -> Result<TokenStream> {
    let not_a_count = || invalid(value, format!("`{field}` is an integer, such as 4"));
    match Literal::of(value) {
        Literal::Number(_, text) => match text.parse::<u32>() {
            Ok(count) => Ok(quote!(#count)),
            Err(_) => not_a_count(),
        },
        Literal::Expression(value) => Ok(quote!(#value)),
        _ => not_a_count(),
    }
}

pub(crate) fn number(field: &str, value: &Expr) -> Result<TokenStream> {
    match Literal::of(value) {
        Literal::Number(number, _) if number.is_finite() => Ok(quote!(#number)),
        Literal::Number(..) => Ok(quote!(::core::primitive::f64::INFINITY)),
        Literal::Expression(value) => Ok(quote!(#value)),
        _ => invalid(value, format!("`{field}` is a number, such as 1.5")),
    }
}

pub(crate) fn duration(field: &str, value: &Expr) -> Result<TokenStream> {
    let parsed = match Literal::of(value) {
        Literal::Text(text) => steadfast_duration::parse(&text.value()),
        Literal::Number(seconds, _) => steadfast_duration::from_seconds(seconds),
        Literal::Expression(value) => return Ok(quote!(#value)),
        _ => return invalid(value, format!("`{field}` is a duration, such as \"500ms\"")),
    };
    match parsed {
        Ok(duration) => Ok(constant_duration(duration, value)),
        Err(error) => invalid(value, error.to_string()),
    }
}

pub(crate) fn constant_duration(duration: Duration, expression: &Expr) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote_spanned!(expression.span()=> ::core::time::Duration::new(#seconds, #nanos))
}

/// One of a fixed set of names, as the enum variant.
fn named(
    field: &str,
    value: &Expr,
    ty: &TokenStream,
    names: &[(&str, &str)],
) -> Result<TokenStream> {
    let text = match Literal::of(value) {
        Literal::Text(text) => text.value(),
        Literal::Number(_, text) => text,
        Literal::Flag(flag) => flag.to_string(),
        Literal::Unsupported => String::new(),
        Literal::Expression(value) => return Ok(quote!(#value)),
    };
    if let Some((_, variant)) = names.iter().find(|(name, _)| *name == text) {
        let variant = Ident::new(variant, value.span());
        return Ok(quote!(#ty::#variant));
    }
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    invalid(value, format!("`{field}` cannot be `{text}`; {}", names::suggestion(&text, &known)))
}

pub(crate) fn backoff_type(field: &str, value: &Expr) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[
        ("exponential", "Exponential"),
        ("linear", "Linear"),
        ("fixed", "Fixed"),
        ("immediate", "Immediate"),
        ("custom", "Custom"),
    ];
    named(field, value, &quote!(::steadfast::policy::BackoffType), NAMES)
}

const JITTERS: &[(&str, &str)] =
    &[("none", "None"), ("full", "Full"), ("equal", "Equal"), ("decorrelated", "Decorrelated")];

/// A name, or a duration to add.
pub(crate) fn jitter(field: &str, value: &Expr) -> Result<TokenStream> {
    let jitter = quote!(::steadfast::policy::Jitter);
    let added = match Literal::of(value) {
        Literal::Text(text) => steadfast_duration::parse(&text.value()).ok(),
        Literal::Number(seconds, _) => steadfast_duration::from_seconds(seconds).ok(),
        _ => None,
    };
    let Some(added) = added else {
        return named(field, value, &jitter, JITTERS);
    };
    let added = constant_duration(added, value);
    Ok(quote!(#jitter::Additive(#added)))
}

pub(crate) fn jitter_type(field: &str, value: &Expr) -> Result<TokenStream> {
    named(field, value, &quote!(::steadfast::policy::Jitter), JITTERS)
}

pub(crate) fn nested(field: &str, value: &Expr) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[("outer", "Outer"), ("inner", "Inner"), ("both", "Both")];
    named(field, value, &quote!(::steadfast::policy::Nested), NAMES)
}

/// The rules of a list, which the library validates.
pub(crate) fn rules(field: &str, value: &Expr) -> Result<Vec<LitStr>> {
    let rule = |item: &Expr| match Literal::of(item) {
        Literal::Text(text) => Ok(text),
        // As in a file, where 503 needs no quotes.
        Literal::Number(_, digits) => Ok(LitStr::new(&digits, item.span())),
        _ => invalid(item, format!("`{field}` is a list of rules, such as [\"5xx\", \"408\"]")),
    };
    match value {
        Expr::Array(array) => {
            array.elems.iter().cloned().map(|item| rule(&ungrouped(item))).collect()
        }
        one => Ok(vec![rule(one)?]),
    }
}

/// The delays of a schedule, which must not be empty.
pub(crate) fn durations(field: &str, value: &Expr) -> Result<Vec<TokenStream>> {
    match value {
        Expr::Array(array) if !array.elems.is_empty() => {
            array.elems.iter().cloned().map(|item| duration(field, &ungrouped(item))).collect()
        }
        _ => invalid(value, format!("`{field}` is a list of delays, such as [\"7d\", \"14d\"]")),
    }
}
