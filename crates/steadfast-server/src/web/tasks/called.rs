//! What a task is called, beside its kind: fifty calls of `http` are told apart by where they go.
//!
//! The payload says it best, and a list is read without payloads, each of which may be as long as a
//! megabyte. So for the few tasks of a page whose kind says nothing, they are read after it, as far
//! as there is room for them; the others are called by their key, or by their policy.

use std::collections::HashMap;

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{ApiError, TaskView};
use steadfast_store::{Documents, Filter, PageRequest, Store};

/// The kinds that are the same for any number of different things.
const SAYS_NOTHING: [&str; 2] = ["http", "command"];
/// Of so many tasks of a page payloads are read.
const AT_MOST: u32 = 100;
/// And of so many bytes: hundreds of usual ones.
const ROOM: u64 = 128 << 10;
/// What is longer is cut.
const LETTERS: usize = 60;

/// Reads what tells these tasks apart.
pub(super) async fn learn(store: &Store, tasks: &mut [TaskView]) -> Result<(), ApiError> {
    let alike = tasks.iter().filter(|task| SAYS_NOTHING.contains(&task.kind.as_str()));
    let ids: Vec<_> = alike.map(|task| task.id).take(AT_MOST as usize).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let page = PageRequest { limit: AT_MOST, after: None };
    let mut those = Filter::all();
    those.ids = Some(ids);
    let read = store.tasks_with(&those, &page, Documents::UpTo(ROOM)).await?.items;
    let mut payloads: HashMap<_, _> = read.into_iter().map(|it| (it.id, it.payload)).collect();
    for task in tasks {
        if let Some(payload) = payloads.remove(&task.id) {
            task.payload = payload;
        }
    }
    Ok(())
}

/// What it does, if its payload says so. Secrets are masked, whether or not they were before.
pub(super) fn deed(task: &TaskView) -> Option<String> {
    let said = |name: &str| task.payload.get(name).and_then(Value::as_str);
    let deed = match task.kind.as_str() {
        "http" => {
            let method = said("method").unwrap_or("GET");
            let url = Redactor::installed().text(said("url")?);
            format!("{method} {}", path(&url))
        }
        "command" => Redactor::installed().text(said("program")?).into_owned(),
        _ => return None,
    };
    Some(cut(&deed))
}

/// The same of any task: what it does, or its key, or else its policy.
pub(super) fn called(task: &TaskView) -> Option<String> {
    let policy = || task.policy.as_ref().and_then(|policy| policy.id());
    let named = || task.idempotency_key.as_deref().or_else(policy).map(cut);
    deed(task).or_else(named)
}

/// Where a URL leads on its host, or the host if it leads to all of it. What is asked there may be
/// long and is left out.
fn path(url: &str) -> &str {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.split(['?', '#']).next().unwrap_or(url);
    match url.find('/') {
        Some(start) if start + 1 < url.len() => url.get(start..).unwrap_or(url),
        _ => url,
    }
}

fn cut(text: &str) -> String {
    match text.chars().count() > LETTERS {
        true => text.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: where a call goes tells it apart.
    #[test]
    fn a_url_is_told_by_its_path() {
        let told = [
            ("https://api.example.com/hooks/41?full=1#top", "/hooks/41"),
            ("http://127.0.0.1:9/", "127.0.0.1:9/"),
            ("https://api.example.com", "api.example.com"),
            ("nonsense", "nonsense"),
            ("", ""),
        ];
        for (url, expected) in told {
            assert_eq!(path(url), expected, "{url}");
        }
    }

    /// H2: a name stays on its line.
    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"ü".repeat(61)).chars().count(), LETTERS);
    }
}
