//! The delay chart of one or more policies.

use steadfast::Policy;
use steadfast_draw::Chart;
use steadfast_sim::draw;

use crate::commands::policy::plan::Planned;
use crate::commands::policy::summary::Summary;
use crate::output::human_duration::format as human_duration;
use crate::output::{counted, note};

pub(super) struct DelayChart<'p> {
    pub(super) policies: &'p [(Option<&'p str>, Policy)],
    pub(super) plans: &'p [Planned<'p>],
    pub(super) attempts: u32,
    pub(super) log: bool,
}

impl DelayChart<'_> {
    pub(super) fn chart(&self) -> Chart {
        let alone = self.policies.len() == 1;
        self.policies.iter().fold(self.titled(), |chart, (name, policy)| {
            let name = name.filter(|_| !alone);
            draw::delays(chart, name.unwrap_or_default(), policy, self.attempts)
        })
    }

    /// One policy is described in the subtitle; several are distinguished by the legend.
    fn titled(&self) -> Chart {
        let title = "Delay before each attempt";
        let [(name, policy)] = self.policies else {
            return draw::delay_chart(title, self.log);
        };
        let summary = Summary::of(policy, false);
        let attempts = counted(summary.attempts as usize, "attempt", "attempts");
        let (backoff, total) = (&summary.backoff, human_duration(summary.total_delay.0));
        let title = name.map_or_else(|| title.to_owned(), |name| format!("{title} of {name}"));
        draw::delay_chart(&title, self.log)
            .subtitle(format!("{backoff}; at most {attempts}, total delay {total}"))
    }

    /// Notes on attempts not drawn, and on policies without a line.
    pub(super) fn print_notes(&self) {
        for ((name, policy), plan) in self.policies.iter().zip(self.plans) {
            let prefix = name.map(|name| format!("{name}: ")).unwrap_or_default();
            plan.notes().for_each(|what| note(&format!("{prefix}{what}")));
            match plan.most {
                1 if policy.is_enabled() => {
                    note(&format!("{prefix}never retries: max_attempts is 1"))
                }
                1 => note(&format!("{prefix}never retries: it is disabled")),
                _ => {}
            }
        }
    }
}
