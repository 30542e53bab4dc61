//! What was typed, and the task that it means.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use steadfast_api::{ApiError, ErrorKind, NewTask, PolicyChoice, from_json, when};

/// Which of the two buttons was pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    #[default]
    Submit,
    Preview,
}

/// A form as it was filled in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Typed {
    pub(super) wanted: Wanted,
    /// Empty for an HTTP call.
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

impl Typed {
    /// Whether it is an HTTP call, which has fields of its own.
    pub(super) fn is_http(&self) -> bool {
        matches!(self.kind.as_str(), "" | "http")
    }

    /// The task that it means.
    pub(super) fn task(&self) -> Result<NewTask, ApiError> {
        let (kind, payload) = match self.is_http() {
            true => ("http", self.call()?),
            false => (self.kind.trim(), self.document()?),
        };
        let mut task = NewTask::new(kind, payload);
        task.policy = given(&self.policy).map(PolicyChoice::Named);
        task.queue = given(&self.queue);
        task.category = given(&self.category);
        task.priority = given(&self.priority).map(|text| priority(&text)).transpose()?;
        task.run_at = when::typed("run_at", &self.run_at)?;
        task.expires_at = when::typed("expires_at", &self.expires_at)?;
        task.idempotency_key = given(&self.idempotency_key);
        task.correlation_id = given(&self.correlation_id);
        Ok(task)
    }

    fn document(&self) -> Result<Box<RawValue>, ApiError> {
        from_json(&self.payload, "JSON").map_err(|error| error.field("payload"))
    }

    fn call(&self) -> Result<Box<RawValue>, ApiError> {
        let url = self.url.trim();
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(wrong(
                "url",
                "an HTTP call needs a URL",
                "begin it with https:// or http://",
            ));
        }
        let call = Call {
            method: given(&self.method).unwrap_or_else(|| "GET".to_owned()),
            url,
            headers: given(&self.headers).map(|text| headers(&text)).transpose()?,
            body: given(&self.body).map(|_| body(&self.body)),
        };
        to_raw_value(&call)
            .map_err(|error| wrong("body", &error.to_string(), "write something else"))
    }
}

/// An HTTP call as its handler takes it.
#[derive(Serialize)]
struct Call<'t> {
    method: String,
    url: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Body<'t>>,
}

/// JSON is sent as it was written, to the last digit and in its order; anything else as a text.
#[derive(Serialize)]
#[serde(untagged)]
enum Body<'t> {
    Json(&'t RawValue),
    Text(&'t str),
}

fn body(typed: &str) -> Body<'_> {
    serde_json::from_str(typed).map_or(Body::Text(typed), Body::Json)
}

fn given(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn wrong(field: &str, detail: &str, next: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, detail).field(field).next(next)
}

fn priority(text: &str) -> Result<i16, ApiError> {
    text.parse().map_err(|_| {
        wrong("priority", &format!("`{text}` is no priority"), "say a number from -32768 to 32767")
    })
}

/// One a line, as HTTP has them.
fn headers(text: &str) -> Result<Map<String, Value>, ApiError> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let each = lines.map(|line| match line.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), json!(value.trim())))
        }
        _ => Err(wrong(
            "headers",
            &format!("`{line}` is no header"),
            "write `Name: value`, one a line",
        )),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(change: impl FnOnce(&mut Typed)) -> Typed {
        let mut typed = Typed { url: "https://a.example/".to_owned(), ..Typed::default() };
        change(&mut typed);
        typed
    }

    /// H2: an HTTP call is made of its fields.
    #[test]
    fn an_http_call_is_made_of_its_fields() {
        let typed = typed(|typed| {
            typed.method = "PUT".to_owned();
            typed.headers = "X-One: 1\n\n X-Two : b:c ".to_owned();
            typed.body = "{\"a\": 1}".to_owned();
        });
        let payload: Value = serde_json::from_str(typed.task().unwrap().payload.get()).unwrap();
        let meant = json!({
            "url": "https://a.example/", "method": "PUT",
            "headers": {"X-One": "1", "X-Two": "b:c"}, "body": {"a": 1},
        });
        assert_eq!(payload, meant);
    }

    /// H2: a body is sent as it was typed: every digit, in the order of its keys, or as a text.
    #[test]
    fn a_body_is_sent_as_it_was_typed() {
        let sent = |body: &str| {
            let typed = typed(|typed| typed.body = body.to_owned());
            typed.task().unwrap().payload.get().to_owned()
        };
        let exact = "{\"z\": 12345678901234567890123, \"a\": 0.10}";
        assert!(sent(exact).ends_with(&format!(",\"body\":{exact}}}")), "{}", sent(exact));
        assert!(sent("a {b").ends_with(",\"body\":\"a {b\"}"), "{}", sent("a {b"));
        assert!(!sent(" \n").contains("body"), "{}", sent(" \n"));
    }

    /// K4: what is wrong is said of its field, with what is right.
    #[test]
    fn what_is_wrong_is_said_of_its_field() {
        type Slip = fn(&mut Typed);
        let cases: [(Slip, &str); 6] = [
            (|typed| typed.url = "a.example".to_owned(), "url"),
            (|typed| typed.headers = "nonsense".to_owned(), "headers"),
            (|typed| typed.priority = "high".to_owned(), "priority"),
            (|typed| typed.run_at = "soon".to_owned(), "run_at"),
            (|typed| typed.expires_at = "never".to_owned(), "expires_at"),
            (|typed| (typed.kind, typed.payload) = ("a".to_owned(), "{".to_owned()), "payload"),
        ];
        for (change, field) in cases {
            let error = typed(change).task().unwrap_err();
            assert_eq!(error.field.as_deref(), Some(field), "{error}");
            assert!(field == "payload" || error.next.is_some(), "{error}");
        }
    }
}
