//! `steadfast flow`: workflows and their executions.

mod check;
mod control;
mod definition_file;
mod list;
mod run;
mod show;

use steadfast_store::ExecutionId;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast flow check sign-up.json", "validate it"),
    ("steadfast flow run sign-up.json --trigger 42", "start an execution"),
    ("steadfast flow list --status failed", "list failed executions"),
    ("steadfast flow resume 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "continue after a failure"),
];

command_group! {
    /// Check, run and control workflows.
    ///
    /// A workflow is a JSON file that defines nodes, their dependencies and how each is retried. Its
    /// executions are stored, and any worker can run the nodes. A failed execution can be resumed
    /// where it failed.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    FlowCommand {
        Check(check::Check),
        Run(run::Run),
        List(list::List),
        Show(show::Show),
        Cancel(control::Cancel),
        Resume(control::Resume),
        Retry(control::Retry),
    }
}

fn execution_id(text: &str) -> Result<ExecutionId, String> {
    text.parse().map_err(|_| {
        "not an execution id: expected one like 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b; `steadfast flow \
         list` shows them"
            .to_owned()
    })
}
