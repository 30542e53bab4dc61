//! The policy file that is made of what was read.

use steadfast_import::ImportFormat::{GrpcServiceConfig, Workflow};

use super::{FIXTURES, file, read, read_fixture};

/// F1, F5: it is accepted, and each policy in it means what was imported.
#[test]
fn written_file_equals_the_import() {
    for (name, _) in FIXTURES {
        let imported = read_fixture(name);
        let policies = file(&imported);
        let listed: Vec<_> = policies.iter().map(|policy| (**policy).clone()).collect();
        let expected =
            imported.policies.iter().map(|policy| policy.draft().unwrap().build().unwrap());
        assert_eq!(listed, expected.collect::<Vec<_>>(), "{name}");
        assert_eq!(policies.mapped().len(), imported.mappings.len(), "{name}");
    }
}

/// F5: unsupported settings are comments in the file.
#[test]
fn unsupported_settings_become_comments() {
    for (name, _) in FIXTURES {
        let imported = read_fixture(name);
        let yaml = imported.to_yaml();
        assert!(yaml.starts_with("# Imported from settings: "), "{yaml}");
        for item in &imported.unsupported {
            assert!(yaml.contains(&format!("\n# - {item}\n")), "{name}: {item}");
        }
    }
}

/// F1: a code keeps its digits, and only what needs quotes has them.
#[test]
fn rule_that_looks_like_a_number_is_quoted() {
    let text = r#"{"retry": {"strategy": "immediate", "retryOn": ["08", "5xx", "40P01", "503"]}}"#;
    let yaml = read(Workflow, text).to_yaml();
    assert!(yaml.contains(r#"retry_on: ["08", 5xx, 40P01, "503"]"#), "{yaml}");
}

/// K4: a name cannot write into the file.
#[test]
fn name_with_line_breaks_is_escaped() {
    let text = r#"{"methodConfig": [{"name": [{"service": "a\n  b: {}", "method": "true"}],
        "evil\nversion: \"9\"": 1}]}"#;
    let imported = read(GrpcServiceConfig, text);
    let policies = file(&imported);
    assert_eq!(policies.iter().count(), 1);
    assert_eq!(policies.mapped()[0].name, "grpc.a\n  b: {}.true");
}

/// F5: YAML has another form for keys that are longer than it likes.
#[test]
fn very_long_name_can_be_read_back() {
    let service = "s".repeat(3000);
    let text = format!(
        r#"{{"methodConfig": [{{"name": [{{"service": "{service}", "method": "M"}}],
            "retryPolicy": {{"maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s",
                "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}}}]}}"#
    );
    let policies = file(&read(GrpcServiceConfig, &text));
    assert_eq!(policies.mapped()[0].name, format!("grpc.{service}.M"));
}
