//! F4: changes of the policy file.

use serde_json::json;
use steadfast::file::Policies;
use steadfast::registry::{Change, Loader, Outcome};

use super::{Scene, attempts, was_applied};

fn changes(change: &Change) -> Vec<String> {
    match &change.outcome {
        Outcome::Applied { changes } => changes.iter().map(ToString::to_string).collect(),
        Outcome::Refused { problems } => panic!("{problems}"),
        _ => panic!("{change}"),
    }
}

/// F4: changes are reported as a diff.
#[test]
fn reload_reports_a_diff() {
    let scene = Scene::unwatched(
        "version: '1.1.0'\npolicies: {p: {max_attempts: 3}, gone: {}}\n\
         subsystem_mappings: {s: {o: {c: p, d: gone}}}\n",
    );
    scene.write(
        "version: '1.1.0'\npolicies: {p: {max_attempts: 5, jitter: full}, new: {}}\n\
         subsystem_mappings: {s: {o: {c: new}}}\n",
    );
    let change = scene.registry.reload().unwrap().unwrap();
    assert_eq!(change.version, 2);
    assert_eq!(
        changes(&change),
        [
            "policies.gone: removed",
            "policies.p.max_attempts: 3 → 5",
            "policies.p.jitter: `none` → `full`",
            "policies.new: added",
            "subsystem_mappings.s.o.c: `p` → `new`",
            "subsystem_mappings.s.o.d: removed",
        ]
    );
    assert_eq!(scene.change().to_string(), change.to_string(), "listeners are called");
    assert_eq!(scene.registry.changes().len(), 1);
}

/// F4: a change to a policy that the file does not name is reported, too.
#[test]
fn changed_default_of_an_unnamed_policy_is_reported() {
    let scene = Scene::unwatched("version: '1.1.0'\npolicies: {sql: {max_attempts: 9}}\n");
    scene.write("version: '1.1.0'\nglobal_defaults: {max_attempts: 5}\npolicies: {}\n");
    let report = changes(&scene.registry.reload().unwrap().unwrap());
    assert!(report.contains(&"policies.default.max_attempts: 3 → 5".to_owned()), "{report:?}");
    assert!(report.contains(&"policies.sql.max_attempts: 9 → 4".to_owned()), "{report:?}");
}

/// F4, O5: so is a change of the writer's own keys, without secrets.
#[test]
fn changed_custom_keys_are_reported() {
    let text = |own: &str| format!("version: '1.1.0'\npolicies: {{p: {{}}}}\n{own}\n");
    let scene =
        Scene::unwatched(&text("x-old: [a, 1]\nx-token: s3cr3t-a\nx-same: {a: b}\nx-gone: 1"));
    scene.write(&text("x-old: []\nx-token: s3cr3t-b\nx-same: {a: b}\nx-new: on"));
    let report = changes(&scene.registry.reload().unwrap().unwrap());
    let expected =
        ["x-old: [\"a\",1] → []", "x-token: `***` → `***`", "x-new: added", "x-gone: removed"];
    assert_eq!(report, expected);
}

/// F2, F4: problems that the program itself finds in a file are reported like all others, before
/// any of the file takes effect.
#[test]
fn file_rejected_by_a_check_is_not_applied() {
    let text = |attempts: u32, flag: &str| {
        format!("version: '1.1.0'\npolicies: {{p: {{max_attempts: {attempts}}}}}\nx-flag: {flag}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    let loader = || {
        let none: [(&str, &str); 0] = [];
        let flag = |policies: &Policies| policies.extension::<bool>("x-flag").map(drop);
        let few = |policies: &Policies| match policies.find("p").max_attempts() {
            9.. => panic!("too many"),
            5.. => Err(policies.problem("policies.p", "that is too often").suggest("take 4")),
            _ => Ok(()),
        };
        Loader::file(&path).variables(none).unwatched().check(flag).check(few)
    };
    std::fs::write(&path, text(1, "maybe")).unwrap();
    let refused = loader().load().unwrap_err().to_string();
    let place = ":3:9: x-flag: expected true or false, not \"maybe\"";
    assert!(refused.ends_with(place), "{refused}");

    std::fs::write(&path, text(1, "true")).unwrap();
    let registry = loader().load().unwrap();
    let put = |attempts, flag| {
        std::fs::write(&path, text(attempts, flag)).unwrap();
        let refused = registry.reload().map(drop).map_err(|problems| problems.to_string());
        let flag = registry.policies().extension::<bool>("x-flag").unwrap();
        (refused.err(), registry.policy("p").max_attempts(), flag)
    };
    // All problems are reported at once.
    let (refused, attempts, flag) = put(5, "7");
    let refused = refused.unwrap();
    assert_eq!((attempts, flag), (1, Some(true)));
    assert_eq!(refused.lines().count(), 2, "{refused}");
    assert!(refused.ends_with("policies.p: that is too often; take 4"), "{refused}");
    let (refused, attempts, _) = put(9, "true");
    assert_eq!(attempts, 1);
    assert!(refused.unwrap().ends_with("a check of the application panicked"));
    assert_eq!(put(3, "false"), (None, 3, Some(false)));
    assert_eq!(put(4, ""), (None, 4, None));
}

/// F4: the machine-readable form, for the audit log.
#[test]
fn change_serializes_to_json() {
    let scene = Scene::unwatched(&attempts(3));
    scene.write(&attempts(4));
    let change = scene.registry.reload().unwrap().unwrap();
    let report = serde_json::to_value(&change).unwrap();
    assert_eq!(report["outcome"], "applied");
    let changed = json!([{"path": "policies.p.max_attempts", "from": 3, "to": 4}]);
    assert_eq!(report["changes"], changed);
    assert!(report["at"].as_str().unwrap().ends_with('Z') && report["version"] == 2);

    scene.write("nonsense");
    scene.registry.reload().unwrap_err();
    let report = serde_json::to_value(scene.registry.changes().last().unwrap()).unwrap();
    assert_eq!(
        (report["outcome"].as_str(), report["version"].as_u64()),
        (Some("refused"), Some(2))
    );
    assert_eq!(report["problems"][0]["line"], 1);
}

/// F4: a bad file leaves the old policies in effect, and is reported until it is good again.
#[test]
fn invalid_file_is_rejected() {
    let scene = Scene::unwatched(&attempts(3));
    scene.write(&attempts(0));
    let problems = scene.registry.reload().unwrap_err();
    assert!(problems.to_string().contains("max_attempts: must be at least 1, not 0"), "{problems}");
    let health = scene.registry.health();
    assert!(!health.current && health.version == 1 && health.problems.is_some());
    assert_eq!(scene.attempts(), 3);
    assert!(!was_applied(&scene.change()));

    // A second reload has the same result, but listeners are called once.
    assert!(scene.registry.reload().is_err());
    assert!(scene.changes.try_recv().is_err());

    scene.write(&attempts(4));
    scene.registry.reload().unwrap();
    let health = scene.registry.health();
    assert!(health.current && health.version == 2 && health.problems.is_none());
}

/// F4: an unchanged file changes nothing; a reformatted one changes no value.
#[test]
fn equal_file_changes_nothing() {
    let scene = Scene::unwatched(&attempts(3));
    scene.write(&attempts(3));
    assert!(scene.registry.reload().unwrap().is_none());
    scene.write(&format!("# a note\n{}", attempts(3)));
    let change = scene.registry.reload().unwrap().unwrap();
    assert_eq!(changes(&change), [""; 0]);
}

/// F4: the file is removed and restored, good and bad.
#[test]
fn removed_file_keeps_its_policies() {
    let scene = Scene::unwatched(&attempts(3));
    std::fs::remove_file(&scene.path).unwrap();
    let problems = scene.registry.reload().unwrap_err();
    assert!(problems.to_string().contains("no such file"), "{problems}");
    assert_eq!(scene.attempts(), 3);
    assert!(scene.registry.reload().is_err());
    assert_eq!(scene.registry.changes().len(), 1, "it is reported once");

    scene.write(&attempts(3));
    assert!(
        scene.registry.reload().unwrap().is_some(),
        "it is current again, and that is reported"
    );
    assert!(scene.registry.health().current);
}

/// The health of a registry, for a page or a probe.
#[test]
fn health_serializes_to_json() {
    let scene = Scene::unwatched(&attempts(3));
    let health = serde_json::to_value(scene.registry.health()).unwrap();
    assert_eq!(health["current"], true);
    assert_eq!(health["file"], scene.path.display().to_string());
    let counts = ["version", "policies", "sessions"].map(|field| health[field].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 0]);
    assert_eq!((&health["watching"], &health["stopping"]), (&json!(false), &json!(false)));
}
