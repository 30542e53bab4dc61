//! Resilience4j under Spring, as YAML: `resilience4j.retry` and `resilience4j.circuitbreaker`.
//!
//! | there | here |
//! |---|---|
//! | `maxAttempts` (3) | `max_attempts` |
//! | `waitDuration` (500 ms) | `base_delay` |
//! | `enableExponentialBackoff`, `exponentialBackoffMultiplier` (1.5) | `backoff_type`, `multiplier` |
//! | `exponentialMaxWaitDuration` | `max_delay` |
//! | `enableRandomizedWait`, `randomizedWaitFactor` (0.5) | `jitter_type: full`, `jitter_amount` |
//! | `retryExceptions` (all), `ignoreExceptions` | `retry_on`, `abort_on` |
//! | a circuit breaker of the same name | `breaker` |
//!
//! An instance inherits from its `baseConfig`, or else from the config `default`, which by
//! itself becomes the policy `default`. Keys may be written in Spring's ways: `waitDuration`
//! or `wait-duration`; a bare number is in milliseconds.
//!
//! Some settings do nothing without others: none of the backoff without `waitDuration`, and
//! no `exponentialMaxWaitDuration` without a multiplier. They are listed as lost.

mod breaker;
mod export;
mod retry;
mod section;

use super::names;
use super::new_policy::NewPolicy;
use super::reader::Reader;
use super::value::{Spelling, Value};
use section::Module;
use steadfast::policy::Setting;

pub(super) use export::write;

const SUBSYSTEM: &str = "resilience4j";
const DEFAULT: &str = "default";

const OTHER_MODULES: &[(&str, &str)] = &[
    ("timelimiter", "write timeoutDuration as attempt_timeout of the policy"),
    ("bulkhead", "a policy does not limit how many run at once"),
    ("thread-pool-bulkhead", "a policy does not limit how many run at once"),
    ("ratelimiter", "a policy does not limit how often something is called"),
    ("scheduled", "how something is run says nothing about retrying"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    let (mut retries, mut breakers) = (None, None);
    for entry in Value::root(&tree).entries() {
        match entry.key {
            "resilience4j" => {
                let Some(mut modules) = reader.fields(&entry, Spelling::Relaxed) else { return };
                retries = modules.take("retry").or(retries);
                breakers = modules.take("circuitbreaker").or(breakers);
                reader.leave(modules, OTHER_MODULES);
            }
            "resilience4j.retry" => retries = Some(entry),
            "resilience4j.circuitbreaker" => breakers = Some(entry),
            _ => reader.lose(&entry, "it is not a setting of Resilience4j"),
        }
    }
    let retries = Module::read(reader, retries.as_ref(), &retry::SETTINGS, retry::OTHER);
    let breakers = Module::read(reader, breakers.as_ref(), &breaker::SETTINGS, breaker::OTHER);
    for name in instance_names(&retries, &breakers) {
        policy(reader, &retries, &breakers, &name);
    }
    retries.report_unused(reader);
    breakers.report_unused(reader);
}

/// The default first, then each in the order of the file.
fn instance_names(retries: &Module<'_>, breakers: &Module<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let default = [retries, breakers].iter().any(|module| module.has_default());
    let default = default.then_some(DEFAULT);
    for name in default.into_iter().chain(retries.instances()).chain(breakers.instances()) {
        if seen.insert(name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn policy(reader: &mut Reader<'_>, retries: &Module<'_>, breakers: &Module<'_>, name: &str) {
    let (retry, breaker) = (retries.layers(reader, name), breakers.layers(reader, name));
    let Some(first) = retry.first().or(breaker.first()) else { return };
    let mut policy = NewPolicy::new(&names::id(name), &first.value);
    if retry.is_empty() {
        // A breaker alone retries nothing.
        policy.default("max_attempts", Setting::Number(1.0));
    } else {
        retry::write(reader, &retry, &mut policy);
    }
    if !breaker.is_empty() {
        breaker::write(reader, &breaker, &mut policy);
    }
    let id = reader.add_policy(policy);
    if id != name {
        reader.map([SUBSYSTEM, name, DEFAULT], &id, &first.value);
    }
}
