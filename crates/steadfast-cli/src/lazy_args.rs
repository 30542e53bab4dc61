//! Command flags that are built only when their command is used.
//!
//! Eighteen commands have several hundred flags. Building all of them on each start took a third
//! of the overhead of `steadfast run -- true` over `true`.

use std::ops::Deref;

use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// A command whose flags are built on first use. Until then it has only its name and summary.
#[derive(Debug)]
pub(crate) struct LazyArgs<T>(Box<T>);

impl<T> Deref for LazyArgs<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for LazyArgs<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| common_last(T::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| common_last(T::augment_args_for_update(command)))
    }
}

/// Moves the common options behind the command's own, the order in which help lists them.
fn common_last(command: Command) -> Command {
    let (common, own): (Vec<Arg>, Vec<Arg>) =
        command.get_arguments().cloned().partition(Arg::is_global_set);
    let mut in_order = own.into_iter().chain(common);
    command.mut_args(|arg| in_order.next().unwrap_or(arg))
}

impl<T: FromArgMatches> FromArgMatches for LazyArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|command| Self(Box::new(command)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
