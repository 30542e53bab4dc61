//! Importer and exporter for Resilience4j under Spring: `resilience4j.retry` and
//! `resilience4j.circuitbreaker`, as YAML.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `maxAttempts` (3) | `max_attempts` |
//! | `waitDuration` (500 ms) | `base_delay` |
//! | `enableExponentialBackoff`, `exponentialBackoffMultiplier` (1.5) | `backoff_type`, `multiplier` |
//! | `exponentialMaxWaitDuration` | `max_delay` |
//! | `enableRandomizedWait`, `randomizedWaitFactor` (0.5) | `jitter_type: proportional`, `jitter_amount` |
//! | `retryExceptions` (all), `ignoreExceptions` | `retry_on`, `abort_on` |
//! | a circuit breaker of the same name | `breaker` |
//!
//! An instance inherits from its `baseConfig`, or else from the config `default`, which also becomes
//! the policy `default`. Keys may use Spring's spellings: `waitDuration` or `wait-duration`; a bare
//! number is in milliseconds.
//!
//! Resilience4j ignores some settings without others: backoff settings without `waitDuration`, and
//! `exponentialMaxWaitDuration` without a multiplier. They are reported as unsupported.

mod breaker;
mod export;
mod retry;
mod section;

use super::names;
use super::policy_builder::PolicyBuilder;
use super::reader::Reader;
use super::value::Value;
use section::{Conversion, Module};

pub(super) use export::write;

const SUBSYSTEM: &str = "resilience4j";
const DEFAULT: &str = "default";

const UNSUPPORTED_MODULES: &[(&str, &str)] = &[
    ("timelimiter", "set timeoutDuration as attempt_timeout of the policy"),
    ("bulkhead", "a policy does not limit concurrency"),
    ("thread-pool-bulkhead", "a policy does not limit concurrency"),
    ("ratelimiter", "a policy does not limit the call rate"),
    ("scheduled", "execution mode is not related to retries"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let (mut retries, mut breakers) = (None, None);
    for entry in Value::root(&tree).entries() {
        match entry.key {
            "resilience4j" => {
                let Some(mut modules) = reader.fields(&entry) else { return };
                retries = modules.take("retry").or(retries);
                breakers = modules.take("circuitbreaker").or(breakers);
                reader.report_remaining(modules, UNSUPPORTED_MODULES);
            }
            "resilience4j.retry" => retries = Some(entry),
            "resilience4j.circuitbreaker" => breakers = Some(entry),
            _ => reader.unsupported(&entry, "not a setting of Resilience4j"),
        }
    }
    let retries = Module::read(reader, retries.as_ref(), &retry::SETTINGS, retry::UNSUPPORTED);
    let breakers =
        Module::read(reader, breakers.as_ref(), &breaker::SETTINGS, breaker::UNSUPPORTED);
    for name in instance_names(&retries, &breakers) {
        policy(reader, &retries, &breakers, name);
    }
    retries.report_unused(reader);
    breakers.report_unused(reader);
}

/// The default first, then the instances in the order of the file.
fn instance_names<'t>(retries: &Module<'t>, breakers: &Module<'t>) -> Vec<&'t str> {
    let mut seen = std::collections::HashSet::new();
    let default = [retries, breakers].iter().any(|module| module.has_default());
    let default = default.then_some(DEFAULT);
    let names = default.into_iter().chain(retries.instances()).chain(breakers.instances());
    names.filter(|name| seen.insert(*name)).collect()
}

fn policy(reader: &mut Reader<'_>, retries: &Module<'_>, breakers: &Module<'_>, name: &str) {
    let (retry, breaker) = (retries.layers(reader, name), breakers.layers(reader, name));
    let Some(first) = retry.first().or(breaker.first()) else { return };
    let mut policy = PolicyBuilder::new(&names::id(name), &first.value);
    if retry.is_empty() {
        // A breaker without a retry section makes one attempt.
        policy.set("max_attempts", 1, None);
    } else {
        Conversion { reader, layers: &retry, policy: &mut policy }.write_retry();
    }
    if !breaker.is_empty() {
        Conversion { reader, layers: &breaker, policy: &mut policy }.write_breaker();
    }
    let id = reader.add_policy(policy);
    if id != name {
        reader.map([SUBSYSTEM, name, DEFAULT], &id, &first.value);
    }
}
