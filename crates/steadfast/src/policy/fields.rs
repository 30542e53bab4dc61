//! The fields of a policy by name.
//!
//! Files, JSON, environment variables and command-line flags all set fields by
//! their names; they do it here, so a field is spelled, read and refused in the
//! same way everywhere.

use std::collections::BTreeMap;

use super::setting::Setting;
use super::timing::{Jitter, TimingDraft};
use super::{Draft, PolicyError};
use crate::Class;
use crate::judge::Rule;

/// Every field that a policy can have.
pub const FIELDS: &[&str] = &[
    "id",
    "name",
    "description",
    "enabled",
    "max_attempts",
    "max_retries",
    "backoff_type",
    "base_delay",
    "multiplier",
    "increment",
    "max_delay",
    "schedule",
    "jitter",
    "jitter_type",
    "jitter_amount",
    "max_duration",
    "attempt_timeout",
    "retry_on",
    "retryable_exceptions",
    "abort_on",
    "idempotent",
    "max_hint",
    "max_rate_limit_waits",
    "nested",
    "enable_circuit_breaker",
    "circuit_breaker_threshold",
    "circuit_breaker_timeout",
    "breaker",
    "budget",
    "on",
    "durable",
];

impl Draft {
    /// Sets a field by its name.
    ///
    /// ```
    /// use steadfast::policy::Draft;
    ///
    /// let mut draft = Draft::new();
    /// draft.set("base_delay", &"500ms".into())?;
    /// let error = draft.set("max_attemps", &"4".into()).unwrap_err();
    /// assert_eq!(error.to_string(), "max_attemps: no such field; did you mean max_attempts?");
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such field, or the value is not of its type. Whether it is in
    /// range is checked when the draft is built.
    pub fn set(&mut self, field: &str, value: &Setting) -> Result<(), PolicyError> {
        match field {
            "on" => self.on = Some(class_timings(value)?),
            "durable" => self.durable = Some(Box::new(stage(value)?)),
            _ => self.try_set(field, value).map_err(|why| PolicyError::unreadable(field, why))?,
        }
        Ok(())
    }

    fn try_set(&mut self, field: &str, value: &Setting) -> Result<(), String> {
        match field {
            "id" => self.id = Some(value.text()?),
            "name" => self.name = Some(value.text()?),
            "description" => self.description = Some(value.text()?),
            "enabled" => self.enabled = Some(value.bool()?),
            "max_attempts" => self.max_attempts = Some(value.count()?),
            "max_retries" => self.max_retries = Some(value.count()?),
            "max_duration" => self.max_duration = Some(value.duration()?),
            "attempt_timeout" => self.attempt_timeout = Some(value.duration()?),
            "retry_on" | "retryable_exceptions" => {
                if self.retry_on.is_some() {
                    return Err("retry_on and retryable_exceptions are the same field".to_owned());
                }
                self.retry_on = Some(rules(value)?);
            }
            "abort_on" => self.abort_on = Some(rules(value)?),
            "idempotent" => self.idempotent = Some(value.bool()?),
            "max_hint" => self.max_hint = Some(value.duration()?),
            "max_rate_limit_waits" => self.max_rate_limit_waits = Some(value.count()?),
            "nested" => self.nested = Some(value.read()?),
            "enable_circuit_breaker" => self.enable_circuit_breaker = Some(value.bool()?),
            "circuit_breaker_threshold" => self.circuit_breaker_threshold = Some(value.count()?),
            "circuit_breaker_timeout" => self.circuit_breaker_timeout = Some(value.duration()?),
            "breaker" => self.breaker = Some(value.read()?),
            "budget" => self.budget = Some(value.read()?),
            timing => return self.timing.set(timing, value, FIELDS),
        }
        Ok(())
    }
}

impl TimingDraft {
    /// `fields` are those that could have been meant.
    fn set(&mut self, field: &str, value: &Setting, fields: &[&str]) -> Result<(), String> {
        match field {
            "backoff_type" => self.backoff_type = Some(value.read()?),
            "base_delay" => self.base_delay = Some(value.duration()?),
            "multiplier" => self.multiplier = Some(value.number()?),
            "increment" => self.increment = Some(value.duration()?),
            "max_delay" => self.max_delay = Some(value.duration()?),
            "schedule" => self.schedule = Some(value.list(Setting::duration)?),
            "jitter" => self.jitter = Some(jitter(value)?),
            "jitter_type" => self.jitter_type = Some(named_jitter(value)?),
            "jitter_amount" => self.jitter_amount = Some(value.number()?),
            unknown => return Err(no_such_field(unknown, fields)),
        }
        Ok(())
    }
}

fn rules(value: &Setting) -> Result<Vec<Rule>, String> {
    value.list(|item| {
        let text = item.text()?;
        text.parse::<Rule>().map_err(|why| why.to_string())
    })
}

/// The fields of a policy that can differ by class.
const TIMING_FIELDS: &[&str] = &[
    "backoff_type",
    "base_delay",
    "multiplier",
    "increment",
    "max_delay",
    "schedule",
    "jitter",
    "jitter_type",
    "jitter_amount",
];

fn class_timings(value: &Setting) -> Result<BTreeMap<Class, TimingDraft>, PolicyError> {
    let mut timings = BTreeMap::new();
    let unreadable = |why: String| PolicyError::unreadable("on", why);
    for (name, fields) in value.map().map_err(unreadable)? {
        let class: Class = Setting::from(name.as_str()).read().map_err(unreadable)?;
        let mut timing = TimingDraft::default();
        for (field, value) in
            fields.map().map_err(|why| PolicyError::unreadable(name, why).within("on."))?
        {
            let set = timing.set(field, value, TIMING_FIELDS);
            set.map_err(|why| PolicyError::unreadable(field, why).on(class))?;
        }
        timings.insert(class, timing);
    }
    Ok(timings)
}

fn stage(value: &Setting) -> Result<Draft, PolicyError> {
    let mut draft = Draft::new();
    for (field, value) in value.map().map_err(|why| PolicyError::unreadable("durable", why))? {
        draft.set(field, value).map_err(PolicyError::in_durable)?;
    }
    Ok(draft)
}

fn jitter(value: &Setting) -> Result<Jitter, String> {
    named_jitter(value).or_else(|_| value.duration().map(Jitter::Additive)).map_err(|_| {
        format!("{value} is neither none, full, equal, decorrelated nor a duration such as 100ms")
    })
}

fn named_jitter(value: &Setting) -> Result<Jitter, String> {
    value
        .text()
        .ok()
        .and_then(|name| Jitter::named(&name))
        .ok_or_else(|| format!("{value} is none of none, full, equal, decorrelated"))
}

fn no_such_field(field: &str, fields: &[&str]) -> String {
    match nearest(field, fields) {
        Some(near) => format!("no such field; did you mean {near}?"),
        None => "no such field".to_owned(),
    }
}

/// The name that was probably meant.
fn nearest<'n>(wrong: &str, names: &[&'n str]) -> Option<&'n str> {
    names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
