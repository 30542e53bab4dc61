//! The view `runs`, read and printed.

use std::path::Path;

use comfy_table::{ContentArrangement, Table, presets};

use crate::view::connect;

const READ: &str = "SELECT run, status, is_open, retry_count, next_retry_at, error_class, error, \
                    gave_up, differences FROM runs";

/// One row of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// `CATEGORY/NAME`.
    pub run: String,
    /// `discovered`, `processing`, `passed`, `needs_review`, `failed` or `error`.
    pub status: String,
    /// Whether it has not ended yet.
    pub is_open: bool,
    /// Started and scheduled retries.
    pub retry_count: i64,
    /// The time of the next retry, if any.
    pub next_retry_at: Option<String>,
    /// The class of its last error.
    pub error_class: Option<String>,
    /// The message of its last error.
    pub error: Option<String>,
    /// The reason why it gave up.
    pub gave_up: Option<String>,
    /// The differences to the recorded response.
    pub differences: Option<String>,
}

/// Reads the view.
///
/// # Errors
/// The file or the view does not exist.
pub async fn read(store: &Path) -> sqlx::Result<Vec<Run>> {
    type Text = Option<String>;
    type Row = (String, String, bool, i64, Text, Text, Text, Text, Text);
    let rows: Vec<Row> = sqlx::query_as(READ).fetch_all(&mut connect(store).await?).await?;
    let run = |row: Row| {
        let (run, status, is_open, retry_count, ..) = row;
        let (.., next_retry_at, error_class, error, gave_up, differences) = row;
        Run {
            run,
            status,
            is_open,
            retry_count,
            next_retry_at,
            error_class,
            error,
            gave_up,
            differences,
        }
    };
    Ok(rows.into_iter().map(run).collect())
}

/// The runs as a text table.
#[must_use]
pub fn table(runs: &[Run]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["run", "status", "retry_count", "next_retry_at", "error_class", "remark"]);
    for run in runs {
        let error = [&run.gave_up, &run.error].into_iter().flatten().map(String::as_str);
        let remark = run.differences.clone().unwrap_or(error.collect::<Vec<_>>().join(": "));
        table.add_row([
            &run.run,
            &run.status,
            &run.retry_count.to_string(),
            run.next_retry_at.as_deref().unwrap_or_default(),
            run.error_class.as_deref().unwrap_or_default(),
            &remark,
        ]);
    }
    table.trim_fmt()
}
