//! Output of a classification.

use steadfast::fault::MAX_CAUSES;
use steadfast::judge::{Judgement, MatchedBy};
use steadfast::{Class, Fault, Policy};

use super::next_step;
use crate::commands::prelude::*;
use crate::output::human_duration::format as human_duration;
use crate::output::seconds::Seconds;
use crate::output::table::StatusColor;

#[derive(Serialize)]
pub(super) struct Classification {
    class: Class,
    rule: Option<String>,
    matched_by: MatchedBy,
    hint: Option<Seconds>,
    fault: Fault,
    next: String,
}

impl Classification {
    pub(super) fn new(policy: &Policy, fault: Fault, judgement: &Judgement) -> Self {
        Self {
            class: judgement.class(),
            rule: judgement.rule(policy.rules()).map(str::to_owned),
            matched_by: judgement.matched_by(),
            hint: judgement.hint().map(Seconds),
            fault,
            next: next_step::after(policy, judgement),
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
            None => "none: no rule matches".to_owned(),
        }
    }
}

impl Printable for Classification {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let hint = self.hint.map_or_else(|| "none".to_owned(), |hint| human_duration(hint.0));
        let mut table = Table::bare();
        table.entry("fault", facts(&self.fault));
        for cause in self.fault.causes.iter().take(MAX_CAUSES) {
            table.entry("cause", facts(cause));
        }
        table.colored_entry("class", self.class.name(), color(self.class));
        table.entry("rule", self.rule());
        table.entry("server delay", hint);
        table.entry("next", self.next.clone());
        table.write(page)
    }
}

fn facts(fault: &Fault) -> String {
    let facts = fault.to_string();
    if facts.is_empty() { "no details".to_owned() } else { facts }
}

const fn color(class: Class) -> StatusColor {
    match class {
        Class::Final => StatusColor::Error,
        Class::Retryable => StatusColor::Success,
        Class::RateLimited => StatusColor::Warning,
        Class::UnknownOutcome => StatusColor::Uncertain,
    }
}
