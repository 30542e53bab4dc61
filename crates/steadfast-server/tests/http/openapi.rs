//! The OpenAPI description matches the routes (H1). Responses are checked in `responses.rs`.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{World, world};

/// What H1 lists, as far as it is there, with the health of section 11.
const ROUTES: &str = "
    POST /api/v1/tasks
    GET /api/v1/tasks
    POST /api/v1/tasks/batch
    POST /api/v1/tasks/requeue
    POST /api/v1/tasks/preview
    GET /api/v1/tasks/by-key
    GET /api/v1/tasks/{}
    POST /api/v1/tasks/{}/cancel
    POST /api/v1/tasks/{}/requeue
    POST /api/v1/tasks/{}/run-now
    POST /api/v1/tasks/{}/expiry
    POST /api/v1/claims
    POST /api/v1/claims/{}/heartbeat
    POST /api/v1/claims/{}/complete
    POST /api/v1/claims/{}/fail
    GET /api/v1/queues
    POST /api/v1/queues/{}/pause
    POST /api/v1/queues/{}/resume
    GET /api/v1/policies
    GET /api/v1/policies/{}/plan
    POST /api/v1/classify
    GET /api/v1/events
    GET /api/v1/sessions
    GET /api/v1/tasks/{}/session
    GET /api/v1/metrics/summary
    GET /api/v1/breakers
    POST /api/v1/breakers/{}/open
    POST /api/v1/breakers/{}/close
    POST /api/v1/breakers/{}/isolate
    GET /api/v1/budgets
    GET /api/v1/workers
    POST /api/v1/workflows
    GET /api/v1/workflows
    POST /api/v1/workflows/check
    GET /api/v1/workflows/{}
    POST /api/v1/workflows/{}/executions
    GET /api/v1/executions
    GET /api/v1/executions/{}
    GET /api/v1/executions/{}/chain
    POST /api/v1/executions/{}/cancel
    POST /api/v1/executions/{}/resume
    POST /api/v1/executions/{}/retry
    GET /api/v1/audit
    GET /api/v1/stats
    GET /api/v1/time
    GET /healthz
    GET /metrics
    GET /readyz
";

pub(crate) async fn description(world: &World) -> Value {
    world.send(world.request(Method::GET, "/openapi.json")).await.good()
}

/// Every operation: its method, and its path.
pub(crate) fn operations(description: &Value) -> Vec<(String, String)> {
    let paths = description["paths"].as_object().unwrap().iter();
    let of_path = |(path, item): (&String, &Value)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
    };
    paths.flat_map(of_path).collect()
}

/// A path with whatever names its parts taken out.
fn bare(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// H1: the description has the specified routes and no others.
#[tokio::test]
async fn openapi_lists_exactly_the_specified_routes() {
    let described = description(&world().await).await;
    assert!(described["openapi"].as_str().unwrap().starts_with("3.1"));
    let described = operations(&described).into_iter();
    let described: BTreeSet<_> =
        described.map(|(method, path)| format!("{method} {}", bare(&path))).collect();
    let listed = ROUTES.lines().map(str::trim).filter(|line| !line.is_empty());
    assert_eq!(described, listed.map(str::to_owned).collect());
}

/// H1: every described route exists and accepts only the described methods.
#[tokio::test]
async fn every_described_route_is_served() {
    let world = world().await;
    let described = description(&world).await;
    let all = operations(&described);
    for (method, path) in &all {
        let at = bare(path).replace("{}", "x");
        let response = world.request(method.parse().unwrap(), &at).send().await.unwrap();
        let is_stream = path.ends_with("/events");
        let said = if is_stream { String::new() } else { response.text().await.unwrap() };
        assert!(!said.contains("no such path"), "{method} {path}: {said}");
        assert!(!said.contains("does not support"), "{method} {path}: {said}");

        let other = if method == "GET" { "POST" } else { "GET" };
        if !all.contains(&(other.to_owned(), path.clone())) {
            let rejected = world.send(world.request(other.parse().unwrap(), &at)).await;
            assert!(rejected.status == 405, "{other} {path}: {rejected:?}");
        }
    }
}

/// H1: every operation has a unique id and a summary.
#[tokio::test]
async fn every_operation_has_unique_id_and_summary() {
    let described = description(&world().await).await;
    let all = operations(&described);
    let operation =
        |(method, path): &(String, String)| described["paths"][path][method.to_lowercase()].clone();
    let ids: BTreeSet<_> =
        all.iter().map(|it| operation(it)["operationId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), all.len());
    for each in &all {
        let operation = operation(each);
        assert!(operation["summary"].is_string() && operation["tags"].is_array(), "{each:?}");
        assert!(operation["responses"].is_object(), "{each:?}");
    }
}

/// H1, K1: exactly the protected operations require a token.
#[tokio::test]
async fn every_operation_except_health_requires_token() {
    let described = description(&world().await).await;
    for (method, path) in operations(&described) {
        let operation = &described["paths"][&path][method.to_lowercase()];
        let is_open = matches!(path.as_str(), "/healthz" | "/readyz");
        assert_eq!(operation["security"].is_null(), is_open, "{method} {path}");
        assert_eq!(operation["responses"]["401"].is_null(), is_open, "{method} {path}");
    }
}

/// H1: an absent parameter is omitted, never `null`.
#[tokio::test]
async fn no_parameter_schema_allows_null() {
    let described = description(&world().await).await;
    for (method, path) in operations(&described) {
        let operation = &described["paths"][&path][method.to_lowercase()];
        assert!(!operation["parameters"].to_string().contains("\"null\""), "{method} {path}");
    }
}

/// H1: the requeue request is fully described.
#[tokio::test]
async fn requeue_schema_describes_its_fields() {
    let described = description(&world().await).await;
    let body = &described["paths"]["/api/v1/tasks/requeue"]["post"]["requestBody"];
    let mut schema = body["content"]["application/json"]["schema"].clone();
    schema["components"] = described["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (wanted, is_enough) in [
        (json!({}), false),
        (json!({"all": false, "filter": {}}), false),
        (json!({"filter": {"status": null}}), false),
        (json!({"all": true}), true),
        (json!({"filter": {"status": "failed"}, "rate": 5}), true),
        (json!({"all": true, "rate": 0}), false),
    ] {
        assert_eq!(validator.is_valid(&wanted), is_enough, "{wanted}");
    }
}

/// H1: every reference resolves.
#[tokio::test]
async fn every_schema_reference_resolves() {
    let described = description(&world().await).await;
    let mut references = Vec::new();
    collect(&described, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(described.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}
