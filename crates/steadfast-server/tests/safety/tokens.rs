//! Tokens, and the file that they are in (K1).

use std::time::Duration;

use jiff::Timestamp;
use steadfast_server::{NewToken, Role, ServeError, Server};
use steadfast_store::Store;

use crate::{Tokens, bearer, world};

const STATS: &str = "GET /api/v1/stats";

/// K1: nothing is told to whoever has no token, whatever they send instead.
#[tokio::test]
async fn without_a_token_nothing_is_told() {
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

/// K1: paths that nobody serves are not told from those that are.
#[tokio::test]
async fn whoever_is_nobody_learns_no_paths() {
    let world = world().await;
    for line in
        ["GET /api/v1/nothing", "DELETE /api/v1/tasks", "GET /metrics", "POST /api/v1/tasks"]
    {
        world.ask(line, &[], "").await.problem(401);
    }
}

/// H1: what tells how the server is can be asked by whoever watches it.
#[tokio::test]
async fn health_is_told_to_everybody() {
    let world = world().await;
    for line in ["GET /healthz", "GET /readyz", "GET /openapi.json"] {
        assert_eq!(world.ask(line, &[], "").await.status, 200, "{line}");
    }
}

/// K1: a token ends when it says so.
#[tokio::test]
async fn an_expired_token_is_nobodys() {
    let world = world().await;
    let hour = Duration::from_secs(3600);
    let until = |end| NewToken::new("temp", Role::Admin, Some(end)).unwrap();
    let past = until(Timestamp::now() - hour);
    let future = NewToken::new("next", Role::Admin, Some(Timestamp::now() + hour)).unwrap();
    world.tokens.write(&[&past, &future]);
    world.until_status(401, STATS, &[&bearer(&world.tokens.viewer)]).await;
    assert_eq!(world.ask_as(&future, STATS).await.status, 200);
    let told = world.ask_as(&past, STATS).await.problem(401);
    assert!(told["detail"].as_str().unwrap().contains("expired"));
}

/// K1: a token that is taken back is worth nothing from then on, and a new one is worth
/// something; nobody has to start anything again.
#[tokio::test]
async fn tokens_are_given_and_taken_back_while_it_runs() {
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

/// K1: a file with an error changes nothing.
#[tokio::test]
async fn a_bad_file_leaves_the_tokens_as_they_were() {
    let world = world().await;
    world.tokens.write_text("[[token]]\nname = \"x\"\n");
    // The good file after the bad one is in force: so the bad one was seen, or never will be.
    let fresh = NewToken::new("nina", Role::Viewer, None).unwrap();
    for _ in 0..30 {
        assert_eq!(world.ask_as(&world.tokens.viewer, STATS).await.status, 200);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    world.tokens.write(&[&world.tokens.viewer, &fresh]);
    world.until_status(200, STATS, &[&bearer(&fresh)]).await;
}

async fn refused(tokens: &Tokens) -> ServeError {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).without_worker();
    server.tokens(tokens.file()).bind().await.unwrap_err()
}

/// K1: a server with a tokens file that it cannot use does not start, and says why.
#[tokio::test]
async fn a_server_does_not_start_with_a_bad_file() {
    let tokens = Tokens::new();
    tokens.write_text("[[token]]\nname = \"x\"\nrole = \"king\"\nhash = \"1\"\n");
    let told = refused(&tokens).await.to_string();
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("tokens.toml:3:8: there is no role `king`"), "{told}");
    tokens.write_text("");
    let told = refused(&tokens).await;
    assert!(matches!(told, ServeError::NoTokens(_)) && told.to_string().contains("token new"));
    std::fs::remove_file(tokens.file()).unwrap();
    assert!(refused(&tokens).await.to_string().contains("there is no such file"));
}
