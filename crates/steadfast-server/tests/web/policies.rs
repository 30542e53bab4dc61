//! The pages of policies (H2, F3, F4, F6).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use steadfast::file::{Format, Policies, Source};
use steadfast::registry::Registry;
use steadfast_api::InForce;

use crate::{World, shows_without_harm, world, world_of};

/// A file with one policy that says much, and one that says nothing.
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
pub(crate) async fn world_with(text: &str) -> World {
    world_of(|server| server.policies(parsed(text))).await
}

fn parsed(text: &str) -> Arc<Policies> {
    Arc::new(Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml).unwrap())
}

/// A file that is another one whenever it is looked at.
struct Fickle {
    files: [Arc<Policies>; 2],
    is_second: AtomicBool,
}

impl InForce for Fickle {
    fn policies(&self) -> Arc<Policies> {
        let is_second = self.is_second.fetch_xor(true, Ordering::Relaxed);
        self.files[usize::from(is_second)].clone()
    }
}

/// F4: what a page says of policies is of one version of them, though the file is changed in the
/// middle of it.
#[tokio::test]
async fn a_page_is_of_one_version_of_the_file() {
    let files = ["one", "two"].map(|name| {
        parsed(&format!("version: '1.1.0'\npolicies:\n  {name}: {{max_attempts: 11}}\n"))
    });
    let fickle = Fickle { files, is_second: AtomicBool::new(false) };
    let world = world_of(|server| server.policies(fickle)).await;
    for _ in 0..2 {
        let html = world.get("/policies").await.page(200);
        let has = |name| html.contains(&format!("href=\"/policies/{name}\""));
        assert!(has("one") != has("two"), "{html}");
    }
    let mut found = 0;
    for _ in 0..4 {
        let answered = world.get("/policies/one").await;
        if answered.status == 200 {
            assert!(answered.body.contains("11 attempts"), "{}", answered.body);
            found += 1;
        }
    }
    assert!(found > 0, "it is there every other time");
}

/// H2: every policy, what it does in a line, and where it is written.
#[tokio::test]
async fn the_list_shows_every_policy_and_where_it_is_written() {
    let html = world_with(FILE).await.get("/policies").await.page(200);
    assert!(html.contains("href=\"/policies/payments\">payments</a>"), "{html}");
    assert!(html.contains("exponential ×2, full jitter") && html.contains("steadfast.yaml:5"));
    assert!(html.contains("href=\"/policies/patient\"") && html.contains("built-in"));
    assert!(html.contains("billing.charge.default"), "{html}");
}

/// H2: who has no policies yet is told how to have some.
#[tokio::test]
async fn a_server_without_a_file_says_how_to_write_one() {
    let html = world().await.get("/policies").await.page(200);
    assert!(html.contains("No policies of your own yet") && html.contains("steadfast -c"));
}

/// F3: each value with who wrote it, what was written first.
#[tokio::test]
async fn each_value_says_who_wrote_it() {
    let html = world_with(FILE).await.get("/policies/payments").await.page(200);
    for (field, value, origin) in [
        ("max_attempts", "6", "steadfast.yaml:6"),
        ("base_delay", "5s", "steadfast.yaml:7"),
        ("max_delay", "2m", "steadfast.yaml:2 (global_defaults)"),
        ("multiplier", "2", "built-in"),
    ] {
        let row = format!(
            "<code>{field}</code></td><td class=\"value\">{value}</td><td class=\"muted\" title=\"{origin}\">{origin}</td>"
        );
        assert!(html.contains(&row), "{row} in {html}");
    }
}

/// H2: the curve, the plan, the rules and the guards.
#[tokio::test]
async fn a_policy_is_drawn_planned_and_told() {
    let html = world_with(FILE).await.get("/policies/payments").await.page(200);
    assert!(html.contains("aria-label=\"Delay before each attempt\""));
    assert!(html.contains("<td class=\"number\">0 s – 2 min 35 s</td>"), "{html}");
    assert!(html.contains("<span class=\"tag retryable\">5xx</span>"));
    assert!(html.contains("opens after 5 failures in a row, for 1 min"), "{html}");
}

/// P2: a policy that is off, or has one attempt, says why it never retries.
#[tokio::test]
async fn a_policy_that_never_retries_says_why() {
    let text = "version: '1.1.0'\npolicies:\n  off: {enabled: false}\n  once: {max_attempts: 1}\n";
    let world = world_with(text).await;
    assert!(world.get("/policies/off").await.page(200).contains("never retries: it is off"));
    assert!(world.get("/policies/once").await.page(200).contains("it has one attempt"));
}

/// F6: a name shows the policy that it leads to, and how.
#[tokio::test]
async fn a_name_leads_to_its_policy() {
    let html = world_with(FILE).await.get("/policies/billing.charge.default").await.page(200);
    assert!(html.contains("leads here: a subsystem mapping"), "{html}");
}

/// F2: a slip gets the near miss, as a page.
#[tokio::test]
async fn an_unknown_policy_is_not_found_with_a_near_miss() {
    let html = world_with(FILE).await.get("/policies/paymens").await.page(404);
    assert!(html.contains("did you mean `payments`?"), "{html}");
}

/// K4: what a file says is shown, never run.
#[tokio::test]
async fn a_hostile_description_is_only_text() {
    let text = "version: '1.1.0'\npolicies:\n  a: {description: '<script>alert(1)</script>'}\n";
    let world = world_with(text).await;
    shows_without_harm(&world.get("/policies").await.page(200));
    shows_without_harm(&world.get("/policies/a").await.page(200));
    shows_without_harm(
        &world.get("/policies/a?base_delay=<script>alert(1)</script>").await.page(200),
    );
}

/// F4: a file that is wrong now is told with what and where, and the old policies are shown.
#[tokio::test]
async fn a_file_that_became_wrong_is_told_above_the_policies_that_hold() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, FILE).unwrap();
    let registry = Registry::load(&file).unwrap();
    let world = world_of(|server| server.policies(registry.clone())).await;
    assert!(!world.get("/policies").await.page(200).contains("cannot be taken as it is"));

    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attemps: 6")).unwrap();
    registry.reload().unwrap_err();
    for path in ["/policies", "/policies/payments"] {
        let html = world.get(path).await.page(200);
        assert!(html.contains("The policy file cannot be taken as it is"), "{html}");
        assert!(html.contains("steadfast.yaml:6:") && html.contains("max_attempts"), "{html}");
    }

    std::fs::write(&file, FILE.replace("max_attempts: 6", "max_attempts: 9")).unwrap();
    registry.reload().unwrap();
    let html = world.get("/policies/payments").await.page(200);
    assert!(html.contains("<td class=\"value\">9</td>") && !html.contains("cannot be taken"));
}
