//! The style sheet and the scripts, in the program itself.
//!
//! Their address holds a hash of what they say, so a browser keeps them for good and still never
//! has those of another version.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::Uri;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::problem::no_such_path;

const FOR_GOOD: &str = "public, max-age=31536000, immutable";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

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
    ("now.js", asset!("now.js")),
    ("times.js", asset!("times.js")),
    ("keys.js", asset!("keys.js")),
    ("dialogs.js", asset!("dialogs.js")),
    ("charts.js", asset!("charts.js")),
    ("whatif.js", asset!("whatif.js")),
    ("hold.js", asset!("hold.js")),
];
const MARK: &str = asset!("mark.svg");

static SHEET: LazyLock<String> = LazyLock::new(|| {
    // The page's own rules come last, so they win over those of the charts.
    let sheets = [
        &steadfast_draw::stylesheet(),
        asset!("tokens.css"),
        asset!("frame.css"),
        asset!("parts.css"),
        asset!("pages.css"),
        asset!("policies.css"),
        asset!("watching.css"),
    ];
    sheets.join("\n")
});

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    (SHEET.as_str(), SCRIPTS, MARK).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
});

/// Where a file of this name is.
pub(super) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// A file.
pub(super) async fn serve(uri: Uri, Path((version, name)): Path<(String, String)>) -> Response {
    let found = (version == *VERSION).then(|| find(&name)).flatten();
    match found {
        Some((kind, text)) => {
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, FOR_GOOD)], text).into_response()
        }
        None => no_such_path(uri).await.into_response(),
    }
}

fn find(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "page.css" => Some((CSS, SHEET.as_str())),
        "mark.svg" => Some((PICTURE, MARK)),
        _ => {
            let script = SCRIPTS.into_iter().find(|(script, _)| *script == name);
            script.map(|(_, text)| (SCRIPT, text))
        }
    }
}
