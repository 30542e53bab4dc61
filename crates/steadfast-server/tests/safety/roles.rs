//! Who may do what (K1).

use serde_json::Value;
use steadfast_server::NewToken;

use crate::{World, bearer, world};

/// What changes nothing although it is posted.
const HARMLESS: [&str; 3] =
    ["/api/v1/classify", "/api/v1/tasks/preview", "/api/v1/workflows/check"];
/// What only an admin may see.
const FOR_ADMINS: [&str; 1] = ["/api/v1/audit"];

/// Every operation under `/api`, as a line to ask for it.
pub(crate) async fn operations(world: &World) -> Vec<(String, String)> {
    let described = world.ask("GET /openapi.json", &[], "").await.json();
    let paths = described["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(move |method| (method.to_uppercase(), path.clone()))
    });
    all.filter(|(_, path)| path.starts_with("/api")).collect()
}

/// Asks for it with nothing that it needs: whoever may is told of that, whoever may not is not.
pub(crate) async fn asked(
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

/// K1: a viewer looks, and changes nothing. An operation that is added later is tried as well.
#[tokio::test]
async fn a_viewer_changes_nothing() {
    let world = world().await;
    for operation in operations(&world).await {
        let (method, path) = &operation;
        let is_admins = FOR_ADMINS.contains(&path.as_str());
        let may = !is_admins && (method == "GET" || HARMLESS.contains(&path.as_str()));
        let status = asked(&world, &world.tokens.viewer, &operation).await;
        assert_eq!(status != 403, may, "{method} {path}: {status}");
    }
}

/// K1: an operator does everything but read what others did.
#[tokio::test]
async fn an_operator_does_not_read_the_log() {
    let world = world().await;
    for operation in operations(&world).await {
        let may = !FOR_ADMINS.contains(&operation.1.as_str());
        let status = asked(&world, &world.tokens.operator, &operation).await;
        assert!(status != 401 && (status != 403) == may, "{operation:?}: {status}");
    }
}

/// K1: an admin does everything.
#[tokio::test]
async fn an_admin_does_everything() {
    let world = world().await;
    for operation in operations(&world).await {
        let status = asked(&world, &world.tokens.admin, &operation).await;
        assert!(status != 401 && status != 403, "{operation:?}: {status}");
    }
}

/// K1: whoever may not is told which role it takes, and which they have.
#[tokio::test]
async fn a_refusal_says_which_role_it_takes() {
    let world = world().await;
    let refused = world.ask_as(&world.tokens.viewer, "POST /api/v1/queues/a/pause").await;
    let refused = refused.problem(403);
    let detail = refused["detail"].as_str().unwrap();
    assert_eq!(detail, "this takes the role operator, and vera has the role viewer");
    assert_eq!(refused["type"], "urn:steadfast:forbidden");
}

/// K1, H1: the description says that a token is needed, and what is answered without.
#[tokio::test]
async fn the_description_tells_of_tokens() {
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
