//! MicroProfile and SmallRye fault tolerance, as properties.
//!
//! | there | here |
//! |---|---|
//! | `Retry/maxRetries` (3) | `max_retries`; -1 is without end |
//! | `Retry/delay` (0) | `base_delay` |
//! | `Retry/maxDuration` (180 s) | `max_duration`; 0 is without end |
//! | `Retry/jitter` (200 ms) | `jitter` |
//! | `Retry/retryOn`, `abortOn` | `retry_on`, `abort_on` |
//! | `ExponentialBackoff/factor` (2), `maxDelay` (1 min) | `multiplier`, `max_delay` |
//! | `FibonacciBackoff/maxDelay` (1 min) | `schedule` |
//! | `Timeout/value` | `attempt_timeout` |
//! | `CircuitBreaker/…` | `breaker` |
//!
//! Properties change annotations that are in the code. What the code says cannot be seen
//! here, so what a file leaves open has MicroProfile's defaults, but for `retryOn`: every
//! exception would be retried, and that is more than an annotation in use will say. The
//! default rules judge instead, and this is listed.
//!
//! A method's settings go over the global ones and not over its class's: a property of a
//! class changes an annotation of the class, which a method with its own does not have.
//!
//! SmallRye's own spelling, `smallrye.faulttolerance.global.retry.delay`, is read as those
//! who write it mean it: delays double, up to a minute, and jitter is added (P6). SmallRye itself
//! keeps them equal unless `@ExponentialBackoff` says otherwise, so this is listed, too.

mod breaker;
mod key;
mod retry;
mod settings;

use super::new_policy::{NewPolicy, time};
use super::reader::Reader;
use super::value::Value;
use super::{names, properties};
use settings::{Annotation, Settings, TIMEOUT, Target};
use steadfast::policy::Setting;

const SUBSYSTEM: &str = "microprofile";

pub(super) fn read(reader: &mut Reader<'_>) {
    if !reader.fits() {
        return;
    }
    let tree = properties::tree(reader);
    let settings = Settings::read(reader, &Value::root(&tree));
    settings.report_assumptions(reader);
    for target in settings.targets() {
        policy(reader, &settings, &target);
    }
}

fn policy(reader: &mut Reader<'_>, settings: &Settings<'_>, target: &Target) {
    let Some(first) = settings.first(target) else { return };
    let mut policy = NewPolicy::new(&target.policy_id(), first);
    if let Some(off) = settings.switched_off() {
        policy.set("enabled", Setting::Bool(false), off);
    }
    if settings.names(target, Annotation::RETRIES) {
        retry::write(reader, settings, target, &mut policy);
    } else {
        // Only what is retried is retried.
        policy.default("max_attempts", Setting::Number(1.0));
    }
    if let Some((longest, from)) = settings.time(reader, target, TIMEOUT, ["value", "unit"])
        && retry::is_on(reader, settings, target, TIMEOUT)
    {
        policy.set("attempt_timeout", time(longest), from);
    }
    breaker::write(reader, settings, target, &mut policy);
    let id = reader.add_policy(policy);
    if let Some(class) = &target.class {
        let method = target.method.as_deref().unwrap_or("default");
        reader.map([SUBSYSTEM, class, method], &id, first);
    }
}

impl Target {
    fn policy_id(&self) -> String {
        match (&self.class, &self.method) {
            (Some(class), Some(method)) => names::id(&format!("{}-{method}", names::last(class))),
            (Some(class), None) => names::id(names::last(class)),
            (None, _) => "default".to_owned(),
        }
    }
}
