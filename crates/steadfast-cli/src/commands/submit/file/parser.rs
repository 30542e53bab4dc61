//! From the text of a task to the task.

use std::sync::Arc;

use steadfast::file::Policies;
use steadfast_api::{ApiError, ErrorKind, NewTask};

use super::super::payload;
use super::super::task_flags::TaskDefaults;
use super::batch::Batch;
use super::run_id::RunId;

/// How the tasks of an input are read.
#[derive(Clone, Debug)]
pub(super) struct TaskParser {
    /// What the flags say for every task that does not say it itself.
    said: TaskDefaults,
    /// Those that names are looked for among, unless that is a server's to do.
    policies: Option<Arc<Policies>>,
    run: RunId,
}

/// What no store would take, and where it is.
#[derive(Debug)]
pub(super) struct InvalidLine {
    /// Its place in its batch.
    pub(super) place: usize,
    pub(super) line: u64,
    pub(super) error: ApiError,
}

/// What is in a batch.
#[derive(Debug)]
pub(super) struct ParsedBatch {
    pub(super) tasks: Vec<NewTask>,
    /// The places of these tasks in the batch.
    pub(super) places: Vec<usize>,
    pub(super) bad: Vec<InvalidLine>,
}

impl TaskParser {
    pub(super) const fn new(
        said: TaskDefaults,
        policies: Option<Arc<Policies>>,
        run: RunId,
    ) -> Self {
        Self { said, policies, run }
    }

    /// Reads a batch: its tasks, each under the id that it has in this run, and those that are
    /// none. What else a store would refuse it says itself, and seldom has to.
    pub(super) fn read(&self, batch: &Batch) -> ParsedBatch {
        self.read_by(batch, |_| Ok(()))
    }

    /// The same, and everything is found that can be told to be wrong without a store.
    pub(super) fn read_thoroughly(&self, batch: &Batch) -> ParsedBatch {
        self.read_by(batch, |task| task.check(self.policies.as_deref()))
    }

    fn read_by(
        &self,
        batch: &Batch,
        check: impl Fn(&NewTask) -> Result<(), ApiError>,
    ) -> ParsedBatch {
        let count = batch.len();
        let (tasks, places) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut read = ParsedBatch { tasks, places, bad: Vec::new() };
        for (place, (line, text)) in batch.texts().enumerate() {
            let task = self.task(text, batch.before.tasks + place as u64);
            match task.and_then(|task| check(&task).map(|()| task)) {
                Ok(task) => {
                    read.tasks.push(task);
                    read.places.push(place);
                }
                Err(error) => read.bad.push(in_input(place, line, text, error)),
            }
        }
        read
    }

    fn task(&self, text: &[u8], number: u64) -> Result<NewTask, ApiError> {
        let text = str::from_utf8(text).map_err(|error| {
            invalid(format!("this is not UTF-8: {error}"), "write the file as UTF-8")
        })?;
        let mut task = NewTask::from_json(text)?;
        self.said.fill(&mut task);
        if task.id.is_none() {
            task.id = Some(self.run.task(number).ok_or_else(too_many)?);
        }
        payload::check(&task.kind, &task.payload)?;
        Ok(task)
    }
}

fn too_many() -> ApiError {
    invalid("one run has room for four billion tasks".to_owned(), "split the file")
}

fn invalid(detail: String, next: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).next(next)
}

/// The same, told by its line in the whole input: whoever has read it has seen this task alone.
fn in_input(place: usize, line: u64, text: &[u8], mut error: ApiError) -> InvalidLine {
    if text == b"{" {
        let detail = "this is only the beginning of a task".to_owned();
        let next = "write each task on one line, as `jq -c .` does, or all as a JSON array";
        return InvalidLine { place, line, error: invalid(detail, next) };
    }
    let Some((detail, within, column)) = without_place(&error.detail) else {
        return InvalidLine { place, line, error };
    };
    error.detail = format!("{detail}, at column {column}");
    InvalidLine { place, line: line + within, error }
}

/// Takes `at line 2 column 3` from the end; the lines before it, and the column.
fn without_place(detail: &str) -> Option<(&str, u64, u64)> {
    let (detail, place) = detail.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    Some((detail, line.parse::<u64>().ok()?.checked_sub(1)?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::super::task_flags::TaskFlags;
    use super::super::batch::Batches;
    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: TaskFlags,
    }

    fn read(text: &str) -> ParsedBatch {
        let said = Line::parse_from(["x"]).flags.defaults(None).unwrap();
        let policies = Some(Arc::new(Policies::ready_made().unwrap()));
        let batch = Batches::of(text.as_bytes()).next().unwrap();
        TaskParser::new(said, policies, RunId::fresh()).read_thoroughly(&batch)
    }

    fn told(text: &str) -> (u64, String) {
        let bad = read(text).bad.remove(0);
        (bad.line, bad.error.to_string())
    }

    /// H1: what is wrong is told by the line, the field and a near miss; other lines are read.
    #[test]
    fn a_wrong_line_is_told_with_its_field_and_what_was_meant() {
        let good = r#"{"kind":"k","payload":1}"#;
        let (line, problem) =
            told(&format!("{good}\n\n{{\"kind\":\"k\",\"payload\":1,\"quue\":\"a\"}}\n{good}"));
        assert_eq!(line, 3);
        assert!(problem.contains("unknown field `quue`"), "{problem}");
        assert!(problem.ends_with("at column 30; did you mean `queue`?"), "{problem}");
        for (text, start) in [
            (r#"{"payload":1}"#, "this is not a task: missing field `kind`"),
            (r#"{"kind":"","payload":1}"#, "kind: must not be empty"),
            (
                r#"{"kind":"k","payload":1,"policy":"patint"}"#,
                "policy: there is no policy `patint`; did you mean `patient`?",
            ),
            (
                r#"{"kind":"k","payload":1,"priority":"high"}"#,
                "priority: this is not a task: invalid type",
            ),
            (r#"{"kind":"k","payload":1,"hold_category":true}"#, "hold_category: needs a category"),
            (r#"{"kind":"k","payload":1,"id":"00000000-0000-4000-8000-000000000000"}"#, "id: "),
            (
                r#"{"kind":"http","payload":{"uri":"http://a/"}}"#,
                "payload.uri: unknown field",
            ),
            (r#"{"kind":"k","payload":1} {}"#, "there is more than a task: trailing"),
            ("{", "this is only the beginning of a task; write each task on one line"),
            ("kind,payload", "this is not a task: expected value"),
        ] {
            let (_, problem) = told(text);
            assert!(problem.starts_with(start), "{text}: {problem}");
        }
    }

    #[test]
    fn the_line_is_that_of_the_input_however_the_task_is_laid_out() {
        let (line, problem) = told("[\n{\"kind\": \"k\",\n  \"payload\": 1,\n  \"quue\": 2}\n]");
        assert_eq!(line, 4);
        assert!(problem.contains("at column 8"), "{problem}");
    }

    /// D2: a task that brings its id keeps it.
    #[test]
    fn every_task_has_an_id_of_its_own() {
        let own = steadfast_store::TaskId::fresh();
        let text = format!(
            "{{\"kind\":\"k\",\"payload\":1}}\n{{\"id\":\"{own}\",\"kind\":\"k\",\"payload\":1}}"
        );
        let read = read(&text);
        assert_eq!(read.tasks[1].id, Some(own));
        assert!(read.tasks[0].id.is_some_and(|id| id != own));
    }
}
