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
        fault.message.iter_mut().for_each(|message| self.clean(message));
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
        error.stack_trace.iter_mut().for_each(|trace| self.clean(trace));
    }

    /// Redacts an event.
    pub fn event(&self, event: &mut Event) {
        self.clean(&mut event.operation);
        event.error.iter_mut().for_each(|error| self.error(error));
        event.context.iter_mut().for_each(|context| self.map(context));
    }

    /// Redacts an attempt's record.
    pub fn attempt(&self, attempt: &mut AttemptRecord) {
        attempt.error.iter_mut().for_each(|error| self.error(error));
        attempt.fault.iter_mut().for_each(|fault| self.fault(fault));
        attempt.context.iter_mut().for_each(|context| self.map(context));
    }

    /// Redacts a session's record.
    pub fn session(&self, session: &mut Session) {
        self.clean(&mut session.operation);
        session.subsystem.iter_mut().for_each(|subsystem| self.clean(subsystem));
        session.attempts.iter_mut().for_each(|attempt| self.attempt(attempt));
        session.final_error.iter_mut().for_each(|error| self.error(error));
        session.final_result.iter_mut().for_each(|result| self.value(result));
        session.context.iter_mut().for_each(|context| self.map(context));
    }
}
