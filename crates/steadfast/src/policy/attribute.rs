//! Compile-time validation for `#[retry]` (I8).
//!
//! The rules are those of every other policy. The attribute checks each field separately, so that
//! the compiler points at the invalid one.

use super::{Draft, Jitter, RangeError};
use crate::text;

#[doc(hidden)]
impl Draft {
    /// Resets the other spellings of `field`, so that setting `field` overrides them.
    pub const fn without_alternatives(mut self, field: &str) -> Self {
        match field.as_bytes() {
            b"max_attempts" | b"max_retries" => {
                self.max_attempts = None;
                self.max_retries = None;
            }
            b"jitter" | b"jitter_type" => {
                self.timing.jitter = None;
                self.timing.jitter_type = None;
            }
            b"jitter_amount" => self.timing.jitter_type = self.long_form_jitter(),
            _ => {}
        }
        self
    }

    /// The jitter as `jitter_type`, which has an amount.
    pub(super) const fn long_form_jitter(&mut self) -> Option<Jitter> {
        match self.timing.jitter.take() {
            None => self.timing.jitter_type,
            short => short,
        }
    }

    /// Accepts settings without an effect: those of a file, and those whose base policy is known only
    /// at run time.
    pub const fn allow_ineffective(mut self) -> Self {
        self.allows_ineffective = Some(true);
        self
    }

    /// The first problem of any of these fields.
    #[must_use]
    pub const fn first_problem(self, fields: &[&str]) -> Option<&'static str> {
        let message = match first_of(&self.checks(), fields) {
            None => first_of(&self.effect_checks(), fields),
            message => message,
        };
        // A constant cannot run its destructor.
        std::mem::forget(self);
        message
    }
}

const fn first_of(mut checks: &[Option<RangeError>], fields: &[&str]) -> Option<&'static str> {
    while let [check, rest @ ..] = checks {
        if let Some(problem) = check
            && contains(fields, problem.field)
        {
            return Some(problem.const_message());
        }
        checks = rest;
    }
    None
}

const fn contains(mut fields: &[&str], wanted: &str) -> bool {
    while let [field, rest @ ..] = fields {
        if text::same(field, wanted) {
            return true;
        }
        fields = rest;
    }
    false
}
