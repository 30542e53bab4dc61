//! The what-if simulation of a policy (H2).

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::policies::{FILE, app_with_policies};

/// H2: without a change only the current policy is shown.
#[tokio::test]
async fn unchanged_form_shows_the_current_policy() {
    let html = app_with_policies(FILE).await.get("/policies/payments").await.page(200);
    assert!(html.contains("id=\"what-if-result\"") && html.contains("Calls per client"));
    assert!(!html.contains(">Changed</th>") && !html.contains("Policy file entry"));
}

/// H2: submitting the current values changes nothing.
#[tokio::test]
async fn current_values_change_nothing() {
    let query = "max_attempts=6&backoff_type=exponential&base_delay=5s&multiplier=2&max_delay=2m&jitter=full";
    let path = format!("/policies/payments?{query}&outage=30s");
    let html = app_with_policies(FILE).await.get(&path).await.page(200);
    assert!(!html.contains(">Changed</th>"), "{html}");
}

/// H2: the changed policy is compared with the current one and can be copied.
#[tokio::test]
async fn changed_policy_is_compared_with_the_current_one() {
    let app = app_with_policies(FILE).await;
    let html = app.get("/policies/payments?max_attempts=3&jitter=none").await.page(200);
    assert!(html.contains(">Changed</th>"), "{html}");
    assert!(html.contains("<td class=\"number\"><strong>15 s</strong></td>"), "{html}");
    assert!(html.contains("<title>changed</title>"), "{html}");
    let (_, yaml) = html.split_once("Policy file entry").unwrap();
    for line in ["policies:\n  payments:\n", "    max_attempts: 3\n", "    jitter: none\n"] {
        assert!(yaml.contains(line), "{line} in {yaml}");
    }
    assert!(yaml.contains("    base_delay: 5s\n") && !yaml.contains("multiplier"), "{yaml}");
}

/// P1: the copied entry is a valid policy file with the simulated settings.
#[tokio::test]
async fn copied_entry_is_a_valid_policy_file() {
    let app = app_with_policies(FILE).await;
    for policy in ["payments", "plain", "patient", "workflow", "grpc"] {
        let path = format!("/policies/{policy}?max_attempts=7&backoff_type=linear&base_delay=3s");
        let html = app.get(&path).await.page(200);
        let (_, yaml) = html.split_once("Policy file entry").unwrap();
        let (_, yaml) = yaml.split_once("<code>").unwrap();
        let yaml = yaml.split_once("</code>").unwrap().0.replace("&quot;", "\"");
        let copy = app_with_policies(&format!("version: '1.1.0'\n{yaml}")).await;
        let html = copy.get(&format!("/policies/{policy}")).await.page(200);
        assert!(html.contains("<p class=\"next\">7 attempts, linear +3s"), "{policy}: {yaml}");
    }
}

/// H2: an invalid value is reported at its field.
#[tokio::test]
async fn invalid_value_is_reported_at_its_field() {
    let app = app_with_policies(FILE).await;
    for (query, field, message) in [
        ("multiplier=0.5", "multiplier", "must be at least 1, not 0.5"),
        ("base_delay=soon", "base_delay", "soon"),
        ("max_delay=1s", "max_delay", "1s is shorter than base_delay 5s"),
        ("max_attempts=101", "max_attempts", "at most 100 attempts can be simulated"),
    ] {
        let html = app.get(&format!("/policies/payments?{query}")).await.page(200);
        assert!(html.contains(&format!("<li data-invalid=\"{field}\">")), "{query}: {html}");
        assert!(html.contains(message), "{query}: {html}");
        assert!(html.contains("aria-invalid=\"true\"") && !html.contains(">Changed</th>"));
    }
}

/// H2: a backoff type replaces a list of delays.
#[tokio::test]
async fn backoff_type_replaces_a_schedule() {
    let text = "version: '1.1.0'\npolicies:\n  listed: {schedule: [7d, 14d]}\n";
    let html =
        app_with_policies(text).await.get("/policies/listed?backoff_type=fixed").await.page(200);
    assert!(html.contains(">Changed</th>") && !html.contains("data-invalid"), "{html}");
}

fn arbitrary_value() -> impl Strategy<Value = String> {
    let absurd =
        ["", "NaN", "inf", "-inf", "1e300", "-1", "-0", "0", "1e-300", "99999999999999999999"];
    let odd = [
        "1s",
        "5x",
        "full",
        "custom",
        "1h 1m",
        "P1D",
        "0.0.1",
        "18446744073709551615s",
        "\u{0}",
        "ß",
    ];
    prop_oneof![
        prop::sample::select(absurd.map(str::to_owned).to_vec()),
        prop::sample::select(odd.map(str::to_owned).to_vec()),
        any::<f64>().prop_map(|number| number.to_string()),
        "\\PC{0,60}",
    ]
}

/// K4: any query is answered with a page in time.
#[test]
fn arbitrary_query_is_answered_in_time() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(app_with_policies(FILE));
    let fields = [
        "max_attempts",
        "backoff_type",
        "base_delay",
        "multiplier",
        "max_delay",
        "jitter",
        "outage",
    ];
    let config =
        ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() };
    let query = prop::collection::vec(arbitrary_value(), fields.len());
    let result = TestRunner::new(config).run(&query, |values| {
        let pairs: Vec<_> = fields.iter().zip(&values).collect();
        let query = serde_urlencoded::to_string(&pairs).unwrap();
        let started = Instant::now();
        let response = runtime.block_on(app.get(&format!("/policies/payments?{query}")));
        prop_assert_eq!(response.status.as_u16(), 200);
        prop_assert!(response.body.contains("what-if-result"));
        prop_assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        Ok(())
    });
    result.unwrap();
}

/// H2: an unknown parameter suggests a similar name.
#[tokio::test]
async fn unknown_parameter_suggests_a_similar_name() {
    let html =
        app_with_policies(FILE).await.get("/policies/payments?max_attemps=3").await.page(400);
    assert!(html.contains("Did you mean `max_attempts`?"), "{html}");
}
