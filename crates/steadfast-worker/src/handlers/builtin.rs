//! The built-in handlers as a worker's own: the kinds `http` and `command`.
//!
//! The payload is taken as it was written, so that digits and the order of keys in a body reach
//! the other side unchanged.

use std::sync::Arc;

use serde_json::value::RawValue;

#[cfg(all(feature = "command", unix))]
use super::{CommandCall, Commands};
#[cfg(feature = "http")]
use super::{Http, HttpCall};
use crate::context::Context;
use crate::worker::Worker;

impl Worker {
    /// Does tasks of the kind `http`: calls a service, and hands it the task's key as
    /// `Idempotency-Key`.
    ///
    /// ```
    /// # use steadfast_store::Store;
    /// use steadfast_worker::Worker;
    /// use steadfast_worker::handlers::{Http, Targets};
    ///
    /// # fn example(store: Store) -> Result<Worker, Box<dyn std::error::Error>> {
    /// let allowed = Targets::new(["10.1.0.0/16".parse()?]);
    /// Ok(Worker::new(store).http(Http::new(allowed)?))
    /// # }
    /// ```
    #[cfg(feature = "http")]
    pub fn http(self, http: Http) -> Self {
        let http = Arc::new(http);
        self.handle("http", move |payload: Box<RawValue>, context: Context| {
            let http = http.clone();
            async move { http.call(HttpCall::read(payload.get())?, Some(context.key())).await }
        })
    }

    /// Does tasks of the kind `command`: runs one of the programs that are allowed.
    #[cfg(all(feature = "command", unix))]
    pub fn commands(self, commands: Commands) -> Self {
        let commands = Arc::new(commands);
        self.handle("command", move |payload: Box<RawValue>, context: Context| {
            let commands = commands.clone();
            async move {
                let call = CommandCall::read(payload.get())?;
                context.needs_to_tidy_up(commands.time_to_end());
                // A program need not look at the key, so having it makes nothing safe to repeat.
                let (key, attempt) = (Some(context.key_unused()), Some(context.attempt()));
                commands.call_until(context.called_off().cancelled(), call, key, attempt).await
            }
        })
    }
}
