//! Which tasks are meant, as flags.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use steadfast::Class;
use steadfast_api::{Api, TaskFilter};
use steadfast_store::{Status, When};

use crate::error::CliError;
use crate::past_time;
use crate::suggestion::nearest;

/// Which tasks. Flags that are given together must all hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which tasks")]
pub(super) struct FilterFlags {
    /// Those that are here
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    pub(super) status: Option<Status>,

    /// Those of this queue
    #[arg(long, value_name = "NAME")]
    pub(super) queue: Option<String>,

    /// Those of this category
    #[arg(long, value_name = "NAME")]
    category: Option<String>,

    /// Those of this kind
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,

    /// Those whose last failure was judged so
    #[arg(long, value_name = "CLASS", value_parser = classes())]
    class: Option<Class>,

    /// Those that belong to this request
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,

    /// Those submitted since then: so long ago (2h), or a time (2026-07-01T08:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = past_time::parse)]
    since: Option<When>,

    /// Those that ended since then
    #[arg(long, value_name = "WHEN", value_parser = past_time::parse)]
    ended_since: Option<When>,
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::name)).try_map(|name| name.parse::<Status>())
}

fn classes() -> impl TypedValueParser<Value = Class> {
    let named = |name: String| Class::ALL.into_iter().find(|class| class.name() == name);
    PossibleValuesParser::new(Class::ALL.map(Class::name))
        .try_map(move |name| named(name).ok_or("no such class"))
}

impl FilterFlags {
    /// Whether anything is said.
    pub(super) fn is_empty(&self) -> bool {
        self.filter(Timestamp::UNIX_EPOCH) == TaskFilter::default()
    }

    /// The same for a store whose time is `now`.
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

    /// What to say where no task is found: perhaps the queue's name was a slip.
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

/// What to say of a queue that no task was ever submitted to.
fn unknown_queue(queue: &str, names: &[String]) -> Option<String> {
    if names.iter().any(|name| name == queue) {
        return None;
    }
    let names = names.iter().map(String::as_str);
    Some(match nearest(queue, names) {
        Some(near) => format!("there is no queue `{queue}`: did you mean `{near}`?"),
        None => format!("there is no queue `{queue}`: `steadfast queue list` shows them"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_is_not_there_is_told_with_the_one_that_is() {
        let names = ["mail".to_owned()];
        assert_eq!(unknown_queue("mail", &names), None);
        let told = unknown_queue("mial", &names).unwrap();
        assert!(told.ends_with("did you mean `mail`?"), "{told}");
        assert!(unknown_queue("invoices", &names).unwrap().contains("queue list"));
    }
}
