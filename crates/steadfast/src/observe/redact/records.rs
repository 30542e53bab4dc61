//! Redaction of faults, events and records.

use super::Redactor;
use crate::Fault;
use crate::fault::MAX_CAUSES;
use crate::observe::{AttemptRecord, ErrorRecord, Event, Session};

impl Redactor {
    /// Redacts a fault and its causes. Causes beyond the depth limit are removed.
    pub fn fault(&self, fault: &mut Fault) {
        self.causes(fault, MAX_CAUSES);
    }

    fn causes(&self, fault: &mut Fault, remaining: usize) {
        if let Some(message) = &mut fault.message {
            self.clean(message);
        }
        if remaining == 0 {
            fault.causes.clear();
        }
        for cause in &mut fault.causes {
            self.causes(cause, remaining - 1);
        }
    }

    /// Redacts an error. Its stack trace is removed unless [included](Self::stack_traces).
    pub fn error(&self, error: &mut ErrorRecord) {
        self.clean(&mut error.message);
        if !self.stack_traces {
            error.stack_trace = None;
        }
        if let Some(trace) = &mut error.stack_trace {
            self.clean(trace);
        }
    }

    /// Redacts an event.
    pub fn event(&self, event: &mut Event) {
        self.clean(&mut event.operation);
        if let Some(error) = &mut event.error {
            self.error(error);
        }
        if let Some(context) = &mut event.context {
            self.map(context);
        }
    }

    /// Redacts an attempt's record.
    pub fn attempt(&self, attempt: &mut AttemptRecord) {
        if let Some(error) = &mut attempt.error {
            self.error(error);
        }
        if let Some(fault) = &mut attempt.fault {
            self.fault(fault);
        }
        if let Some(context) = &mut attempt.context {
            self.map(context);
        }
    }

    /// Redacts a session's record.
    pub fn session(&self, session: &mut Session) {
        self.clean(&mut session.operation);
        if let Some(subsystem) = &mut session.subsystem {
            self.clean(subsystem);
        }
        for attempt in &mut session.attempts {
            self.attempt(attempt);
        }
        if let Some(error) = &mut session.final_error {
            self.error(error);
        }
        if let Some(result) = &mut session.final_result {
            self.value(result);
        }
        if let Some(context) = &mut session.context {
            self.map(context);
        }
    }
}
