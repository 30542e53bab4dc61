//! The judgement of a failure, as it is shown.

use std::io::{self, Write};

use serde::Serialize;
use steadfast::fault::MAX_CAUSES;
use steadfast::judge::{Judgement, MatchedBy};
use steadfast::{Class, Fault, Policy};

use super::next::Next;
use crate::output::seconds::Seconds;
use crate::output::table::{Table, Tone};
use crate::output::time::people;
use crate::output::{Answer, width};

/// What the failure means, why, and what follows.
#[derive(Serialize)]
pub(super) struct Verdict {
    class: Class,
    rule: Option<String>,
    matched_by: MatchedBy,
    hint: Option<Seconds>,
    fault: Fault,
    #[serde(skip)]
    next: Next,
}

impl Verdict {
    pub(super) fn new(policy: &Policy, fault: Fault, judgement: &Judgement) -> Self {
        Self {
            class: judgement.class(),
            rule: judgement.rule(policy.rules()).map(str::to_owned),
            matched_by: judgement.matched_by(),
            hint: judgement.hint().map(Seconds),
            fault,
            next: Next::after(policy, judgement),
        }
    }

    fn rule(&self) -> String {
        let list = match self.matched_by {
            MatchedBy::RetryOn => "retry_on",
            MatchedBy::AbortOn => "abort_on",
            _ => "default",
        };
        match &self.rule {
            Some(rule) => format!("{rule} ({list})"),
            None => "none: no fact decides anything".to_owned(),
        }
    }
}

impl Answer for Verdict {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let hint = self.hint.map_or_else(|| "none".to_owned(), |hint| people(hint.0));
        let mut table = Table::bare();
        table.entry("fault", facts(&self.fault));
        for cause in self.fault.causes.iter().take(MAX_CAUSES) {
            table.entry("cause", facts(cause));
        }
        table.toned_entry("class", self.class.name(), tone(self.class));
        table.entry("rule", self.rule());
        table.entry("hint", hint);
        table.entry("next", self.next.to_string());
        table.write(page, width::of_stdout())
    }
}

fn facts(fault: &Fault) -> String {
    let facts = fault.to_string();
    if facts.is_empty() { "nothing is known".to_owned() } else { facts }
}

const fn tone(class: Class) -> Tone {
    match class {
        Class::Final => Tone::Bad,
        Class::Retryable => Tone::Good,
        Class::RateLimited => Tone::Careful,
        Class::UnknownOutcome => Tone::Doubtful,
    }
}
