//! A conversation with a browser: its DevTools protocol, over a pipe.
//!
//! Messages are JSON that end with a zero byte. A command has a number and its answer has the
//! same; whatever has none is an event. Over a pipe there is no port that somebody else could
//! reach, and the browser goes when we go.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use steadfast::Kind;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use crate::trouble::{Trouble, within};

/// Both ends of the pipe. One thing is said at a time.
pub(super) struct DevTools {
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What has come of the next message: whoever is cut off loses none of it.
    heard: Vec<u8>,
    number: u64,
}

/// A page that was had.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// How the server answered.
    pub status: u16,
    /// What the page is called.
    pub title: String,
}

/// Answers when the page is there.
const TITLE: &str = "new Promise(done => document.readyState == 'complete' ? done() \
                     : addEventListener('load', done)).then(() => document.title)";

impl DevTools {
    pub(super) fn over(commands: ChildStdin, answers: ChildStdout) -> Self {
        Self { commands, answers: BufReader::new(answers), heard: Vec::new(), number: 0 }
    }

    /// A tab, to talk to.
    pub(super) async fn open_tab(&mut self) -> Result<String, Trouble> {
        let blank = json!({"url": "about:blank"});
        let target = text(&self.call("", "Target.createTarget", blank).await?, "/targetId");
        let attach = json!({"targetId": target, "flatten": true});
        let tab = text(&self.call("", "Target.attachToTarget", attach).await?, "/sessionId");
        self.call(&tab, "Network.enable", json!({})).await?;
        Ok(tab)
    }

    /// Goes to a page and waits until all of it has come.
    pub(super) async fn visit(
        &mut self,
        tab: &str,
        url: &str,
        limit: Duration,
    ) -> Result<Page, Trouble> {
        within(limit, async {
            let (request, mut events) = self.ask(tab, "Page.navigate", json!({"url": url})).await?;
            if let Some(failed) = request.get("errorText").and_then(Value::as_str) {
                return Err(Trouble::of_page(failed));
            }
            let request = text(&request, "/loaderId");
            let mut answer = Value::Null;
            loop {
                let event = if events.is_empty() { self.hear().await? } else { events.remove(0) };
                if text(&event, "/params/requestId") != request {
                    continue;
                }
                match text(&event, "/method").as_str() {
                    "Network.responseReceived" => answer = event,
                    "Network.loadingFinished" => break,
                    "Network.loadingFailed" => {
                        return Err(Trouble::of_page(&text(&event, "/params/errorText")));
                    }
                    _ => {}
                }
            }
            let status = answer.pointer("/params/response/status").and_then(Value::as_u64);
            let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or_default();
            if status >= 400 {
                let wish = answer.pointer("/params/response/headers/retry-after");
                return Err(Trouble::status(status, wish.and_then(Value::as_str)));
            }
            let title = self.evaluate(tab, TITLE, limit).await?;
            Ok(Page { status, title: text(&title, "") })
        })
        .await
    }

    /// What an expression comes to in the page of a tab.
    pub(super) async fn evaluate(
        &mut self,
        tab: &str,
        expression: &str,
        limit: Duration,
    ) -> Result<Value, Trouble> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = within(limit, self.call(tab, "Runtime.evaluate", asked)).await?;
        Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// Sends a command, to a tab or to the browser itself, and waits for the answer.
    pub(super) async fn call(
        &mut self,
        tab: &str,
        method: &str,
        parameters: Value,
    ) -> Result<Value, Trouble> {
        self.ask(tab, method, parameters).await.map(|(answer, _)| answer)
    }

    /// The same, and what happened until the answer came.
    async fn ask(
        &mut self,
        tab: &str,
        method: &str,
        parameters: Value,
    ) -> Result<(Value, Vec<Value>), Trouble> {
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
                    let refused = || Trouble::of(Kind::Other, "BrowserError", heard.to_string());
                    return answer.ok_or_else(refused).map(|answer| (answer, events));
                }
                // Somebody was cut off while waiting for it.
                Some(_) => {}
            }
        }
    }

    async fn hear(&mut self) -> Result<Value, Trouble> {
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
pub(super) fn gone() -> Trouble {
    Trouble::of(Kind::BrokenPipe, "ConnectionError", "the browser is gone")
}

fn text(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}
