//! Envoy's retry policy.

use std::time::Duration;

use steadfast_import::ImportFormat::Envoy;

use super::{bands, file, policy, problems_of, read, read_fixture, rules, unsupported};

/// F5: fully jittered intervals that double from 25 ms to 250 ms; one retry unless written.
#[test]
fn policy_has_the_defaults_of_envoy() {
    let imported = read(Envoy, "retry_on: 5xx\n");
    assert_eq!(bands(&imported, "retry"), [(0, 25)]);
    let imported = read(Envoy, r#"{"retryOn": "5xx", "numRetries": 5}"#);
    assert_eq!(bands(&imported, "retry"), [(0, 25), (0, 50), (0, 100), (0, 200), (0, 250)]);
}

/// F5: a route's own intervals, timeouts and codes.
#[test]
fn route_policy_is_imported() {
    let imported = read_fixture("envoy.yaml");
    let orders = policy(&imported, "shop-orders");
    assert_eq!(bands(&imported, "shop-orders"), [(0, 100), (0, 200), (0, 300)]);
    assert_eq!(orders.attempt_timeout(), Some(Duration::from_millis(500)));
    assert_eq!(orders.max_duration(), Some(Duration::from_secs(3)));
    let (retry_on, _) = rules(&imported, "shop-orders");
    assert_eq!(retry_on, ["5xx", "connection", "timeout", "409", "429", "418"]);
}

/// F5: a route without a timeout has Envoy's 15 s, and 0 is unlimited.
#[test]
fn route_timeout_spans_all_attempts() {
    let imported = read_fixture("envoy.yaml");
    assert_eq!(policy(&imported, "shop-route-2").max_duration(), Some(Duration::from_secs(15)));
    assert_eq!(policy(&imported, "shop-route-2").max_hint(), Some(Duration::from_secs(60)));
    let text = "routes:\n- route: {timeout: 0s, retry_policy: {retry_on: reset}}\n";
    assert_eq!(policy(&read(Envoy, text), "retry-route-1").max_duration(), None);
}

/// F5, F6: a route is found by its name, and a host's policy is for its other routes.
#[test]
fn names_resolve_to_policies() {
    let policies = file(&read_fixture("envoy.yaml"));
    let found = |name| policies.find(name).id().unwrap().to_owned();
    assert_eq!(found("envoy.shop.orders"), "shop-orders");
    assert_eq!(found("envoy.shop.somewhere"), "shop");
}

/// F5: every word of `retry_on` is known.
#[test]
fn every_retry_condition_is_imported() {
    for (word, expected) in [
        ("gateway-error", vec!["502", "503", "504", "connection", "timeout"]),
        ("connect-failure", vec!["connection_refused", "unreachable", "connection_failed"]),
        ("retriable-4xx", vec!["409"]),
        ("envoy-ratelimited", vec!["429"]),
        ("cancelled", vec!["grpc:CANCELLED"]),
        ("deadline-exceeded", vec!["grpc:DEADLINE_EXCEEDED"]),
        ("internal", vec!["grpc:INTERNAL"]),
        ("resource-exhausted", vec!["grpc:RESOURCE_EXHAUSTED"]),
        ("unavailable", vec!["grpc:UNAVAILABLE"]),
        ("refused-stream", vec![]),
        ("retriable-headers", vec![]),
        ("http3-post-connect-failure", vec![]),
    ] {
        let imported = read(Envoy, &format!("retry_on: {word}\n"));
        assert_eq!(rules(&imported, "retry").0, expected, "{word}");
        let inexact =
            expected.is_empty() || matches!(word, "connect-failure" | "envoy-ratelimited");
        assert_eq!(!imported.unsupported.is_empty(), inexact, "{word}");
    }
}

/// F5: everything else is listed with its line.
#[test]
fn unsupported_settings_are_listed() {
    let nothing = "not related to retries";
    let hosts = "a policy does not select hosts";
    let routes = "virtual_hosts[0].routes";
    assert_eq!(
        unsupported(&read_fixture("envoy.yaml")),
        [
            format!("1:1: name: {nothing}"),
            format!("4:3: virtual_hosts[0].domains: {nothing}"),
            format!("9:5: {routes}[0].match: {nothing}"),
            format!("11:7: {routes}[0].route.cluster: {nothing}"),
            format!("21:9: {routes}[0].route.retry_policy.retry_host_predicate: {hosts}"),
            format!(
                "23:9: {routes}[0].route.retry_policy.host_selection_retry_max_attempts: {hosts}"
            ),
            format!("24:5: {routes}[1].match: {nothing}"),
            format!("26:7: {routes}[1].route.cluster: {nothing}"),
            format!(
                "30:9: {routes}[1].route.retry_policy.rate_limited_retry_back_off: behavior \
                 after a hint above the limit: a longer hint ends the session; Envoy falls back \
                 to its own delays"
            ),
            format!(
                "34:13: \
                 {routes}[1].route.retry_policy.rate_limited_retry_back_off.reset_headers[1]: \
                 the header X-Quota-Reset: only Retry-After and RateLimit-Reset, in seconds, and \
                 X-RateLimit-Reset are supported"
            ),
            format!("37:5: {routes}[2]: host or route without a retry policy: {nothing}"),
        ]
    );
    let codes = read(Envoy, "retry_on: 5xx\nretriable_status_codes: [429]\n");
    assert_eq!(
        unsupported(&codes),
        ["2:1: retriable_status_codes: ignored by Envoy unless retry_on has \
             retriable-status-codes"]
    );
}

/// J6, F5: the rate-limit headers that every policy honours need no setting.
#[test]
fn honoured_reset_headers_are_supported() {
    for (header, supported) in [
        ("{name: Retry-After}", true),
        ("{name: retry-after, format: UNIX_TIMESTAMP}", false),
        ("{name: X-RateLimit-Reset, format: UNIX_TIMESTAMP}", true),
        ("{name: ratelimit-reset, format: SECONDS}", true),
        ("{name: X-Quota-Reset}", false),
    ] {
        let settings = format!("rate_limited_retry_back_off: {{reset_headers: [{header}]}}\n");
        let imported = read(Envoy, &format!("retry_on: 5xx\n{settings}"));
        let listed = unsupported(&imported).iter().any(|part| part.contains("reset_headers"));
        assert_eq!(!listed, supported, "{header}");
    }
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_policies_are_rejected() {
    let text = "retry_on: 5xx,gatway-error
num_retries: -1
per_try_timeout: 250ms
retriable_status_codes: [700]
retry_back_off: {base_interval: 1s, max_interval: 0.5s}
";
    let problems = problems_of(Envoy, text);
    assert_eq!(
        problems[..3],
        [
            "f:2:14: num_retries: expected a whole number from 0 to 4294967295, not -1",
            "f:5:51: retry_back_off.max_interval: max_interval is shorter than base_interval",
            "f:3:18: per_try_timeout: expected a duration, not `250ms`; write seconds, like 0.25s",
        ]
    );
    assert!(problems[3].starts_with("f:1:11: retry_on: `gatway-error` is not one of 5xx, "));
    assert!(problems[3].ends_with("did you mean `gateway-error`?"), "{}", problems[3]);
    let text = "retry_on: retriable-status-codes\nretriable_status_codes: [700]\n";
    assert_eq!(
        problems_of(Envoy, text),
        ["f:2:26: retriable_status_codes[0]: 700 is not an HTTP status code"]
    );
}
