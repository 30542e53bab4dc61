//! The policy file check: the same errors as `steadfast policy check`.

use crate::cli::Common;
use crate::commands::policy::check::CheckedFile;
use crate::config;

use super::finding::{Finding, Verdict};

/// Returns `None` without a policy file, which is optional.
pub(super) fn check(common: &Common) -> Option<Finding> {
    let file = config::unchecked(common.config.as_deref())?;
    let checked = CheckedFile::of(&file, None);
    let finding = |verdict| Some(Finding::new("policies", verdict));
    let Some(problems) = checked.problems() else {
        return finding(Verdict::ok(checked.summary()));
    };
    let mut verdict = Verdict::problem(checked.summary())
        .fact("problems", serde_json::to_value(problems).unwrap_or_default());
    for problem in problems {
        let position = match (problem.line, problem.column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            _ => String::new(),
        };
        let path = if problem.path.is_empty() { "" } else { &format!(" {}:", problem.path) };
        let next = problem.suggestion.as_ref().map(|next| format!(" ({next})"));
        let next = next.unwrap_or_default();
        verdict =
            verdict.say(format!("{}{position}:{path} {}{next}", problem.file, problem.message));
    }
    let shown = format!("steadfast policy check {}", file.display());
    finding(verdict.advise("show each with its line:", [shown]))
}
