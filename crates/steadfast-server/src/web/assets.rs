//! Style sheet, scripts and logo, embedded in the binary.
//!
//! Each URL contains a hash of the content, so browsers cache the files forever and still load the
//! new ones after an upgrade.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::Uri;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::no_such_path;

const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! asset {
    ($name:literal) => {
        include_str!(concat!("../../assets/", $name))
    };
}

const SCRIPTS: [(&str, &str); 11] = [
    ("theme.js", asset!("theme.js")),
    ("page.js", asset!("page.js")),
    ("live.js", asset!("live.js")),
    ("morph.js", asset!("morph.js")),
    ("form_sync.js", asset!("form_sync.js")),
    ("times.js", asset!("times.js")),
    ("shortcuts.js", asset!("shortcuts.js")),
    ("dialogs.js", asset!("dialogs.js")),
    ("charts.js", asset!("charts.js")),
    ("whatif.js", asset!("whatif.js")),
    ("pause.js", asset!("pause.js")),
];
const LOGO: &str = asset!("mark.svg");

static STYLESHEET: LazyLock<String> = LazyLock::new(|| {
    // The page's rules come last so that they override those of the charts.
    let sheets = [
        &steadfast_draw::stylesheet(),
        asset!("tokens.css"),
        asset!("frame.css"),
        asset!("parts.css"),
        asset!("pages.css"),
        asset!("policies.css"),
        asset!("monitoring.css"),
    ];
    sheets.join("\n")
});

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    (STYLESHEET.as_str(), SCRIPTS, LOGO).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
});

pub(super) fn url(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

pub(super) async fn serve(uri: Uri, Path((version, name)): Path<(String, String)>) -> Response {
    let found = (version == *VERSION).then(|| find(&name)).flatten();
    match found {
        Some((kind, text)) => {
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, CACHE_FOREVER)], text).into_response()
        }
        None => no_such_path(uri).await.into_response(),
    }
}

fn find(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "page.css" => Some((CSS, STYLESHEET.as_str())),
        "mark.svg" => Some((SVG, LOGO)),
        _ => {
            let script = SCRIPTS.into_iter().find(|(script, _)| *script == name);
            script.map(|(_, text)| (JAVASCRIPT, text))
        }
    }
}
