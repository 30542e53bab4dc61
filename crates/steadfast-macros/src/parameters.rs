//! The parameters of `#[retry(...)]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use crate::names;
use crate::syntax::{Error, Errors, Expression, NamedValue, Result, Text, named_values};
use crate::values;

pub(crate) const PRESETS: &[&str] = &["sql", "patient", "workflow", "grpc"];

type Reader = fn(&str, &Expression) -> Result<TokenStream>;

/// The fields of a policy that a constant can hold.
const FIELDS: &[(&str, Reader)] = &[
    ("enabled", values::flag),
    ("max_attempts", values::count),
    ("max_retries", values::count),
    ("backoff_type", values::backoff_type),
    ("base_delay", values::duration),
    ("multiplier", values::number),
    ("increment", values::duration),
    ("min_delay", values::duration),
    ("max_delay", values::duration),
    ("jitter", values::jitter),
    ("jitter_type", values::jitter_type),
    ("jitter_amount", values::number),
    ("max_duration", values::duration),
    ("attempt_timeout", values::duration),
    ("idempotent", values::flag),
    ("max_hint", values::duration),
    ("max_rate_limit_waits", values::count),
    ("nested", values::nested),
    ("enable_circuit_breaker", values::flag),
    ("circuit_breaker_threshold", values::count),
    ("circuit_breaker_timeout", values::duration),
    ("on_open", values::on_open),
];

/// Pairs of fields of which a policy has only one.
const CONFLICTS: &[(&str, &str)] =
    &[("max_attempts", "max_retries"), ("jitter", "jitter_type"), ("jitter", "jitter_amount")];

const LISTS: &[&str] = &["schedule", "retry_on", "retryable_exceptions", "abort_on"];

/// The parameters of the call, as opposed to its policy.
const CALL_PARAMETERS: &[&str] = &[
    "policy",
    "name",
    "judge",
    "facts",
    "breaker",
    "budget",
    "instrument",
    "environment",
    "attempt",
];

/// The fields that cannot be set in an attribute.
const UNSUPPORTED_FIELDS: &[&str] = &["id", "description", "on", "durable"];

#[derive(Default)]
pub(crate) enum Source {
    #[default]
    Defaults,
    Preset(Text),
    /// A name that is looked up in the registry at run time.
    Named(Text),
    Expression(Expression),
}

/// A field that is set inline.
pub(crate) struct Field {
    /// The name, with its span.
    pub(crate) name: Ident,
    /// The value, as a constant of the field's type.
    pub(crate) value: TokenStream,
    pub(crate) span: Span,
}

#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) source: Source,
    pub(crate) fields: Vec<Field>,
    pub(crate) schedule: Option<(Ident, Vec<TokenStream>)>,
    /// The name in `backoff_type = "custom"`, which needs a schedule.
    custom: Option<Ident>,
    pub(crate) retry_on: Option<Vec<Text>>,
    pub(crate) abort_on: Option<Vec<Text>>,
    pub(crate) name: Option<Expression>,
    pub(crate) judge: Option<Expression>,
    pub(crate) facts: Option<Expression>,
    pub(crate) breaker: Option<Expression>,
    pub(crate) budget: Option<Expression>,
    pub(crate) instrument: Option<Expression>,
    pub(crate) environment: Option<Expression>,
    pub(crate) attempt: Option<Ident>,
}

impl Parameters {
    /// Reads the parameters; the error contains all problems.
    pub(crate) fn read(tokens: TokenStream) -> Result<Self> {
        let mut result = Self::default();
        let mut names: Vec<String> = Vec::new();
        let mut errors = Errors::default();
        for NamedValue { name, value } in named_values(tokens)? {
            let text = name.to_string();
            if names.contains(&text) {
                errors.add(Error::new(name.span(), format!("duplicate parameter `{text}`")));
                continue;
            }
            errors.collect(result.set(&text, name, value));
            names.push(text);
        }
        result.conflicts().for_each(|conflict| errors.add(conflict));
        errors.collect(result.check_source());
        errors.collect(result.check_schedule());
        errors.finish(result)
    }

    fn set(&mut self, text: &str, name: Ident, value: Option<Expression>) -> Result<()> {
        let Some(value) = value else {
            let message = format!("`{text}` needs a value: `{text} = ...`");
            return Err(Error::new(name.span(), message));
        };
        match text {
            "policy" => self.source = source(value)?,
            "name" => self.name = Some(value),
            "judge" => self.judge = Some(value),
            "facts" => self.facts = Some(value),
            "breaker" => self.breaker = Some(value),
            "budget" => self.budget = Some(value),
            "instrument" => self.instrument = Some(value),
            "environment" => self.environment = Some(value),
            "attempt" => self.attempt = Some(binding(&value)?),
            "retry_on" | "retryable_exceptions" => {
                if self.retry_on.is_some() {
                    let message =
                        "`retryable_exceptions` is an alias of `retry_on`: set one of them";
                    return Err(Error::new(name.span(), message));
                }
                self.retry_on = Some(values::rules(text, &value)?);
            }
            "abort_on" => self.abort_on = Some(values::rules(text, &value)?),
            "schedule" => self.schedule = Some((name, values::durations(text, &value)?)),
            "backoff_type" if value.text().is_some_and(|text| text.value() == "custom") => {
                self.custom = Some(name);
            }
            _ => {
                let span = value.span();
                let value = reader(&name)?(text, &value)?;
                self.fields.push(Field { name, value, span });
            }
        }
        Ok(())
    }

    /// The fields that exclude each other, reported at the later one.
    fn conflicts(&self) -> impl Iterator<Item = Error> {
        let position = |name: &str| self.fields.iter().position(|field| field.name == name);
        CONFLICTS.iter().filter_map(move |(one, other)| {
            let later = self.fields.get(position(one)?.max(position(other)?))?;
            let message = format!("`{one}` cannot be combined with `{other}`");
            Some(Error::new(later.name.span(), message))
        })
    }

    /// A policy expression cannot be combined with fields: its value is known only at run time.
    fn check_source(&self) -> Result<()> {
        let Source::Expression(_) = self.source else {
            return Ok(());
        };
        let mut inline = self.fields.iter().map(|field| field.name.clone());
        let first = inline
            .next()
            .or_else(|| self.schedule.as_ref().map(|(name, _)| name.clone()))
            .map(|name| (name.span(), name.to_string()))
            .or_else(|| first_rule(self.retry_on.as_deref(), "retry_on"))
            .or_else(|| first_rule(self.abort_on.as_deref(), "abort_on"));
        match first {
            None => Ok(()),
            Some((span, name)) => Err(Error::new(
                span,
                format!(
                    "`{name}` cannot be combined with a policy expression; \
                     set it where the policy is built"
                ),
            )),
        }
    }

    /// A schedule and a custom backoff need each other.
    fn check_schedule(&self) -> Result<()> {
        let backoff =
            self.fields.iter().map(|field| &field.name).find(|name| *name == "backoff_type");
        match (&self.schedule, &self.custom, backoff) {
            (None, Some(custom), _) => Err(Error::new(
                custom.span(),
                "a custom backoff needs a schedule: `schedule = [\"7d\", \"14d\"]`",
            )),
            (Some(_), None, Some(backoff)) => Err(Error::new(
                backoff.span(),
                "`backoff_type` must be \"custom\" with a schedule; remove it",
            )),
            _ => Ok(()),
        }
    }
}

fn first_rule(rules: Option<&[Text]>, name: &str) -> Option<(Span, String)> {
    let span = rules?.first().map_or_else(Span::call_site, Text::span);
    Some((span, name.to_owned()))
}

fn source(value: Expression) -> Result<Source> {
    let Some(name) = value.text() else {
        return Ok(Source::Expression(value));
    };
    if PRESETS.contains(&name.value()) {
        return Ok(Source::Preset(name));
    }
    let wrong = name.value();
    let near = names::nearest(wrong, PRESETS);
    if cfg!(feature = "file") && near.is_none() {
        return Ok(Source::Named(name));
    }
    let mut message = format!("unknown policy `{wrong}`; expected one of {}", names::list(PRESETS));
    if let Some(near) = near {
        message.push_str(&format!("; did you mean `{near}`?"));
    } else {
        message.push_str("; names of a policy file need the feature `file`");
    }
    Err(Error::new(name.span(), message))
}

/// The variable that holds the attempt in the body.
fn binding(value: &Expression) -> Result<Ident> {
    value.name().ok_or_else(|| {
        Error::spanned(value, "`attempt` is the name of the variable that holds the attempt")
    })
}

fn reader(name: &Ident) -> Result<Reader> {
    let text = name.to_string();
    if let Some((_, reader)) = FIELDS.iter().find(|(field, _)| *field == text) {
        return Ok(*reader);
    }
    if UNSUPPORTED_FIELDS.contains(&text.as_str()) {
        let message = format!(
            "`{text}` is not supported here: build the policy and pass it with `policy = ...`"
        );
        return Err(Error::new(name.span(), message));
    }
    let known: Vec<&str> = known().collect();
    let message = format!("unknown parameter `{text}`; {}", names::suggestion(&text, &known));
    Err(Error::new(name.span(), message))
}

fn known() -> impl Iterator<Item = &'static str> {
    CALL_PARAMETERS.iter().chain(LISTS).copied().chain(FIELDS.iter().map(|(field, _)| *field))
}

impl ToTokens for Field {
    /// The method call that sets the field.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { name, value, .. } = self;
        tokens.extend(quote!(.#name(#value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(tokens: TokenStream) -> Vec<String> {
        match Parameters::read(tokens) {
            Ok(_) => panic!("the parameters were accepted"),
            Err(error) => error.messages(),
        }
    }

    /// I8: the attribute knows all built-in policies.
    #[test]
    fn presets_match_the_library() {
        assert_eq!(PRESETS, steadfast::policy::PRESETS);
    }

    /// I8: every field of a policy is a parameter, or is rejected with an explanation.
    #[test]
    fn every_policy_field_is_known() {
        for field in steadfast::policy::FIELDS {
            let known =
                known().any(|name| name == field.name) || UNSUPPORTED_FIELDS.contains(&field.name);
            assert!(known, "the attribute does not know `{}`", field.name);
        }
    }

    #[test]
    fn all_invalid_parameters_are_reported_together() {
        let errors = errors_of(quote!(max_attemps = 4, base_delay = "soon", nested = "sideways"));
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert_eq!(errors[0], "unknown parameter `max_attemps`; did you mean `max_attempts`?");
    }

    #[test]
    fn duplicate_parameter_is_rejected() {
        assert_eq!(errors_of(quote!(name = "a", name = "b")), ["duplicate parameter `name`"]);
        assert_eq!(
            errors_of(quote!(retry_on = ["5xx"], retryable_exceptions = ["5xx"])),
            ["`retryable_exceptions` is an alias of `retry_on`: set one of them"]
        );
    }

    /// P2: one spelling of a setting.
    #[test]
    fn conflicting_fields_are_rejected() {
        assert_eq!(
            errors_of(quote!(max_attempts = 3, max_retries = 2)),
            ["`max_attempts` cannot be combined with `max_retries`"]
        );
        assert_eq!(
            errors_of(quote!(jitter_type = "equal", jitter_amount = 0.5, jitter = "full")),
            [
                "`jitter` cannot be combined with `jitter_type`",
                "`jitter` cannot be combined with `jitter_amount`"
            ]
        );
    }

    #[test]
    fn parameter_without_a_value_is_rejected() {
        assert_eq!(
            errors_of(quote!(idempotent)),
            ["`idempotent` needs a value: `idempotent = ...`"]
        );
    }

    #[test]
    fn policy_expression_with_fields_is_rejected() {
        assert_eq!(
            errors_of(quote!(policy = STORAGE, max_attempts = 4)),
            [
                "`max_attempts` cannot be combined with a policy expression; set it where the policy is built"
            ]
        );
    }

    #[test]
    fn schedule_needs_custom_backoff() {
        assert!(Parameters::read(quote!(backoff_type = "custom", schedule = ["7d"])).is_ok());
        assert!(Parameters::read(quote!(schedule = ["7d"])).is_ok());
        assert_eq!(errors_of(quote!(backoff_type = "custom")).len(), 1);
        assert_eq!(errors_of(quote!(backoff_type = "fixed", schedule = ["7d"])).len(), 1);
        assert_eq!(errors_of(quote!(schedule = [])).len(), 1);
    }

    #[test]
    fn unsupported_field_is_rejected_with_an_alternative() {
        assert_eq!(
            errors_of(quote!(durable = 1)),
            ["`durable` is not supported here: build the policy and pass it with `policy = ...`"]
        );
    }
}
