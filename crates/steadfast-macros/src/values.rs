//! The values of parameters, as constants of the type that the field needs.
//!
//! A literal is read here, so that it can be written as in a file (`"500ms"`, `"full"`); any
//! other expression is left to the compiler. Whether a value is in range is for the library
//! to say: see `policy.rs`.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprUnary, Lit, LitStr, Result, UnOp};

use crate::{duration, names};

/// A value as it is written.
pub(crate) enum Written<'e> {
    Text(LitStr),
    Flag(bool),
    /// A number, whether it is whole, and its text.
    Number(f64, String),
    /// A literal that no field takes.
    Strange,
    Expression(&'e Expr),
}

impl<'e> Written<'e> {
    pub(crate) fn of(value: &'e Expr) -> Self {
        match value {
            Expr::Lit(literal) => Self::literal(&literal.lit, ""),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
                Expr::Lit(literal) => Self::literal(&literal.lit, "-"),
                _ => Self::Expression(value),
            },
            _ => Self::Expression(value),
        }
    }

    fn literal(literal: &Lit, sign: &str) -> Self {
        let number = |digits: &str| {
            let text = format!("{sign}{digits}");
            text.parse().map_or(Self::Strange, |number| Self::Number(number, text))
        };
        match literal {
            Lit::Str(text) if sign.is_empty() => Self::Text(text.clone()),
            Lit::Bool(flag) if sign.is_empty() => Self::Flag(flag.value),
            Lit::Int(whole) => number(whole.base10_digits()),
            Lit::Float(float) => number(float.base10_digits()),
            _ => Self::Strange,
        }
    }
}

/// The expression without the invisible brackets that a macro may have put around it.
pub(crate) fn ungrouped(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => ungrouped(*group.expr),
        value => value,
    }
}

/// A reference to what the expression is, whether it is the thing, refers to it or holds it.
pub(crate) fn reference(value: &Expr) -> TokenStream {
    match value {
        // What these choose between can only be references.
        Expr::Reference(_) | Expr::If(_) | Expr::Match(_) | Expr::Block(_) => quote!(#value),
        _ => quote_spanned!(value.span()=> &(#value)),
    }
}

/// The text, if it is one.
pub(crate) fn text_of(value: &Expr) -> Option<LitStr> {
    match Written::of(value) {
        Written::Text(text) => Some(text),
        _ => None,
    }
}

fn wrong<T>(value: &Expr, message: String) -> Result<T> {
    Err(Error::new_spanned(value, message))
}

pub(crate) fn flag(field: &str, value: &Expr) -> Result<TokenStream> {
    match Written::of(value) {
        Written::Flag(flag) => Ok(quote!(#flag)),
        Written::Expression(value) => Ok(quote!(#value)),
        _ => wrong(value, format!("`{field}` is either true or false")),
    }
}

pub(crate) fn count(field: &str, value: &Expr) -> Result<TokenStream> {
    let refuse = || wrong(value, format!("`{field}` is a whole number, such as 4"));
    match Written::of(value) {
        Written::Number(_, text) => match text.parse::<u32>() {
            Ok(count) => Ok(quote!(#count)),
            Err(_) => refuse(),
        },
        Written::Expression(value) => Ok(quote!(#value)),
        _ => refuse(),
    }
}

pub(crate) fn number(field: &str, value: &Expr) -> Result<TokenStream> {
    match Written::of(value) {
        Written::Number(number, _) if number.is_finite() => Ok(quote!(#number)),
        Written::Number(..) => Ok(quote!(::core::primitive::f64::INFINITY)),
        Written::Expression(value) => Ok(quote!(#value)),
        _ => wrong(value, format!("`{field}` is a number, such as 1.5")),
    }
}

pub(crate) fn duration(field: &str, value: &Expr) -> Result<TokenStream> {
    let read = match Written::of(value) {
        Written::Text(text) => duration::parse(&text.value()),
        Written::Number(seconds, _) => duration::from_seconds(seconds),
        Written::Expression(value) => return Ok(quote!(#value)),
        _ => Err(format!("`{field}` is a duration, such as \"500ms\"")),
    };
    match read {
        Ok(duration) => Ok(constant_duration(duration, value)),
        Err(why) => wrong(value, why),
    }
}

pub(crate) fn constant_duration(duration: Duration, place: &Expr) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote_spanned!(place.span()=> ::core::time::Duration::new(#seconds, #nanos))
}

/// A text out of a fixed set, as the variant that it names.
fn named(
    field: &str,
    value: &Expr,
    what: &TokenStream,
    names: &[(&str, &str)],
) -> Result<TokenStream> {
    let text = match Written::of(value) {
        Written::Text(text) => text.value(),
        Written::Number(_, text) => text,
        Written::Flag(flag) => flag.to_string(),
        Written::Strange => String::new(),
        Written::Expression(value) => return Ok(quote!(#value)),
    };
    if let Some((_, variant)) = names.iter().find(|(name, _)| *name == text) {
        let variant = syn::Ident::new(variant, value.span());
        return Ok(quote!(#what::#variant));
    }
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    wrong(value, format!("`{field}` cannot be `{text}`; {}", names::suggestion(&text, &known)))
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

/// A name, or a duration that is added.
pub(crate) fn jitter(field: &str, value: &Expr) -> Result<TokenStream> {
    let jitter = quote!(::steadfast::policy::Jitter);
    let most = match Written::of(value) {
        Written::Text(text) => duration::parse(&text.value()).ok(),
        Written::Number(seconds, _) => duration::from_seconds(seconds).ok(),
        _ => None,
    };
    let Some(most) = most else {
        return named(field, value, &jitter, JITTERS);
    };
    let most = constant_duration(most, value);
    Ok(quote!(#jitter::Additive(#most)))
}

pub(crate) fn jitter_type(field: &str, value: &Expr) -> Result<TokenStream> {
    named(field, value, &quote!(::steadfast::policy::Jitter), JITTERS)
}

pub(crate) fn nested(field: &str, value: &Expr) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[("outer", "Outer"), ("inner", "Inner"), ("both", "Both")];
    named(field, value, &quote!(::steadfast::policy::Nested), NAMES)
}

/// The rules of a list. Whether each is one is for the library to say.
pub(crate) fn rules(field: &str, value: &Expr) -> Result<Vec<LitStr>> {
    let rule = |item: &Expr| match Written::of(item) {
        Written::Text(text) => Ok(text),
        // As in a file, where nobody writes quotes around 503.
        Written::Number(_, digits) => Ok(LitStr::new(&digits, item.span())),
        _ => wrong(item, format!("`{field}` is a list of rules, such as [\"5xx\", \"408\"]")),
    };
    match value {
        Expr::Array(array) => {
            array.elems.iter().cloned().map(|item| rule(&ungrouped(item))).collect()
        }
        one => Ok(vec![rule(one)?]),
    }
}

/// The delays of a schedule, of which there must be one at least.
pub(crate) fn durations(field: &str, value: &Expr) -> Result<Vec<TokenStream>> {
    match value {
        Expr::Array(array) if !array.elems.is_empty() => {
            array.elems.iter().cloned().map(|item| duration(field, &ungrouped(item))).collect()
        }
        _ => wrong(value, format!("`{field}` is a list of delays, such as [\"7d\", \"14d\"]")),
    }
}
