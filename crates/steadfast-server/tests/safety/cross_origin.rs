//! Pages of other sites, and names that are made to point here (K1).

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

/// K1: a stranger's page that is open in a browser on this machine changes nothing.
#[tokio::test]
async fn a_page_of_another_site_changes_nothing_without_tokens() {
    let world = open_world().await;
    for headers in OTHERS {
        let refused = world.ask(PAUSE, headers, "").await.problem(403);
        assert!(refused["detail"].as_str().unwrap().contains("another site"), "{headers:?}");
    }
    assert_eq!(world.ask(PAUSE, &[], "").await.status, 204, "a program says nothing of pages");
    let own = ["Sec-Fetch-Site: same-origin", "Origin: http://localhost"];
    assert_eq!(world.ask(PAUSE, &own, "").await.status, 204);
    assert_eq!(world.ask(PAUSE, &["Origin: http://localhost"], "").await.status, 204);
}

/// K1: nor does it with somebody's session, or to the login itself.
#[tokio::test]
async fn a_page_of_another_site_uses_nobodys_session() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.operator).await.session());
    for headers in OTHERS.into_iter().chain([&[] as &[&str]]) {
        let headers = [headers, &[&*session]].concat();
        world.ask(PAUSE, &headers, "").await.problem(403);
        world.ask("POST /logout", &headers, "").await.problem(403);
    }
    for headers in OTHERS {
        let refused = world.log_in_with(headers, world.tokens.admin.secret(), "").await;
        assert_eq!(refused.header("set-cookie"), None);
        refused.problem(403);
    }
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    assert_eq!(world.ask(PAUSE, &own, "").await.status, 204);
    let token = bearer(&world.tokens.operator);
    assert_eq!(world.ask(PAUSE, &[&token], "").await.status, 204);
}

/// K1: a cookie that comes along with a link is worth a look and nothing else, whatever the method
/// and wherever it leads.
#[tokio::test]
async fn nothing_but_a_look_is_taken_from_another_site() {
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

/// K1: no other site reads an answer either: none is ever told that it may.
#[tokio::test]
async fn no_other_site_may_read_an_answer() {
    let world = open_world().await;
    let preflight = ["Origin: http://evil.example", "Access-Control-Request-Method: POST"];
    for line in ["GET /api/v1/stats", "OPTIONS /api/v1/tasks"] {
        let answer = world.ask(line, &preflight, "").await;
        assert!(!answer.head.to_ascii_lowercase().contains("access-control"), "{answer:?}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    }
}

/// K1: a name that was made to point to this machine gets nothing, not even a look.
#[tokio::test]
async fn a_name_that_points_here_is_not_ours() {
    let world = open_world().await;
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", ""] {
        let header = format!("Host: {host}");
        for line in ["GET /api/v1/stats", "GET /openapi.json", PAUSE] {
            let refused = world.ask(line, &[&header], "").await;
            assert!(matches!(refused.status, 400 | 421), "{host}: {refused:?}");
        }
    }
    let told = world.ask("GET /api/v1/stats", &["Host: evil.example"], "").await.problem(421);
    assert_eq!(told["detail"], json!("this server is not called evil.example"));
    for host in ["localhost:7700", "127.0.0.1", "[::1]:7700"] {
        let header = format!("Host: {host}");
        assert_eq!(world.ask("GET /api/v1/stats", &[&header], "").await.status, 200, "{host}");
    }
    let two = ["Host: localhost", "Host: evil.example"];
    assert!(matches!(world.ask("GET /api/v1/stats", &two, "").await.status, 400 | 421));
}

/// K1: a name that the server was told of is ours, and so are pages from there.
#[tokio::test]
async fn a_name_that_was_told_is_ours() {
    let world = world_of(Tokens::new(), |server| server.host("retry.example")).await;
    let headers = ["Host: retry.example", "Origin: https://retry.example"];
    assert_eq!(world.ask(PAUSE, &headers, "").await.status, 204);
    world.ask(PAUSE, &["Host: other.example"], "").await.problem(421);
}

/// K1: with tokens any name will do: whoever asks has to show one anyway.
#[tokio::test]
async fn with_tokens_any_name_will_do() {
    let world = world().await;
    let headers = ["Host: retry.example", &bearer(&world.tokens.viewer)];
    assert_eq!(world.ask("GET /api/v1/stats", &headers, "").await.status, 200);
}
