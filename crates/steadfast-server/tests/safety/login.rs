//! Logging in to the page (K1).

use steadfast_server::{NewToken, Role};

use crate::{Tokens, bearer, open_world, world, world_of};

const STATS: &str = "GET /api/v1/stats";

/// K1: people without a session are led to the login and back, programs are told.
#[tokio::test]
async fn whoever_wants_a_page_is_asked_to_log_in() {
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

/// K1: a server without pages has no login to lead to.
#[tokio::test]
async fn without_pages_everybody_is_told() {
    let tokens = Tokens::new();
    let file = tokens.file();
    let world = world_of(tokens, |server| server.tokens(file).without_web_ui()).await;
    world.ask("GET /tasks", &[], "").await.problem(401);
    world.ask("GET /login", &[], "").await.problem(404);
}

/// K1: a token begins a session, which is worth the same until it ends.
#[tokio::test]
async fn a_session_is_begun_and_ended() {
    let world = world().await;
    let begun = world.log_in_with(&[], world.tokens.viewer.secret(), "%2Ftasks").await;
    assert_eq!((begun.status, begun.header("location")), (303, Some("/tasks")));
    let cookie = begun.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain") && !cookie.contains(world.tokens.viewer.secret()));

    let session = format!("Cookie: {}", begun.session());
    assert_eq!(world.ask(STATS, &[&session], "").await.status, 200);
    let own = [&*session, "Sec-Fetch-Site: same-origin"];
    world.ask("POST /api/v1/queues/a/pause", &own, "").await.problem(403);

    let left = world.ask("POST /logout", &own, "").await;
    assert_eq!((left.status, left.header("location")), (303, Some("/login")));
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    world.ask(STATS, &[&session], "").await.problem(401);
}

/// K1: a proxy that asks for a password of its own passes it on, and that is no token: whoever has a
/// session is who they are, whoever has none is asked to log in, and nobody has to wait for it.
#[tokio::test]
async fn a_password_for_a_proxy_is_no_wrong_token() {
    let world = world().await;
    let basic = "Authorization: Basic YWRhOmh1bnRlcjI=";
    for _ in 0..20 {
        let sent = world.ask("GET /tasks", &[basic], "").await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/login?next=%2Ftasks")));
        world.ask(STATS, &[basic], "").await.problem(401);
    }
    let begun = world.log_in_with(&[basic], world.tokens.viewer.secret(), "").await;
    let session = format!("Cookie: {}", begun.session());
    assert_eq!(world.ask("GET /tasks", &[basic, &session], "").await.status, 200);
    let wrong = ["Authorization: Bearer sf_wrong", &session];
    world.ask(STATS, &wrong, "").await.problem(401);
}

/// K1: the way on never leads away from this server.
#[tokio::test]
async fn the_login_leads_to_no_other_server() {
    let world = world().await;
    for away in
        ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2F%09%2Fevil"]
    {
        let begun = world.log_in_with(&[], world.tokens.viewer.secret(), away).await;
        assert_eq!((begun.status, begun.header("location")), (303, Some("/")), "{away}");
    }
}

/// K1: a wrong token begins nothing, and is not shown again.
#[tokio::test]
async fn a_wrong_token_begins_no_session() {
    let world = world().await;
    let wrong = world.log_in_with(&[], "sf_wrong", "%2Ftasks%22%3E%3Cscript%3E").await;
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    assert!(wrong.body.contains("role=\"alert\"") && !wrong.body.contains("sf_wrong"));
    assert!(!wrong.body.contains("<script>"));
    // A session that nobody began, and the id of a real one as a token.
    world.ask(STATS, &["Cookie: steadfast=a"], "").await.problem(401);
    let id = world.log_in(&world.tokens.admin).await.session();
    let as_token = format!("Authorization: Bearer {}", id.split_once('=').unwrap().1);
    world.ask(STATS, &[&as_token], "").await.problem(401);
}

/// K1: a token that is taken back ends its sessions, and one whose role changes changes them.
#[tokio::test]
async fn a_session_is_worth_what_its_token_is_worth() {
    let world = world().await;
    let vera = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let otto = format!("Cookie: {}", world.log_in(&world.tokens.operator).await.session());
    let raised = world.tokens.viewer.entry().replace("viewer", "admin");
    world.tokens.write_text(&raised);
    world.until_status(200, "GET /api/v1/audit", &[&vera]).await;
    world.ask(STATS, &[&otto], "").await.problem(401);
}

/// K1: a proxy with TLS before the server: the browser tells, and the cookie is bound to it.
#[tokio::test]
async fn behind_tls_the_cookie_is_bound_to_it() {
    let world = world().await;
    let headers = ["Host: retry.example", "Origin: https://retry.example"];
    let begun = world.log_in_with(&headers, world.tokens.viewer.secret(), "").await;
    let cookie = begun.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-steadfast=") && cookie.contains("; Secure"), "{cookie}");
    let session = format!("Cookie: {}", begun.session());
    assert_eq!(world.ask(STATS, &[&session], "").await.status, 200);
}

/// K1: a browser keeps one cookie for all ports of a host, and instances there do not log each
/// other out.
#[tokio::test]
async fn who_logs_in_to_one_instance_stays_logged_in_to_the_other() {
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

/// K1: who follows a link from a chat or a dashboard is who they are.
#[tokio::test]
async fn a_link_from_another_site_finds_those_who_are_logged_in() {
    let world = world().await;
    let session = format!("Cookie: {}", world.log_in(&world.tokens.viewer).await.session());
    let followed = [&*session, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(world.ask("GET /tasks", &followed, "").await.status, 200);
}

/// K1: where nobody is asked, there is nothing to log in to.
#[tokio::test]
async fn without_tokens_there_is_no_login() {
    let world = open_world().await;
    for line in ["GET /login", "POST /login"] {
        let sent = world.ask(line, &[], "").await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/")), "{line}");
    }
    let stray = NewToken::new("stray", Role::Viewer, None).unwrap();
    assert_eq!(world.ask(STATS, &[&bearer(&stray)], "").await.status, 200);
}

/// K1: a form that is sent again after its session has ended changes nothing.
#[tokio::test]
async fn a_form_of_an_ended_session_changes_nothing() {
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
