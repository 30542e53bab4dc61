//! Setters by field name.
//!
//! A name may be a path into a part of the policy, such as `on.rate_limited.base_delay` or
//! `breaker.threshold`. So a part can be set as a whole or field by field, and errors carry the path.

use std::time::Duration;

use super::error::SettingError;
use super::fields::{self, BREAKER_FIELDS, BUDGET_FIELDS, CLASSES, FIELDS};
use super::setting::Setting;
use super::timing::{BackoffType, Jitter, TimingDraft};
use super::{Draft, Nested, OnOpen, PolicyError};
use crate::Class;
use crate::guard::BreakerSettings;
use crate::guard::breaker::InitialState;
use crate::guard::budget::BudgetDraft;
use crate::judge::Rule;
use crate::nearest::nearest;

/// Reads a value as the type of its field.
trait FromSetting: Sized {
    fn from_setting(value: &Setting) -> Result<Self, SettingError>;
}

macro_rules! from_setting {
    ($($type:ty: $read:expr;)*) => {$(
        impl FromSetting for $type {
            fn from_setting(value: &Setting) -> Result<Self, SettingError> {
                $read(value)
            }
        }
    )*};
}

from_setting! {
    bool: Setting::bool;
    u32: Setting::count;
    f64: Setting::number;
    String: Setting::text;
    Duration: Setting::duration;
    Vec<Duration>: |list: &Setting| list.list(Setting::duration);
    Vec<Rule>: rules;
    BackoffType: |name: &Setting| name.named(&Self::NAMES);
    Nested: |name: &Setting| name.named(&Self::NAMES);
    OnOpen: |name: &Setting| name.named(&Self::NAMES);
    InitialState: |name: &Setting| name.named(&Self::NAMES);
    Jitter: jitter;
}

impl<T: FromSetting> FromSetting for Option<T> {
    fn from_setting(value: &Setting) -> Result<Self, SettingError> {
        T::from_setting(value).map(Some)
    }
}

impl Setting {
    /// Sets a field to this value, or to its default for [`Setting::Null`].
    fn set<T: FromSetting>(&self, field: &mut T, default: T) -> Result<(), SettingError> {
        *field = self.maybe(T::from_setting)?.unwrap_or(default);
        Ok(())
    }
}

/// Sets the field of this name in a struct, if it is one of these.
macro_rules! set_field {
    ($struct:expr, $name:expr, $value:expr, $default:expr; $($field:ident)*; $other:ident => $otherwise:expr) => {
        match $name {
            $(stringify!($field) => $value.set(&mut $struct.$field, $default.$field),)*
            $other => $otherwise,
        }
    };
}

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
    /// assert_eq!(error.to_string(), "max_attemps: no such field; did you mean `max_attempts`?");
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// The field is unknown, or the value has the wrong type. The range is checked when the draft is
    /// built.
    pub fn set(&mut self, path: &str, value: &Setting) -> Result<(), PolicyError> {
        self.allows_ineffective = Some(true);
        let (part, rest) = split(path);
        match (part, rest) {
            ("on" | "durable" | "breaker" | "budget", Some(rest)) => {
                self.set_in_part(part, rest, value)
            }
            ("on" | "durable" | "breaker" | "budget", None) => self.set_part(part, value),
            (_, None) => {
                let set = self.set_own(part, value);
                set.map_err(|error| PolicyError::setting(part, from_one(part, error)))
            }
            (_, Some(_)) => Err(match no_parts(part) {
                error if error.unknown_field => PolicyError::setting(part, error),
                error => PolicyError::setting(path, error),
            }),
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

    /// Sets a part of the policy as a whole.
    fn set_part(&mut self, part: &str, value: &Setting) -> Result<(), PolicyError> {
        let present = !value.is_null();
        match part {
            "on" => self.on = self.on.take().filter(|_| present),
            "durable" => self.durable = present.then(|| self.durable.take().unwrap_or_default()),
            "breaker" => self.breaker = present.then(|| self.breaker.unwrap_or_default()),
            _ => self.budget = present.then(|| self.budget.unwrap_or_default()),
        }
        if present { self.set_each(part, value) } else { Ok(()) }
    }

    /// Sets a field of a part.
    fn set_in_part(&mut self, part: &str, field: &str, value: &Setting) -> Result<(), PolicyError> {
        let set = match part {
            "on" => return self.set_by_class(field, value),
            "durable" => {
                let stage = self.durable.get_or_insert_default();
                return stage.set(field, value).map_err(PolicyError::in_durable);
            }
            "breaker" => self.breaker.get_or_insert_default().set(field, value),
            _ => self.budget.get_or_insert_default().set(field, value),
        };
        set.map_err(|error| PolicyError::setting(field, error).within(&format!("{part}.")))
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
        if matches!(field, "retry_on" | "retryable_exceptions") {
            if self.retry_on.is_some() && !value.is_null() {
                rules(value)?;
                let reason = "retry_on and retryable_exceptions are the same field";
                return Err(reason.to_owned().into());
            }
            return value.set(&mut self.retry_on, None);
        }
        set_field!(self, field, value, Self::new();
            id name description enabled max_attempts max_retries max_duration attempt_timeout
            abort_on idempotent max_hint max_rate_limit_waits nested enable_circuit_breaker
            circuit_breaker_threshold circuit_breaker_timeout on_open;
            timing => self.timing.set(timing, value, fields::names(FIELDS))
        )
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
        if field == "jitter_type" {
            self.jitter_type = value.maybe(named_jitter)?;
            return Ok(());
        }
        set_field!(self, field, value, Self::EMPTY;
            backoff_type base_delay multiplier increment min_delay max_delay schedule jitter
            jitter_amount;
            unknown => Err(no_such_field(unknown, fields))
        )
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
        set_field!(self, field, value, Self::default();
            threshold timeout failure_rate window_calls window minimum_volume slow_call_threshold
            slow_call_rate probes success_threshold half_open_calls timeout_multiplier max_timeout
            count_final initial_state;
            unknown => Err(no_such_field(unknown, fields::names(BREAKER_FIELDS)))
        )
    }
}

impl BudgetDraft {
    fn set(&mut self, field: &str, value: &Setting) -> Result<(), SettingError> {
        set_field!(self, field, value, Self::default();
            retries_per_second ratio min_per_second window max_tokens token_ratio;
            unknown => Err(no_such_field(unknown, fields::names(BUDGET_FIELDS)))
        )
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
                "{value} is not a jitter type; use {} or a duration such as 100ms",
                Jitter::NAMES.join(", ")
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

/// The error of a count that must be at least 1, with its range.
fn from_one(field: &str, mut error: SettingError) -> SettingError {
    if matches!(field, "max_attempts" | "circuit_breaker_threshold") {
        error.reason = error.reason.replace("number from 0 to", "number from 1 to");
    }
    error
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
