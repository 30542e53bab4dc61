//! The policy of `#[retry]`, as a constant that the compiler validates.
//!
//! The rules for a policy's values are `const` functions of the library. The output contains a
//! constant for each parameter that calls them; an invalid parameter makes the constant panic, and the
//! compiler points at the parameter.
//!
//! Strings, lists and breakers cannot be in a constant. A policy with any of them is built at its first
//! use, from the constant and from strings that were validated in the same way, so the build cannot
//! fail. If it fails nevertheless, the constant is used: a running function must not panic because of
//! its policy.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::parameters::{Field, Parameters, Source};
use crate::syntax::Text;

/// The other fields whose rules a field can violate.
const DEPENDENTS: &[(&str, &[&str])] = &[
    ("max_retries", &["max_attempts"]),
    ("backoff_type", &["schedule", "max_delay", "max_duration"]),
    ("base_delay", &["max_delay", "max_duration"]),
    ("jitter_type", &["jitter"]),
];

/// The fields that give the function its own breaker.
const BREAKER_FIELDS: &[&str] =
    &["enable_circuit_breaker", "circuit_breaker_threshold", "circuit_breaker_timeout"];

/// An expression of type `&Policy`.
pub(crate) fn expression(parameters: &Parameters) -> TokenStream {
    let base = match &parameters.source {
        Source::Expression(policy) => return policy.reference(),
        Source::Defaults => quote!(::steadfast::policy::Draft::new()),
        Source::Preset(name) => quote!(::steadfast::policy::Draft::constant_preset(#name)),
        Source::Named(name) => return named(name, parameters),
    };
    let fields = &parameters.fields;
    let names = fields.iter().map(|field| field.name.to_string());
    let setters = setters(fields);
    // The schedule is set later; until then the unused base delay must not be validated.
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
        const __DRAFT: ::steadfast::policy::Draft = #base #(.without_alternatives(#names))* #(#setters)* #scheduled;
        #checks
        #rules
        // A problem that was reported above is not reported again.
        static __POLICY: ::steadfast::Policy = match __DRAFT.first_problem(&[#(#checked),*]) {
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

/// An expression of type `&Policy` for a policy that is looked up at run time. Inline fields are
/// validated by themselves.
fn named(name: &Text, parameters: &Parameters) -> TokenStream {
    let fields = &parameters.fields;
    let schedule = parameters.schedule.as_ref().map(|_| "schedule".to_owned());
    let inline = fields.iter().map(|field| field.name.to_string()).chain(schedule);
    let (checks, rules, texts) = (checks(parameters), rules(parameters), texts(parameters));
    let (guarded, setters) = (is_guarded(fields), setters(fields));
    quote! {{
        const __DRAFT: ::steadfast::policy::Draft =
            ::steadfast::policy::Draft::new().allow_ineffective() #(#setters)*;
        #checks
        #rules
        static __NAMED: ::steadfast::__private::NamedPolicy =
            ::steadfast::__private::NamedPolicy::new(
                #name,
                &[#(#inline),*],
                #guarded,
                |draft| draft #(#setters)* #texts,
            );
        &__NAMED.policy()
    }}
}

/// The fields in the order of their setters: that of `backoff_type` resets others, so it comes first.
fn setters(fields: &[Field]) -> Vec<&Field> {
    let (first, others): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| field.name == "backoff_type");
    first.into_iter().chain(others).collect()
}

fn is_guarded(fields: &[Field]) -> bool {
    fields.iter().any(|field| BREAKER_FIELDS.iter().any(|name| field.name == name))
}

/// One constant per field, which panics if the field is invalid.
fn checks(parameters: &Parameters) -> TokenStream {
    let check = |field: &Field| {
        let covered = covered(field, &parameters.fields);
        quote_spanned! {field.span=>
            const _: () = if let ::core::option::Option::Some(message) = __DRAFT.first_problem(&[#(#covered),*]) {
                ::core::panic!("{}", message)
            };
        }
    };
    parameters.fields.iter().map(check).collect()
}

/// The fields whose rules are reported at this field: its own, and its dependents that are not set
/// themselves.
fn covered<'f>(field: &'f Field, all: &'f [Field]) -> impl Iterator<Item = String> + 'f {
    let dependents = DEPENDENTS.iter().find(|(name, _)| field.name == name);
    let dependents = dependents.map_or(&[][..], |(_, dependents)| *dependents).iter();
    let is_reported_here = |name: &&&str| {
        let mut before = all.iter().take_while(|other| other.name != field.name);
        !all.iter().any(|other| other.name == **name)
            && !before.any(|other| has_dependent(other, name))
    };
    let dependents =
        dependents.filter(move |name| is_reported_here(name)).map(|name| (*name).to_owned());
    std::iter::once(field.name.to_string()).chain(dependents)
}

fn has_dependent(field: &Field, name: &str) -> bool {
    DEPENDENTS.iter().any(|(owner, dependents)| field.name == owner && dependents.contains(&name))
}

/// One constant per rule, which panics if the rule is invalid.
fn rules(parameters: &Parameters) -> TokenStream {
    let texts = parameters.retry_on.iter().chain(&parameters.abort_on).flatten();
    let check = |text: &Text| {
        quote_spanned! {text.span()=>
            const _: () = if !::steadfast::judge::Rule::is_rule(#text) {
                ::core::panic!("{}", ::steadfast::judge::RuleError::EXPECTED)
            };
        }
    };
    texts.map(check).collect()
}

/// The method calls for settings that no constant can hold.
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

    fn policy_code(parameters: TokenStream) -> String {
        expression(&Parameters::read(parameters).unwrap()).to_string()
    }

    /// G4: a policy keeps its id, unless it has its own breaker, which is not shared under that id.
    #[test]
    fn preset_keeps_its_id_unless_it_has_its_own_breaker() {
        assert!(policy_code(quote!(policy = "sql", max_attempts = 2)).contains(r#". id ("sql")"#));
        assert!(
            !policy_code(quote!(policy = "sql", enable_circuit_breaker = true)).contains(". id")
        );
    }

    fn covers(parameters: TokenStream, field: &str) -> Vec<String> {
        let fields = Parameters::read(parameters).unwrap().fields;
        let field = fields.iter().find(|found| found.name == field).unwrap();
        covered(field, &fields).collect()
    }

    /// I8: each problem is reported once, at the nearest parameter.
    #[test]
    fn each_rule_is_reported_once() {
        let both = || quote!(base_delay = 1, backoff_type = "fixed", max_delay = 2);
        assert_eq!(covers(both(), "max_delay"), ["max_delay"]);
        assert_eq!(covers(both(), "base_delay"), ["base_delay", "max_duration"]);
        assert_eq!(covers(both(), "backoff_type"), ["backoff_type", "schedule"]);
    }
}
