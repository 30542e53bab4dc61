//! The values of parameters, converted to constants of the field's type.
//!
//! Literals are parsed here, so that they can be written as in a file (`"500ms"`, `"full"`); other
//! expressions are left to the compiler. The library checks the range: see `policy.rs`.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use crate::names;
use crate::syntax::{Error, Expression, Literal, Result, Text};

fn invalid<T>(value: &Expression, message: String) -> Result<T> {
    Err(Error::spanned(value, message))
}

pub(crate) fn flag(field: &str, value: &Expression) -> Result<TokenStream> {
    match value.literal() {
        Some(Literal::Flag(flag)) => Ok(quote!(#flag)),
        None => Ok(quote!(#value)),
        _ => invalid(value, format!("`{field}` is either true or false")),
    }
}

pub(crate) fn count(field: &str, value: &Expression) -> Result<TokenStream> {
    let not_a_count = || invalid(value, format!("`{field}` is an integer, such as 4"));
    match value.literal() {
        Some(Literal::Number(_, text)) => match text.parse::<u32>() {
            Ok(count) => Ok(quote!(#count)),
            Err(_) => not_a_count(),
        },
        None => Ok(quote!(#value)),
        _ => not_a_count(),
    }
}

pub(crate) fn number(field: &str, value: &Expression) -> Result<TokenStream> {
    match value.literal() {
        Some(Literal::Number(number, _)) if number.is_finite() => Ok(quote!(#number)),
        Some(Literal::Number(..)) => Ok(quote!(::core::primitive::f64::INFINITY)),
        None => Ok(quote!(#value)),
        _ => invalid(value, format!("`{field}` is a number, such as 1.5")),
    }
}

pub(crate) fn duration(field: &str, value: &Expression) -> Result<TokenStream> {
    let parsed = match value.literal() {
        Some(Literal::Text(text)) => steadfast_duration::parse(text.value()),
        Some(Literal::Number(seconds, _)) => steadfast_duration::from_seconds(seconds),
        None => return Ok(quote!(#value)),
        _ => return invalid(value, format!("`{field}` is a duration, such as \"500ms\"")),
    };
    match parsed {
        Ok(duration) => Ok(constant_duration(duration, value)),
        Err(error) => invalid(value, error.to_string()),
    }
}

pub(crate) fn constant_duration(duration: Duration, expression: &Expression) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote_spanned!(expression.span()=> ::core::time::Duration::new(#seconds, #nanos))
}

/// One of a fixed set of names, as the enum variant.
fn named(
    field: &str,
    value: &Expression,
    ty: &TokenStream,
    names: &[(&str, &str)],
) -> Result<TokenStream> {
    let text = match value.literal() {
        Some(Literal::Text(text)) => text.value().to_owned(),
        Some(Literal::Number(_, text)) => text,
        Some(Literal::Flag(flag)) => flag.to_string(),
        Some(Literal::Unsupported) => String::new(),
        None => return Ok(quote!(#value)),
    };
    if let Some((_, variant)) = names.iter().find(|(name, _)| *name == text) {
        let variant = Ident::new(variant, value.span());
        return Ok(quote!(#ty::#variant));
    }
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    invalid(value, format!("`{field}` cannot be `{text}`; {}", names::suggestion(&text, &known)))
}

pub(crate) fn backoff_type(field: &str, value: &Expression) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[
        ("exponential", "Exponential"),
        ("linear", "Linear"),
        ("fibonacci", "Fibonacci"),
        ("fixed", "Fixed"),
        ("immediate", "Immediate"),
        ("custom", "Custom"),
    ];
    named(field, value, &quote!(::steadfast::policy::BackoffType), NAMES)
}

const JITTERS: &[(&str, &str)] = &[
    ("none", "None"),
    ("full", "Full"),
    ("equal", "Equal"),
    ("decorrelated", "Decorrelated"),
    ("proportional", "Proportional"),
];

/// A name, or a duration to add.
pub(crate) fn jitter(field: &str, value: &Expression) -> Result<TokenStream> {
    let jitter = quote!(::steadfast::policy::Jitter);
    let added = match value.literal() {
        Some(Literal::Text(text)) => steadfast_duration::parse(text.value()).ok(),
        Some(Literal::Number(seconds, _)) => steadfast_duration::from_seconds(seconds).ok(),
        _ => None,
    };
    let Some(added) = added else {
        return named(field, value, &jitter, JITTERS);
    };
    let added = constant_duration(added, value);
    Ok(quote!(#jitter::Additive(#added)))
}

pub(crate) fn jitter_type(field: &str, value: &Expression) -> Result<TokenStream> {
    named(field, value, &quote!(::steadfast::policy::Jitter), JITTERS)
}

pub(crate) fn nested(field: &str, value: &Expression) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[("outer", "Outer"), ("inner", "Inner"), ("both", "Both")];
    named(field, value, &quote!(::steadfast::policy::Nested), NAMES)
}

pub(crate) fn on_open(field: &str, value: &Expression) -> Result<TokenStream> {
    const NAMES: &[(&str, &str)] = &[("give_up", "GiveUp"), ("wait", "Wait")];
    named(field, value, &quote!(::steadfast::policy::OnOpen), NAMES)
}

/// The rules of a list, which the library validates.
pub(crate) fn rules(field: &str, value: &Expression) -> Result<Vec<Text>> {
    let rule = |item: &Expression| match item.literal() {
        Some(Literal::Text(text)) => Ok(text),
        // As in a file, where 503 needs no quotes.
        Some(Literal::Number(_, digits)) => Ok(Text::new(&digits, item.span())),
        _ => invalid(item, format!("`{field}` is a list of rules, such as [\"5xx\", \"408\"]")),
    };
    match value.items() {
        Some(items) => items.iter().map(rule).collect(),
        None => Ok(vec![rule(value)?]),
    }
}

/// The delays of a schedule, which must not be empty.
pub(crate) fn durations(field: &str, value: &Expression) -> Result<Vec<TokenStream>> {
    match value.items() {
        Some(items) if !items.is_empty() => {
            items.iter().map(|item| duration(field, item)).collect()
        }
        _ => invalid(value, format!("`{field}` is a list of delays, such as [\"7d\", \"14d\"]")),
    }
}
