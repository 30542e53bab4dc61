//! The dashboard and the alerts in `deploy/` speak of figures that there are (O3).

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

/// Every query of a dashboard, wherever it is.
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

/// The names of figures in a text: ours, and those of the process.
fn figures(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("steadfast_") || word.starts_with("process_")).collect()
}

/// What the server describes of itself, told or not: its source, for nobody else asks for it.
const DESCRIBED: &str = include_str!("../../src/telemetry/metrics/catalog.rs");
/// A figure that there is only once the store of a worker has failed. That of a test does not.
const OF_TROUBLE: &str = "steadfast_store_failures_total";

fn told() -> BTreeSet<String> {
    let exposition = Exposition::read(&program::told().metrics);
    assert!(DESCRIBED.contains(&format!("\"{OF_TROUBLE}\"")), "it has another name by now");
    exposition.names().into_iter().chain([OF_TROUBLE]).map(str::to_owned).collect()
}

/// O3: every figure that the dashboard asks for is told by a server that runs.
#[test]
fn the_dashboard_asks_for_figures_that_there_are() {
    let dashboard: Value = serde_json::from_str(&deploy("grafana/steadfast.json")).unwrap();
    let mut asked = Vec::new();
    queries(&dashboard, &mut asked);
    assert!(asked.len() > 15, "{asked:?}");
    let told = told();
    for figure in asked.iter().flat_map(|query| figures(query)) {
        assert!(told.contains(figure), "{figure} is not told");
    }
}

/// O3: so is every figure that an alert looks at.
#[test]
fn the_alerts_look_at_figures_that_there_are() {
    let rules = deploy("prometheus/alerts.yml");
    let is_expression = |line: &&str| line.trim().starts_with("expr:");
    let expressions: Vec<_> = rules.lines().filter(is_expression).collect();
    assert_eq!(expressions.len(), rules.matches("- alert:").count(), "an expression a line");
    assert!(expressions.len() >= 8);
    let told = told();
    for figure in expressions.iter().flat_map(|line| figures(line)) {
        assert!(told.contains(figure), "{figure} is not told");
    }
}
