//! A policy by its name.
//!
//! Every command that takes `--policy NAME` asks here, so that a name means the same to all of
//! them. The ready-made policies are found; those of a policy file will be, once it is read.

use std::path::Path;

use steadfast::policy::{Draft, PRESETS};

use crate::config;
use crate::near_miss::nearest;
use crate::problem::Problem;

/// The policy of this name. `config` is the policy file that was named, if one was.
pub(crate) fn find(name: &str, config: Option<&Path>) -> Result<Draft, Problem> {
    let file = config::locate(config)?;
    Draft::preset(name).ok_or_else(|| {
        let read = match &file {
            Some(file) => format!("; policies of {} are not read yet", file.display()),
            None => format!("; there is no {} here", config::USUAL),
        };
        unknown("policy", name, &read)
    })
}

/// The ready-made policy of this name.
pub(crate) fn preset(name: &str) -> Result<Draft, Problem> {
    Draft::preset(name).ok_or_else(|| unknown("preset", name, ""))
}

fn unknown(what: &str, name: &str, beside: &str) -> Problem {
    let meant = nearest(name, PRESETS).map(|near| format!("did you mean {near}? "));
    let (meant, known) = (meant.unwrap_or_default(), PRESETS.join(", "));
    Problem::usage(format!("there is no {what} `{name}`"))
        .with_next(format!("{meant}the ready-made ones are {known}{beside}"))
}
