//! Cross-site requests and DNS rebinding (K1).

use serde_json::json;

use crate::{Tokens, bearer, open_world, world, world_of};

const PAUSE: &str = "POST /api/v1/queues/mail/pause?new=true";
const OTHERS: [&[&str]; 5] = [
    &["Sec-Fetch-Site: cross-site", "Origin: http://evil.example"],
    &["Sec-Fetch-Site: same-site"],
    &["Origin: http://evil.example"],
    &["Origin: null"],
    &["Origin: http://localhost:1"],
];

/// K1: a foreign page in a local browser changes nothing.
#[tokio::test]
async fn cross_site_mutation_without_tokens_is_rejected() {
    let world = open_world().await;
    for headers in OTHERS {
        let rejected = world.ask(PAUSE, headers, "").await.problem(403);
        assert!(rejected["detail"].as_str().unwrap().contains("cross-site"), "{headers:?}");
    }
    assert_eq!(world.ask(PAUSE, &[], "").await.status, 204, "a program sends neither header");
    let own = ["Sec-Fetch-Site: same-origin", "Origin: http://localhost"];
    assert_eq!(world.ask(PAUSE, &own, "").await.status, 204);
    assert_eq!(world.ask(PAUSE, &["Origin: http://localhost"], "").await.status, 204);
}

/// K1: nor with a session, or at the login.
#[tokio::test]
async fn cross_site_mutation_with_session_is_rejected() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.operator).await.session());
    for headers in OTHERS.into_iter().chain([&[] as &[&str]]) {
        let headers = [headers, &[&*session]].concat();
        world.ask(PAUSE, &headers, "").await.problem(403);
        world.ask("POST /logout", &headers, "").await.problem(403);
    }
    for headers in OTHERS {
        let rejected = world.log_in_with(headers, world.tokens.admin.secret(), "").await;
        assert_eq!(rejected.header("set-cookie"), None);
        rejected.problem(403);
    }
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask(PAUSE, &own, "").await.status, 204);
    let token = bearer(&world.tokens.operator);
    assert_eq!(world.ask(PAUSE, &[&token], "").await.status, 204);
}

/// K1: a cookie sent with a cross-site link allows reads only, for any method and path.
#[tokio::test]
async fn cross_site_session_is_read_only() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.admin).await.session());
    let strange = [&*session, "Sec-Fetch-Site: cross-site"];
    for method in ["POST", "PUT", "PATCH", "DELETE", "PURGE"] {
        for path in ["/queues/mail/pause", "/tasks/new", "/api/v1/tasks", "/login", "/nowhere"] {
            world.ask(&format!("{method} {path}"), &strange, "").await.problem(403);
        }
    }
    for method in ["GET", "HEAD"] {
        let looked = world.ask(&format!("{method} /queues"), &strange, "").await;
        assert_eq!(looked.status, 200, "{method}");
    }
}

/// K1: no response allows cross-origin reads.
#[tokio::test]
async fn responses_allow_no_cross_origin_reads() {
    let world = open_world().await;
    let preflight = ["Origin: http://evil.example", "Access-Control-Request-Method: POST"];
    for line in ["GET /api/v1/stats", "OPTIONS /api/v1/tasks"] {
        let answer = world.ask(line, &preflight, "").await;
        assert!(!answer.head.to_ascii_lowercase().contains("access-control"), "{answer:?}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    }
}

/// K1: a name that resolves to this machine gets nothing, not even reads.
#[tokio::test]
async fn foreign_host_name_is_rejected() {
    let world = open_world().await;
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", ""] {
        let header = format!("Host: {host}");
        for line in ["GET /api/v1/stats", "GET /openapi.json", PAUSE] {
            let rejected = world.ask(line, &[&header], "").await;
            assert!(matches!(rejected.status, 400 | 421), "{host}: {rejected:?}");
        }
    }
    let problem = world.ask("GET /api/v1/stats", &["Host: evil.example"], "").await.problem(421);
    assert_eq!(problem["detail"], json!("Host header `evil.example` is not allowed"));
    for host in ["localhost:7700", "127.0.0.1", "[::1]:7700"] {
        let header = format!("Host: {host}");
        assert_eq!(world.ask("GET /api/v1/stats", &[&header], "").await.status, 200, "{host}");
    }
    let two = ["Host: localhost", "Host: evil.example"];
    assert!(matches!(world.ask("GET /api/v1/stats", &two, "").await.status, 400 | 421));
}

/// K1: a configured name is accepted, and so are pages from there.
#[tokio::test]
async fn configured_host_name_is_accepted() {
    let world = world_of(Tokens::new(), |server| server.host("retry.example")).await;
    let headers = ["Host: retry.example", "Origin: https://retry.example"];
    assert_eq!(world.ask(PAUSE, &headers, "").await.status, 204);
    world.ask(PAUSE, &["Host: other.example"], "").await.problem(421);
}

/// K1: with tokens any name is accepted.
#[tokio::test]
async fn any_host_name_is_accepted_with_tokens() {
    let world = world().await;
    let headers = ["Host: retry.example", &bearer(&world.tokens.viewer)];
    assert_eq!(world.ask("GET /api/v1/stats", &headers, "").await.status, 200);
}
