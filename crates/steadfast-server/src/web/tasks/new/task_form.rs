//! The values of the new task form, and their conversion into a task.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use steadfast_api::{ApiError, ErrorKind, NewTask, PolicyChoice, from_json, time_input};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmitAction {
    #[default]
    Submit,
    Preview,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskForm {
    pub(super) action: SubmitAction,
    /// Empty for an HTTP request.
    pub(super) kind: String,
    pub(super) payload: String,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: String,
    pub(super) body: String,
    pub(super) policy: String,
    pub(super) queue: String,
    pub(super) category: String,
    pub(super) priority: String,
    pub(super) run_at: String,
    pub(super) expires_at: String,
    pub(super) idempotency_key: String,
    pub(super) correlation_id: String,
}

impl TaskForm {
    /// Whether the task is an HTTP request, which has its own fields.
    pub(super) fn is_http(&self) -> bool {
        matches!(self.kind.as_str(), "" | "http")
    }

    pub(super) fn task(&self) -> Result<NewTask, ApiError> {
        let (kind, payload) = match self.is_http() {
            true => ("http", self.http_payload()?),
            false => (self.kind.trim(), self.json_payload()?),
        };
        let mut task = NewTask::new(kind, payload);
        task.policy = non_empty(&self.policy).map(PolicyChoice::Named);
        task.queue = non_empty(&self.queue);
        task.category = non_empty(&self.category);
        task.priority = non_empty(&self.priority).map(|text| priority(&text)).transpose()?;
        task.run_at = time_input::parse_field("run_at", &self.run_at)?;
        task.expires_at = time_input::parse_field("expires_at", &self.expires_at)?;
        task.idempotency_key = non_empty(&self.idempotency_key);
        task.correlation_id = non_empty(&self.correlation_id);
        Ok(task)
    }

    /// The error of a payload at the form's own field, such as `url` for `payload.url`.
    pub(super) fn at_form_field(&self, error: ApiError) -> ApiError {
        let path = error.field.as_deref().and_then(|field| field.strip_prefix("payload."));
        let field = match path.and_then(|path| path.split('.').next()) {
            Some(field) if self.is_http() => field.to_owned(),
            _ => "payload".to_owned(),
        };
        // What the path names inside of that field.
        let inner = path.and_then(|path| match self.is_http() {
            true => path.split_once('.').map(|(_, inner)| inner),
            false => Some(path),
        });
        let detail = inner.map(|inner| format!("`{inner}` {}", error.detail));
        let mut error = error.field(field);
        error.detail = detail.unwrap_or(error.detail);
        error
    }

    fn json_payload(&self) -> Result<Box<RawValue>, ApiError> {
        from_json(&self.payload, "JSON").map_err(|error| error.field("payload"))
    }

    fn http_payload(&self) -> Result<Box<RawValue>, ApiError> {
        let url = self.url.trim();
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(invalid("url", "invalid URL", "start it with https:// or http://"));
        }
        let request = HttpRequest {
            method: non_empty(&self.method).unwrap_or_else(|| "GET".to_owned()),
            url,
            headers: non_empty(&self.headers).map(|text| headers(&text)).transpose()?,
            body: non_empty(&self.body).map(|_| body(&self.body)),
        };
        to_raw_value(&request)
            .map_err(|error| invalid("body", &error.to_string(), "enter another body"))
    }
}

/// The payload of the `http` handler.
#[derive(Serialize)]
struct HttpRequest<'t> {
    method: String,
    url: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Body<'t>>,
}

/// JSON is passed through unchanged, digits and key order included; anything else is a string.
#[derive(Serialize)]
#[serde(untagged)]
enum Body<'t> {
    Json(&'t RawValue),
    Text(&'t str),
}

fn body(text: &str) -> Body<'_> {
    serde_json::from_str(text).map_or(Body::Text(text), Body::Json)
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn invalid(field: &str, detail: &str, next: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).field(field).next(next)
}

fn priority(text: &str) -> Result<i16, ApiError> {
    text.parse().map_err(|_| {
        invalid(
            "priority",
            &format!("invalid priority `{text}`"),
            "use a number from -32768 to 32767",
        )
    })
}

/// Headers, one per line.
fn headers(text: &str) -> Result<Map<String, Value>, ApiError> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let each = lines.map(|line| match line.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), json!(value.trim())))
        }
        _ => Err(invalid(
            "headers",
            &format!("invalid header `{line}`"),
            "use `Name: value`, one per line",
        )),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(change: impl FnOnce(&mut TaskForm)) -> TaskForm {
        let mut form = TaskForm { url: "https://a.example/".to_owned(), ..TaskForm::default() };
        change(&mut form);
        form
    }

    /// H2: an HTTP request is built from its fields.
    #[test]
    fn http_request_is_built_from_its_fields() {
        let form = form(|form| {
            form.method = "PUT".to_owned();
            form.headers = "X-One: 1\n\n X-Two : b:c ".to_owned();
            form.body = "{\"a\": 1}".to_owned();
        });
        let payload: Value = serde_json::from_str(form.task().unwrap().payload.get()).unwrap();
        let expected = json!({
            "url": "https://a.example/", "method": "PUT",
            "headers": {"X-One": "1", "X-Two": "b:c"}, "body": {"a": 1},
        });
        assert_eq!(payload, expected);
    }

    /// H2: a JSON body keeps every digit and the order of its keys; other bodies are strings.
    #[test]
    fn body_is_sent_unchanged() {
        let sent = |body: &str| {
            let form = form(|form| form.body = body.to_owned());
            form.task().unwrap().payload.get().to_owned()
        };
        let exact = "{\"z\": 12345678901234567890123, \"a\": 0.10}";
        assert!(sent(exact).ends_with(&format!(",\"body\":{exact}}}")), "{}", sent(exact));
        assert!(sent("a {b").ends_with(",\"body\":\"a {b\"}"), "{}", sent("a {b"));
        assert!(!sent(" \n").contains("body"), "{}", sent(" \n"));
    }

    /// K4: an invalid value is reported at its field, with a hint.
    #[test]
    fn invalid_value_is_reported_at_its_field() {
        type Change = fn(&mut TaskForm);
        let cases: [(Change, &str); 6] = [
            (|form| form.url = "a.example".to_owned(), "url"),
            (|form| form.headers = "nonsense".to_owned(), "headers"),
            (|form| form.priority = "high".to_owned(), "priority"),
            (|form| form.run_at = "soon".to_owned(), "run_at"),
            (|form| form.expires_at = "never".to_owned(), "expires_at"),
            (|form| (form.kind, form.payload) = ("a".to_owned(), "{".to_owned()), "payload"),
        ];
        for (change, field) in cases {
            let error = form(change).task().unwrap_err();
            assert_eq!(error.field.as_deref(), Some(field), "{error}");
            assert!(field == "payload" || error.next.is_some(), "{error}");
        }
    }
}
