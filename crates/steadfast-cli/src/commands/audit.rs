//! `steadfast audit`: the audit log (K3).

use jiff::Timestamp;
use serde_json::Value;
use steadfast_api::{Api, AuditFilter};
use steadfast_store::{AuditEntry, When};

use crate::commands::prelude::*;
use crate::output::{relative_time, truncate};
use crate::paging::{Entries, Listed, Paging};
use crate::past_time;

const EXAMPLES: &[Example] = &[
    ("steadfast audit", "newest first"),
    ("steadfast audit --actor ada", "entries by one actor"),
    ("steadfast audit --target mail", "entries about one queue"),
    ("steadfast audit --action task.cancel", "which tasks were cancelled?"),
    ("steadfast audit --limit 1000 --json", "for a script"),
];

/// Show the audit log: who did what, and when.
///
/// Every change and every read by a user or a program is recorded with actor, origin and time, and
/// entries are never modified. Lists the newest entries first.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct AuditCommand {
    /// Only entries by this actor
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,

    /// Only entries about this target: a task id or a queue name
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Only entries with this action, such as `task.cancel` or `queue.pause`
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
        self.store.print(common, async |api| self.ask(api).await)
    }

    async fn ask(&self, api: &dyn Api) -> Result<Listed<AuditEntry>, CliError> {
        let now = api.now().await?;
        let filter = AuditFilter {
            actor: self.actor.clone(),
            target: self.target.clone(),
            action: self.action.clone(),
            since: self.since.map(|when| past_time::resolve(now, when)),
        };
        let page = api.audit(&filter, &self.paging.query()).await?;
        let empty = match (filter != AuditFilter::default(), page.next.is_some()) {
            (true, true) => "no matching entries on this page; continue with older ones",
            (true, false) => "no matching entries; names must be spelled as in the log",
            (false, _) => "no entries yet",
        };
        Ok(Listed { page, now, empty: empty.to_owned() })
    }
}

const MAX_DETAIL_CHARS: usize = 60;

impl Entries for AuditEntry {
    fn write(entries: &[Self], now: Timestamp, page: &mut dyn Write) -> io::Result<()> {
        let columns = ["when", "actor", "from", "action", "target", "details"];
        let mut table = Table::with_columns(&columns, &[]);
        entries.iter().for_each(|entry| table.row(cells(entry, now)));
        let stacked = entries.iter().map(|entry| {
            let [when, actor, from, action, target, details] = cells(entry, now);
            let from = if from.is_empty() { from } else { format!(" from {from}") };
            let rest = format!("{when}, by {actor}{from} {details}");
            (format!("{action} {target}").trim_end().to_owned(), rest.trim_end().to_owned())
        });
        table.write_or_stack(page, stacked)
    }
}

fn cells(entry: &AuditEntry, now: Timestamp) -> [String; 6] {
    [
        entry.at.map_or_else(String::new, |at| relative_time::from_now(at, now)),
        entry.actor.name.clone(),
        entry.actor.origin.clone().unwrap_or_default(),
        entry.action.clone(),
        entry.target.clone().unwrap_or_default(),
        truncate::line(&detail(&entry.detail), MAX_DETAIL_CHARS),
    ]
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
