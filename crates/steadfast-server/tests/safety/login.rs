//! Login to the web UI (K1).

use steadfast_server::{NewToken, Role};

use crate::{Tokens, bearer, open_world, world, world_of};

const STATS: &str = "GET /api/v1/stats";

/// K1: browsers without a session are redirected to the login and back; programs get a 401.
#[tokio::test]
async fn page_without_session_redirects_to_login() {
    let world = world().await;
    let sent = world.ask("GET /tasks?status=failed", &[], "").await;
    assert_eq!(
        (sent.status, sent.header("location")),
        (303, Some("/login?next=%2Ftasks%3Fstatus%3Dfailed"))
    );
    let form = world.ask("GET /login?next=%2Ftasks%3Fstatus%3Dfailed", &[], "").await;
    assert!(form.body.contains("value=\"/tasks?status=failed\""), "{form:?}");
    assert_eq!(form.header("cache-control"), Some("no-store"));
    let sent = world.ask("POST /tasks", &[], "").await;
    assert_eq!((sent.status, sent.header("location")), (303, Some("/login")));
}

/// K1: a server without web UI has no login to redirect to.
#[tokio::test]
async fn server_without_web_ui_returns_401() {
    let tokens = Tokens::new();
    let file = tokens.file();
    let world = world_of(tokens, |server| server.tokens(file).without_web_ui()).await;
    world.ask("GET /tasks", &[], "").await.problem(401);
    world.ask("GET /login", &[], "").await.problem(404);
}

/// K1: a login starts a session with the role of the token until logout.
#[tokio::test]
async fn login_starts_and_logout_ends_session() {
    let world = world().await;
    let login = world.log_in_with(&[], world.tokens.viewer.secret(), "%2Ftasks").await;
    assert_eq!((login.status, login.header("location")), (303, Some("/tasks")));
    let cookie = login.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain") && !cookie.contains(world.tokens.viewer.secret()));

    let session = format!("Cookie: {}", login.session());
    assert_eq!(world.ask(STATS, &[&session], "").await.status, 200);
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    world.ask("POST /api/v1/queues/a/pause", &own, "").await.problem(403);

    let left = world.ask("POST /logout", &own, "").await;
    assert_eq!((left.status, left.header("location")), (303, Some("/login")));
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    world.ask(STATS, &[&session], "").await.problem(401);
}

/// K1: forwarded basic authentication is not a token: sessions work, others are asked to log in, and
/// nothing is throttled.
#[tokio::test]
async fn basic_auth_of_proxy_is_ignored() {
    let world = world().await;
    let basic = "Authorization: Basic YWRhOmh1bnRlcjI=";
    for _ in 0..20 {
        let sent = world.ask("GET /tasks", &[basic], "").await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/login?next=%2Ftasks")));
        world.ask(STATS, &[basic], "").await.problem(401);
    }
    let login = world.log_in_with(&[basic], world.tokens.viewer.secret(), "").await;
    let session = format!("Cookie: {}", login.session());
    assert_eq!(world.ask("GET /tasks", &[basic, &session], "").await.status, 200);
    let wrong = ["Authorization: Bearer sf_wrong", &session];
    world.ask(STATS, &wrong, "").await.problem(401);
}

/// K1: the redirect never leads to another server.
#[tokio::test]
async fn login_redirect_stays_on_server() {
    let world = world().await;
    for away in
        ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2F%09%2Fevil"]
    {
        let login = world.log_in_with(&[], world.tokens.viewer.secret(), away).await;
        assert_eq!((login.status, login.header("location")), (303, Some("/")), "{away}");
    }
}

/// K1: an invalid token starts no session and is not echoed.
#[tokio::test]
async fn invalid_token_starts_no_session() {
    let world = world().await;
    let wrong = world.log_in_with(&[], "sf_wrong", "%2Ftasks%22%3E%3Cscript%3E").await;
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    assert!(wrong.body.contains("role=\"alert\"") && !wrong.body.contains("sf_wrong"));
    assert!(!wrong.body.contains("<script>"));
    // An unknown session, and the id of a real one as a token.
    world.ask(STATS, &["Cookie: steadfast=a"], "").await.problem(401);
    let id = world.log_in(&world.tokens.admin).await.session();
    let as_token = format!("Authorization: Bearer {}", id.split_once('=').unwrap().1);
    world.ask(STATS, &[&as_token], "").await.problem(401);
}

/// K1: a revoked token ends its sessions, and a changed role applies to them.
#[tokio::test]
async fn session_follows_its_token() {
    let world = world().await;
    let vera = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let otto = format!("Cookie: {}", world.log_in(&world.tokens.operator).await.session());
    let raised = world.tokens.viewer.entry().replace("viewer", "admin");
    world.tokens.write_text(&raised);
    world.until_status(200, "GET /api/v1/audit", &[&vera]).await;
    world.ask(STATS, &[&otto], "").await.problem(401);
}

/// K1: behind a TLS proxy the cookie is bound to TLS.
#[tokio::test]
async fn cookie_behind_tls_proxy_is_secure() {
    let world = world().await;
    let headers = ["Host: retry.example", "Origin: https://retry.example"];
    let login = world.log_in_with(&headers, world.tokens.viewer.secret(), "").await;
    let cookie = login.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-steadfast=") && cookie.contains("; Secure"), "{cookie}");
    let session = format!("Cookie: {}", login.session());
    assert_eq!(world.ask(STATS, &[&session], "").await.status, 200);
}

/// K1: instances on ports of one host do not log each other out.
#[tokio::test]
async fn instances_on_one_host_have_separate_sessions() {
    let (one, other) = (world().await, world().await);
    let at = ["Host: localhost:7701", "Host: localhost:7702"];
    let first = one.log_in_with(&at[..1], one.tokens.viewer.secret(), "").await.session();
    let second = other.log_in_with(&at[1..], other.tokens.viewer.secret(), "").await.session();
    let name = |session: &str| session.split('=').next().unwrap().to_owned();
    assert_eq!((&*name(&first), &*name(&second)), ("steadfast-7701", "steadfast-7702"));
    let jar = format!("Cookie: {first}; {second}");
    assert_eq!(one.ask(STATS, &[at[0], &jar], "").await.status, 200);
    assert_eq!(other.ask(STATS, &[at[1], &jar], "").await.status, 200);
    let own = [at[0], &jar, "Sec-Fetch-Site: same-origin"];
    let left = one.ask("POST /logout", &own, "").await;
    assert!(left.header("set-cookie").unwrap().starts_with("steadfast-7701=;"), "{left:?}");
    assert_eq!(other.ask(STATS, &[at[1], &jar], "").await.status, 200);
}

/// K1: a link from a chat or a dashboard uses the session.
#[tokio::test]
async fn cross_site_link_uses_session() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let followed = [&*session, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(world.ask("GET /tasks", &followed, "").await.status, 200);
}

/// K1: without authentication there is no login.
#[tokio::test]
async fn server_without_tokens_has_no_login() {
    let world = open_world().await;
    for line in ["GET /login", "POST /login"] {
        let sent = world.ask(line, &[], "").await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/")), "{line}");
    }
    let stray = NewToken::new("stray", Role::Viewer, None).unwrap();
    assert_eq!(world.ask(STATS, &[&bearer(&stray)], "").await.status, 200);
}

/// K1: a form that is sent after its session has ended changes nothing.
#[tokio::test]
async fn form_of_ended_session_is_rejected() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.operator).await.session());
    let form = "Content-Type: application/x-www-form-urlencoded";
    let own = [&*session, form, "Sec-Fetch-Site: same-origin"];
    let paused = world.ask("POST /queues/mail/pause", &own, "").await;
    assert_eq!(paused.status, 303);
    assert_eq!(world.ask("POST /queues/mail/resume", &own, "").await.status, 303);
    world.ask("POST /logout", &own, "").await;
    let replayed = world.ask("POST /queues/mail/pause", &own, "").await;
    assert_eq!((replayed.status, replayed.header("location")), (303, Some("/login")));
    world.ask("POST /api/v1/queues/mail/pause", &own, "").await.problem(401);
    let queues = world.ask_as(&world.tokens.viewer, "GET /api/v1/queues").await;
    assert!(!queues.body.contains("\"paused\":true"), "{queues:?}");
}
