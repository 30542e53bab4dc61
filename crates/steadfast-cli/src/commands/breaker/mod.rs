//! `steadfast breaker`: circuit breakers of all instances (G1).

mod control;
mod list;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "show their states"),
    ("steadfast breaker open payments --hold", "block calls until it is closed"),
    ("steadfast breaker close payments", "allow calls again"),
];

command_group! {
    /// List, open and close circuit breakers.
    ///
    /// An instance is a process that runs calls or tasks: a server, a worker or a program that uses
    /// the library. It has one breaker for each policy that enables one, shared by all its calls and
    /// tasks under that policy. Instances report breaker states and apply overrides within seconds.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    BreakerCommand {
        List(list::List),
        Open(control::Open),
        Close(control::Close),
    }
}
