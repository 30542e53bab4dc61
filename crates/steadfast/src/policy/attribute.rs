//! What `#[retry]` asks of a draft while the program is compiled (I8).
//!
//! The rules are those of every other policy; only the questions differ: which of the
//! fields that were written is wrong, so that the compiler can point at it.

use super::{Draft, Jitter};
use crate::text;

#[doc(hidden)]
impl Draft {
    /// Forgets what the policy says of `field` in another spelling, so that the spelling to
    /// come wins instead of standing beside it.
    pub const fn giving_way(mut self, field: &str) -> Self {
        match field.as_bytes() {
            b"max_attempts" | b"max_retries" => {
                self.max_attempts = None;
                self.max_retries = None;
            }
            b"jitter" | b"jitter_type" => {
                self.timing.jitter = None;
                self.timing.jitter_type = None;
            }
            b"jitter_amount" => self.timing.jitter_type = self.spelled_out_jitter(),
            _ => {}
        }
        self
    }

    /// The long form of the jitter, which has an amount.
    const fn spelled_out_jitter(&mut self) -> Option<Jitter> {
        match self.timing.jitter.take() {
            None => self.timing.jitter_type,
            short => short,
        }
    }

    /// What is wrong with any of these fields.
    #[must_use]
    pub const fn refusal(self, fields: &[&str]) -> Option<&'static str> {
        let mut refusal = None;
        let mut rule = 0;
        while rule < Self::RULES {
            if let Some(problem) = self.problem(rule)
                && holds(fields, problem.field)
            {
                refusal = Some(problem.in_words());
                break;
            }
            rule += 1;
        }
        // A constant cannot drop what could hold a text.
        std::mem::forget(self);
        refusal
    }
}

const fn holds(mut fields: &[&str], wanted: &str) -> bool {
    while let [field, rest @ ..] = fields {
        if text::same(field, wanted) {
            return true;
        }
        fields = rest;
    }
    false
}
