//! The commands, one file or directory each, named after the command.

pub(crate) mod audit;
pub(crate) mod breaker;
pub(crate) mod classify;
pub(crate) mod completions;
pub(crate) mod db;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod flow;
pub(crate) mod man;
pub(crate) mod policy;
pub(crate) mod prelude;
pub(crate) mod queue;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod stats;
pub(crate) mod submit;
pub(crate) mod tasks;
pub(crate) mod token;

/// Declares an enum of subcommands that each run themselves.
macro_rules! subcommands {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $variant:ident($command:ty),)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, clap::Subcommand)]
        $vis enum $name {
            $($(#[$about])* $variant($command),)*
        }

        impl $name {
            $vis fn run(
                &self,
                common: &$crate::cli::Common,
            ) -> Result<$crate::exit::Exit, $crate::error::CliError> {
                match self {
                    $(Self::$variant(command) => command.run(common),)*
                }
            }
        }
    };
}
pub(crate) use subcommands;

/// Declares a command that only has subcommands.
macro_rules! command_group {
    ($(#[$help:meta])* $name:ident { $($variant:ident($command:ty),)* }) => {
        #[derive(Debug, clap::Args)]
        $(#[$help])*
        pub(crate) struct $name {
            #[command(subcommand)]
            command: Command,
        }

        impl $name {
            pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
                self.command.run(common)
            }
        }

        $crate::commands::subcommands! {
            enum Command {
                $($variant($command),)*
            }
        }
    };
}
pub(crate) use command_group;
