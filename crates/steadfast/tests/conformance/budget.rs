//! Retry budgets: which retries they grant.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast::Moment;
use steadfast::guard::Budget;

use crate::Checked;
use crate::cases::{Case, expect, valid};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    policy: Map<String, Value>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// Seconds that pass before it.
    #[serde(default)]
    after: f64,
    #[serde(flatten)]
    action: Action,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// The number of successful calls.
    Deposit(u64),
    /// For each of these retries, whether it is granted.
    Withdraw(Vec<bool>),
    /// The number of pairs of a successful call and a retry.
    Alternate { times: u64, granted: u64 },
    /// How many retries could be withdrawn.
    Balance(u64),
}

pub(crate) fn check(case: &Case) -> Checked {
    let Script { policy, steps } = case.read()?;
    assert!(!steps.is_empty(), "{} expects nothing", case.id);
    let policy = valid(&case.id, &policy)?;
    let settings = *policy.budget().ok_or("the policy has no budget")?;
    let budget = Budget::new(settings).map_err(|why| why.to_string())?;
    let mut now = Moment::ORIGIN;
    (1..).zip(&steps).try_for_each(|(number, step): (usize, _)| {
        now = now + Duration::from_secs_f64(step.after);
        step.action.run(&budget, now).map_err(|why| format!("step {number}: {why}"))
    })
}

impl Action {
    fn run(&self, budget: &Budget, now: Moment) -> Checked {
        match self {
            Self::Deposit(calls) => {
                (0..*calls).for_each(|_| budget.deposit(now));
                Ok(())
            }
            Self::Withdraw(expected) => {
                let granted: Vec<_> = expected.iter().map(|_| budget.withdraw(now)).collect();
                expect("what is granted", &granted, expected)
            }
            Self::Alternate { times, granted } => {
                let is_granted = |_: &u64| {
                    budget.deposit(now);
                    budget.withdraw(now)
                };
                expect("granted", (0..*times).filter(is_granted).count() as u64, *granted)
            }
            Self::Balance(retries) => expect("balance", budget.balance(now), *retries),
        }
    }
}
