//! Registration of the built-in handlers, for the kinds `http` and `command`.
//!
//! The payload is passed on byte by byte, so that digits and the order of keys in a body reach the
//! server unchanged.

use std::sync::Arc;

use serde_json::value::RawValue;

#[cfg(feature = "http")]
use super::http::HttpAttempt;
#[cfg(all(feature = "command", unix))]
use super::{CommandCall, Commands};
#[cfg(feature = "http")]
use super::{Http, HttpCall};
use crate::run::Context;
use crate::worker::Worker;

impl Worker {
    /// Registers the handler of the kind `http`, which calls a service and sends the task's key, or
    /// its id, as `Idempotency-Key`. Under a policy that does not say `idempotent`, a call whose
    /// outcome is unknown is repeated if its method is idempotent or the submitter gave it a key (J9).
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
            async move {
                let call = HttpCall::parse(payload.get())?;
                context.set_idempotent(call.is_idempotent());
                // A key that the submitter did not choose may mean nothing to the server.
                let key = match context.has_declared_key() || call.has_key() {
                    true => context.key(),
                    false => context.key_without_promise(),
                };
                http.call_attempt(call, Some(key), HttpAttempt::of(&context)).await
            }
        })
    }

    /// Registers the handler of the kind `command`, which runs one of the allowed programs.
    #[cfg(all(feature = "command", unix))]
    pub fn commands(self, commands: Commands) -> Self {
        let commands = Arc::new(commands);
        self.handle("command", move |payload: Box<RawValue>, context: Context| {
            let commands = commands.clone();
            async move {
                let call = CommandCall::parse(payload.get())?;
                context.request_cleanup_time(commands.shutdown_time());
                // The program may ignore the key, so passing it does not make a repeat safe.
                let (key, attempt) = (Some(context.key_without_promise()), Some(context.attempt()));
                commands.call_until(context.cancellation().cancelled(), call, key, attempt).await
            }
        })
    }
}
