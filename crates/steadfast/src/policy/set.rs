//! Setters by field name.
//!
//! A name may be a path into a part of the policy, such as `on.rate_limited.base_delay` or
//! `breaker.threshold`. So a part can be set as a whole or field by field, and errors carry the path.

use super::fields::{self, BREAKER_FIELDS, BUDGET_FIELDS, CLASSES, FIELDS};
use super::setting::{Setting, SettingError};
use super::timing::{BackoffType, Jitter, TimingDraft};
use super::{Draft, Nested, PolicyError};
use crate::Class;
use crate::guard::BreakerSettings;
use crate::guard::budget::BudgetDraft;
use crate::judge::Rule;
use crate::nearest::nearest;

impl Draft {
    /// Sets a field by its name or path. [`Setting::Null`] resets the field.
    ///
    /// ```
    /// use steadfast::policy::Draft;
    ///
    /// let mut draft = Draft::new();
    /// draft.set("base_delay", &"500ms".into())?;
    /// draft.set("on.rate_limited.base_delay", &"5s".into())?;
    /// let error = draft.set("max_attemps", &"4".into()).unwrap_err();
    /// assert_eq!(error.to_string(), "max_attemps: no such field; did you mean max_attempts?");
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// The field is unknown, or the value has the wrong type. The range is checked when the draft is
    /// built.
    pub fn set(&mut self, path: &str, value: &Setting) -> Result<(), PolicyError> {
        let (part, rest) = split(path);
        match (part, rest) {
            ("on", _) => self.set_on(rest, value),
            ("durable", _) => self.set_durable(rest, value),
            ("breaker", _) => self.set_breaker(rest, value),
            ("budget", _) => self.set_budget(rest, value),
            (_, None) => {
                self.set_own(part, value).map_err(|error| PolicyError::setting(part, error))
            }
            (_, Some(_)) => Err(PolicyError::setting(path, no_parts(part))),
        }
    }

    /// Sets a field and resets its alternatives: `max_attempts` replaces `max_retries`, `jitter`
    /// replaces `jitter_type`, where [`set`](Self::set) would set both.
    ///
    /// ```
    /// use steadfast::policy::Draft;
    ///
    /// let mut draft = Draft::preset("patient").unwrap_or_default();
    /// draft.overwrite("max_attempts", &"4".into())?;
    /// assert_eq!(draft.build()?.max_attempts(), 4);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`set`](Self::set).
    pub fn overwrite(&mut self, path: &str, value: &Setting) -> Result<(), PolicyError> {
        self.clear_alternatives(path, value);
        self.set(path, value)
    }

    fn set_on(&mut self, path: Option<&str>, value: &Setting) -> Result<(), PolicyError> {
        match path {
            Some(path) => return self.set_by_class(path, value),
            None if value.is_null() => self.on = None,
            None => return self.set_each("on", value),
        }
        Ok(())
    }

    fn set_durable(&mut self, path: Option<&str>, value: &Setting) -> Result<(), PolicyError> {
        let stage = self.durable.get_or_insert_default();
        match path {
            Some(path) => return stage.set(path, value).map_err(PolicyError::in_durable),
            None if value.is_null() => self.durable = None,
            None => return self.set_each("durable", value),
        }
        Ok(())
    }

    fn set_breaker(&mut self, field: Option<&str>, value: &Setting) -> Result<(), PolicyError> {
        let breaker = self.breaker.get_or_insert_default();
        match field {
            Some(field) => {
                let set = breaker.set(field, value);
                return set.map_err(|error| PolicyError::setting(field, error).within("breaker."));
            }
            None if value.is_null() => self.breaker = None,
            None => return self.set_each("breaker", value),
        }
        Ok(())
    }

    fn set_budget(&mut self, field: Option<&str>, value: &Setting) -> Result<(), PolicyError> {
        let budget = self.budget.get_or_insert_default();
        match field {
            Some(field) => {
                let set = budget.set(field, value);
                return set.map_err(|error| PolicyError::setting(field, error).within("budget."));
            }
            None if value.is_null() => self.budget = None,
            None => return self.set_each("budget", value),
        }
        Ok(())
    }

    fn set_each(&mut self, part: &str, value: &Setting) -> Result<(), PolicyError> {
        let map = value.map().map_err(|error| PolicyError::setting(part, error))?;
        for (field, value) in map {
            self.set(&format!("{part}.{field}"), value)?;
        }
        Ok(())
    }

    /// `path` is a class, or a field of one.
    fn set_by_class(&mut self, path: &str, value: &Setting) -> Result<(), PolicyError> {
        let (name, field) = split(path);
        let class = Class::ALL.into_iter().find(|class| class.name() == name).ok_or_else(|| {
            let error =
                SettingError { unknown_field: true, ..SettingError::not_one_of(name, &CLASSES) };
            PolicyError::setting(name, error).within("on.")
        })?;
        let timings = self.on.get_or_insert_default();
        match (field, value) {
            (None, Setting::Null) => {
                timings.remove(&class);
                Ok(())
            }
            (None, _) => {
                timings.entry(class).or_default();
                self.set_each(&format!("on.{name}"), value)
            }
            (Some(field), _) => {
                let set = timings.entry(class).or_default().set(field, value, fields::by_class());
                set.map_err(|error| PolicyError::setting(field, error).on(class))
            }
        }
    }

    fn set_own(&mut self, field: &str, value: &Setting) -> Result<(), SettingError> {
        match field {
            "id" => self.id = value.maybe(Setting::text)?,
            "name" => self.name = value.maybe(Setting::text)?,
            "description" => self.description = value.maybe(Setting::text)?,
            "enabled" => self.enabled = value.maybe(Setting::bool)?,
            "max_attempts" => self.max_attempts = value.maybe(Setting::count)?,
            "max_retries" => self.max_retries = value.maybe(Setting::count)?,
            "max_duration" => self.max_duration = value.maybe(Setting::duration)?,
            "attempt_timeout" => self.attempt_timeout = value.maybe(Setting::duration)?,
            "retry_on" | "retryable_exceptions" => {
                let rules = value.maybe(rules)?;
                if self.retry_on.is_some() && rules.is_some() {
                    let reason = "retry_on and retryable_exceptions are the same field";
                    return Err(reason.to_owned().into());
                }
                self.retry_on = rules;
            }
            "abort_on" => self.abort_on = value.maybe(rules)?,
            "idempotent" => self.idempotent = value.maybe(Setting::bool)?,
            "max_hint" => self.max_hint = value.maybe(Setting::duration)?,
            "max_rate_limit_waits" => self.max_rate_limit_waits = value.maybe(Setting::count)?,
            "nested" => self.nested = value.maybe(|name| name.named(&Nested::NAMES))?,
            "enable_circuit_breaker" => self.enable_circuit_breaker = value.maybe(Setting::bool)?,
            "circuit_breaker_threshold" => {
                self.circuit_breaker_threshold = value.maybe(Setting::count)?;
            }
            "circuit_breaker_timeout" => {
                self.circuit_breaker_timeout = value.maybe(Setting::duration)?;
            }
            timing => return self.timing.set(timing, value, fields::names(FIELDS)),
        }
        Ok(())
    }

    /// Resets the fields that `path` replaces: other spellings of the same setting, and fields of
    /// another kind of the same part. So a later layer overrides an earlier one instead of
    /// conflicting with it.
    pub(crate) fn clear_alternatives(&mut self, path: &str, value: &Setting) {
        *self = std::mem::take(self).without_alternatives(path);
        match path {
            "retry_on" | "retryable_exceptions" => self.retry_on = None,
            "backoff_type" => self.timing.schedule = None,
            "schedule" => self.timing.backoff_type = None,
            "enable_circuit_breaker" if matches!(value.bool(), Ok(false)) => self.breaker = None,
            _ => {}
        }
        if split(path).0 == "breaker" && self.enable_circuit_breaker == Some(false) {
            self.enable_circuit_breaker = None;
        }
        if let (Some(field), Some(breaker)) = (breaker_field(path), &mut self.breaker) {
            // An invalid value is reported when it is set under its own name.
            let _ = breaker.set(field, value);
        }
        if let Some(field) = path.strip_prefix("budget.")
            && let Some(budget) = &mut self.budget
        {
            budget.clear_alternatives(field);
        }
        if let (Some(stage), Some(field)) = (&mut self.durable, path.strip_prefix("durable.")) {
            stage.clear_alternatives(field, value);
        }
        if let Some((class, field)) = path.strip_prefix("on.").and_then(|on| on.split_once('.'))
            && let Some(timing) = self.timing_of(class)
        {
            timing.clear_alternatives(field);
        }
    }

    fn timing_of(&mut self, class: &str) -> Option<&mut TimingDraft> {
        self.on.iter_mut().flatten().find(|(known, _)| known.name() == class).map(|(_, on)| on)
    }
}

impl TimingDraft {
    /// `fields` are the candidates for a suggestion.
    fn set(
        &mut self,
        field: &str,
        value: &Setting,
        fields: Vec<&'static str>,
    ) -> Result<(), SettingError> {
        match field {
            "backoff_type" => {
                self.backoff_type = value.maybe(|name| name.named(&BackoffType::NAMES))?;
            }
            "base_delay" => self.base_delay = value.maybe(Setting::duration)?,
            "multiplier" => self.multiplier = value.maybe(Setting::number)?,
            "increment" => self.increment = value.maybe(Setting::duration)?,
            "max_delay" => self.max_delay = value.maybe(Setting::duration)?,
            "schedule" => self.schedule = value.maybe(|list| list.list(Setting::duration))?,
            "jitter" => self.jitter = value.maybe(jitter)?,
            "jitter_type" => self.jitter_type = value.maybe(named_jitter)?,
            "jitter_amount" => self.jitter_amount = value.maybe(Setting::number)?,
            unknown => return Err(no_such_field(unknown, fields)),
        }
        Ok(())
    }

    fn clear_alternatives(&mut self, field: &str) {
        match field {
            "jitter" | "jitter_type" => (self.jitter, self.jitter_type) = (None, None),
            "jitter_amount" => self.jitter_type = self.jitter.take().or(self.jitter_type),
            "backoff_type" => self.schedule = None,
            "schedule" => self.backoff_type = None,
            _ => {}
        }
    }
}

impl BreakerSettings {
    fn set(&mut self, field: &str, value: &Setting) -> Result<(), SettingError> {
        let default = Self::default();
        match field {
            "threshold" => self.threshold = value.maybe(Setting::count)?,
            "timeout" => {
                self.timeout = value.maybe(Setting::duration)?.unwrap_or(default.timeout);
            }
            "failure_rate" => self.failure_rate = value.maybe(Setting::number)?,
            "window_calls" => self.window_calls = value.maybe(Setting::count)?,
            "window" => self.window = value.maybe(Setting::duration)?,
            "minimum_volume" => self.minimum_volume = value.maybe(Setting::count)?,
            "slow_call_threshold" => self.slow_call_threshold = value.maybe(Setting::duration)?,
            "slow_call_rate" => self.slow_call_rate = value.maybe(Setting::number)?,
            "probes" => self.probes = value.maybe(Setting::count)?.unwrap_or(default.probes),
            "success_threshold" => {
                let count = value.maybe(Setting::count)?;
                self.success_threshold = count.unwrap_or(default.success_threshold);
            }
            "timeout_multiplier" => {
                let growth = value.maybe(Setting::number)?;
                self.timeout_multiplier = growth.unwrap_or(default.timeout_multiplier);
            }
            "max_timeout" => self.max_timeout = value.maybe(Setting::duration)?,
            "count_final" => self.count_final = value.maybe(Setting::bool)?.unwrap_or_default(),
            unknown => return Err(no_such_field(unknown, fields::names(BREAKER_FIELDS))),
        }
        Ok(())
    }
}

impl BudgetDraft {
    fn set(&mut self, field: &str, value: &Setting) -> Result<(), SettingError> {
        match field {
            "retries_per_second" => self.retries_per_second = value.maybe(Setting::number)?,
            "ratio" => self.ratio = value.maybe(Setting::number)?,
            "min_per_second" => self.min_per_second = value.maybe(Setting::number)?,
            "window" => self.window = value.maybe(Setting::duration)?,
            "max_tokens" => self.max_tokens = value.maybe(Setting::count)?,
            "token_ratio" => self.token_ratio = value.maybe(Setting::number)?,
            unknown => return Err(no_such_field(unknown, fields::names(BUDGET_FIELDS))),
        }
        Ok(())
    }

    /// A field of one kind of budget resets the fields of the other kinds.
    fn clear_alternatives(&mut self, field: &str) {
        let Self { min_per_second, window, ratio, max_tokens, token_ratio, .. } = *self;
        *self = match field {
            "ratio" | "min_per_second" | "window" => {
                Self { ratio, min_per_second, window, ..Self::default() }
            }
            "max_tokens" | "token_ratio" => Self { max_tokens, token_ratio, ..Self::default() },
            _ => Self::default(),
        };
    }
}

fn rules(value: &Setting) -> Result<Vec<Rule>, SettingError> {
    value.list(|item| Ok(item.text()?.parse::<Rule>().map_err(|error| error.to_string())?))
}

fn jitter(value: &Setting) -> Result<Jitter, SettingError> {
    named_jitter(value).or_else(|named| {
        value.duration().map(Jitter::Additive).map_err(|_| SettingError {
            reason: format!(
                "{value} is neither none, full, equal, decorrelated nor a duration such as 100ms"
            ),
            ..named
        })
    })
}

fn named_jitter(value: &Setting) -> Result<Jitter, SettingError> {
    let named = value.text().ok().and_then(|name| Jitter::named(&name));
    named.ok_or_else(|| match value.text() {
        Ok(name) => SettingError::not_one_of(&name, &Jitter::NAMES),
        Err(error) => error,
    })
}

/// The field of `breaker` that corresponds to a `circuit_breaker_` field.
fn breaker_field(field: &str) -> Option<&'static str> {
    match field {
        "circuit_breaker_threshold" => Some("threshold"),
        "circuit_breaker_timeout" => Some("timeout"),
        _ => None,
    }
}

/// The first name of a path, and the rest of it.
fn split(path: &str) -> (&str, Option<&str>) {
    match path.split_once('.') {
        Some((part, rest)) => (part, Some(rest)),
        None => (path, None),
    }
}

fn no_parts(field: &str) -> SettingError {
    if FIELDS.iter().any(|known| known.name == field) {
        return SettingError::from(format!("{field} has no fields of its own"));
    }
    no_such_field(field, fields::names(FIELDS))
}

fn no_such_field(field: &str, known: Vec<&'static str>) -> SettingError {
    let suggestion = nearest(field, known).map(str::to_owned);
    SettingError { reason: "no such field".to_owned(), suggestion, unknown_field: true }
}
