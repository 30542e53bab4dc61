//! What nearly every command uses: flags, help, the result as text and JSON, the target, errors.

pub(crate) use std::io::{self, Write};

pub(crate) use clap::Args;
pub(crate) use serde::Serialize;

pub(crate) use crate::cli::Common;
pub(crate) use crate::commands::command_group;
pub(crate) use crate::error::CliError;
pub(crate) use crate::exit::Exit;
pub(crate) use crate::help::{Example, Section, after_help};
pub(crate) use crate::output::table::Table;
pub(crate) use crate::output::{self, AsOf, Printable, counted, note};
pub(crate) use crate::target::{self, Target};
