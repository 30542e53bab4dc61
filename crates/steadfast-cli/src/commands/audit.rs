//! `steadfast audit`: the audit log (K3).

use jiff::Timestamp;
use serde_json::Value;
use steadfast_api::{Api, AuditFilter, Page};
use steadfast_store::{AuditEntry, When};

use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::{relative_time, stacked_row, truncate, width};
use crate::paging::{self, Paging};
use crate::past_time;

const EXAMPLES: &[Example] = &[
    ("steadfast audit", "newest first"),
    ("steadfast audit --actor ada", "entries of one actor"),
    ("steadfast audit --target mail", "entries about one queue"),
    ("steadfast audit --action task.cancel", "which tasks were cancelled?"),
    ("steadfast audit --limit 1000 --json", "for a script"),
];

/// Show the audit log: who changed tasks and queues, and when.
///
/// Every change made by a user or a program is recorded with actor, origin and time, and entries
/// are never modified. Lists the newest entries first.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct AuditCommand {
    /// Only entries of this actor
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,

    /// Only entries about this target: a task id or a queue name
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Only entries of this action, such as `task.cancel` or `queue.pause`
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,

    /// Only entries since this time: a duration ago (2h) or a timestamp (2026-07-01T08:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = past_time::parse)]
    since: Option<When>,

    #[command(flatten)]
    paging: Paging,

    #[command(flatten)]
    store: Target,
}

impl AuditCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let page = target::block_on(async {
            let api = self.store.open().await?;
            self.ask(&*api).await
        })?;
        common.output().print(&page)?;
        paging::note(page.page.next.as_ref());
        Ok(Exit::Success)
    }

    async fn ask(&self, api: &dyn Api) -> Result<AuditPage, CliError> {
        let now = api.now().await?;
        let filter = AuditFilter {
            actor: self.actor.clone(),
            target: self.target.clone(),
            action: self.action.clone(),
            since: self.since.map(|when| past_time::resolve(now, when)),
        };
        let page = api.audit(&filter, &self.paging.query()).await?;
        Ok(AuditPage { page, now, is_filtered: filter != AuditFilter::default() })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct AuditPage {
    page: Page<AuditEntry>,
    #[serde(skip)]
    now: Timestamp,
    #[serde(skip)]
    is_filtered: bool,
}

/// The longest details shown in the table.
const MAX_DETAIL_CHARS: usize = 60;

impl Printable for AuditPage {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.page.items.is_empty() {
            return page.write_all(match (self.is_filtered, self.page.next.is_some()) {
                (true, true) => b"no matching entries on this page; continue with older ones\n",
                (true, false) => b"no matching entries; names must be spelled as in the log\n",
                (false, _) => b"no entries yet\n",
            });
        }
        let columns = ["when", "actor", "from", "action", "target", "details"]
            .map(|name| (name, Align::Left));
        let mut table = Table::with_columns(&columns);
        self.page.items.iter().for_each(|entry| table.row(self.cells(entry)));
        let width = width::of_stdout();
        let Some(width) = table.too_wide(width) else {
            return table.write(page, width);
        };
        self.page.items.iter().try_for_each(|entry| {
            let [when, actor, from, action, target, details] = self.cells(entry);
            let from = if from.is_empty() { from } else { format!(" from {from}") };
            let rest = format!("{when}, by {actor}{from} {details}");
            stacked_row::write(
                page,
                width,
                format!("{action} {target}").trim_end(),
                rest.trim_end(),
            )
        })
    }
}

impl AuditPage {
    fn cells(&self, entry: &AuditEntry) -> [String; 6] {
        [
            entry.at.map_or_else(String::new, |at| relative_time::from_now(at, self.now)),
            entry.actor.name.clone(),
            entry.actor.origin.clone().unwrap_or_default(),
            entry.action.clone(),
            entry.target.clone().unwrap_or_default(),
            truncate::line(&detail(&entry.detail), MAX_DETAIL_CHARS),
        ]
    }
}

/// Formats details as `count 4, fresh true`, without null values.
fn detail(detail: &Value) -> String {
    let Value::Object(fields) = detail else {
        return if detail.is_null() { String::new() } else { detail.to_string() };
    };
    let set = fields.iter().filter(|(_, value)| !value.is_null());
    let texts = set.map(|(name, value)| match value {
        Value::String(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    });
    texts.collect::<Vec<_>>().join(", ")
}
