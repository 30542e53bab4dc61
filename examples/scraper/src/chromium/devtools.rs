//! A client of the browser's DevTools protocol, over a pipe.
//!
//! Messages are JSON and end with a zero byte. A command and its response have the same number; a
//! message without a number is an event. A pipe has no port that other processes could reach, and the
//! browser ends when the pipe is closed.

use std::collections::HashMap;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast::Kind;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use crate::error::ScraperError;

/// Both ends of the pipe. There is one command at a time.
pub(crate) struct DevTools {
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The received part of the next message, so that a cancelled read loses nothing.
    message: Vec<u8>,
    number: u64,
}

/// The response of a server.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// The same as reported by the browser.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Response {
    status: u16,
    headers: HashMap<String, String>,
}

impl DevTools {
    pub(super) fn over(commands: ChildStdin, answers: ChildStdout) -> Self {
        Self { commands, answers: BufReader::new(answers), message: Vec::new(), number: 0 }
    }

    /// Opens a tab. Returns its session id.
    pub(crate) async fn open_tab(&mut self) -> Result<String, ScraperError> {
        let blank = json!({"url": "about:blank"});
        let target = text(&self.call("", "Target.createTarget", blank).await?, "/targetId");
        let attach = json!({"targetId": target, "flatten": true});
        let tab = text(&self.call("", "Target.attachToTarget", attach).await?, "/sessionId");
        self.call(&tab, "Network.enable", json!({})).await?;
        Ok(tab)
    }

    /// Navigates to a page and waits until it is complete.
    pub(crate) async fn load(&mut self, tab: &str, url: &str) -> Result<Answer, ScraperError> {
        let (request, mut events) = self.ask(tab, "Page.navigate", json!({"url": url})).await?;
        if let Some(failed) = request.get("errorText").and_then(Value::as_str) {
            return Err(ScraperError::of_page(failed));
        }
        let request = text(&request, "/loaderId");
        let mut response = Response::default();
        loop {
            let mut event =
                if events.is_empty() { self.receive().await? } else { events.remove(0) };
            if text(&event, "/params/requestId") != request {
                continue;
            }
            match text(&event, "/method").as_str() {
                "Network.responseReceived" => {
                    let received = event.pointer_mut("/params/response").map(Value::take);
                    response =
                        serde_json::from_value(received.unwrap_or_default()).unwrap_or_default();
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

    /// Evaluates an expression in the page of a tab.
    pub(crate) async fn evaluate(&mut self, tab: &str, words: &str) -> Result<Value, ScraperError> {
        let asked = json!({"expression": words, "awaitPromise": true, "returnByValue": true});
        let answer = self.call(tab, "Runtime.evaluate", asked).await?;
        Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// Sends a command to a tab or to the browser itself, and waits for the response.
    pub(crate) async fn call(
        &mut self,
        tab: &str,
        method: &str,
        parameters: Value,
    ) -> Result<Value, ScraperError> {
        self.ask(tab, method, parameters).await.map(|(answer, _)| answer)
    }

    /// The same, with the events before the response.
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
            let mut message = self.receive().await?;
            match message.get("id").and_then(Value::as_u64) {
                None => events.push(message),
                Some(answered) if answered == number => {
                    let answer = message.get_mut("result").map(Value::take);
                    let refused =
                        || ScraperError::of(Kind::Other, "BrowserError", message.to_string());
                    return answer.ok_or_else(refused).map(|answer| (answer, events));
                }
                // The response to a cancelled command.
                Some(_) => {}
            }
        }
    }

    async fn receive(&mut self) -> Result<Value, ScraperError> {
        let read = self.answers.read_until(0, &mut self.message).await;
        read.map_err(|_| gone())?;
        let mut message = std::mem::take(&mut self.message);
        if message.pop() != Some(0) {
            return Err(gone());
        }
        serde_json::from_slice(&message).map_err(|_| gone())
    }
}

/// The browser has ended.
pub(super) fn gone() -> ScraperError {
    ScraperError::of(Kind::BrokenPipe, "ConnectionError", "the browser is gone")
}

fn text(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}
