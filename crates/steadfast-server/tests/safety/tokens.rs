//! Tokens and the tokens file (K1).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{NewToken, Role, ServeError, Server};
use steadfast_store::Store;

use crate::{Tokens, bearer, world};

const STATS: &str = "GET /api/v1/stats";

/// K1: requests without a token get nothing, whatever they send instead.
#[tokio::test]
async fn request_without_token_is_rejected() {
    let world = world().await;
    let secret = world.tokens.admin.secret().to_owned();
    let cut = secret.get(..secret.len() - 1).unwrap();
    let wrong = [
        String::new(),
        "Authorization: Bearer".to_owned(),
        "Authorization: Bearer ".to_owned(),
        "Authorization: Bearer sf_hunter2".to_owned(),
        format!("Authorization: Bearer {cut}"),
        format!("Authorization: Bearer {secret}a"),
        format!("Authorization: Bearer {}", secret.to_uppercase()),
        format!("Authorization: Basic {secret}"),
        format!("Authorization: {secret}"),
        format!("Cookie: steadfast={secret}"),
    ];
    for header in &wrong {
        let headers: &[&str] = if header.is_empty() { &[] } else { &[header] };
        let answer = world.ask(STATS, headers, "").await;
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{header}: {answer:?}");
        let problem = answer.problem(401);
        assert_eq!(problem["type"], "urn:steadfast:unauthenticated");
    }
    assert_eq!(
        world.ask(STATS, &[&format!("authorization: bearer {secret}")], "").await.status,
        200
    );
}

/// K1: without a token, unknown paths look like known ones.
#[tokio::test]
async fn unknown_paths_without_token_look_like_known_ones() {
    let world = world().await;
    for line in
        ["GET /api/v1/nothing", "DELETE /api/v1/tasks", "GET /metrics", "POST /api/v1/tasks"]
    {
        world.ask(line, &[], "").await.problem(401);
    }
}

/// H1: health checks need no token.
#[tokio::test]
async fn health_is_public() {
    let world = world().await;
    for line in ["GET /healthz", "GET /readyz", "GET /openapi.json"] {
        assert_eq!(world.ask(line, &[], "").await.status, 200, "{line}");
    }
}

/// K1: a token expires at its time.
#[tokio::test]
async fn expired_token_is_rejected() {
    let world = world().await;
    let hour = Duration::from_secs(3600);
    let until = |end| NewToken::new("temp", Role::Admin, Some(end)).unwrap();
    let past = until(Timestamp::now() - hour);
    let future = NewToken::new("next", Role::Admin, Some(Timestamp::now() + hour)).unwrap();
    world.tokens.write(&[&past, &future]);
    world.until_status(401, STATS, &[&bearer(&world.tokens.viewer)]).await;
    assert_eq!(world.ask_as(&future, STATS).await.status, 200);
    let problem = world.ask_as(&past, STATS).await.problem(401);
    assert!(problem["detail"].as_str().unwrap().contains("expired"));
}

/// K1: a revoked token stops working and a new one starts to, without a restart.
#[tokio::test]
async fn tokens_are_added_and_revoked_while_serving() {
    let world = world().await;
    assert_eq!(world.ask_as(&world.tokens.operator, STATS).await.status, 200);
    let fresh = NewToken::new("nina", Role::Viewer, None).unwrap();
    world.tokens.write(&[&world.tokens.viewer, &fresh]);
    world.until_status(401, STATS, &[&bearer(&world.tokens.operator)]).await;
    assert_eq!(world.ask_as(&fresh, STATS).await.status, 200);
    assert_eq!(world.ask_as(&world.tokens.viewer, STATS).await.status, 200);
    let log = world.log().await;
    let reload = log.iter().find(|entry| entry.action == "tokens.reload").unwrap();
    assert_eq!(reload.detail["added"], serde_json::json!(["nina"]));
    assert_eq!(reload.detail["removed"], serde_json::json!(["otto", "ada"]));
}

/// K1: an invalid file changes nothing.
#[tokio::test]
async fn invalid_tokens_file_keeps_previous_tokens() {
    let world = world().await;
    world.tokens.write_text("[[token]]\nname = \"x\"\n");
    // The good file after the bad one is in force: so the bad one was seen, or never will be.
    let fresh = NewToken::new("nina", Role::Viewer, None).unwrap();
    for _ in 0..30 {
        assert_eq!(world.ask_as(&world.tokens.viewer, STATS).await.status, 200);
        // An invalid file has no visible effect to wait for.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    world.tokens.write(&[&world.tokens.viewer, &fresh]);
    world.until_status(200, STATS, &[&bearer(&fresh)]).await;
}

async fn rejected(tokens: &Tokens) -> ServeError {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).without_worker();
    server.tokens(tokens.file()).bind().await.unwrap_err()
}

/// K1: a server with an invalid tokens file does not start, and says why.
#[tokio::test]
async fn server_with_invalid_tokens_file_does_not_start() {
    let tokens = Tokens::new();
    tokens.write_text("[[token]]\nname = \"x\"\nrole = \"king\"\nhash = \"1\"\n");
    let message = rejected(&tokens).await.to_string();
    assert_eq!(message.lines().count(), 2, "{message}");
    assert!(message.contains("tokens.toml:3:8: unknown role `king`"), "{message}");
    tokens.write_text("");
    let error = rejected(&tokens).await;
    assert!(matches!(error, ServeError::NoTokens(_)) && error.to_string().contains("token new"));
    std::fs::remove_file(tokens.file()).unwrap();
    assert!(rejected(&tokens).await.to_string().contains("no such file"));
}
