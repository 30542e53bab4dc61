//! What can be said of any task, as flags.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use steadfast::duration;
use steadfast_api::{NewTask, PolicyChoice};
use steadfast_store::When;

use crate::error::CliError;
use crate::policy_flags::PolicyFlags;

/// Flags with the names of a task's fields.
#[derive(Debug, Args)]
#[command(next_help_heading = "Task")]
pub(super) struct TaskFlags {
    /// The line it stands in [default: default]
    #[arg(long, value_name = "NAME")]
    queue: Option<String>,

    /// What it is about: a customer, a host
    #[arg(long, value_name = "NAME")]
    category: Option<String>,

    /// A higher one goes first [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i16>,

    /// Not before this time, like 2026-07-01T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,

    /// Not before this long from now, like 2h
    #[arg(long = "in", value_name = "DURATION", value_parser = duration::parse, conflicts_with = "at")]
    after: Option<Duration>,

    /// Too late after this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    expires_at: Option<Timestamp>,

    /// Too late after this long from now
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = duration::parse,
        conflicts_with = "expires_at"
    )]
    expires_in: Option<Duration>,

    /// Ties it to what else belongs to the same request
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,

    /// When it is asked to wait, its whole category waits
    #[arg(long)]
    hold_category: bool,

    #[command(flatten)]
    policy: PolicyFlags,
}

impl TaskFlags {
    /// What they say. `config` is the policy file that was named, if one was.
    pub(super) fn defaults(&self, config: Option<&Path>) -> Result<TaskDefaults, CliError> {
        let moment = |at: Option<Timestamp>, after: Option<Duration>| {
            at.map(When::At).or(after.map(When::After))
        };
        Ok(TaskDefaults {
            queue: self.queue.clone(),
            category: self.category.clone(),
            priority: self.priority,
            policy: self.policy.choice(config)?,
            run_at: moment(self.at, self.after),
            expires_at: moment(self.expires_at, self.expires_in),
            correlation_id: self.correlation_id.clone(),
            hold_category: self.hold_category,
        })
    }
}

/// What is said for tasks that do not say it themselves.
#[derive(Clone, Debug)]
pub(super) struct TaskDefaults {
    queue: Option<String>,
    category: Option<String>,
    priority: Option<i16>,
    policy: Option<PolicyChoice>,
    run_at: Option<When>,
    expires_at: Option<When>,
    correlation_id: Option<String>,
    hold_category: bool,
}

impl TaskDefaults {
    /// The policy, if one is said.
    pub(super) const fn policy(&self) -> Option<&PolicyChoice> {
        self.policy.as_ref()
    }

    /// Says it of a task.
    pub(super) fn fill(&self, task: &mut NewTask) {
        or(&mut task.queue, &self.queue);
        or(&mut task.category, &self.category);
        or(&mut task.priority, &self.priority);
        or(&mut task.policy, &self.policy);
        or(&mut task.run_at, &self.run_at);
        or(&mut task.expires_at, &self.expires_at);
        or(&mut task.correlation_id, &self.correlation_id);
        task.hold_category |= self.hold_category;
    }
}

fn or<T: Clone>(own: &mut Option<T>, said: &Option<T>) {
    if own.is_none() {
        own.clone_from(said);
    }
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "write it like 2026-07-01T08:00:00Z, with its time zone".to_owned())
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

    /// Flags say what a line leaves open, and never overrule what it says.
    #[test]
    fn what_a_task_says_itself_stands() {
        let line = "x --queue mail --priority 5 --in 2h --policy sql --category a";
        let said = Line::parse_from(line.split(' ')).flags.defaults(None).unwrap();
        let read = |text| {
            let mut task = NewTask::from_json(text).unwrap();
            said.fill(&mut task);
            task
        };
        let silent = read(r#"{"kind":"k","payload":1}"#);
        assert_eq!((silent.queue.as_deref(), silent.priority), (Some("mail"), Some(5)));
        assert_eq!(silent.run_at, Some(When::After(Duration::from_secs(7200))));
        assert_eq!(silent.policy, Some(PolicyChoice::Named("sql".to_owned())));
        let outspoken = read(r#"{"kind":"k","payload":1,"queue":"q","priority":0,"run_at":"1s"}"#);
        assert_eq!((outspoken.queue.as_deref(), outspoken.priority), (Some("q"), Some(0)));
        assert_eq!(outspoken.run_at, Some(When::After(Duration::from_secs(1))));
        assert_eq!(outspoken.category.as_deref(), Some("a"));
    }
}
