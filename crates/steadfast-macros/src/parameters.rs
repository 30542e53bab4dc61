//! The parameters of `#[retry(...)]`: read one by one, each refused where it stands.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, LitStr, Result, Token};

use crate::errors::Errors;
use crate::names;
use crate::values::{self, text_of};

/// The policies that come ready made.
pub(crate) const PRESETS: &[&str] = &["sql", "patient", "workflow", "grpc"];

/// How a field's value is written.
type Reader = fn(&str, &Expr) -> Result<TokenStream>;

/// The fields of a policy that a constant can hold.
const FIELDS: &[(&str, Reader)] = &[
    ("enabled", values::flag),
    ("max_attempts", values::count),
    ("max_retries", values::count),
    ("backoff_type", values::backoff_type),
    ("base_delay", values::duration),
    ("multiplier", values::number),
    ("increment", values::duration),
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
];

/// The fields that are lists.
const LISTS: &[&str] = &["schedule", "retry_on", "retryable_exceptions", "abort_on"];

/// What is said about the call, not about its policy.
const CALL: &[&str] = &[
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

/// The fields that need more room than an attribute has.
const ELSEWHERE: &[&str] = &["id", "description", "on", "durable"];

/// Where the policy comes from.
pub(crate) enum Source {
    /// Nowhere: the defaults, and what is written inline.
    Defaults,
    /// A ready-made policy.
    Preset(LitStr),
    /// A name that the registry leads to a policy while the program runs.
    Named(LitStr),
    /// An expression.
    Given(Expr),
}

/// A field that is written inline.
pub(crate) struct Field {
    /// Its name, where it stands.
    pub(crate) name: Ident,
    /// Its value, as a constant of the field's type.
    pub(crate) value: TokenStream,
    /// Where the value stands.
    pub(crate) span: Span,
}

/// All parameters.
pub(crate) struct Parameters {
    pub(crate) source: Source,
    pub(crate) fields: Vec<Field>,
    pub(crate) schedule: Option<(Ident, Vec<TokenStream>)>,
    /// Where `backoff_type = "custom"` stands, which only a schedule gives a meaning to.
    custom: Option<Ident>,
    pub(crate) retry_on: Option<Vec<LitStr>>,
    pub(crate) abort_on: Option<Vec<LitStr>>,
    pub(crate) name: Option<Expr>,
    pub(crate) judge: Option<Expr>,
    pub(crate) facts: Option<Expr>,
    pub(crate) breaker: Option<Expr>,
    pub(crate) budget: Option<Expr>,
    pub(crate) instrument: Option<Expr>,
    pub(crate) environment: Option<Expr>,
    pub(crate) attempt: Option<Ident>,
}

/// One parameter, not yet understood.
struct Parameter {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Parameter {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(values::ungrouped(input.parse()?)),
            None => None,
        };
        Ok(Self { name, value })
    }
}

impl Parameters {
    /// Reads them; the error holds everything that is wrong.
    pub(crate) fn read(tokens: TokenStream) -> Result<Self> {
        let parameters = Punctuated::<Parameter, Token![,]>::parse_terminated.parse2(tokens)?;
        let mut read = Self {
            source: Source::Defaults,
            fields: Vec::new(),
            schedule: None,
            custom: None,
            retry_on: None,
            abort_on: None,
            name: None,
            judge: None,
            facts: None,
            breaker: None,
            budget: None,
            instrument: None,
            environment: None,
            attempt: None,
        };
        let mut seen: Vec<String> = Vec::new();
        let mut errors = Errors::default();
        for Parameter { name, value } in parameters {
            let text = name.to_string();
            if seen.contains(&text) {
                errors.add(Error::new(name.span(), format!("`{text}` is written twice")));
                continue;
            }
            errors.keep(read.set(&text, name, value));
            seen.push(text);
        }
        errors.keep(read.check_source());
        errors.keep(read.check_schedule());
        errors.none_or(read)
    }

    fn set(&mut self, text: &str, name: Ident, value: Option<Expr>) -> Result<()> {
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
                    let message = "`retry_on` and `retryable_exceptions` are the same";
                    return Err(Error::new(name.span(), message));
                }
                self.retry_on = Some(values::rules(text, &value)?);
            }
            "abort_on" => self.abort_on = Some(values::rules(text, &value)?),
            "schedule" => self.schedule = Some((name, values::durations(text, &value)?)),
            "backoff_type" if text_of(&value).is_some_and(|text| text.value() == "custom") => {
                self.custom = Some(name);
            }
            _ => {
                let span = syn::spanned::Spanned::span(&value);
                let value = reader(&name)?(text, &value)?;
                self.fields.push(Field { name, value, span });
            }
        }
        Ok(())
    }

    /// A policy that is given is used as it is: its fields are known only when it runs.
    fn check_source(&self) -> Result<()> {
        let Source::Given(_) = self.source else {
            return Ok(());
        };
        let mut inline = self.fields.iter().map(|field| field.name.clone());
        let first = inline
            .next()
            .or_else(|| self.schedule.as_ref().map(|(name, _)| name.clone()))
            .map(|name| (name.span(), name.to_string()))
            .or_else(|| rules_place(self.retry_on.as_deref(), "retry_on"))
            .or_else(|| rules_place(self.abort_on.as_deref(), "abort_on"));
        match first {
            None => Ok(()),
            Some((span, name)) => Err(Error::new(
                span,
                format!(
                    "`{name}` changes a policy that has a name; \
                     change this one where it is built"
                ),
            )),
        }
    }

    /// A schedule and a custom backoff go together.
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
                "a schedule needs no `backoff_type`; it is \"custom\" with one",
            )),
            _ => Ok(()),
        }
    }
}

fn rules_place(rules: Option<&[LitStr]>, name: &str) -> Option<(Span, String)> {
    let span = rules?.first().map_or_else(Span::call_site, LitStr::span);
    Some((span, name.to_owned()))
}

fn source(value: Expr) -> Result<Source> {
    let Some(name) = text_of(&value) else {
        return Ok(Source::Given(value));
    };
    if PRESETS.contains(&name.value().as_str()) {
        return Ok(Source::Preset(name));
    }
    let wrong = name.value();
    let near = names::nearest(&wrong, PRESETS);
    if cfg!(feature = "file") && near.is_none() {
        return Ok(Source::Named(name));
    }
    let mut message =
        format!("no policy has the name `{wrong}`; there are {}", names::list(PRESETS));
    if let Some(near) = near {
        message.push_str(&format!("; did you mean `{near}`?"));
    } else {
        message.push_str("; those of a policy file need the feature `file`");
    }
    Err(Error::new(name.span(), message))
}

/// The name that the body calls the attempt by.
fn binding(value: &Expr) -> Result<Ident> {
    let name = match value {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    };
    name.cloned().ok_or_else(|| {
        Error::new_spanned(value, "`attempt` is the name that the body calls the attempt by")
    })
}

fn reader(name: &Ident) -> Result<Reader> {
    let text = name.to_string();
    if let Some((_, reader)) = FIELDS.iter().find(|(field, _)| *field == text) {
        return Ok(*reader);
    }
    if ELSEWHERE.contains(&text.as_str()) {
        let message =
            format!("`{text}` has no room here: build the policy and write `policy = ...`");
        return Err(Error::new(name.span(), message));
    }
    let known: Vec<&str> = known().collect();
    let message = format!("no such parameter `{text}`; {}", names::suggestion(&text, &known));
    Err(Error::new(name.span(), message))
}

fn known() -> impl Iterator<Item = &'static str> {
    CALL.iter().chain(LISTS).copied().chain(FIELDS.iter().map(|(field, _)| *field))
}

impl ToTokens for Field {
    /// The call that sets it.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { name, value, .. } = self;
        tokens.extend(quote!(.#name(#value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(tokens: TokenStream) -> Vec<String> {
        match Parameters::read(tokens) {
            Ok(_) => panic!("it was accepted"),
            Err(error) => error.into_iter().map(|error| error.to_string()).collect(),
        }
    }

    /// I8: the attribute knows the ready-made policies that there are.
    #[test]
    fn the_presets_are_those_of_the_library() {
        assert_eq!(PRESETS, steadfast::policy::PRESETS);
    }

    /// I8: no field of a policy is forgotten; the few that are not inline say where to go.
    #[test]
    fn every_field_of_a_policy_is_known() {
        for field in steadfast::policy::FIELDS {
            let known = known().any(|name| name == field.name) || ELSEWHERE.contains(&field.name);
            assert!(known, "the attribute does not know `{}`", field.name);
        }
    }

    #[test]
    fn every_wrong_parameter_is_reported_at_once() {
        let errors = refused(quote!(max_attemps = 4, base_delay = "soon", nested = "sideways"));
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert_eq!(errors[0], "no such parameter `max_attemps`; did you mean `max_attempts`?");
    }

    #[test]
    fn a_parameter_stands_once() {
        assert_eq!(refused(quote!(name = "a", name = "b")), ["`name` is written twice"]);
        assert_eq!(
            refused(quote!(retry_on = ["5xx"], retryable_exceptions = ["5xx"])),
            ["`retry_on` and `retryable_exceptions` are the same"]
        );
    }

    #[test]
    fn a_parameter_has_a_value() {
        assert_eq!(refused(quote!(idempotent)), ["`idempotent` needs a value: `idempotent = ...`"]);
    }

    #[test]
    fn a_policy_that_is_given_is_used_as_it_is() {
        assert_eq!(
            refused(quote!(policy = STORAGE, max_attempts = 4)),
            ["`max_attempts` changes a policy that has a name; change this one where it is built"]
        );
    }

    #[test]
    fn a_schedule_and_a_custom_backoff_go_together() {
        assert!(Parameters::read(quote!(backoff_type = "custom", schedule = ["7d"])).is_ok());
        assert!(Parameters::read(quote!(schedule = ["7d"])).is_ok());
        assert_eq!(refused(quote!(backoff_type = "custom")).len(), 1);
        assert_eq!(refused(quote!(backoff_type = "fixed", schedule = ["7d"])).len(), 1);
        assert_eq!(refused(quote!(schedule = [])).len(), 1);
    }

    #[test]
    fn a_field_with_no_room_says_where_to_go() {
        assert_eq!(
            refused(quote!(durable = 1)),
            ["`durable` has no room here: build the policy and write `policy = ...`"]
        );
    }
}
