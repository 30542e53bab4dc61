//! `steadfast policy list`: the policies that there are, and the names that lead to them.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use steadfast::file::MappedName;

use super::summary::Summary;
use crate::cli::Common;
use crate::config;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::human_duration::{band, format as human_duration};
use crate::output::table::{Align, Table};
use crate::output::{self, Printable, stacked_row, width};
use crate::policies::PolicyCatalog;

const EXAMPLES: &[Example] = &[
    ("steadfast policy list", "with the ready-made"),
    ("steadfast policy list --names", "with mapped names"),
    ("steadfast -c production.yaml policy list --json", "another file's"),
];

/// List the policies and the names that lead to them.
///
/// The policies of the file come first, then those that are there without one. Delays go from
/// the first to the longest, before jitter; the total adds up all waits at their longest.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct List {
    /// Show the names that the file maps to policies, too
    #[arg(long)]
    names: bool,
}

impl List {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        common.output().print(&Listed::of(&catalog, self.names))?;
        if let Some(next) = what_next(&catalog) {
            output::note(&next);
        }
        Ok(Exit::Success)
    }
}

/// What to do where there is nothing of one's own.
fn what_next(catalog: &PolicyCatalog) -> Option<String> {
    if catalog.from_file().next().is_some() {
        return None;
    }
    Some(match catalog.file() {
        Some(file) => format!("{} has no policies: add one under policies:", file.display()),
        None => format!(
            "there is no {} here: make one to have policies of your own, or name a file with -c",
            config::DEFAULT_POLICY_FILE
        ),
    })
}

#[derive(Serialize)]
struct Listed<'k> {
    policies: Vec<Summary>,
    names: &'k [MappedName],
    #[serde(skip)]
    with_names: bool,
}

impl<'k> Listed<'k> {
    fn of(catalog: &'k PolicyCatalog, with_names: bool) -> Self {
        let written = catalog.from_file().map(|policy| Summary::of(policy, false));
        let unwritten = catalog.built_in().map(|policy| Summary::of(policy, true));
        Self { policies: written.chain(unwritten).collect(), names: catalog.mapped(), with_names }
    }
}

impl Printable for Listed<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.write_policies(page)?;
        if !self.with_names {
            return Ok(());
        }
        writeln!(page)?;
        self.write_names(page)
    }
}

impl Listed<'_> {
    fn write_policies(&self, page: &mut dyn Write) -> io::Result<()> {
        let columns = [
            ("policy", Align::Left),
            ("attempts", Align::Right),
            ("backoff", Align::Left),
            ("delays", Align::Left),
            ("total", Align::Left),
            ("name", Align::Left),
        ];
        let mut table = Table::with_columns(&columns);
        self.policies.iter().for_each(|summary| table.row(cells(summary)));
        let width = width::of_stdout();
        let Some(width) = table.too_wide(width) else {
            return table.write(page, width);
        };
        self.policies.iter().try_for_each(|summary| {
            let [id, attempts, backoff, delays, total, name] = cells(summary);
            let rest = format!("attempts {attempts}, {backoff}, delays {delays}, total {total}");
            stacked_row::write(page, width, format!("{id} {name}").trim_end(), &rest)
        })
    }

    fn write_names(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.names.is_empty() {
            return writeln!(page, "no names are mapped: add them under subsystem_mappings:");
        }
        let mut table = Table::with_columns(&[("name", Align::Left), ("policy", Align::Left)]);
        self.names.iter().for_each(|each| table.row([each.name.clone(), each.policy.clone()]));
        let width = width::of_stdout();
        match table.too_wide(width) {
            None => table.write(page, width),
            Some(width) => self
                .names
                .iter()
                .try_for_each(|each| stacked_row::write(page, width, &each.name, &each.policy)),
        }
    }
}

fn cells(summary: &Summary) -> [String; 6] {
    [
        summary.id.clone(),
        summary.attempts.to_string(),
        summary.backoff.clone(),
        band(summary.first_delay.0, summary.longest_delay.0),
        total(summary),
        name(summary),
    ]
}

fn total(summary: &Summary) -> String {
    let more = if summary.and_more { "over " } else { "" };
    format!("{more}{}", human_duration(summary.total_delay.0))
}

/// One that says no more than the id is left out.
fn name(summary: &Summary) -> String {
    match summary {
        Summary { ready_made: true, .. } => "(ready-made)".to_owned(),
        Summary { id, name, .. } if id == name => String::new(),
        Summary { name, .. } => name.clone(),
    }
}
