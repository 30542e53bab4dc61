//! Roles (K1).

use serde_json::Value;
use steadfast_server::NewToken;

use crate::{World, bearer, world};

/// What changes nothing although it is posted.
const HARMLESS: [&str; 3] =
    ["/api/v1/classify", "/api/v1/tasks/preview", "/api/v1/workflows/check"];
/// What only an admin may see.
const FOR_ADMINS: [&str; 1] = ["/api/v1/audit"];

/// All operations under `/api`: method and path.
pub(crate) async fn operations(world: &World) -> Vec<(String, String)> {
    let described = world.ask("GET /openapi.json", &[], "").await.json();
    let paths = described["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(move |method| (method.to_uppercase(), path.clone()))
    });
    all.filter(|(_, path)| path.starts_with("/api")).collect()
}

/// Calls an operation without its input: 403 shows a missing role, anything else a granted one.
pub(crate) async fn call(
    world: &World,
    token: &NewToken,
    (method, path): &(String, String),
) -> u16 {
    let path: String = path.split('/').map(|part| format!("/{}", named(part))).skip(1).collect();
    let headers = ["Accept: application/json", &bearer(token)];
    world.ask(&format!("{method} {path}"), &headers, "").await.status
}

fn named(part: &str) -> &str {
    if part.starts_with('{') { "0190d3a2-7b5a-7c3e-8f21-1234567890ab" } else { part }
}

/// K1: a viewer reads and changes nothing. Operations added later are covered, too.
#[tokio::test]
async fn viewer_cannot_mutate() {
    let world = world().await;
    for operation in operations(&world).await {
        let (method, path) = &operation;
        let is_admins = FOR_ADMINS.contains(&path.as_str());
        let may = !is_admins && (method == "GET" || HARMLESS.contains(&path.as_str()));
        let status = call(&world, &world.tokens.viewer, &operation).await;
        assert_eq!(status != 403, may, "{method} {path}: {status}");
    }
}

/// K1: an operator does everything except read the audit log.
#[tokio::test]
async fn operator_cannot_read_audit_log() {
    let world = world().await;
    for operation in operations(&world).await {
        let may = !FOR_ADMINS.contains(&operation.1.as_str());
        let status = call(&world, &world.tokens.operator, &operation).await;
        assert!(status != 401 && (status != 403) == may, "{operation:?}: {status}");
    }
}

/// K1: an admin does everything.
#[tokio::test]
async fn admin_can_do_everything() {
    let world = world().await;
    for operation in operations(&world).await {
        let status = call(&world, &world.tokens.admin, &operation).await;
        assert!(status != 401 && status != 403, "{operation:?}: {status}");
    }
}

/// K1: the 403 names the required role and the caller's role.
#[tokio::test]
async fn forbidden_response_names_required_role() {
    let world = world().await;
    let rejected = world.ask_as(&world.tokens.viewer, "POST /api/v1/queues/a/pause").await;
    let rejected = rejected.problem(403);
    let detail = rejected["detail"].as_str().unwrap();
    assert_eq!(detail, "this requires the operator role; vera has the viewer role");
    assert_eq!(rejected["type"], "urn:steadfast:forbidden");
}

/// K1, H1: the description has the token requirement and the responses without one.
#[tokio::test]
async fn openapi_describes_token_and_401() {
    let world = world().await;
    let described = world.ask("GET /openapi.json", &[], "").await.json();
    let scheme = &described["components"]["securitySchemes"]["bearer"];
    assert_eq!((&scheme["type"], &scheme["scheme"]), (&"http".into(), &"bearer".into()));
    for (method, path) in operations(&world).await {
        let operation = &described["paths"][&path][method.to_lowercase()];
        assert!(operation["security"][0]["bearer"].is_array(), "{method} {path}");
        for status in ["401", "403"] {
            assert!(operation["responses"][status].is_object(), "{method} {path}");
        }
    }
    assert_eq!(described["paths"]["/healthz"]["get"]["security"], Value::Null);
}
