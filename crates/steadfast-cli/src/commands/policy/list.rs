//! `steadfast policy list`: policies and mapped names.

use steadfast::file::MappedName;

use super::summary::Summary;
use crate::commands::prelude::*;
use crate::config;
use crate::output::human_duration::{band, format as human_duration};
use crate::policies::PolicyCatalog;

const EXAMPLES: &[Example] = &[
    ("steadfast policy list", "policies and presets"),
    ("steadfast policy list --names", "with the operation names"),
    ("steadfast -c production.yaml policy list --json", "for another file"),
];

/// List policies and the operation names that the policy file maps to them.
///
/// Lists the policies of the file, then the presets. The column `delays`
/// shows the first and the longest delay, without jitter; the total is the longest possible sum of
/// all delays.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct List {
    /// Include the operation names that are mapped to policies
    #[arg(long)]
    names: bool,
}

impl List {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        common.print(&Listed::of(&catalog, self.names))?;
        if let Some(next) = empty_hint(&catalog) {
            output::note(&next);
        }
        Ok(Exit::Success)
    }
}

fn empty_hint(catalog: &PolicyCatalog) -> Option<String> {
    if catalog.policies.iter().next().is_some() {
        return None;
    }
    Some(match &catalog.file {
        Some(file) => format!("{} defines no policies: add one under policies:", file.display()),
        None => format!(
            "no {} in this directory: create one to define policies, or pass a file with -c",
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
        let from_file = catalog.policies.iter().map(|policy| Summary::of(policy, false));
        let built_in = catalog.built_in().map(|policy| Summary::of(policy, true));
        Self {
            policies: from_file.chain(built_in).collect(),
            names: catalog.policies.mapped(),
            with_names,
        }
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
        let columns = ["policy", "attempts", "backoff", "delays", "total", "name"];
        let mut table = Table::with_columns(&columns, &["attempts"]);
        self.policies.iter().for_each(|summary| table.row(cells(summary)));
        let stacked = self.policies.iter().map(|summary| {
            let [id, attempts, backoff, delays, total, name] = cells(summary);
            let rest = format!("attempts {attempts}, {backoff}, delays {delays}, total {total}");
            (format!("{id} {name}").trim_end().to_owned(), rest)
        });
        table.write_or_stack(page, stacked)
    }

    fn write_names(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.names.is_empty() {
            return writeln!(page, "no mapped names: add them under subsystem_mappings:");
        }
        let mut table = Table::with_columns(&["name", "policy"], &[]);
        let names = || self.names.iter().map(|each| (each.name.clone(), each.policy.clone()));
        names().for_each(|(name, policy)| table.row([name, policy]));
        table.write_or_stack(page, names())
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

/// The policy's name, unless it equals the id.
fn name(summary: &Summary) -> String {
    match summary {
        // The default settings are not a preset: `--preset` does not accept them.
        Summary { is_preset: true, id, .. } if id == "default" => "(built in)".to_owned(),
        Summary { is_preset: true, .. } => "(preset)".to_owned(),
        Summary { id, name, .. } if id == name => String::new(),
        Summary { name, .. } => name.clone(),
    }
}
