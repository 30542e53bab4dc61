//! How something is tried again, in words.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::judge::Rule;
use steadfast_api::PolicySummary;
use steadfast_flow::Node;

use crate::web::parts;

/// How a node is.
pub(super) fn of_node(node: &Node) -> Markup {
    match node.retry().filter(|policy| policy.is_enabled()) {
        Some(policy) => words(policy),
        None => html! { "tried once; again only if its worker is lost" },
    }
}

/// How a whole execution is.
pub(super) fn of_execution(policy: Option<&Policy>) -> Markup {
    match policy.filter(|policy| policy.is_enabled()) {
        Some(policy) => words(policy),
        None => html! { "not started again by itself" },
    }
}

fn words(policy: &Policy) -> Markup {
    let rules = policy.rules();
    html! {
        (timing(&PolicySummary::of(policy)))
        @if let Some(on) = rules.retry_on().filter(|on| !on.is_empty()) { ", on " (list(on)) }
        @if !rules.abort_on().is_empty() { ", never on " (list(rules.abort_on())) }
    }
}

fn timing(summary: &PolicySummary) -> String {
    let times = match summary.attempts.saturating_sub(1) {
        0 => return "tried once".to_owned(),
        1 => "once".to_owned(),
        times => format!("{} times", parts::count(times.into())),
    };
    let after = parts::band(summary.first_delay, summary.longest_delay);
    format!("tried again {times}, after {after} ({})", summary.backoff)
}

fn list(rules: &[Rule]) -> String {
    rules.iter().map(Rule::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use steadfast_flow::Workflow;

    use super::*;

    fn told(retry: &Value) -> String {
        let node = json!({"nodeId": "a", "type": "do", "retry": retry});
        let text = json!({"name": "w", "nodes": [node]}).to_string();
        let workflow = Workflow::parse(&text).unwrap();
        of_node(workflow.node("a").unwrap()).into_string()
    }

    /// W1: a node's retry is told as it is meant, not as it is written.
    #[test]
    fn a_retry_is_told_in_words() {
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
            told(&backoff),
            "tried again 3 times, after 1 min – 4 min (exponential ×2), on 5xx, 429, never on 4xx"
        );
        assert_eq!(told(&fixed), "tried again once, after 1 s (fixed)");
        assert_eq!(told(&off), "tried once; again only if its worker is lost");
    }
}
