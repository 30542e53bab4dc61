//! Resilience4j under Spring.

use std::time::Duration;

use steadfast::guard::breaker::InitialState;
use steadfast_import::ImportFormat::Resilience4j;

use super::{bands, delays, policy, problems_of, read, read_fixture, rules, unsupported};

/// F5: an instance inherits from its config, and a bare number is in milliseconds.
#[test]
fn instance_inherits_its_base_config() {
    let imported = read_fixture("resilience4j.yaml");
    assert_eq!(delays(&imported, "default"), [100, 100]);
    assert_eq!(delays(&imported, "backendA"), [100, 100]);
    let (retry_on, abort_on) = rules(&imported, "backendA");
    assert_eq!(
        retry_on,
        ["org.springframework.web.client.HttpServerErrorException", "java.io.IOException"]
    );
    assert_eq!(abort_on, ["com.example.BusinessException"]);
}

/// F5: exponential and random waits, in Spring's other spelling, too.
#[test]
fn exponential_random_waits_are_imported() {
    let imported = read_fixture("resilience4j.yaml");
    assert_eq!(delays(&imported, "backendB"), [1000, 2000, 4000, 8000, 10_000]);
    assert_eq!(bands(&imported, "backendB")[..2], [(750, 1250), (1500, 2500)]);
    assert_eq!(rules(&imported, "backendB").0, ["any"], "java.lang.Exception is every one");
}

/// F5: Resilience4j's multiplier is 1.5 unless written, and its waits have no cap.
#[test]
fn wait_without_a_cap_is_not_capped() {
    let imported = read_fixture("resilience4j.yaml");
    assert_eq!(delays(&imported, "backendC"), [200, 300, 450]);
    let text = "resilience4j.retry.instances.a: {}\n";
    assert_eq!(problems_of(Resilience4j, text).len(), 1);
    let text = "resilience4j.retry:\n  instances:\n    a: {maxAttempts: 9, waitDuration: 10s, \
                enableExponentialBackoff: true, exponentialBackoffMultiplier: 3}\n";
    assert_eq!(delays(&read(Resilience4j, text), "a").last(), Some(&21_870_000));
}

/// F5: what Resilience4j itself does when little is written.
#[test]
fn empty_instance_has_the_defaults_of_resilience4j() {
    let text =
        "resilience4j:\n  retry:\n    instances:\n      a: {enableExponentialBackoff: true}\n";
    let imported = read(Resilience4j, text);
    assert_eq!(delays(&imported, "a"), [500, 500], "no backoff without a waitDuration");
    assert_eq!(rules(&imported, "a"), (vec!["any".into()], vec![]));
    assert_eq!(
        unsupported(&imported),
        ["4:11: resilience4j.retry.instances.a.enableExponentialBackoff: ignored by Resilience4j \
          without waitDuration"]
    );
}

/// G1, F5: a circuit breaker of the same name is the policy's; one alone retries nothing.
#[test]
fn circuit_breakers_are_imported() {
    let imported = read_fixture("resilience4j.yaml");
    let with = policy(&imported, "backendB");
    let breaker = with.breaker().unwrap();
    assert_eq!((breaker.window, breaker.window_calls), (Some(Duration::from_secs(10)), None));
    assert_eq!((breaker.failure_rate, breaker.minimum_volume), (Some(0.6), Some(20)));
    assert_eq!(breaker.slow_call_threshold, Some(Duration::from_secs(2)));
    assert_eq!((breaker.slow_call_rate, breaker.probes), (Some(0.8), 3));
    assert_eq!((breaker.success_threshold, breaker.half_open_calls), (2, Some(3)));
    assert_eq!(breaker.timeout, Duration::from_secs(30));
    let alone = policy(&imported, "payments");
    assert_eq!(alone.max_attempts(), 1);
    let breaker = alone.breaker().unwrap();
    assert_eq!((breaker.window_calls, breaker.minimum_volume), (Some(50), Some(50)));
    assert_eq!((breaker.failure_rate, breaker.timeout), (Some(0.5), Duration::from_secs(60)));
}

/// F5: everything else is listed with its line.
#[test]
fn unsupported_settings_are_listed() {
    let retry = "resilience4j.retry";
    let breakers = "resilience4j.circuitbreaker.instances";
    let classes = "subclasses: a rule matches one type only; add the subclasses that matter";
    let probes = "slow probes: a slow probe counts as failed; Resilience4j compares the rate of \
                  slow ones";
    assert_eq!(
        unsupported(&read_fixture("resilience4j.yaml")),
        [
            "1:1: spring: not a setting of Resilience4j".to_owned(),
            format!("6:5: {retry}.retry-aspect-order: aspect order is not related to retries"),
            format!("11:9: {retry}.configs.default.retryExceptions: {classes}"),
            format!("14:9: {retry}.configs.default.ignoreExceptions: {classes}"),
            format!("23:7: {retry}.configs.forgotten: no instance uses this config"),
            format!(
                "32:9: {retry}.instances.backendB.failAfterMaxAttempts: giving up is always \
                     an error, never the last result"
            ),
            format!(
                "33:9: {retry}.instances.backendB.eventConsumerBufferSize: a policy has no \
                     event buffer"
            ),
            format!(
                "38:9: {retry}.instances.backendC.exponentialMaxWaitDuration: ignored by \
                     Resilience4j without exponentialBackoffMultiplier, and without \
                     randomizedWaitFactor if the wait is randomized"
            ),
            format!(
                "39:9: {retry}.instances.backendC.resultPredicate: code cannot be imported; \
                     reject the result in the call"
            ),
            format!(
                "43:9: {breakers}.backendB.registerHealthIndicator: health reporting is not \
                     part of a policy"
            ),
            format!("49:9: {breakers}.backendB.slowCallDurationThreshold: {probes}"),
            format!(
                "52:9: {breakers}.backendB.recordExceptions: a breaker counts every failure; \
                     classify exceptions in code"
            ),
            "55:3: resilience4j.timelimiter: set timeoutDuration as attempt_timeout of the \
             policy"
                .to_owned(),
        ]
    );
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_settings_are_rejected() {
    let text = "resilience4j:
  retry:
    configs:
      slow: {baseConfig: slower}
      slower: {baseConfig: slow}
    instances:
      a: {maxAttempts: 0, waitDuration: soon, max-attempts: 2}
      b: {baseConfig: slowest}
      c: {baseConfig: slow}
      d: [1]
      e: {waitDuration: 1s, enableRandomizedWait: true, randomizedWaitFactor: 2}
  circuitbreaker:
    instances:
      f: {slidingWindowType: TIMED, failureRateThreshold: 0}
";
    let at = "resilience4j.retry.instances";
    let change = "change it here, or in the policy file after the import";
    assert_eq!(
        problems_of(Resilience4j, text),
        [
            format!(
                "f:7:47: {at}.a.max-attempts: duplicate key in another spelling; remove one \
                     of the two"
            ),
            format!("f:10:10: {at}.d: expected a map, not a list"),
            format!(
                "f:7:41: {at}.a.waitDuration: expected a duration, not `soon`; write a duration \
                     like 500ms, 2s or PT0.5S"
            ),
            format!(
                "f:7:24: {at}.a.maxAttempts: invalid policy: max_attempts must be at least 1, not 0; \
                     {change}"
            ),
            format!("f:8:23: {at}.b.baseConfig: unknown config `slowest`; did you mean `slower`?"),
            "f:5:15: resilience4j.retry.configs.slower: circular baseConfig; remove one of the \
             baseConfig entries"
                .to_owned(),
            format!(
                "f:11:79: {at}.e.randomizedWaitFactor: invalid policy: jitter_amount must be \
                 between 0 and 1, not 2; {change}"
            ),
            "f:14:30: resilience4j.circuitbreaker.instances.f.slidingWindowType: `TIMED` is not \
             one of COUNT_BASED, TIME_BASED"
                .to_owned(),
            format!(
                "f:14:59: resilience4j.circuitbreaker.instances.f.failureRateThreshold: \
                     invalid policy: breaker.failure_rate must be greater than 0 and at most 1, not 0; {change}"
            ),
        ]
    );
}

/// F5: Resilience4j closes a breaker if the failure rate of the half-open calls is below the
/// threshold; the states in which it can start.
#[test]
fn half_open_rate_and_initial_state_are_imported() {
    let breaker = |settings: &str| {
        let text =
            format!("resilience4j:\n  circuitbreaker:\n    instances:\n      a: {{{settings}}}\n");
        *policy(&read(Resilience4j, &text), "a").breaker().unwrap()
    };
    for (calls, percent, successes) in
        [(10, 50, 6), (4, 50, 3), (1, 50, 1), (3, 100, 1), (10, 1, 10)]
    {
        let settings = breaker(&format!(
            "permittedNumberOfCallsInHalfOpenState: {calls}, failureRateThreshold: {percent}"
        ));
        assert_eq!(settings.success_threshold, successes, "{calls} calls, {percent} %");
    }
    assert_eq!(breaker("initialState: OPEN").initial_state, InitialState::Open);
    assert_eq!(breaker("initialState: CLOSED").initial_state, InitialState::Closed);
    assert_eq!(breaker("initialState: DISABLED").initial_state, InitialState::Disabled);
}
