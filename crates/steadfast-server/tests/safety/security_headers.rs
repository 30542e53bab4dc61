//! Security headers (K1).

use crate::{Answer, World, open_world, world};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
                   frame-ancestors 'none'";

#[track_caller]
fn is_strict(answer: &Answer) {
    for (name, value) in [
        ("content-security-policy", CSP),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}: {answer:?}");
    }
    assert!(answer.header("permissions-policy").unwrap().contains("camera=()"));
    assert_eq!(answer.header("strict-transport-security"), None, "there is no TLS");
    assert_eq!(answer.header("server"), None);
}

async fn all_are_strict(world: &World, lines: &[(&str, u16)]) {
    for (line, status) in lines {
        let answer = world.ask(line, &[], "").await;
        assert_eq!(answer.status, *status, "{line}: {answer:?}");
        is_strict(&answer);
    }
}

/// K1: successful responses, problems and rejections have the same headers.
#[tokio::test]
async fn every_response_has_security_headers() {
    let open = [
        ("GET /healthz", 200),
        ("GET /openapi.json", 200),
        ("GET /api/v1/stats", 200),
        ("GET /api/v1/nothing", 404),
        ("DELETE /api/v1/tasks", 405),
        ("POST /api/v1/tasks", 415),
    ];
    all_are_strict(&open_world().await, &open).await;
    let closed = [("GET /api/v1/stats", 401), ("GET /tasks", 303), ("GET /login", 200)];
    all_are_strict(&world().await, &closed).await;
}
