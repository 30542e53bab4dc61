//! The flags of a command, made only when that command is asked for.
//!
//! Eighteen commands have some hundreds of flags. Making them all before each run was a third
//! of what `steadfast run -- true` cost over `true`.

use std::ops::Deref;

use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// A command of the tree that is made when it is needed. Until then it has a name and the line
/// of its variant.
#[derive(Debug)]
pub(crate) struct Deferred<T>(Box<T>);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| common_last(T::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| common_last(T::augment_args_for_update(command)))
    }
}

/// What all commands have in common was there before the flags of this one; people read it last.
fn common_last(command: Command) -> Command {
    let (common, own): (Vec<Arg>, Vec<Arg>) =
        command.get_arguments().cloned().partition(Arg::is_global_set);
    let mut in_order = own.into_iter().chain(common);
    command.mut_args(|arg| in_order.next().unwrap_or(arg))
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|command| Self(Box::new(command)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
