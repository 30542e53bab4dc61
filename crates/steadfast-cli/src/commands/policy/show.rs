//! `steadfast policy show`: a policy with all its values.

use steadfast::Policy;
use steadfast::file::{Explanation, Route};
use steadfast_api::policy_fields;

use crate::commands::prelude::*;
use crate::output::colour::{DIM, HEADING};
use crate::policies::{PolicyCatalog, resolved_by};

const EXAMPLES: &[Example] = &[
    ("steadfast policy show patient", "a preset"),
    ("steadfast policy show browser.state_operations.timeout", "the policy of a mapped name"),
    ("steadfast policy show patient --json", "as JSON"),
];

/// Show a policy with all its values.
///
/// Includes values from the file, the environment and defaults, and how the name resolved to the
/// policy. The output can be pasted under `policies:` in a policy file.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(crate) struct Show {
    /// Policy id, or a mapped name such as subsystem.operation.case
    #[arg(value_name = "NAME")]
    name: String,
}

impl Show {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let catalog = PolicyCatalog::load(common.config.as_deref())?;
        let (policy, route) = catalog.find(&self.name)?;
        let shown =
            PolicyOutput { name: &self.name, policy, route, values: catalog.explain(&self.name)? };
        common.print(&shown)
    }
}

/// `--json` prints only the policy.
#[derive(Serialize)]
#[serde(transparent)]
struct PolicyOutput<'k> {
    #[serde(skip)]
    name: &'k str,
    policy: &'k Policy,
    #[serde(skip)]
    route: Route,
    #[serde(skip)]
    values: Explanation,
}

impl Printable for PolicyOutput<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let id = policy_fields::scalar(&self.values.policy);
        if self.name != self.values.policy {
            writeln!(
                page,
                "{DIM}# {} resolves to policy {id} ({}){DIM:#}",
                self.name,
                resolved_by(self.route)
            )?;
        }
        writeln!(page, "{HEADING}{id}:{HEADING:#}")?;
        let values = self.values.values.iter().map(|it| (it.field.as_str(), &it.value));
        for line in policy_fields::fields(values).lines() {
            writeln!(page, "  {line}")?;
        }
        Ok(())
    }
}
