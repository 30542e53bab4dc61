//! `steadfast policy explain`: the origin of each value of a policy.
//!
//! Values set in the environment, the file or its global defaults are listed in that order of
//! precedence; built-in values are only counted unless `--all` is given.

use steadfast::file::{Explained, Explanation, Layer, Route};
use steadfast_api::policy_fields;

use crate::commands::prelude::*;
use crate::output::colour::DIM;
use crate::policies::{PolicyCatalog, resolved_by};

const EXAMPLES: &[Example] = &[
    ("steadfast policy explain browser.state_operations.timeout", "origin of its values"),
    ("steadfast policy explain patient --all", "including built-in values"),
    ("steadfast policy explain patient --json", "all values, for a script"),
];

/// Show the origin of each value of a policy.
///
/// Environment variables (STEADFAST_POLICIES__<ID>__<FIELD>) override the policy in the file,
/// which overrides the file's global defaults. All other values are built in.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Explain {
    /// Policy id, or a mapped name such as subsystem.operation.case
    #[arg(value_name = "NAME")]
    name: String,

    /// Include built-in values
    #[arg(long)]
    all: bool,
}

impl Explain {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        let (_, route) = catalog.find(&self.name)?;
        let explanation = catalog.explain(&self.name)?;
        common.print(&ExplainOutput { command: self, route, explanation })
    }
}

/// `--json` prints only the explanation.
#[derive(Serialize)]
#[serde(transparent)]
struct ExplainOutput<'a> {
    #[serde(skip)]
    command: &'a Explain,
    #[serde(skip)]
    route: Route,
    explanation: Explanation,
}

impl Printable for ExplainOutput<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let (name, id) = (&self.command.name, &self.explanation.policy);
        if name != id {
            let id = policy_fields::scalar(id);
            writeln!(
                page,
                "{DIM}{name} resolves to policy {id} ({}){DIM:#}",
                resolved_by(self.route)
            )?;
        }
        let values = &self.explanation.values;
        let (built_in, mut explicit): (Vec<&Explained>, Vec<&Explained>) =
            values.iter().partition(|value| value.origin.layer() == Layer::BuiltIn);
        explicit.sort_by_key(|value| std::cmp::Reverse(value.origin.layer()));
        let shown = if self.command.all { [explicit, built_in.clone()].concat() } else { explicit };
        write_values(page, &shown)?;
        if self.command.all {
            return Ok(());
        }
        let hidden = match (shown.len(), built_in.len()) {
            (0, _) => "all values are".to_owned(),
            (_, more) => counted(more, "value is", "values are"),
        };
        writeln!(page, "{DIM}{hidden} built in; show them with --all{DIM:#}")
    }
}

fn write_values(page: &mut dyn Write, values: &[&Explained]) -> io::Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let mut table = Table::with_columns(&["field", "value", "from"], &[]);
    values.iter().for_each(|value| table.row([value.field.clone(), shown(value), from(value)]));
    let stacked =
        values.iter().map(|value| (format!("{}: {}", value.field, shown(value)), from(value)));
    table.write_or_stack(page, stacked)
}

fn shown(value: &Explained) -> String {
    let set = policy_fields::value(&value.field, &value.value);
    set.unwrap_or_else(|| default_of(&value.field).to_owned())
}

/// What applies if a field is not set.
fn default_of(field: &str) -> &'static str {
    match field.trim_start_matches("durable.") {
        "retry_on" => "default rules",
        "max_hint" if field.starts_with("durable.") => "1d",
        "max_hint" => "1h (durable tasks: 1d)",
        "max_rate_limit_waits" if field.starts_with("durable.") => "100",
        "max_rate_limit_waits" => "0 (durable tasks: 100)",
        "idempotent" => "depends on the operation",
        _ => "none",
    }
}

/// The origin; values from the global defaults are marked, as their line alone is ambiguous.
fn from(value: &Explained) -> String {
    match value.origin.layer() {
        Layer::GlobalDefaults => format!("{} (global_defaults)", value.origin),
        _ => value.origin.to_string(),
    }
}
