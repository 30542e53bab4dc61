//! Task filter flags.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use steadfast::__private::nearest;
use steadfast::Class;
use steadfast_api::{Api, TaskFilter};
use steadfast_store::{Status, When};

use crate::error::CliError;
use crate::past_time;

/// Task filters; all given flags must match.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct FilterFlags {
    /// Only tasks with this status
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    pub(super) status: Option<Status>,

    /// Only tasks of this queue
    #[arg(long, value_name = "NAME")]
    pub(super) queue: Option<String>,

    /// Only tasks of this category
    #[arg(long, value_name = "NAME")]
    category: Option<String>,

    /// Only tasks of this kind
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,

    /// Only tasks whose last failure has this class
    #[arg(long, value_name = "CLASS", value_parser = classes())]
    class: Option<Class>,

    /// Only tasks with this correlation id
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,

    /// Only tasks submitted since this time: a duration ago (2h) or a timestamp
    /// (2026-07-01T08:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = past_time::parse)]
    since: Option<When>,

    /// Only tasks that ended since this time
    #[arg(long, value_name = "WHEN", value_parser = past_time::parse)]
    ended_since: Option<When>,
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::name)).try_map(|name| name.parse::<Status>())
}

fn classes() -> impl TypedValueParser<Value = Class> {
    let named = |name: String| Class::ALL.into_iter().find(|class| class.name() == name);
    PossibleValuesParser::new(Class::ALL.map(Class::name))
        .try_map(move |name| named(name).ok_or("unknown class"))
}

impl FilterFlags {
    pub(super) fn is_empty(&self) -> bool {
        self.filter(Timestamp::UNIX_EPOCH) == TaskFilter::default()
    }

    /// The filter, with durations relative to `now`.
    pub(super) fn filter(&self, now: Timestamp) -> TaskFilter {
        let ago = |when: Option<When>| when.map(|when| past_time::resolve(now, when));
        TaskFilter {
            status: self.status,
            queue: self.queue.clone(),
            category: self.category.clone(),
            kind: self.kind.clone(),
            class: self.class,
            correlation_id: self.correlation_id.clone(),
            due_within: None,
            submitted_after: ago(self.since),
            ended_after: ago(self.ended_since),
        }
    }

    /// A hint for an empty result: the queue's name may be misspelled.
    pub(super) async fn unknown_queue_hint(
        &self,
        api: &dyn Api,
    ) -> Result<Option<String>, CliError> {
        let Some(queue) = &self.queue else { return Ok(None) };
        Ok(unknown_queue(queue, &names(api).await?))
    }
}

async fn names(api: &dyn Api) -> Result<Vec<String>, CliError> {
    Ok(api.queues().await?.into_iter().map(|queue| queue.name).collect())
}

fn unknown_queue(queue: &str, names: &[String]) -> Option<String> {
    if names.iter().any(|name| name == queue) {
        return None;
    }
    let names = names.iter().map(String::as_str);
    Some(match nearest(queue, names) {
        Some(near) => format!("unknown queue `{queue}`: did you mean `{near}`?"),
        None => format!("unknown queue `{queue}`: `steadfast queue list` lists the queues"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_queue_is_reported_with_suggestion() {
        let names = ["mail".to_owned()];
        assert_eq!(unknown_queue("mail", &names), None);
        let hint = unknown_queue("mial", &names).unwrap();
        assert!(hint.ends_with("did you mean `mail`?"), "{hint}");
        assert!(unknown_queue("invoices", &names).unwrap().contains("queue list"));
    }
}
