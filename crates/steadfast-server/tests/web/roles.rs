//! Who sees what (K1): pages for those who log in, and buttons for those who may press them.

use reqwest::Method;
use steadfast_server::{FreshToken, Role, Server};
use steadfast_store::Task;
use tempfile::TempDir;

use crate::hands::Hands;
use crate::{World, world, world_of};

/// A server that asks for a token of the viewer or of the operator.
pub(crate) async fn guarded() -> (World, String, String, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let viewer = FreshToken::new("vera", Role::Viewer, None).unwrap();
    let operator = FreshToken::new("otto", Role::Operator, None).unwrap();
    std::fs::write(&file, format!("{}{}", viewer.entry(), operator.entry())).unwrap();
    let world = world_of(|server: Server| server.tokens(file)).await;
    (world, viewer.secret().to_owned(), operator.secret().to_owned(), folder)
}

impl World {
    /// Logs in, and gives the cookie.
    pub(crate) async fn log_in(&self, token: &str) -> String {
        let request = self.request(Method::POST, "/login").header("sec-fetch-site", "same-origin");
        let body = serde_urlencoded::to_string([("token", token), ("next", "/tasks")]).unwrap();
        let kind = "application/x-www-form-urlencoded";
        let answer = request.header("content-type", kind).body(body).send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["location"]),
            (303, &"/tasks".parse().unwrap())
        );
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) async fn get_as(&self, cookie: &str, path: &str) -> crate::Answered {
        self.send(self.request(Method::GET, path).header("cookie", cookie)).await
    }
}

/// K1: nobody sees a page without a token, and the way in is a page like the others.
#[tokio::test]
async fn a_page_is_shown_to_those_who_logged_in() {
    let (world, viewer, _, _folder) = guarded().await;
    assert_eq!(
        world.get("/tasks?status=failed").await.redirect(),
        "/login?next=%2Ftasks%3Fstatus%3Dfailed"
    );
    let html = world.get("/login?next=%2Ftasks").await.page(200);
    assert!(html.contains("name=\"token\"") && html.contains("value=\"/tasks\""), "{html}");
    let html = world.post("/login", &[("token", "sf_wrong")]).await.page(401);
    assert!(html.contains("This token is nobody's"), "{html}");
    let cookie = world.log_in(&viewer).await;
    let html = world.get_as(&cookie, "/tasks").await.page(200);
    assert!(html.contains("vera") && html.contains("Log out"), "{html}");
}

/// H2, K1: a store with nothing in it offers a viewer no form either.
#[tokio::test]
async fn a_viewer_is_not_led_to_a_form() {
    let (world, viewer, operator, _folder) = guarded().await;
    let (viewer, operator) = (world.log_in(&viewer).await, world.log_in(&operator).await);
    for path in ["/", "/tasks"] {
        assert!(world.get_as(&operator, path).await.page(200).contains(">or here</a>:"), "{path}");
        let html = world.get_as(&viewer, path).await.page(200);
        assert!(html.contains("Submit one from a terminal:"), "{html}");
    }
}

/// H2, K1: what is shown for a terminal works as it is shown, where a token is asked for as well.
#[tokio::test]
async fn a_command_has_the_token_that_is_asked_for() {
    let (guarded, _, operator, _folder) = guarded().await;
    let (open, cookie) = (world().await, guarded.log_in(&operator).await);
    let token = "-H &quot;Authorization: Bearer $STEADFAST_TOKEN&quot; \\\n  -d";
    for path in ["/", "/tasks", "/workflows"] {
        let html = guarded.get_as(&cookie, path).await.page(200);
        let curls = html.matches("<code>curl ").count();
        assert!(curls > 0, "{html}");
        assert_eq!(html.matches(token).count(), curls, "{html}");
        assert!(html.contains("<code>steadfast token new</code>"), "{html}");
        let html = open.get(path).await.page(200);
        assert!(html.contains("<code>curl ") && !html.contains("STEADFAST_TOKEN"), "{html}");
    }
}

/// H2: behind a proxy that has TLS, the server is called as the browser called it.
#[tokio::test]
async fn a_command_has_the_scheme_of_the_proxy() {
    let proxied = world_of(|server| server.trust_proxy("127.0.0.1".parse().unwrap())).await;
    let plain = world().await;
    for (world, scheme) in [(proxied, "https"), (plain, "http")] {
        let request = world.request(Method::GET, "/tasks").header("x-forwarded-proto", "https");
        let html = world.send(request).await.page(200);
        let address = world.url.replacen("http", scheme, 1);
        assert!(html.contains(&format!("curl {address}/api/v1/tasks")), "{html}");
        assert!(html.contains(&format!("--server {address}")), "{html}");
    }
}

/// K1: whoever may only look is offered nothing to press, and told so if they press it anyway.
#[tokio::test]
async fn a_viewer_is_offered_nothing_that_changes_anything() {
    let (world, viewer, operator, _folder) = guarded().await;
    let id = Hands::of(&world.store).failed_for_good(Task::new("send", &1), "gone").await;
    let place = format!("/tasks/{id}");
    let (viewer, operator) = (world.log_in(&viewer).await, world.log_in(&operator).await);
    for (path, offer) in [
        ("/", "href=\"/tasks/new\""),
        ("/", "data-new=\"/tasks/new\""),
        ("/", "<dd>New task</dd>"),
        ("/tasks?status=failed", "Requeue these"),
        (&place, "Retry once"),
    ] {
        assert!(world.get_as(&operator, path).await.page(200).contains(offer), "{path}");
        assert!(!world.get_as(&viewer, path).await.page(200).contains(offer), "{path}");
    }
    let html = world.get_as(&operator, "/").await.body;
    assert!(!html.contains("href=\"/audit\"") && !html.contains("<dd>Audit</dd>"), "for admins");
    for path in ["/tasks/new", "/tasks/requeue?status=failed"] {
        let html = world.get_as(&viewer, path).await.page(403);
        assert!(html.contains("Not allowed") && html.contains("operator"), "{html}");
    }
    let request = world.request(Method::POST, &format!("{place}/requeue")).header("cookie", viewer);
    let request = request.header("sec-fetch-site", "same-origin");
    let kind = "application/x-www-form-urlencoded";
    world.send(request.header("content-type", kind).body("count=fresh")).await.page(403);
    assert_eq!(world.store.stats().await.unwrap().failed, 1);
}
