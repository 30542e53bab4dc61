//! Serialization of policies: read field by field, written with all defaults filled in.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::setting::Setting;
use super::timing::{BackoffType, Jitter, Timing};
use super::{Draft, Nested, Policy, PolicyError};
use crate::Class;
use crate::guard::{BreakerSettings, BudgetSettings};
use crate::judge::Rule;

impl<'de> Deserialize<'de> for Draft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DraftVisitor)
    }
}

struct DraftVisitor;

impl<'de> Visitor<'de> for DraftVisitor {
    type Value = Draft;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fields of a policy")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Draft, A::Error> {
        let mut draft = Draft::new();
        while let Some((field, value)) = map.next_entry::<String, Setting>()? {
            draft.set(&field, &value).map_err(de::Error::custom)?;
        }
        Ok(draft)
    }
}

impl TryFrom<Draft> for Policy {
    type Error = PolicyError;

    /// Unlike a policy in code, a serialized policy needs an id.
    fn try_from(draft: Draft) -> Result<Self, PolicyError> {
        if draft.id.as_deref().unwrap_or_default().is_empty() {
            return Err(PolicyError::invalid("id", "missing; a policy needs an id"));
        }
        draft.build()
    }
}

/// The id of a serialized policy that has none.
const UNNAMED_ID: &str = "unnamed";

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let id = self.id().or(Some(UNNAMED_ID));
        SerializedPolicy { id, ..SerializedPolicy::from(self) }.serialize(serializer)
    }
}

/// A policy with its defaults filled in, so that it means the same to every reader, whatever the
/// reader's defaults are.
#[derive(Serialize)]
struct SerializedPolicy<'p> {
    /// Absent in `durable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'p str>,
    enabled: bool,
    max_attempts: u32,
    #[serde(flatten)]
    timing: SerializedTiming,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_duration: Option<Setting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt_timeout: Option<Setting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_on: Option<&'p [Rule]>,
    #[serde(skip_serializing_if = "<[Rule]>::is_empty")]
    abort_on: &'p [Rule],
    idempotent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_hint: Option<Setting>,
    max_rate_limit_waits: u32,
    nested: Nested,
    #[serde(skip_serializing_if = "Option::is_none")]
    breaker: Option<&'p BreakerSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<&'p BudgetSettings>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    on: BTreeMap<Class, SerializedTiming>,
    #[serde(skip_serializing_if = "Option::is_none")]
    durable: Option<Box<Self>>,
}

impl<'p> From<&'p Policy> for SerializedPolicy<'p> {
    fn from(policy: &'p Policy) -> Self {
        let on = Class::ALL.into_iter().zip(&policy.on);
        Self {
            id: policy.id(),
            name: policy.name.as_deref(),
            description: policy.description(),
            enabled: policy.enabled,
            max_attempts: policy.max_attempts,
            timing: SerializedTiming::from(&policy.timing),
            max_duration: policy.max_duration.map(Setting::from),
            attempt_timeout: policy.attempt_timeout.map(Setting::from),
            retry_on: policy.rules.retry_on(),
            abort_on: policy.rules.abort_on(),
            idempotent: policy.idempotent,
            max_hint: policy.max_hint.map(Setting::from),
            max_rate_limit_waits: policy.max_rate_limit_waits,
            nested: policy.nested,
            breaker: policy.breaker(),
            budget: policy.budget(),
            on: on
                .filter_map(|(class, timing)| Some((class, of_class(timing.as_deref()?))))
                .collect(),
            durable: policy.durable().map(|stage| Box::new(stage.into())),
        }
    }
}

#[derive(Serialize)]
struct SerializedTiming {
    backoff_type: BackoffType,
    base_delay: Setting,
    multiplier: f64,
    increment: Setting,
    /// Absent where the default is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_delay: Option<Setting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<Vec<Setting>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter: Option<Setting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_amount: Option<f64>,
}

/// Without `max_delay` a class would inherit the policy's, so it is always written.
fn of_class(timing: &Timing) -> SerializedTiming {
    let max_delay = Duration::from_nanos(timing.cap);
    SerializedTiming { max_delay: Some(max_delay.into()), ..timing.into() }
}

impl From<&Timing> for SerializedTiming {
    fn from(timing: &Timing) -> Self {
        let (short, long) = match timing.jitter {
            Jitter::Additive(max) => (Some(max.into()), None),
            none @ Jitter::None => (Some(none.name().into()), None),
            named if timing.jitter_amount == 1.0 => (Some(named.name().into()), None),
            named => (None, Some(named.name())),
        };
        let nanos = |nanos: u64| Setting::from(Duration::from_nanos(nanos));
        Self {
            backoff_type: timing.backoff_type,
            base_delay: nanos(timing.base),
            multiplier: timing.multiplier,
            increment: nanos(timing.increment),
            max_delay: timing.serialized_cap().map(Setting::from),
            schedule: timing
                .schedule
                .as_ref()
                .map(|delays| delays.iter().copied().map(Setting::from).collect()),
            jitter: short,
            jitter_type: long,
            jitter_amount: long.map(|_| timing.jitter_amount),
        }
    }
}
