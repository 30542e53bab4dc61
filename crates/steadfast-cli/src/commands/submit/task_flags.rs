//! Task field flags.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use steadfast::duration;
use steadfast_api::{NewTask, PolicyChoice};
use steadfast_store::When;

use crate::error::CliError;
use crate::number_range::whole_number;
use crate::policy_flags::PolicyFlags;

/// Flags named after task fields.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Task")]
pub(super) struct TaskFlags {
    /// Queue name [default: default]
    #[arg(long, value_name = "NAME")]
    queue: Option<String>,

    /// Category, such as a customer or a host
    #[arg(long, value_name = "NAME")]
    category: Option<String>,

    /// Priority; higher values run first [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number(i16::MIN..=i16::MAX))]
    priority: Option<i16>,

    /// Run at this time, such as 2026-07-01T08:00:00Z
    #[arg(long, alias = "run-at", value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,

    /// Run after this duration, such as 2h
    #[arg(long = "in", value_name = "DURATION", value_parser = duration::parse, conflicts_with = "at")]
    after: Option<Duration>,

    /// Expire at this time: no attempt starts after it
    #[arg(long, value_name = "TIME", value_parser = time)]
    expires_at: Option<Timestamp>,

    /// Expire after this duration
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = duration::parse,
        conflicts_with = "expires_at"
    )]
    expires_in: Option<Duration>,

    /// Correlation id, shared with other work of the same request
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,

    /// When rate limited, delay all tasks of the category
    #[arg(long)]
    hold_category: bool,

    #[command(flatten)]
    policy: PolicyFlags,
}

impl TaskFlags {
    /// Checks the flags of a single task. The lines of a file may have categories of their own.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if self.hold_category && self.category.is_none() {
            return Err(CliError::usage("--hold-category requires --category")
                .with_help("pass the category to delay, such as --category customer-7"));
        }
        Ok(())
    }

    /// The defaults given by the flags. `config` is the policy file given by flag.
    pub(super) fn defaults(&self, config: Option<&Path>) -> Result<TaskDefaults, CliError> {
        Ok(TaskDefaults { flags: self.clone(), policy: self.policy.choice(config)? })
    }
}

/// Values for fields that a task omits.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskDefaults {
    flags: TaskFlags,
    pub(super) policy: Option<PolicyChoice>,
}

impl TaskDefaults {
    pub(super) fn fill(&self, task: &mut NewTask) {
        let flags = &self.flags;
        or(&mut task.queue, &flags.queue);
        or(&mut task.category, &flags.category);
        or(&mut task.priority, &flags.priority);
        or(&mut task.policy, &self.policy);
        or(&mut task.run_at, &when(flags.at, flags.after));
        or(&mut task.expires_at, &when(flags.expires_at, flags.expires_in));
        or(&mut task.correlation_id, &flags.correlation_id);
        task.hold_category |= flags.hold_category;
    }
}

fn when(at: Option<Timestamp>, after: Option<Duration>) -> Option<When> {
    at.map(When::At).or(after.map(When::After))
}

fn or<T: Clone>(own: &mut Option<T>, default: &Option<T>) {
    if own.is_none() {
        own.clone_from(default);
    }
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        "must be a timestamp with a time zone, such as 2026-07-01T08:00:00Z".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: TaskFlags,
    }

    /// Flags fill omitted fields and never override a line's own.
    #[test]
    fn flags_fill_only_omitted_fields() {
        let line = "x --queue mail --priority 5 --in 2h --policy sql --category a";
        let defaults = Line::parse_from(line.split(' ')).flags.defaults(None).unwrap();
        let read = |text| {
            let mut task = NewTask::from_json(text).unwrap();
            defaults.fill(&mut task);
            task
        };
        let omitted = read(r#"{"kind":"k","payload":1}"#);
        assert_eq!((omitted.queue.as_deref(), omitted.priority), (Some("mail"), Some(5)));
        assert_eq!(omitted.run_at, Some(When::After(Duration::from_secs(7200))));
        assert_eq!(omitted.policy, Some(PolicyChoice::Named("sql".to_owned())));
        let explicit = read(r#"{"kind":"k","payload":1,"queue":"q","priority":0,"run_at":"1s"}"#);
        assert_eq!((explicit.queue.as_deref(), explicit.priority), (Some("q"), Some(0)));
        assert_eq!(explicit.run_at, Some(When::After(Duration::from_secs(1))));
        assert_eq!(explicit.category.as_deref(), Some("a"));
    }
}
