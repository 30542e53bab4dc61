//! Retry settings of nodes and workflows as text.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::judge::Rule;
use steadfast_api::PolicySummary;
use steadfast_flow::Node;

use crate::web::parts;

pub(super) fn of_node(node: &Node) -> Markup {
    match node.retry().filter(|policy| policy.is_enabled()) {
        Some(policy) => describe(policy),
        None => html! { "retried " (parts::only_lost_workers(node.policy())) },
    }
}

pub(super) fn of_execution(policy: Option<&Policy>) -> Markup {
    match policy.filter(|policy| policy.is_enabled()) {
        Some(policy) => describe(policy),
        None => html! { "not retried automatically" },
    }
}

fn describe(policy: &Policy) -> Markup {
    let rules = policy.rules();
    html! {
        (timing(&PolicySummary::of(policy)))
        @if let Some(on) = rules.retry_on().filter(|on| !on.is_empty()) { ", on " (list(on)) }
        @if !rules.abort_on().is_empty() { ", never on " (list(rules.abort_on())) }
    }
}

fn timing(summary: &PolicySummary) -> String {
    let retries = match summary.attempts.saturating_sub(1) {
        0 => return "no retries".to_owned(),
        1 => "1 retry".to_owned(),
        retries => format!("{} retries", parts::count(retries.into())),
    };
    let delay = parts::duration_range(summary.first_delay, summary.longest_delay);
    format!("{retries} after {delay} ({})", summary.backoff)
}

fn list(rules: &[Rule]) -> String {
    rules.iter().map(Rule::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use steadfast_flow::Workflow;

    use super::*;

    fn summary(retry: &Value) -> String {
        let node = json!({"nodeId": "a", "type": "do", "retry": retry});
        let text = json!({"name": "w", "nodes": [node]}).to_string();
        let workflow = Workflow::parse(&text).unwrap();
        of_node(workflow.node("a").unwrap()).into_string()
    }

    /// W1: the retry settings of a node are described.
    #[test]
    fn node_retries_are_described() {
        let backoff = json!({
            "enabled": true, "strategy": "exponential_backoff", "maxAttempts": 3,
            "initialDelaySeconds": 60, "multiplier": 2.0, "maxDelaySeconds": 3600,
            "retryOn": ["5xx", "429"], "ignoreExceptions": ["4xx"],
        });
        let fixed = json!({
            "enabled": true, "strategy": "fixed_delay", "maxAttempts": 1, "delaySeconds": 1,
        });
        let off = json!({
            "enabled": false, "strategy": "fixed_delay", "maxAttempts": 2, "delaySeconds": 1,
        });
        assert_eq!(
            summary(&backoff),
            "3 retries after 1 min – 4 min (exponential ×2), on 5xx, 429, never on 4xx"
        );
        assert_eq!(summary(&fixed), "1 retry after 1 s (fixed)");
        assert_eq!(summary(&off), "retried only if the worker is lost (up to 3 times)");
    }
}
