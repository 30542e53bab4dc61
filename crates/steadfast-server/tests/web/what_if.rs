//! What if a policy said something else (H2)?

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::policies::{FILE, world_with};

/// H2: nothing is moved, and only what holds now is shown.
#[tokio::test]
async fn what_holds_now_is_shown_until_something_is_moved() {
    let html = world_with(FILE).await.get("/policies/payments").await.page(200);
    assert!(html.contains("id=\"what-if-result\"") && html.contains("Calls for each client"));
    assert!(!html.contains(">Changed</th>") && !html.contains("To put it into the policy file"));
}

/// H2: what is as it is now is no change, though a form without a script sends all of it.
#[tokio::test]
async fn a_form_that_was_sent_as_it_is_changes_nothing() {
    let query = "max_attempts=6&backoff_type=exponential&base_delay=5s&multiplier=2&max_delay=2m&jitter=full";
    let path = format!("/policies/payments?{query}&outage=30s");
    let html = world_with(FILE).await.get(&path).await.page(200);
    assert!(!html.contains(">Changed</th>"), "{html}");
}

/// H2: attempts, total time and load of both, and the policy to copy.
#[tokio::test]
async fn what_was_moved_is_shown_beside_what_holds() {
    let world = world_with(FILE).await;
    let html = world.get("/policies/payments?max_attempts=3&jitter=none").await.page(200);
    assert!(html.contains(">Changed</th>"), "{html}");
    assert!(html.contains("<td class=\"number\"><strong>15 s</strong></td>"), "{html}");
    assert!(html.contains("<title>changed</title>"), "{html}");
    let (_, yaml) = html.split_once("To put it into the policy file").unwrap();
    for line in ["policies:\n  payments:\n", "    max_attempts: 3\n", "    jitter: none\n"] {
        assert!(yaml.contains(line), "{line} in {yaml}");
    }
    assert!(yaml.contains("    base_delay: 5s\n") && !yaml.contains("multiplier"), "{yaml}");
}

/// P1: what is shown to be copied is a policy file that means what was tried.
#[tokio::test]
async fn what_can_be_copied_is_a_policy_file() {
    let world = world_with(FILE).await;
    for policy in ["payments", "plain", "patient", "workflow", "grpc"] {
        let path = format!("/policies/{policy}?max_attempts=7&backoff_type=linear&base_delay=3s");
        let html = world.get(&path).await.page(200);
        let (_, yaml) = html.split_once("To put it into the policy file").unwrap();
        let (_, yaml) = yaml.split_once("<code>").unwrap();
        let yaml = yaml.split_once("</code>").unwrap().0.replace("&quot;", "\"");
        let again = world_with(&format!("version: '1.1.0'\n{yaml}")).await;
        let html = again.get(&format!("/policies/{policy}")).await.page(200);
        assert!(html.contains("<p class=\"next\">7 attempts, linear +3s"), "{policy}: {yaml}");
    }
}

/// H2: what cannot be is told at its field, with what was typed.
#[tokio::test]
async fn a_value_that_cannot_be_is_told_at_its_field() {
    let world = world_with(FILE).await;
    for (query, field, told) in [
        ("multiplier=0.5", "multiplier", "multiplier 0.5 is below 1"),
        ("base_delay=soon", "base_delay", "soon"),
        ("max_delay=1s", "max_delay", "max_delay 1s is shorter than base_delay 5s"),
        ("max_attempts=101", "max_attempts", "up to 100 are tried out here"),
    ] {
        let html = world.get(&format!("/policies/payments?{query}")).await.page(200);
        assert!(html.contains(&format!("<li data-wrong=\"{field}\">")), "{query}: {html}");
        assert!(html.contains(told), "{query}: {html}");
        assert!(html.contains("aria-invalid=\"true\"") && !html.contains(">Changed</th>"));
    }
}

/// H2: delays that are listed one by one can give way to another backoff.
#[tokio::test]
async fn a_schedule_gives_way_to_a_backoff() {
    let text = "version: '1.1.0'\npolicies:\n  listed: {schedule: [7d, 14d]}\n";
    let html = world_with(text).await.get("/policies/listed?backoff_type=fixed").await.page(200);
    assert!(html.contains(">Changed</th>") && !html.contains("data-wrong"), "{html}");
}

fn anything() -> impl Strategy<Value = String> {
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

/// K4: whatever is asked, the answer is a page, and soon.
#[test]
fn whatever_is_asked_is_answered_by_a_page_in_time() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = runtime.block_on(world_with(FILE));
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
    let query = prop::collection::vec(anything(), fields.len());
    let tried = TestRunner::new(config).run(&query, |values| {
        let pairs: Vec<_> = fields.iter().zip(&values).collect();
        let query = serde_urlencoded::to_string(&pairs).unwrap();
        let began = Instant::now();
        let answered = runtime.block_on(world.get(&format!("/policies/payments?{query}")));
        prop_assert_eq!(answered.status.as_u16(), 200);
        prop_assert!(answered.body.contains("what-if-result"));
        prop_assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        Ok(())
    });
    tried.unwrap();
}

/// H2: a field that is not there is a slip, and told as one.
#[tokio::test]
async fn an_unknown_field_gets_a_near_miss() {
    let html = world_with(FILE).await.get("/policies/payments?max_attemps=3").await.page(400);
    assert!(html.contains("did you mean `max_attempts`?"), "{html}");
}
