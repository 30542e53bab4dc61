//! The `retry` of a node or of a workflow, in the spelling of a workflow engine, as a policy.
//!
//! The library reads that spelling already, to import it. What an import may leave behind with a
//! word would here be a setting that silently does nothing, so it is an error.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use steadfast::Policy;
use steadfast::file::Source;
use steadfast_import::{ImportFormat, ImportReport, Unsupported, import};

use super::problem::Problem;

/// The policy of what is called `id`, by what stands at `path`.
pub(super) fn policy(path: &str, id: &str, value: &Value) -> Result<Arc<Policy>, Vec<Problem>> {
    if !value.is_object() {
        return Err(vec![Problem::at(path, "must be an object with a strategy")]);
    }
    let text = serde_json::json!({ "retry": value }).to_string();
    let imported = import(ImportFormat::Workflow, &Source::new(path, &text));
    let imported = imported.map_err(|wrong| {
        let told = |one: &steadfast::file::Problem| match &one.suggestion {
            Some(next) => format!("{}; {next}", one.message),
            None => one.message.clone(),
        };
        wrong.iter().map(|one| Problem::at(within(path, &one.path), told(one))).collect::<Vec<_>>()
    })?;
    all_supported(path, &imported)?;
    let [only] = imported.policies.as_slice() else {
        return Err(vec![Problem::at(path, "says nothing about retrying")]);
    };
    let built = only.draft().and_then(|draft| draft.id(id).build());
    built.map(Arc::new).map_err(|problem| vec![Problem::at(path, problem.to_string())])
}

/// How often a worker that has the node may be lost.
const LOSSES: u32 = 3;

/// The policy of every node whose retry is not enabled, one for all of them: whatever it fails with
/// is final. A worker that was killed is no failure of the node, so its task is given to another
/// (W4).
pub(super) fn once(path: &str) -> Result<Arc<Policy>, Vec<Problem>> {
    static ONCE: LazyLock<Result<Arc<Policy>, String>> = LazyLock::new(|| {
        let once = Policy::immediate().id("once").max_attempts(LOSSES + 1).abort_on(["any"]);
        once.build().map(Arc::new).map_err(|problem| problem.to_string())
    });
    ONCE.clone().map_err(|problem| vec![Problem::at(path, problem)])
}

fn all_supported(path: &str, imported: &ImportReport) -> Result<(), Vec<Problem>> {
    if imported.unsupported.is_empty() {
        return Ok(());
    }
    let problem = |each: &Unsupported| Problem::at(within(path, &each.path), each.reason.as_str());
    Err(imported.unsupported.iter().map(problem).collect())
}

/// A path in the text that was made for the import, as one in the workflow.
fn within(path: &str, inner: &str) -> String {
    format!("{path}{}", inner.strip_prefix("retry").unwrap_or_default())
}
