//! The pages of policies (H2, F3, F4, F6).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use steadfast::file::{Format, Policies, Source};
use steadfast::registry::Registry;
use steadfast_api::PolicySource;

use crate::{TestApp, app, app_with, assert_escaped};

/// A file with one policy that has many settings and one that has none.
pub(crate) const FILE: &str = "version: '1.1.0'
global_defaults: {max_delay: 2m}
policies:
  payments:
    description: Cards are charged once
    max_attempts: 6
    base_delay: 5s
    jitter: full
    retry_on: [5xx, '429']
    abort_on: [4xx]
    enable_circuit_breaker: true
  plain: {}
subsystem_mappings:
  billing: {charge: {default: payments}}
";

/// A server with these policies.
pub(crate) async fn app_with_policies(text: &str) -> TestApp {
    app_with(|server| server.policies(parsed(text))).await
}

fn parsed(text: &str) -> Arc<Policies> {
    Arc::new(Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml).unwrap())
}

/// A source that returns another file on every read.
struct AlternatingFile {
    files: [Arc<Policies>; 2],
    is_second: AtomicBool,
}

impl PolicySource for AlternatingFile {
    fn policies(&self) -> Arc<Policies> {
        let is_second = self.is_second.fetch_xor(true, Ordering::Relaxed);
        self.files[usize::from(is_second)].clone()
    }
}

/// F4: a page shows one version of the policies even if the file changes meanwhile.
#[tokio::test]
async fn page_shows_one_version_of_the_file() {
    let files = ["one", "two"].map(|name| {
        parsed(&format!("version: '1.1.0'\npolicies:\n  {name}: {{max_attempts: 11}}\n"))
    });
    let source = AlternatingFile { files, is_second: AtomicBool::new(false) };
    let app = app_with(|server| server.policies(source)).await;
    for _ in 0..2 {
        let html = app.get("/policies").await.page(200);
        let has = |name| html.contains(&format!("href=\"/policies/{name}\""));
        assert!(has("one") != has("two"), "{html}");
    }
    let mut found = 0;
    for _ in 0..4 {
        let response = app.get("/policies/one").await;
        if response.status == 200 {
            assert!(response.body.contains("11 attempts"), "{}", response.body);
            found += 1;
        }
    }
    assert!(found > 0, "it is found on every other read");
}

/// H2: the list has every policy with its summary and source.
#[tokio::test]
async fn list_shows_every_policy_with_its_source() {
    let html = app_with_policies(FILE).await.get("/policies").await.page(200);
    assert!(html.contains("href=\"/policies/payments\">payments</a>"), "{html}");
    assert!(html.contains("exponential ×2, full jitter") && html.contains("steadfast.yaml:5"));
    assert!(html.contains("href=\"/policies/patient\"") && html.contains("built-in"));
    assert!(html.contains("billing.charge.default"), "{html}");
}

/// H2: without a policy file the page explains how to write one.
#[tokio::test]
async fn no_policy_file_shows_instructions() {
    let html = app().await.get("/policies").await.page(200);
    assert!(html.contains("No custom policies yet") && html.contains("steadfast -c"));
}

/// F3: each setting has its source.
#[tokio::test]
async fn each_setting_has_its_source() {
    let html = app_with_policies(FILE).await.get("/policies/payments").await.page(200);
    for (field, value, origin) in [
        ("max_attempts", "6", "steadfast.yaml:6"),
        ("base_delay", "5s", "steadfast.yaml:7"),
        ("max_delay", "2m", "steadfast.yaml:2 (global_defaults)"),
        ("multiplier", "2", "built-in"),
    ] {
        let row = format!(
            ">{field}</code></td><td class=\"value\">{value}</td><td class=\"muted\" title=\"{origin}\">{origin}</td>"
        );
        assert!(html.contains(&row), "{row} in {html}");
    }
}

/// H2: chart, schedule, rules and guards.
#[tokio::test]
async fn policy_page_shows_schedule_rules_and_guards() {
    let html = app_with_policies(FILE).await.get("/policies/payments").await.page(200);
    assert!(html.contains("aria-label=\"Delay before each attempt\""));
    assert!(html.contains("<td class=\"number\">0 s – 2 min 35 s</td>"), "{html}");
    assert!(html.contains("<span class=\"tag retryable\">5xx</span>"));
    assert!(html.contains("opens after 5 consecutive failures, for 1 min"), "{html}");
}

/// P2: a policy that never retries states the reason.
#[tokio::test]
async fn policy_without_retries_states_the_reason() {
    let text = "version: '1.1.0'\npolicies:\n  off: {enabled: false}\n  once: {max_attempts: 1}\n";
    let app = app_with_policies(text).await;
    assert!(app.get("/policies/off").await.page(200).contains("never retries: it is disabled"));
    assert!(app.get("/policies/once").await.page(200).contains("it allows one attempt"));
}

/// F6: a mapped name shows its policy and the mapping.
#[tokio::test]
async fn mapped_name_shows_its_policy() {
    let html =
        app_with_policies(FILE).await.get("/policies/billing.charge.default").await.page(200);
    assert!(html.contains("resolves to this policy: a subsystem mapping"), "{html}");
}

/// F2: the page of an unknown policy suggests a similar name.
#[tokio::test]
async fn unknown_policy_suggests_a_similar_name() {
    let html = app_with_policies(FILE).await.get("/policies/paymens").await.page(404);
    assert!(html.contains("Did you mean `payments`?"), "{html}");
}

/// K4: descriptions are escaped.
#[tokio::test]
async fn hostile_description_is_escaped() {
    let text = "version: '1.1.0'\npolicies:\n  a: {description: '<script>alert(1)</script>'}\n";
    let app = app_with_policies(text).await;
    assert_escaped(&app.get("/policies").await.page(200));
    assert_escaped(&app.get("/policies/a").await.page(200));
    assert_escaped(&app.get("/policies/a?base_delay=<script>alert(1)</script>").await.page(200));
}

/// F4: an invalid file is reported above the previous policies.
#[tokio::test]
async fn invalid_file_is_reported_above_active_policies() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, FILE).unwrap();
    let registry = Registry::load(&file).unwrap();
    let app = app_with(|server| server.policies(registry.clone())).await;
    assert!(!app.get("/policies").await.page(200).contains("The policy file is invalid"));

    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attemps: 6")).unwrap();
    registry.reload().unwrap_err();
    for path in ["/policies", "/policies/payments"] {
        let html = app.get(path).await.page(200);
        assert!(html.contains("The policy file is invalid"), "{html}");
        assert!(html.contains("steadfast.yaml:6:") && html.contains("max_attempts"), "{html}");
    }

    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attempts: 9")).unwrap();
    registry.reload().unwrap();
    let html = app.get("/policies/payments").await.page(200);
    assert!(
        html.contains("<td class=\"value\">9</td>") && !html.contains("The policy file is invalid")
    );
}
