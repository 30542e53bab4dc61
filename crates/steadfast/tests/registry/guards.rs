//! G4: breakers and budgets keep their state when the file changes.

use std::io;

use steadfast::Reason;

use super::Scene;

fn guarded(id: &str, more: &str) -> String {
    format!(
        "version: '1.1.0'\npolicies:\n  {id}: {{backoff_type: immediate, max_attempts: 2, \
         breaker: {{threshold: 2, timeout: 1h}}{more}}}\n"
    )
}

fn down() -> io::Result<()> {
    Err(io::ErrorKind::ConnectionRefused.into())
}

/// G4, F4: a breaker that is open stays open under the new version, whose settings it has.
#[test]
fn breaker_keeps_its_state_after_reload() {
    let scene = Scene::unwatched(&guarded("registry_breaker", ""));
    let run = || scene.registry.run("registry_breaker", down).call().unwrap_err().reason();
    assert_eq!(run(), Reason::AttemptsExhausted);
    assert_eq!(run(), Reason::BreakerOpen);

    scene.write(&guarded("registry_breaker", ", description: changed"));
    scene.registry.reload().unwrap();
    assert_eq!(run(), Reason::BreakerOpen);
}

/// G4, F4: a budget that is spent stays spent.
#[test]
fn budget_keeps_its_state_after_reload() {
    let text = |more: &str| {
        format!(
            "version: '1.1.0'\npolicies:\n  registry_budget: {{backoff_type: immediate, \
             max_attempts: 100, budget: {{max_tokens: 4, token_ratio: 0.001}}{more}}}\n"
        )
    };
    let scene = Scene::unwatched(&text(""));
    let run = || scene.registry.run("registry_budget", down).call().unwrap_err();
    let first = run();
    assert_eq!(first.reason(), Reason::BudgetExhausted);
    scene.write(&text(", description: changed"));
    scene.registry.reload().unwrap();
    assert_eq!((run().reason(), run().attempts()), (Reason::BudgetExhausted, 1));
}
