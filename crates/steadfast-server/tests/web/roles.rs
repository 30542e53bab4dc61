//! Login and roles (K1).

use reqwest::Method;
use steadfast_server::{NewToken, Role, Server};
use steadfast_store::Task;
use tempfile::TempDir;

use crate::test_worker::TestWorker;
use crate::{TestApp, app, app_with};

/// A server with tokens of a viewer and an operator.
pub(crate) async fn guarded() -> (TestApp, String, String, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.toml");
    let viewer = NewToken::new("vera", Role::Viewer, None).unwrap();
    let operator = NewToken::new("otto", Role::Operator, None).unwrap();
    std::fs::write(&file, format!("{}{}", viewer.entry(), operator.entry())).unwrap();
    let app = app_with(|server: Server| server.tokens(file)).await;
    (app, viewer.secret().to_owned(), operator.secret().to_owned(), folder)
}

impl TestApp {
    /// Logs in and returns the cookie.
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

    pub(crate) async fn get_as(&self, cookie: &str, path: &str) -> crate::TestResponse {
        self.send(self.request(Method::GET, path).header("cookie", cookie)).await
    }
}

/// K1: pages require a login.
#[tokio::test]
async fn page_requires_login() {
    let (app, viewer, _, _folder) = guarded().await;
    assert_eq!(
        app.get("/tasks?status=failed").await.redirect(),
        "/login?next=%2Ftasks%3Fstatus%3Dfailed"
    );
    let html = app.get("/login?next=%2Ftasks").await.page(200);
    assert!(html.contains("name=\"token\"") && html.contains("value=\"/tasks\""), "{html}");
    let html = app.post("/login", &[("token", "sf_wrong")]).await.page(401);
    assert!(html.contains("Invalid, revoked or expired token"), "{html}");
    let cookie = app.log_in(&viewer).await;
    let html = app.get_as(&cookie, "/tasks").await.page(200);
    assert!(html.contains("vera") && html.contains("Log out"), "{html}");
}

/// H2, K1: the empty state offers viewers no form.
#[tokio::test]
async fn empty_state_offers_viewers_no_form() {
    let (app, viewer, operator, _folder) = guarded().await;
    let (viewer, operator) = (app.log_in(&viewer).await, app.log_in(&operator).await);
    for path in ["/", "/tasks"] {
        assert!(
            app.get_as(&operator, path).await.page(200).contains(">with the form</a>:"),
            "{path}"
        );
        let html = app.get_as(&viewer, path).await.page(200);
        assert!(html.contains("Submit a task from the command line:"), "{html}");
    }
}

/// H2, K1: shown commands include the token if the server requires one.
#[tokio::test]
async fn command_includes_the_required_token() {
    let (guarded, _, operator, _folder) = guarded().await;
    let (open, cookie) = (app().await, guarded.log_in(&operator).await);
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

/// H2: behind a TLS proxy, commands use the URL of the proxy.
#[tokio::test]
async fn command_has_the_scheme_of_the_proxy() {
    let proxied = app_with(|server| server.trust_proxy("127.0.0.1".parse().unwrap())).await;
    let plain = app().await;
    for (app, scheme) in [(proxied, "https"), (plain, "http")] {
        let request = app.request(Method::GET, "/tasks").header("x-forwarded-proto", "https");
        let html = app.send(request).await.page(200);
        let address = app.url.replacen("http", scheme, 1);
        assert!(html.contains(&format!("curl {address}/api/v1/tasks")), "{html}");
        assert!(html.contains(&format!("--server {address}")), "{html}");
    }
}

/// K1: viewers see no actions, and their requests are rejected.
#[tokio::test]
async fn viewer_is_offered_no_actions() {
    let (app, viewer, operator, _folder) = guarded().await;
    let id = TestWorker::new(&app.store).failed(Task::new("send", &1), "gone").await;
    let path = format!("/tasks/{id}");
    let (viewer, operator) = (app.log_in(&viewer).await, app.log_in(&operator).await);
    for (path, offer) in [
        ("/", "href=\"/tasks/new\""),
        ("/", "data-new=\"/tasks/new\""),
        ("/", "<dd>New task</dd>"),
        ("/tasks?status=failed", "Requeue all"),
        (&path, "Requeue for one more attempt"),
    ] {
        assert!(app.get_as(&operator, path).await.page(200).contains(offer), "{path}");
        assert!(!app.get_as(&viewer, path).await.page(200).contains(offer), "{path}");
    }
    let html = app.get_as(&operator, "/").await.body;
    assert!(!html.contains("href=\"/audit\"") && !html.contains("<dd>Audit</dd>"), "for admins");
    for path in ["/tasks/new", "/tasks/requeue?status=failed"] {
        let html = app.get_as(&viewer, path).await.page(403);
        assert!(html.contains("Permission denied") && html.contains("operator"), "{html}");
    }
    let request = app.request(Method::POST, &format!("{path}/requeue")).header("cookie", viewer);
    let request = request.header("sec-fetch-site", "same-origin");
    let kind = "application/x-www-form-urlencoded";
    app.send(request.header("content-type", kind).body("count=fresh")).await.page(403);
    assert_eq!(app.store.stats().await.unwrap().failed, 1);
}
