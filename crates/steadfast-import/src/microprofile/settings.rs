//! The settings of a file, by whom they are for.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::key::Key;
use crate::names::shown;
use crate::reader::Reader;
use crate::value::Value;
use steadfast::duration;
use steadfast::nearest;

/// Whose annotations: everybody's, a class's, or a method's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) class: Option<String>,
    pub(super) method: Option<String>,
}

/// An annotation, and its members that are understood.
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
    /// Those that say that something is retried.
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

    fn has(&self, member: &str) -> bool {
        self.members.contains(&member)
    }
}

/// Annotations and members that a policy has nothing for.
const OTHER: &[(&str, &str)] = &[
    ("Bulkhead", "a policy does not limit how many run at once"),
    ("Fallback", "what happens instead is for the caller to say"),
    ("RateLimit", "a policy does not limit how often something is called"),
    ("Asynchronous", "how something is run says nothing about retrying"),
    ("AsynchronousNonBlocking", "how something is run says nothing about retrying"),
    ("Blocking", "how something is run says nothing about retrying"),
    ("NonBlocking", "how something is run says nothing about retrying"),
    ("CustomBackoff", "its delays are computed by code; write them as a schedule"),
    ("RetryWhen", "its conditions are code; judge in code"),
    ("BeforeRetry", "it is code; use a hook"),
    ("CircuitBreakerName", "a breaker is named after its policy"),
    ("failOn", "a breaker counts every failure; judge in code what is none"),
    ("skipOn", "a breaker counts every failure; judge in code what is none"),
];

/// Switches for everything.
const SWITCHES: [&str; 3] = [
    "smallrye.faulttolerance.enabled",
    "quarkus.fault-tolerance.enabled",
    "MP_Fault_Tolerance_NonFallback_Enabled",
];

#[derive(Default)]
pub(super) struct Settings<'t> {
    /// In the order of the file.
    list: Vec<Value<'t>>,
    by_key: HashMap<Key, usize>,
    /// The first setting of each target.
    targets: HashMap<Target, usize>,
    annotations: HashSet<(Target, String)>,
    doubles: bool,
    off: Option<Value<'t>>,
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
                None => reader.lose(&value, "it is not a setting of an annotation"),
            }
        }
        settings.find_out_growth();
        settings
    }

    fn add(&mut self, reader: &mut Reader<'_>, key: Key, value: Value<'t>) {
        let known = Annotation::ALL.iter().find(|known| known.name == key.annotation);
        let other = OTHER
            .iter()
            .find(|(name, _)| *name == key.annotation || (known.is_some() && *name == key.member));
        match (known, other) {
            (_, Some((_, why))) => reader.lose(&value, *why),
            (Some(known), None) if known.has(&key.member) => self.keep(key, value),
            (Some(known), None) => {
                let meant = nearest(&key.member, known.members.iter().copied());
                reader.lose(&value, unknown("member", meant));
            }
            (None, None) => {
                let names = Annotation::ALL.iter().map(|annotation| annotation.name);
                reader.lose(&value, unknown("annotation", nearest(&key.annotation, names)));
            }
        }
    }

    fn keep(&mut self, key: Key, value: Value<'t>) {
        let place = self.list.len();
        self.list.push(value);
        self.targets.entry(key.target.clone()).or_insert(place);
        self.annotations.insert((key.target.clone(), key.annotation.clone()));
        self.by_key.insert(key, place);
    }

    /// Everybody first, then each in the order of the file.
    pub(super) fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<_> = self.targets.iter().collect();
        targets.sort_by_key(|(target, place)| (target.class.is_some(), **place));
        targets.into_iter().map(|(target, _)| target.clone()).collect()
    }

    /// The first setting of a target itself.
    pub(super) fn first(&self, target: &Target) -> Option<&Value<'t>> {
        self.targets.get(target).and_then(|place| self.list.get(*place))
    }

    pub(super) fn switched_off(&self) -> Option<&Value<'t>> {
        self.off.as_ref()
    }

    /// A member's value: the target's own or the global one, and of two spellings SmallRye's.
    pub(super) fn find(
        &self,
        target: &Target,
        annotation: &str,
        member: &str,
    ) -> Option<&Value<'t>> {
        let everybody = Target::default();
        let whose = [(target, true), (target, false), (&everybody, true), (&everybody, false)];
        whose.into_iter().find_map(|(target, by_smallrye)| {
            let (annotation, member) = (annotation.to_owned(), member.to_owned());
            let key = Key { target: target.clone(), annotation, member, by_smallrye };
            self.by_key.get(&key).and_then(|place| self.list.get(*place))
        })
    }

    /// Whether anything is said of one of these annotations.
    pub(super) fn names(&self, target: &Target, annotations: &[&str]) -> bool {
        let says = |target: &Target, annotation: &str| {
            self.annotations.contains(&(target.clone(), annotation.to_owned()))
        };
        let everybody = Target::default();
        annotations.iter().any(|name| says(target, name) || says(&everybody, name))
    }

    /// Whether SmallRye's spelling is used for retrying, and no backoff is named anywhere.
    pub(super) fn doubles(&self) -> bool {
        self.doubles
    }

    fn find_out_growth(&mut self) {
        let says = |name: &str| self.annotations.iter().any(|(_, annotation)| annotation == name);
        let smallrye = self.by_key.keys().any(|key| key.by_smallrye && key.annotation == RETRY);
        self.doubles = smallrye && !says(EXPONENTIAL) && !says(FIBONACCI);
    }

    /// The first delay in the file.
    fn first_delay(&self) -> Option<&Value<'t>> {
        let is = |key: &Key| key.annotation == RETRY && key.member == "delay";
        let places = self.by_key.iter().filter(|(key, _)| is(key)).map(|(_, place)| *place);
        places.min().and_then(|place| self.list.get(place))
    }

    /// What is not in the file and had to be assumed, said once.
    pub(super) fn report_assumptions(&self, reader: &mut Reader<'_>) {
        let open = |target: &Target| {
            self.names(target, Annotation::RETRIES) && self.find(target, RETRY, "retryOn").is_none()
        };
        let target = self.targets().into_iter().find(open);
        if let Some(value) = target.and_then(|target| self.first(&target)) {
            let why = "retryOn is not written and the annotations are not here: the default \
                       rules judge; write retry_on: [any] to retry every exception";
            reader.lose_what(value, "which exceptions are retried", why);
        }
        if let Some(value) = self.first_delay()
            && self.doubles()
        {
            let why = "delays are read as doubling; write backoff_type: fixed if no annotation \
                       says @ExponentialBackoff";
            reader.lose_what(value, "how delays grow", why);
        }
    }

    /// A length of time in the unit of another member, in milliseconds unless there is one.
    /// A text may have its unit with it.
    pub(super) fn time(
        &self,
        reader: &mut Reader<'_>,
        target: &Target,
        annotation: &str,
        [member, unit]: [&str; 2],
    ) -> Option<(Duration, &Value<'t>)> {
        let value = self.find(target, annotation, member)?;
        let text = value.as_text().unwrap_or_default();
        let Ok(number) = text.parse::<i64>() else {
            let read = duration::parse(text).ok().filter(|_| text.parse::<f64>().is_err());
            if read.is_none() {
                let message = format!("`{}` is not a whole number", shown(text));
                reader.wrong_but(value, message, "write it in milliseconds, like 500");
            }
            return read.map(|read| (read, value));
        };
        let nanos = match self.find(target, annotation, unit) {
            Some(unit) => unit_nanos(reader, unit)?,
            None => 1_000_000,
        };
        let nanos = u64::try_from(number).ok().and_then(|number| number.checked_mul(nanos));
        if nanos.is_none() {
            let message = format!("{number} is negative or too long");
            reader.wrong(value, message);
        }
        nanos.map(|nanos| (Duration::from_nanos(nanos), value))
    }
}

fn unknown(what: &str, meant: Option<&str>) -> String {
    match meant {
        Some(meant) => format!("no such {what} is known; did you mean {meant}?"),
        None => format!("no such {what} is known"),
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
