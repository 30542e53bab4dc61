//! Policies as Resilience4j's YAML.

use std::time::Duration;

use super::{DEFAULT, SUBSYSTEM};
use crate::backoff::Exponential;
use crate::export::{Refusals, makes_one_attempt};
use crate::imported::Lost;
use crate::yaml::scalar;
use steadfast::file::Policies;
use steadfast::guard::BreakerSettings;
use steadfast::judge::Rule;
use steadfast::policy::{BackoffType, Jitter, Policy, Timing};

const SYSTEM: &str = "Resilience4j";

pub(crate) fn write(policies: &Policies) -> Result<String, Vec<Lost>> {
    let mut refusals = Refusals::default();
    // What an instance does not say it would inherit.
    let inherits = policies.iter().any(|policy| policy.id() == Some(DEFAULT));
    let (mut retries, mut breakers) = (Group::default(), Group::default());
    for policy in policies.iter() {
        refusals.add_common(policy, SYSTEM);
        let name = instance_name(policies, policy);
        let lines = retry(policy, inherits, &mut refusals);
        // A breaker alone has no retry beside it.
        if policy.breaker().is_none() || !makes_one_attempt(policy) {
            retries.add(&name, lines);
        }
        if let Some(settings) = policy.breaker() {
            breakers.add(&name, breaker(policy, settings, &mut refusals));
        }
    }
    let text =
        ["resilience4j:\n".to_owned(), retries.text("retry"), breakers.text("circuitbreaker")];
    refusals.or(text.concat())
}

/// The name that is mapped to a policy, or its id.
fn instance_name(policies: &Policies, policy: &Policy) -> String {
    let id = policy.id().unwrap_or_default();
    let own = policies.mapped().iter().filter(|mapped| mapped.policy == id);
    let mut names = own.filter_map(|mapped| match mapped.name.split('.').collect::<Vec<_>>()[..] {
        [SUBSYSTEM, name, DEFAULT] => Some(name.replace('/', ".")),
        _ => None,
    });
    names.next().unwrap_or_else(|| id.to_owned())
}

type Lines = Vec<(&'static str, String)>;

/// The instances of a module, and its default.
#[derive(Default)]
struct Group {
    default: Option<Lines>,
    instances: Vec<(String, Lines)>,
}

impl Group {
    fn add(&mut self, name: &str, lines: Lines) {
        if name == DEFAULT {
            self.default = Some(lines);
        } else {
            self.instances.push((name.to_owned(), lines));
        }
    }

    fn text(&self, module: &str) -> String {
        let section = |name: &str, lines: &Lines| {
            let lines = lines.iter().map(|(key, value)| format!("        {key}: {value}\n"));
            // Spring drops what it does not know from a name, unless brackets hold it.
            let plain =
                name.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
            let key = if plain { scalar(name) } else { format!("\"[{}]\"", quoted(name)) };
            format!("      {key}:\n{}", lines.collect::<String>())
        };
        if self.default.is_none() && self.instances.is_empty() {
            return String::new();
        }
        let mut text = format!("  {module}:\n");
        if let Some(default) = &self.default {
            text += "    configs:\n";
            text += &section(DEFAULT, default);
        }
        if !self.instances.is_empty() {
            text += "    instances:\n";
            text.extend(self.instances.iter().map(|(name, lines)| section(name, lines)));
        }
        text
    }
}

fn quoted(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

fn retry(policy: &Policy, inherits: bool, refusals: &mut Refusals) -> Lines {
    let none = "Resilience4j knows it only as a module of its own, or not at all";
    let refuse = [
        (policy.max_duration().is_some(), "max_duration", "a longest session"),
        (policy.attempt_timeout().is_some(), "attempt_timeout", "a longest attempt"),
        (policy.budget().is_some(), "budget", "a budget"),
    ];
    for (holds, field, what) in refuse {
        refusals.add_if(holds, policy, field, what, none);
    }
    let attempts = if policy.is_enabled() { policy.max_attempts() } else { 1 };
    let mut lines = vec![("maxAttempts", attempts.to_string())];
    if makes_one_attempt(policy) {
        return lines;
    }
    delays(policy, inherits, refusals, &mut lines);
    classes(policy, inherits, refusals, &mut lines);
    lines
}

fn delays(policy: &Policy, inherits: bool, refusals: &mut Refusals, lines: &mut Lines) {
    let timing = policy.timing();
    let base = timing.initial_delay();
    lines.push(("waitDuration", millis(policy, "base_delay", base, refusals)));
    match timing.backoff_type() {
        BackoffType::Exponential => exponential(policy, timing, refusals, lines),
        BackoffType::Fixed | BackoffType::Immediate if base <= crate::export::max_delay(timing) => {
            if inherits {
                lines.push(("enableExponentialBackoff", "false".to_owned()));
            }
        }
        _ => refusals.add(policy, "backoff_type", "other delays", "there they are fixed or grow"),
    }
    match timing.jitter() {
        Jitter::Full => {
            lines.push(("enableRandomizedWait", "true".to_owned()));
            lines.push(("randomizedWaitFactor", timing.jitter_amount().to_string()));
        }
        Jitter::None if inherits => lines.push(("enableRandomizedWait", "false".to_owned())),
        Jitter::None => {}
        _ => refusals.add(policy, "jitter", "this jitter", "there it is a factor of the delay"),
    }
}

fn exponential(policy: &Policy, timing: &Timing, refusals: &mut Refusals, lines: &mut Lines) {
    let uncapped = Exponential {
        base: timing.initial_delay(),
        multiplier: timing.multiplier(),
        cap: None,
        retries: policy.max_attempts() - 1,
        from: [None; 3],
    };
    lines.push(("enableExponentialBackoff", "true".to_owned()));
    lines.push(("exponentialBackoffMultiplier", timing.multiplier().to_string()));
    let cap = crate::export::max_delay(timing);
    if cap != uncapped.longest() {
        lines.push(("exponentialMaxWaitDuration", millis(policy, "max_delay", cap, refusals)));
    }
}

/// A wait there is a whole number of milliseconds.
fn millis(policy: &Policy, field: &str, time: Duration, refusals: &mut Refusals) -> String {
    if !time.subsec_nanos().is_multiple_of(1_000_000) {
        refusals.add(policy, field, "a part of a millisecond", "Resilience4j counts whole ones");
    }
    format!("{}ms", time.as_millis())
}

fn classes(policy: &Policy, inherits: bool, refusals: &mut Refusals, lines: &mut Lines) {
    let rules = policy.rules();
    match rules.retry_on() {
        None => {
            let why = "Resilience4j goes by classes; write the types, or any";
            refusals.add(policy, "retry_on", "the default rules", why);
        }
        Some([only]) if only.as_str() == "any" && !inherits => {}
        Some(retry_on) => {
            lines.push(("retryExceptions", list(policy, "retry_on", retry_on, refusals)))
        }
    }
    if !rules.abort_on().is_empty() || inherits {
        lines.push(("ignoreExceptions", list(policy, "abort_on", rules.abort_on(), refusals)));
    }
}

fn list(policy: &Policy, field: &str, rules: &[Rule], refusals: &mut Refusals) -> String {
    let mut classes = Vec::new();
    for rule in rules {
        match class(rule.as_str()) {
            Some(class) => classes.push(scalar(class)),
            None => refusals.add(policy, field, rule.as_str(), "Resilience4j goes by classes"),
        }
    }
    format!("[{}]", classes.join(", "))
}

/// The class that a rule names.
fn class(rule: &str) -> Option<&str> {
    let name = rule.strip_prefix("type:").unwrap_or(rule);
    let is_path = name.contains('.') && name.split('.').all(|part| !part.is_empty());
    match rule {
        "any" => Some("java.lang.Throwable"),
        _ if is_path && !name.contains(':') => Some(name),
        _ => None,
    }
}

/// The number that is this share again when it is divided by a hundred.
fn percent(rate: f64) -> String {
    let whole = (rate * 100.0).round();
    let exact = if whole / 100.0 == rate { whole } else { rate * 100.0 };
    exact.to_string()
}

fn breaker(policy: &Policy, settings: &BreakerSettings, refusals: &mut Refusals) -> Lines {
    let none = "Resilience4j knows nothing like it";
    let one_probe = settings.probes != settings.success_threshold;
    let refuse = [
        (settings.threshold.is_some(), "threshold", "failures in a row"),
        (settings.failure_rate.is_none(), "failure_rate", "a breaker without a rate"),
        (settings.timeout_multiplier != 1.0, "timeout_multiplier", "an open time that grows"),
        (one_probe, "probes", "probes that are not those that must succeed"),
        (!settings.count_final, "count_final", "final errors that do not count"),
    ];
    for (holds, field, what) in refuse {
        refusals.add_if(holds, policy, &format!("breaker.{field}"), what, none);
    }
    let mut lines: Lines = Vec::new();
    match settings.window {
        Some(window) => {
            let whole = window.subsec_nanos() == 0;
            let why = "Resilience4j counts whole seconds";
            refusals.add_if(!whole, policy, "breaker.window", "a part of a second", why);
            lines.push(("slidingWindowType", "TIME_BASED".to_owned()));
            lines.push(("slidingWindowSize", window.as_secs().to_string()));
        }
        None => {
            lines.push(("slidingWindowType", "COUNT_BASED".to_owned()));
            lines.push(("slidingWindowSize", settings.window_calls.unwrap_or(100).to_string()));
        }
    }
    lines.push(("minimumNumberOfCalls", settings.minimum_volume.unwrap_or(10).to_string()));
    lines.push(("failureRateThreshold", percent(settings.failure_rate.unwrap_or(1.0))));
    match (settings.slow_call_threshold, settings.slow_call_rate) {
        (Some(threshold), Some(rate)) => {
            let threshold = millis(policy, "breaker.slow_call_threshold", threshold, refusals);
            lines.push(("slowCallDurationThreshold", threshold));
            lines.push(("slowCallRateThreshold", percent(rate)));
        }
        _ => {
            let why = "Resilience4j always has one; write slow_call_threshold and slow_call_rate";
            refusals.add(policy, "breaker", "slow calls that do not count", why);
        }
    }
    lines.push((
        "waitDurationInOpenState",
        millis(policy, "breaker.timeout", settings.timeout, refusals),
    ));
    lines.push(("permittedNumberOfCallsInHalfOpenState", settings.probes.to_string()));
    lines
}
