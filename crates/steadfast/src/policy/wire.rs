//! Serialization of policies: read field by field, written with all defaults filled in.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::setting::Setting;
use super::timing::{Jitter, Timing};
use super::{Draft, OnOpen, Policy, PolicyError};
use crate::Class;

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

    /// A policy inside other settings needs no id; an empty one is a mistake.
    fn try_from(draft: Draft) -> Result<Self, PolicyError> {
        if draft.id.as_deref() == Some("") {
            return Err(PolicyError::invalid("id", "is empty; write one, or leave it out"));
        }
        draft.build()
    }
}

/// Writes a policy with its defaults filled in, so that it means the same to every reader, whatever
/// the reader's defaults are.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_policy(&mut map, self)?;
        map.end()
    }
}

/// The delays of a class. Without `min_delay` and `max_delay` they would inherit the policy's, so both
/// are always written.
struct ClassTiming<'p>(&'p Timing);

impl Serialize for ClassTiming<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let longest = Some(Duration::from_nanos(self.0.cap));
        write_timing(&mut map, self.0, Some(self.0.min_delay()), longest)?;
        map.end()
    }
}

fn write_policy<M: SerializeMap>(map: &mut M, policy: &Policy) -> Result<(), M::Error> {
    let classes = Class::ALL.into_iter().zip(&policy.on);
    let on: BTreeMap<Class, ClassTiming<'_>> = classes
        .filter_map(|(class, timing)| Some((class, ClassTiming(timing.as_deref()?))))
        .collect();
    let abort_on = Some(policy.rules.abort_on()).filter(|rules| !rules.is_empty());
    write_some(map, "id", policy.id())?;
    write_some(map, "name", policy.name.as_deref())?;
    write_some(map, "description", policy.description())?;
    map.serialize_entry("enabled", &policy.enabled)?;
    map.serialize_entry("max_attempts", &policy.max_attempts)?;
    let shortest = Some(policy.timing.min_delay()).filter(|floor| !floor.is_zero());
    write_timing(map, &policy.timing, shortest, policy.timing.serialized_cap())?;
    write_some(map, "max_duration", policy.max_duration.map(Setting::from))?;
    write_some(map, "attempt_timeout", policy.attempt_timeout.map(Setting::from))?;
    write_some(map, "retry_on", policy.rules.retry_on())?;
    write_some(map, "abort_on", abort_on)?;
    write_some(map, "idempotent", policy.idempotent)?;
    write_some(map, "max_hint", policy.max_hint.map(Setting::from))?;
    write_some(map, "max_rate_limit_waits", policy.max_rate_limit_waits)?;
    map.serialize_entry("nested", &policy.nested)?;
    write_some(map, "breaker", policy.breaker())?;
    let on_open = Some(policy.on_open).filter(|on_open| *on_open != OnOpen::default());
    write_some(map, "on_open", on_open)?;
    write_some(map, "budget", policy.budget())?;
    write_some(map, "on", Some(on).filter(|on| !on.is_empty()))?;
    write_some(map, "durable", policy.durable())
}

/// `min_delay` and `max_delay` are absent where the default is no limit.
fn write_timing<M: SerializeMap>(
    map: &mut M,
    timing: &Timing,
    min_delay: Option<Duration>,
    max_delay: Option<Duration>,
) -> Result<(), M::Error> {
    let nanos = |nanos: u64| Setting::from(Duration::from_nanos(nanos));
    let delays = |delays: &Vec<Duration>| delays.iter().copied().map(Setting::from).collect();
    map.serialize_entry("backoff_type", &timing.backoff_type)?;
    map.serialize_entry("base_delay", &nanos(timing.base))?;
    map.serialize_entry("multiplier", &timing.multiplier)?;
    map.serialize_entry("increment", &nanos(timing.increment))?;
    write_some(map, "min_delay", min_delay.map(Setting::from))?;
    write_some(map, "max_delay", max_delay.map(Setting::from))?;
    write_some(map, "schedule", timing.schedule.as_ref().map(delays).map(Setting::List))?;
    match timing.jitter {
        Jitter::Additive(max) => map.serialize_entry("jitter", &Setting::from(max)),
        Jitter::None => map.serialize_entry("jitter", Jitter::None.name()),
        named if timing.jitter_amount == 1.0 => map.serialize_entry("jitter", named.name()),
        named => {
            map.serialize_entry("jitter_type", named.name())?;
            map.serialize_entry("jitter_amount", &timing.jitter_amount)
        }
    }
}

fn write_some<M: SerializeMap>(
    map: &mut M,
    field: &'static str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(field, &value))
}
