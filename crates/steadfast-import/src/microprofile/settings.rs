//! The settings of a file by target.

use std::collections::HashMap;
use std::time::Duration;

use steadfast::__private::nearest;
use steadfast::duration;

use super::key::Key;
use crate::names::excerpt;
use crate::policy_builder::PolicyBuilder;
use crate::reader::Reader;
use crate::value::{Read, Value};

/// The target of an annotation: global, a class, or a method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) class: Option<String>,
    pub(super) method: Option<String>,
}

/// An annotation and its supported members.
pub(super) struct Annotation {
    pub(super) name: &'static str,
    pub(super) members: &'static [&'static str],
}

pub(super) const RETRY: &str = "Retry";
pub(super) const EXPONENTIAL: &str = "ExponentialBackoff";
pub(super) const FIBONACCI: &str = "FibonacciBackoff";
pub(super) const BREAKER: &str = "CircuitBreaker";
pub(super) const TIMEOUT: &str = "Timeout";

impl Annotation {
    /// The annotations that enable retries.
    pub(super) const RETRIES: &[&str] = &[RETRY, EXPONENTIAL, FIBONACCI];

    const ALL: &[Self] = &[
        Self {
            name: RETRY,
            members: &[
                "maxRetries",
                "delay",
                "delayUnit",
                "maxDuration",
                "durationUnit",
                "jitter",
                "jitterDelayUnit",
                "retryOn",
                "abortOn",
                "enabled",
            ],
        },
        Self { name: EXPONENTIAL, members: &["factor", "maxDelay", "maxDelayUnit", "enabled"] },
        Self { name: FIBONACCI, members: &["maxDelay", "maxDelayUnit", "enabled"] },
        Self {
            name: BREAKER,
            members: &[
                "requestVolumeThreshold",
                "failureRatio",
                "delay",
                "delayUnit",
                "successThreshold",
                "enabled",
            ],
        },
        Self { name: TIMEOUT, members: &["value", "unit", "enabled"] },
    ];
}

/// Annotations and members that a policy does not support.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("Bulkhead", "a policy does not limit concurrency"),
    ("Fallback", "a policy has no fallback; handle the error in the caller"),
    ("RateLimit", "a policy does not limit the call rate"),
    ("Asynchronous", "execution mode is not related to retries"),
    ("AsynchronousNonBlocking", "execution mode is not related to retries"),
    ("Blocking", "execution mode is not related to retries"),
    ("NonBlocking", "execution mode is not related to retries"),
    ("CustomBackoff", "delays computed by code cannot be imported; write a schedule"),
    ("RetryWhen", "conditions in code cannot be imported; classify in code"),
    ("BeforeRetry", "code cannot be imported; use a hook"),
    ("CircuitBreakerName", "a breaker is named after its policy"),
    ("failOn", "a breaker counts every failure; classify exceptions in code"),
    ("skipOn", "a breaker counts every failure; classify exceptions in code"),
];

/// Keys that disable fault tolerance as a whole.
const SWITCHES: [&str; 3] = [
    "smallrye.faulttolerance.enabled",
    "quarkus.fault-tolerance.enabled",
    "MP_Fault_Tolerance_NonFallback_Enabled",
];

#[derive(Default)]
pub(super) struct Settings<'t> {
    /// The settings of each target, in the order of the file.
    by_target: HashMap<Target, Vec<(Key, Value<'t>)>>,
    /// Whether retries use SmallRye's spelling and the file has no backoff annotation.
    pub(super) doubles: bool,
    /// The setting that disables fault tolerance as a whole.
    pub(super) off: Option<Value<'t>>,
}

impl<'t> Settings<'t> {
    pub(super) fn read(reader: &mut Reader<'_>, file: &Value<'t>) -> Self {
        let mut settings = Self::default();
        for value in file.entries() {
            if SWITCHES.contains(&value.key) {
                if reader.bool(&value) == Some(false) {
                    settings.off = Some(value);
                }
                continue;
            }
            match Key::read(value.key) {
                Some(key) => settings.add(reader, key, value),
                None => reader.unsupported(&value, "not a setting of an annotation"),
            }
        }
        let has = |name| settings.all().any(|(key, _)| key.annotation == name);
        let smallrye = settings.all().any(|(key, _)| key.by_smallrye && key.annotation == RETRY);
        settings.doubles = smallrye && !has(EXPONENTIAL) && !has(FIBONACCI);
        settings
    }

    fn add(&mut self, reader: &mut Reader<'_>, key: Key, value: Value<'t>) {
        let annotation = Annotation::ALL.iter().find(|each| each.name == key.annotation);
        let unsupported = UNSUPPORTED.iter().find(|(name, _)| {
            *name == key.annotation || (annotation.is_some() && *name == key.member)
        });
        match (annotation, unsupported) {
            (_, Some((_, reason))) => reader.unsupported(&value, *reason),
            (Some(annotation), None) if annotation.members.contains(&key.member.as_str()) => {
                self.by_target.entry(key.target.clone()).or_default().push((key, value));
            }
            (Some(annotation), None) => {
                let meant = nearest(&key.member, annotation.members.iter().copied());
                reader.unsupported(&value, unknown("member", meant));
            }
            (None, None) => {
                let names = Annotation::ALL.iter().map(|annotation| annotation.name);
                reader.unsupported(&value, unknown("annotation", nearest(&key.annotation, names)));
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &(Key, Value<'t>)> {
        self.by_target.values().flatten()
    }

    /// The global target first, then the others in the order of the file.
    pub(super) fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<_> = self.by_target.keys().cloned().collect();
        let start = |target: &Target| self.first(target).map(|first| first.key_span.start);
        targets.sort_by_cached_key(|target| (target.class.is_some(), start(target)));
        targets
    }

    /// The first setting of a target itself.
    pub(super) fn first(&self, target: &Target) -> Option<&Value<'t>> {
        self.by_target.get(target)?.first().map(|(_, value)| value)
    }

    /// The settings of an annotation: the target's own, then the global ones.
    fn of(
        &self,
        target: &Target,
        annotation: &str,
    ) -> impl DoubleEndedIterator<Item = &(Key, Value<'t>)> {
        let targets = [target, &Target::default()].map(|target| self.by_target.get(target));
        targets.into_iter().flatten().flatten().filter(move |(key, _)| key.annotation == annotation)
    }

    /// A member's value: the target's own before the global one, SmallRye's spelling first, and the
    /// last in the file.
    pub(super) fn find(
        &self,
        target: &Target,
        annotation: &str,
        member: &str,
    ) -> Option<&Value<'t>> {
        let named = self.of(target, annotation).filter(|(key, _)| key.member == member);
        let found = named.rev().min_by_key(|(key, _)| (key.target != *target, !key.by_smallrye));
        found.map(|(_, value)| value)
    }

    /// Whether the file has a setting of one of these annotations.
    pub(super) fn mentions(&self, target: &Target, annotations: &[&str]) -> bool {
        annotations.iter().any(|name| self.of(target, name).next().is_some())
    }

    /// The first delay in the file.
    fn first_delay(&self) -> Option<&Value<'t>> {
        let delays = self.all().filter(|(key, _)| key.annotation == RETRY && key.member == "delay");
        delays.map(|(_, value)| value).min_by_key(|value| value.key_span.start)
    }

    /// Reports the assumptions about settings that the file does not have.
    pub(super) fn report_assumptions(&self, reader: &mut Reader<'_>) {
        let open = |target: &Target| {
            self.mentions(target, Annotation::RETRIES)
                && self.find(target, RETRY, "retryOn").is_none()
        };
        let target = self.targets().into_iter().find(open);
        if let Some(value) = target.and_then(|target| self.first(&target)) {
            let reason = "retryOn is not set and annotations are not available: the default rules \
                       apply; set retry_on: [any] to retry every exception";
            reader.unsupported_part(value, "the retried exceptions", reason);
        }
        if let Some(value) = self.first_delay()
            && self.doubles
        {
            let reason = "read as doubling; set backoff_type: fixed if no annotation is \
                       @ExponentialBackoff";
            reader.unsupported_part(value, "the growth of delays", reason);
        }
    }
}

/// A target in conversion to a policy.
pub(super) struct Conversion<'c, 's, 't> {
    pub(super) reader: &'c mut Reader<'s>,
    pub(super) settings: &'c Settings<'t>,
    pub(super) target: &'c Target,
    pub(super) policy: &'c mut PolicyBuilder,
}

impl<'s, 't> Conversion<'_, 's, 't> {
    pub(super) fn find(&self, annotation: &str, member: &str) -> Option<Value<'t>> {
        self.settings.find(self.target, annotation, member).cloned()
    }

    pub(super) fn read_or<T>(
        &mut self,
        annotation: &str,
        member: &str,
        read: impl FnOnce(&mut Reader<'s>, &Value<'t>) -> Option<T>,
        default: T,
    ) -> Read<'t, T> {
        self.reader.read_or(self.find(annotation, member), read, default)
    }

    /// Whether an annotation is enabled.
    pub(super) fn is_on(&mut self, annotation: &str) -> bool {
        self.read_or(annotation, "enabled", Reader::bool, true).value
    }

    /// Whether the file has settings of an annotation that is enabled.
    pub(super) fn has(&mut self, annotation: &str) -> bool {
        self.settings.mentions(self.target, &[annotation]) && self.is_on(annotation)
    }

    /// A duration in the unit of another member, milliseconds by default. The value may also
    /// include its unit.
    pub(super) fn time(
        &mut self,
        annotation: &str,
        names: [&str; 2],
    ) -> Option<Read<'t, Duration>> {
        let [from, unit] = names.map(|member| self.find(annotation, member));
        self.reader.read(from, |reader, value| {
            let text = value.as_text().unwrap_or_default();
            let Ok(number) = text.parse::<i64>() else {
                let read = duration::parse(text).ok().filter(|_| text.parse::<f64>().is_err());
                if read.is_none() {
                    let message = format!("`{}` is not an integer", excerpt(text));
                    reader.invalid_with_hint(value, message, "write milliseconds, like 500");
                }
                return read;
            };
            let nanos = match unit {
                Some(unit) => unit_nanos(reader, &unit)?,
                None => 1_000_000,
            };
            let nanos = u64::try_from(number).ok().and_then(|number| number.checked_mul(nanos));
            if nanos.is_none() {
                reader.invalid(value, format!("{number} is negative or too large"));
            }
            nanos.map(Duration::from_nanos)
        })
    }

    pub(super) fn time_or(
        &mut self,
        annotation: &str,
        names: [&str; 2],
        default: Duration,
    ) -> Read<'t, Duration> {
        self.time(annotation, names).unwrap_or(Read { value: default, from: None })
    }
}

fn unknown(what: &str, meant: Option<&str>) -> String {
    match meant {
        Some(meant) => format!("unknown {what}; did you mean `{meant}`?"),
        None => format!("unknown {what}"),
    }
}

fn unit_nanos(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<u64> {
    const UNITS: [(&str, u64); 8] = [
        ("NANOS", 1),
        ("MICROS", 1_000),
        ("MILLIS", 1_000_000),
        ("SECONDS", 1_000_000_000),
        ("MINUTES", 60_000_000_000),
        ("HOURS", 3_600_000_000_000),
        ("HALF_DAYS", 43_200_000_000_000),
        ("DAYS", 86_400_000_000_000),
    ];
    let name = reader.one_of(value, &UNITS.map(|(name, _)| name))?;
    UNITS.iter().find(|(known, _)| *known == name).map(|(_, nanos)| *nanos)
}
