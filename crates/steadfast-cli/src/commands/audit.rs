//! `steadfast audit`: who did what, when, from where (K3).

use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use steadfast_api::{Api, AuditFilter, Page};
use steadfast_store::{AuditEntry, When};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::table::{Align, Table};
use crate::output::{Answer, entry, moment, short, width};
use crate::paging::{self, Paging};
use crate::past;
use crate::problem::Problem;
use crate::target::{self, Place};

const EXAMPLES: &[Example] = &[
    ("steadfast audit", "the newest first"),
    ("steadfast audit --actor ada", "what did she do?"),
    ("steadfast audit --target mail", "who paused that queue?"),
    ("steadfast audit --action task.cancel", "what was called off?"),
    ("steadfast audit --limit 1000 --json", "for a script"),
];

/// Show who did what to tasks and queues.
///
/// Everything that people do to a store is written down with who did it, from where and when,
/// and is never changed. The newest comes first.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct AuditCommand {
    /// Only what was done by this one
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,

    /// Only what was done to this: a task's id, a queue's name
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Only this: `task.cancel`, `queue.pause`
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,

    /// Only what was done since then: so long ago (2h), or a time (2026-07-01T08:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = past::parse)]
    since: Option<When>,

    #[command(flatten)]
    paging: Paging,

    #[command(flatten)]
    place: Place,
}

impl AuditCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let told = target::block_on(async {
            let api = self.place.look().await?;
            self.ask(&*api).await
        })?;
        common.output().answer(&told)?;
        paging::note(told.page.next.as_ref());
        Ok(Exit::Good)
    }

    async fn ask(&self, api: &dyn Api) -> Result<Told, Problem> {
        let now = api.now().await?;
        let filter = AuditFilter {
            actor: self.actor.clone(),
            target: self.target.clone(),
            action: self.action.clone(),
            since: self.since.map(|when| past::before(now, when)),
        };
        let page = api.audit(&filter, &self.paging.query()).await?;
        Ok(Told { page, now, is_filtered: filter != AuditFilter::default() })
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Told {
    page: Page<AuditEntry>,
    #[serde(skip)]
    now: Timestamp,
    #[serde(skip)]
    is_filtered: bool,
}

/// The longest detail that a table shows.
const DETAIL: usize = 60;

impl Answer for Told {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.page.items.is_empty() {
            return page.write_all(match (self.is_filtered, self.page.next.is_some()) {
                (true, true) => b"no such entries among the newest: go on to older ones\n",
                (true, false) => {
                    b"no such entries: name an actor, a target or an action as the log spells it\n"
                }
                (false, _) => b"no entries: nobody has changed anything yet\n",
            });
        }
        let columns =
            ["when", "who", "from", "what", "to", "detail"].map(|name| (name, Align::Left));
        let mut table = Table::with_columns(&columns);
        self.page.items.iter().for_each(|entry| table.row(self.cells(entry)));
        let width = width::of_stdout();
        let Some(width) = table.too_wide(width) else {
            return table.write(page, width);
        };
        self.page.items.iter().try_for_each(|entry| {
            let [when, who, from, what, to, detail] = self.cells(entry);
            let from = if from.is_empty() { from } else { format!(" from {from}") };
            let rest = format!("{when}, by {who}{from} {detail}");
            entry::write(page, width, format!("{what} {to}").trim_end(), rest.trim_end())
        })
    }
}

impl Told {
    fn cells(&self, entry: &AuditEntry) -> [String; 6] {
        [
            entry.at.map_or_else(String::new, |at| moment::away(at, self.now)),
            entry.actor.name.clone(),
            entry.actor.origin.clone().unwrap_or_default(),
            entry.action.clone(),
            entry.target.clone().unwrap_or_default(),
            short::line(&detail(&entry.detail), DETAIL),
        ]
    }
}

/// `count 4, fresh true`, without what says nothing.
fn detail(detail: &Value) -> String {
    let Value::Object(fields) = detail else {
        return if detail.is_null() { String::new() } else { detail.to_string() };
    };
    let said = fields.iter().filter(|(_, value)| !value.is_null());
    let said = said.map(|(name, value)| match value {
        Value::String(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    });
    said.collect::<Vec<_>>().join(", ")
}
