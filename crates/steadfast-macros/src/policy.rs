//! The policy of `#[retry]`, as a constant that the compiler checks.
//!
//! The rules for a policy's values are written once, in the library, as `const` functions. So
//! this writes a constant for each parameter that asks the library about it; where the answer
//! is a refusal the constant cannot be computed, and the compiler points at the parameter.
//!
//! Texts, lists and breakers cannot stand in a constant. A policy that has any of them is
//! built at its first use, from the constant and from texts that were checked in the same way,
//! so it cannot fail. If it did all the same, the constant would be used alone: a function that
//! runs is not the place to panic about a policy.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::LitStr;

use crate::parameters::{Field, Parameters, Source};
use crate::values;

/// Which fields' rules a field can break, beside its own.
const TOUCHES: &[(&str, &[&str])] = &[
    ("max_retries", &["max_attempts"]),
    ("backoff_type", &["schedule", "max_delay", "max_duration"]),
    ("base_delay", &["max_delay", "max_duration"]),
    ("jitter_type", &["jitter"]),
];

/// The fields that give the function a breaker of its own.
const BREAKER: &[&str] =
    &["enable_circuit_breaker", "circuit_breaker_threshold", "circuit_breaker_timeout"];

/// An expression of type `&Policy`.
pub(crate) fn expression(parameters: &Parameters) -> TokenStream {
    let base = match &parameters.source {
        Source::Given(policy) => return values::reference(policy),
        Source::Defaults => quote!(::steadfast::policy::Draft::new()),
        Source::Preset(name) => quote!(::steadfast::policy::Draft::ready_made(#name)),
        Source::Named(name) => return named(name, parameters),
    };
    let fields = &parameters.fields;
    let given_way = fields.iter().map(|field| field.name.to_string());
    // Its delays come later; until then nothing should be said of a base delay that it ignores.
    let scheduled = parameters
        .schedule
        .as_ref()
        .map(|_| quote!(.backoff_type(::steadfast::policy::BackoffType::Immediate)));
    let checks = checks(parameters);
    let rules = rules(parameters);
    let checked = fields.iter().flat_map(|field| covered(field, fields));
    let guarded = is_guarded(fields);
    let unguarded = guarded.then(|| quote!(.enable_circuit_breaker(false)));
    let constant = quote! {
        const __DRAFT: ::steadfast::policy::Draft = #base #(.giving_way(#given_way))* #(#fields)* #scheduled;
        #checks
        #rules
        // What was refused above is not complained about again.
        static __POLICY: ::steadfast::Policy = match __DRAFT.refusal(&[#(#checked),*]) {
            ::core::option::Option::None => __DRAFT #unguarded .constant(),
            ::core::option::Option::Some(_) => ::steadfast::policy::Draft::new().constant(),
        };
    };
    let texts = texts(parameters);
    if texts.is_empty() && !guarded {
        return quote!({ #constant &__POLICY });
    }
    quote! {{
        #constant
        static __BUILT: ::std::sync::LazyLock<::steadfast::Policy> =
            ::std::sync::LazyLock::new(|| {
                let built = __DRAFT #texts .build();
                built.unwrap_or_else(|_| ::core::clone::Clone::clone(&__POLICY))
            });
        &*__BUILT
    }}
}

/// An expression of type `&Policy` for a policy that is found while the program runs. What is
/// written inline is checked as far as it goes by itself.
fn named(name: &LitStr, parameters: &Parameters) -> TokenStream {
    let fields = &parameters.fields;
    let schedule = parameters.schedule.as_ref().map(|_| "schedule".to_owned());
    let inline = fields.iter().map(|field| field.name.to_string()).chain(schedule);
    let (checks, rules, texts) = (checks(parameters), rules(parameters), texts(parameters));
    let guarded = is_guarded(fields);
    quote! {{
        const __DRAFT: ::steadfast::policy::Draft = ::steadfast::policy::Draft::new() #(#fields)*;
        #checks
        #rules
        static __NAMED: ::steadfast::__private::NamedPolicy =
            ::steadfast::__private::NamedPolicy::new(
                #name,
                &[#(#inline),*],
                #guarded,
                |draft| draft #(#fields)* #texts,
            );
        &__NAMED.policy()
    }}
}

fn is_guarded(fields: &[Field]) -> bool {
    fields.iter().any(|field| BREAKER.iter().any(|name| field.name == name))
}

/// One constant for each field, that cannot be computed if the field is refused.
fn checks(parameters: &Parameters) -> TokenStream {
    let check = |field: &Field| {
        let covered = covered(field, &parameters.fields);
        quote_spanned! {field.span=>
            const _: () = if let ::core::option::Option::Some(why) = __DRAFT.refusal(&[#(#covered),*]) {
                ::core::panic!("{}", why)
            };
        }
    };
    parameters.fields.iter().map(check).collect()
}

/// The fields whose rules this field answers for: its own, and those of fields that it can put
/// in the wrong while they are not written here themselves.
fn covered<'f>(field: &'f Field, all: &'f [Field]) -> impl Iterator<Item = String> + 'f {
    let touched = TOUCHES.iter().find(|(name, _)| field.name == name);
    let touched = touched.map_or(&[][..], |(_, touched)| *touched).iter();
    let answered = |name: &&&str| {
        let mut before = all.iter().take_while(|other| other.name != field.name);
        !all.iter().any(|other| other.name == **name) && !before.any(|other| touches(other, name))
    };
    let touched = touched.filter(move |name| answered(name)).map(|name| (*name).to_owned());
    std::iter::once(field.name.to_string()).chain(touched)
}

fn touches(field: &Field, name: &str) -> bool {
    TOUCHES.iter().any(|(toucher, touched)| field.name == toucher && touched.contains(&name))
}

/// One constant for each rule, that cannot be computed if it is none.
fn rules(parameters: &Parameters) -> TokenStream {
    let texts = parameters.retry_on.iter().chain(&parameters.abort_on).flatten();
    let check = |text: &LitStr| {
        quote_spanned! {text.span()=>
            const _: () = if !::steadfast::judge::Rule::is_rule(#text) {
                ::core::panic!("{}", ::steadfast::judge::RuleError::WHY)
            };
        }
    };
    texts.map(check).collect()
}

/// The calls that set what no constant can hold.
fn texts(parameters: &Parameters) -> TokenStream {
    let mut calls = TokenStream::new();
    if let Source::Preset(name) = &parameters.source
        && !is_guarded(&parameters.fields)
    {
        calls.extend(quote!(.id(#name)));
    }
    if let Some((_, delays)) = &parameters.schedule {
        let custom = quote!(::steadfast::policy::BackoffType::Custom);
        calls.extend(quote!(.backoff_type(#custom).schedule([#(#delays),*])));
    }
    if let Some(rules) = &parameters.retry_on {
        calls.extend(quote!(.retry_on([#(#rules),*])));
    }
    if let Some(rules) = &parameters.abort_on {
        calls.extend(quote!(.abort_on([#(#rules),*])));
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parameters: TokenStream) -> String {
        expression(&Parameters::read(parameters).unwrap()).to_string()
    }

    /// G4: a policy is known by its name, but a breaker that is asked for here is not shared with
    /// everyone who uses that name.
    #[test]
    fn a_named_policy_keeps_its_name_unless_it_gets_a_breaker() {
        assert!(written(quote!(policy = "sql", max_attempts = 2)).contains(r#". id ("sql")"#));
        assert!(!written(quote!(policy = "sql", enable_circuit_breaker = true)).contains(". id"));
    }

    fn covers(parameters: TokenStream, field: &str) -> Vec<String> {
        let fields = Parameters::read(parameters).unwrap().fields;
        let field = fields.iter().find(|found| found.name == field).unwrap();
        covered(field, &fields).collect()
    }

    /// I8: whatever is wrong is said once, and of the parameter that is nearest to it.
    #[test]
    fn each_rule_is_answered_for_once() {
        let both = || quote!(base_delay = 1, backoff_type = "fixed", max_delay = 2);
        assert_eq!(covers(both(), "max_delay"), ["max_delay"]);
        assert_eq!(covers(both(), "base_delay"), ["base_delay", "max_duration"]);
        assert_eq!(covers(both(), "backoff_type"), ["backoff_type", "schedule"]);
    }
}
