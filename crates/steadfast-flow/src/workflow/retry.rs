//! The policy of a node's or a workflow's `retry`, in the format of a workflow engine.
//!
//! The importer parses this format. A setting that an import would drop with a warning would silently
//! do nothing here, so it is an error.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use steadfast::Policy;
use steadfast::file::Source;
use steadfast_import::{ImportFormat, ImportReport, Unsupported, import};

use super::problem::Problem;

/// The policy with this id, from the value at `path`.
pub(super) fn policy(path: &str, id: &str, value: &Value) -> Result<Arc<Policy>, Vec<Problem>> {
    if !value.is_object() {
        return Err(vec![Problem::at(path, "must be an object with a strategy")]);
    }
    let text = serde_json::json!({ "retry": value }).to_string();
    let imported = import(ImportFormat::Workflow, &Source::new(path, &text));
    let imported = imported.map_err(|problems| {
        let message = |one: &steadfast::file::Problem| match &one.suggestion {
            Some(next) => format!("{}; {next}", one.message),
            None => one.message.clone(),
        };
        let problems = problems.iter();
        problems.map(|one| Problem::at(within(path, &one.path), message(one))).collect::<Vec<_>>()
    })?;
    reject_dropped_settings(path, &imported)?;
    let [only] = imported.policies.as_slice() else {
        return Err(vec![Problem::at(path, "has no retry settings")]);
    };
    let built = only.draft().and_then(|draft| draft.id(id).build());
    built.map(Arc::new).map_err(|problem| vec![Problem::at(path, problem.to_string())])
}

/// How often the worker of a node may be lost.
const MAX_LOST_WORKERS: u32 = 3;

/// The shared policy of all nodes without an enabled retry: every fault is final. A lost worker is not a
/// failure of the node, so its task runs on another worker (W4).
pub(super) fn once(path: &str) -> Result<Arc<Policy>, Vec<Problem>> {
    static ONCE: LazyLock<Result<Arc<Policy>, String>> = LazyLock::new(|| {
        let once =
            Policy::immediate().id("no-retry").max_attempts(MAX_LOST_WORKERS + 1).abort_on(["any"]);
        once.build().map(Arc::new).map_err(|problem| problem.to_string())
    });
    ONCE.clone().map_err(|problem| vec![Problem::at(path, problem)])
}

fn reject_dropped_settings(path: &str, imported: &ImportReport) -> Result<(), Vec<Problem>> {
    if imported.unsupported.is_empty() {
        return Ok(());
    }
    let problem = |each: &Unsupported| Problem::at(within(path, &each.path), each.reason.as_str());
    Err(imported.unsupported.iter().map(problem).collect())
}

/// Translates a path of the imported text to a path of the workflow.
fn within(path: &str, inner: &str) -> String {
    format!("{path}{}", inner.strip_prefix("retry").unwrap_or_default())
}
