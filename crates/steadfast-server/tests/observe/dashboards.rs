//! The dashboard and the alerts in `deploy/` use existing metrics (O3).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::exposition::Exposition;
use crate::program;

fn deploy(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    fs::read_to_string(root.join(path)).unwrap()
}

/// Collects all queries of a dashboard.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "expr" || name == "query" => {
                        found.push(text.clone());
                    }
                    _ => queries(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| queries(item, found)),
        _ => {}
    }
}

/// The metric names in a text.
fn metrics(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("steadfast_") || word.starts_with("process_")).collect()
}

/// The catalog, as source: there is no other way to read it.
const CATALOG: &str = include_str!("../../src/telemetry/metrics/catalog.rs");
/// A metric that exists only after a store failure, which does not happen in the test.
const FAILURES_METRIC: &str = "steadfast_store_failures_total";

fn observed() -> BTreeSet<String> {
    let exposition = Exposition::read(&program::observed().metrics);
    assert!(CATALOG.contains(&format!("\"{FAILURES_METRIC}\"")), "the metric was renamed");
    exposition.names().into_iter().chain([FAILURES_METRIC]).map(str::to_owned).collect()
}

/// O3: every metric of the dashboard is exported by a running server.
#[test]
fn dashboard_queries_existing_metrics() {
    let dashboard: Value = serde_json::from_str(&deploy("grafana/steadfast.json")).unwrap();
    let mut queried = Vec::new();
    queries(&dashboard, &mut queried);
    assert!(queried.len() > 15, "{queried:?}");
    let observed = observed();
    for metric in queried.iter().flat_map(|query| metrics(query)) {
        assert!(observed.contains(metric), "{metric} is not exported");
    }
}

/// O3: so is every metric of an alert.
#[test]
fn alerts_query_existing_metrics() {
    let rules = deploy("prometheus/alerts.yml");
    let is_expression = |line: &&str| line.trim().starts_with("expr:");
    let expressions: Vec<_> = rules.lines().filter(is_expression).collect();
    assert_eq!(expressions.len(), rules.matches("- alert:").count(), "an expression a line");
    assert!(expressions.len() >= 8);
    let observed = observed();
    for metric in expressions.iter().flat_map(|line| metrics(line)) {
        assert!(observed.contains(metric), "{metric} is not exported");
    }
}
