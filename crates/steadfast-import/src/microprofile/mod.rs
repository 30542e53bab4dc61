//! Importer for MicroProfile and SmallRye fault tolerance, as properties.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `Retry/maxRetries` (3) | `max_retries`; -1 is unlimited |
//! | `Retry/delay` (0) | `base_delay` |
//! | `Retry/maxDuration` (180 s) | `max_duration`; 0 is unlimited |
//! | `Retry/jitter` (200 ms) | `jitter` |
//! | `Retry/retryOn`, `abortOn` | `retry_on`, `abort_on` |
//! | `ExponentialBackoff/factor` (2), `maxDelay` (1 min) | `multiplier`, `max_delay` |
//! | `FibonacciBackoff/maxDelay` (1 min) | `schedule` |
//! | `Timeout/value` | `attempt_timeout` |
//! | `CircuitBreaker/…` | `breaker` |
//!
//! Properties override annotations in the code, which is not available. Unset members have
//! MicroProfile's defaults, except `retryOn`: its default retries every exception, which is more
//! than annotations in use do. The default rules apply instead, and this is reported.
//!
//! A method's settings override the global ones, not those of its class: a property of a class
//! overrides an annotation of the class, which a method with its own annotation does not use.
//!
//! SmallRye's own spelling, `smallrye.faulttolerance.global.retry.delay`, is read as its users
//! intend: delays double, up to a minute, and jitter is added (P6). SmallRye itself uses fixed
//! delays unless there is an `@ExponentialBackoff`, so this is reported, too.

mod breaker;
mod key;
mod retry;
mod settings;

use super::policy_builder::{PolicyBuilder, time};
use super::reader::Reader;
use super::value::Value;
use super::{names, properties};
use settings::{Annotation, Conversion, Settings, TIMEOUT, Target};

const SUBSYSTEM: &str = "microprofile";

pub(super) fn read(reader: &mut Reader<'_>) {
    if !reader.check_size() {
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
    let mut policy = PolicyBuilder::new(&target.policy_id(), first);
    if let Some(off) = &settings.off {
        policy.set("enabled", false, Some(off));
    }
    let mut conversion = Conversion { reader, settings, target, policy: &mut policy };
    if settings.mentions(target, Annotation::RETRIES) {
        conversion.write_retry();
    } else {
        // Without a retry annotation there is one attempt.
        conversion.policy.set("max_attempts", 1, None);
    }
    if let Some(limit) = conversion.time(TIMEOUT, ["value", "unit"])
        && conversion.is_on(TIMEOUT)
    {
        conversion.policy.put("attempt_timeout", limit.map(time));
    }
    conversion.write_breaker();
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
