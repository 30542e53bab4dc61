//! `steadfast policy`: policies without a store.

pub(crate) mod check;
mod explain;
mod export;
mod import;
mod list;
mod losses;
mod plan;
mod plot;
mod schema;
mod show;
mod summary;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast policy check", "validate the policy file"),
    ("steadfast policy list --names", "list policies and mapped names"),
    ("steadfast policy explain browser.state_operations.timeout", "origin of its values"),
    ("steadfast policy plan --preset patient", "print the retry delays"),
];

command_group! {
    /// Check, inspect and convert retry policies.
    ///
    /// A policy defines how often to retry, how long to wait, and which failures to retry. It comes
    /// from a policy file, a preset or flags, or a combination; flags take precedence.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    PolicyCommand {
        Check(check::Check),
        List(list::List),
        Show(show::Show),
        Explain(explain::Explain),
        Plan(plan::Plan),
        Plot(plot::Plot),
        Import(import::Import),
        Export(export::Export),
        Schema(schema::Schema),
    }
}
