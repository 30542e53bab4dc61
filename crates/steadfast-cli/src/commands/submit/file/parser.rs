//! Parsing of tasks.

use std::sync::Arc;

use steadfast::file::Policies;
use steadfast_api::{ApiError, ErrorKind, NewTask};
use uuid::Uuid;

use super::super::payload;
use super::super::task_flags::TaskDefaults;
use super::batch::Batch;
use super::items::Item;
use super::run_id;

/// Parses the tasks of an input.
#[derive(Clone, Debug)]
pub(super) struct TaskParser {
    defaults: TaskDefaults,
    /// The policies that names are resolved in, unless a server does it.
    policies: Option<Arc<Policies>>,
    run: Uuid,
}

#[derive(Debug)]
pub(super) struct InvalidLine {
    /// Its index in the batch.
    pub(super) place: usize,
    pub(super) line: u64,
    pub(super) error: ApiError,
}

#[derive(Debug)]
pub(super) struct ParsedBatch {
    pub(super) tasks: Vec<NewTask>,
    /// Their indexes in the batch.
    pub(super) places: Vec<usize>,
    pub(super) bad: Vec<InvalidLine>,
}

impl TaskParser {
    pub(super) const fn new(
        defaults: TaskDefaults,
        policies: Option<Arc<Policies>>,
        run: Uuid,
    ) -> Self {
        Self { defaults, policies, run }
    }

    /// Parses a batch and assigns ids. Further validation is left to the store.
    pub(super) fn read(&self, batch: &Batch) -> ParsedBatch {
        self.read_by(batch, |_| Ok(()))
    }

    /// Parses a batch and reports everything that can be validated without a store.
    pub(super) fn read_thoroughly(&self, batch: &Batch) -> ParsedBatch {
        self.read_by(batch, |task| task.check(self.policies.as_deref()))
    }

    fn read_by(
        &self,
        batch: &Batch,
        check: impl Fn(&NewTask) -> Result<(), ApiError>,
    ) -> ParsedBatch {
        let count = batch.items.len();
        let (tasks, places) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut read = ParsedBatch { tasks, places, bad: Vec::new() };
        for (place, Item { line, text }) in batch.items.iter().enumerate() {
            let task = self.task(text, batch.before.tasks + place as u64);
            match task.and_then(|task| check(&task).map(|()| task)) {
                Ok(task) => {
                    read.tasks.push(task);
                    read.places.push(place);
                }
                Err(error) => read.bad.push(in_input(place, *line, text, error)),
            }
        }
        read
    }

    fn task(&self, text: &[u8], number: u64) -> Result<NewTask, ApiError> {
        let text = str::from_utf8(text)
            .map_err(|error| invalid(format!("not UTF-8: {error}"), "save the file as UTF-8"))?;
        let mut task = NewTask::from_json(text)?;
        self.defaults.fill(&mut task);
        if task.id.is_none() {
            task.id = Some(run_id::task(self.run, number).ok_or_else(too_many)?);
        }
        payload::check(&task.kind, &task.payload)?;
        Ok(task)
    }
}

fn too_many() -> ApiError {
    invalid("a file may have at most four billion tasks".to_owned(), "split the file")
}

fn invalid(detail: String, next: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).next(next)
}

/// Converts positions within the task to positions in the input.
fn in_input(place: usize, line: u64, text: &[u8], mut error: ApiError) -> InvalidLine {
    if text == b"{" {
        let detail = "incomplete task on this line".to_owned();
        let next = "write each task on one line, as with `jq -c .`, or all as a JSON array";
        return InvalidLine { place, line, error: invalid(detail, next) };
    }
    let Some((detail, within, column)) = split_position(&error.detail) else {
        return InvalidLine { place, line, error };
    };
    error.detail = format!("{detail}, at column {column}");
    InvalidLine { place, line: line + within, error }
}

/// Splits off `(line 2, column 3)`; returns the number of lines before it and the column.
fn split_position(detail: &str) -> Option<(&str, u64, u64)> {
    let (detail, position) = detail.rsplit_once(" (line ")?;
    let (line, column) = position.strip_suffix(')')?.split_once(", column ")?;
    Some((detail, line.parse::<u64>().ok()?.checked_sub(1)?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batches;
    use super::*;

    fn read(text: &str) -> ParsedBatch {
        let policies = Some(Arc::new(Policies::presets().unwrap()));
        let batch = Batches::of(text.as_bytes()).next().unwrap();
        TaskParser::new(TaskDefaults::default(), policies, Uuid::now_v7()).read_thoroughly(&batch)
    }

    fn first_error(text: &str) -> (u64, String) {
        let bad = read(text).bad.remove(0);
        (bad.line, bad.error.to_string())
    }

    /// H1: an error has its line, field and a suggestion; other lines are parsed.
    #[test]
    fn invalid_line_is_reported_with_field_and_suggestion() {
        let good = r#"{"kind":"k","payload":1}"#;
        let (line, problem) = first_error(&format!(
            "{good}\n\n{{\"kind\":\"k\",\"payload\":1,\"quue\":\"a\"}}\n{good}"
        ));
        assert_eq!(line, 3);
        assert!(problem.contains("unknown field `quue`"), "{problem}");
        assert!(problem.ends_with("at column 30; did you mean `queue`?"), "{problem}");
        for (text, start) in [
            (r#"{"payload":1}"#, "invalid task: missing field `kind`"),
            (r#"{"kind":"","payload":1}"#, "kind: must not be empty"),
            (
                r#"{"kind":"k","payload":1,"policy":"patint"}"#,
                "policy: unknown policy `patint`; did you mean `patient`?",
            ),
            (
                r#"{"kind":"k","payload":1,"priority":"high"}"#,
                "priority: invalid task: invalid type",
            ),
            (r#"{"kind":"k","payload":1,"hold_category":true}"#, "hold_category: needs a category"),
            (r#"{"kind":"k","payload":1,"id":"00000000-0000-4000-8000-000000000000"}"#, "id: "),
            (r#"{"kind":"http","payload":{"uri":"http://a/"}}"#, "payload.uri: unknown field"),
            (r#"{"kind":"k","payload":1} {}"#, "unexpected text after a task: trailing"),
            ("{", "incomplete task on this line; write each task on one line"),
            ("kind,payload", "invalid task: expected value"),
        ] {
            let (_, problem) = first_error(text);
            assert!(problem.starts_with(start), "{text}: {problem}");
        }
    }

    #[test]
    fn error_line_refers_to_the_input() {
        let (line, problem) =
            first_error("[\n{\"kind\": \"k\",\n  \"payload\": 1,\n  \"quue\": 2}\n]");
        assert_eq!(line, 4);
        assert!(problem.contains("at column 8"), "{problem}");
    }

    /// D2: a task with its own id keeps it.
    #[test]
    fn every_task_gets_a_unique_id() {
        let own = steadfast_store::TaskId::fresh();
        let text = format!(
            "{{\"kind\":\"k\",\"payload\":1}}\n{{\"id\":\"{own}\",\"kind\":\"k\",\"payload\":1}}"
        );
        let read = read(&text);
        assert_eq!(read.tasks[1].id, Some(own));
        assert!(read.tasks[0].id.is_some_and(|id| id != own));
    }
}
