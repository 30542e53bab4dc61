//! A client of the browser's DevTools protocol, over a pipe.
//!
//! Messages are JSON that end with a zero byte. A command has a number and its answer has the
//! same; whatever has none is an event. Over a pipe there is no port that somebody else could
//! reach, and the browser goes when we go.

use std::collections::HashMap;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast::Kind;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use crate::error::ScraperError;

/// Both ends of the pipe. One thing is said at a time.
pub(crate) struct DevTools {
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What has come of the next message: whoever is cut off loses none of it.
    heard: Vec<u8>,
    number: u64,
}

/// How a server answered.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// The same in the browser's words.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Response {
    status: u16,
    headers: HashMap<String, String>,
}

impl DevTools {
    pub(super) fn over(commands: ChildStdin, answers: ChildStdout) -> Self {
        Self { commands, answers: BufReader::new(answers), heard: Vec::new(), number: 0 }
    }

    /// A tab, to talk to.
    pub(crate) async fn open_tab(&mut self) -> Result<String, ScraperError> {
        let blank = json!({"url": "about:blank"});
        let target = text(&self.call("", "Target.createTarget", blank).await?, "/targetId");
        let attach = json!({"targetId": target, "flatten": true});
        let tab = text(&self.call("", "Target.attachToTarget", attach).await?, "/sessionId");
        self.call(&tab, "Network.enable", json!({})).await?;
        Ok(tab)
    }

    /// Goes to a page and waits until all of it has come.
    pub(crate) async fn load(&mut self, tab: &str, url: &str) -> Result<Answer, ScraperError> {
        let (request, mut events) = self.ask(tab, "Page.navigate", json!({"url": url})).await?;
        if let Some(failed) = request.get("errorText").and_then(Value::as_str) {
            return Err(ScraperError::of_page(failed));
        }
        let request = text(&request, "/loaderId");
        let mut response = Response::default();
        loop {
            let mut event = if events.is_empty() { self.hear().await? } else { events.remove(0) };
            if text(&event, "/params/requestId") != request {
                continue;
            }
            match text(&event, "/method").as_str() {
                "Network.responseReceived" => {
                    let told = event.pointer_mut("/params/response").map(Value::take);
                    response = serde_json::from_value(told.unwrap_or_default()).unwrap_or_default();
                }
                "Network.loadingFinished" => break,
                "Network.loadingFailed" => {
                    return Err(ScraperError::of_page(&text(&event, "/params/errorText")));
                }
                _ => {}
            }
        }
        let headers = response.headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
        });
        let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
        Ok(Answer { status, headers: headers.collect() })
    }

    /// What an expression comes to in the page of a tab.
    pub(crate) async fn evaluate(&mut self, tab: &str, words: &str) -> Result<Value, ScraperError> {
        let asked = json!({"expression": words, "awaitPromise": true, "returnByValue": true});
        let answer = self.call(tab, "Runtime.evaluate", asked).await?;
        Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// Sends a command, to a tab or to the browser itself, and waits for the answer.
    pub(crate) async fn call(
        &mut self,
        tab: &str,
        method: &str,
        parameters: Value,
    ) -> Result<Value, ScraperError> {
        self.ask(tab, method, parameters).await.map(|(answer, _)| answer)
    }

    /// The same, and what happened until the answer came.
    async fn ask(
        &mut self,
        tab: &str,
        method: &str,
        parameters: Value,
    ) -> Result<(Value, Vec<Value>), ScraperError> {
        self.number += 1;
        let number = self.number;
        let mut command = json!({"id": number, "method": method, "params": parameters});
        if let (Some(command), false) = (command.as_object_mut(), tab.is_empty()) {
            command.insert("sessionId".to_owned(), tab.into());
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).await.map_err(|_| gone())?;
        let mut events = Vec::new();
        loop {
            let mut heard = self.hear().await?;
            match heard.get("id").and_then(Value::as_u64) {
                None => events.push(heard),
                Some(answered) if answered == number => {
                    let answer = heard.get_mut("result").map(Value::take);
                    let refused =
                        || ScraperError::of(Kind::Other, "BrowserError", heard.to_string());
                    return answer.ok_or_else(refused).map(|answer| (answer, events));
                }
                // Somebody was cut off while waiting for it.
                Some(_) => {}
            }
        }
    }

    async fn hear(&mut self) -> Result<Value, ScraperError> {
        let read = self.answers.read_until(0, &mut self.heard).await;
        read.map_err(|_| gone())?;
        let mut message = std::mem::take(&mut self.heard);
        if message.pop() != Some(0) {
            return Err(gone());
        }
        serde_json::from_slice(&message).map_err(|_| gone())
    }
}

/// There is no browser at the other end any more.
pub(super) fn gone() -> ScraperError {
    ScraperError::of(Kind::BrokenPipe, "ConnectionError", "the browser is gone")
}

fn text(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}
