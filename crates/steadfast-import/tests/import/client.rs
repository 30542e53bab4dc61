//! A client library's settings (seed S3).

use steadfast::policy::Draft;
use steadfast_import::ImportFormat::Client;

use super::{bands, delays, policy, problems_of, read, read_fixture, unsupported};

/// P6: S3's timeline: 1.0, 1.6, 2.56, 4.1, 6.55 s with equal jitter. Its `max_retries` counts
/// attempts: six calls, five waits.
#[test]
fn settings_of_s3_have_the_delays_of_s3() {
    let imported = read_fixture("client.rb");
    assert_eq!(policy(&imported, "client").max_attempts(), 6);
    assert_eq!(delays(&imported, "client"), [1000, 1600, 2560, 4096, 6553]);
    assert_eq!(
        bands(&imported, "client"),
        [(500, 1000), (800, 1600), (1280, 2560), (2048, 4096), (3277, 6554)]
    );
}

/// P6, F5: what is not written has S3's defaults, which are those of the preset `grpc`.
#[test]
fn client_defaults_equal_the_preset_grpc() {
    let imported = read(Client, "max_retries: 3\n");
    let preset = Draft::preset("grpc").unwrap().build().unwrap();
    assert_eq!(policy(&imported, "client").timing(), preset.timing());
    assert_eq!(policy(&imported, "client").max_attempts(), preset.max_attempts());
}

/// F5: the same names in YAML and JSON, for one client or for several.
#[test]
fn several_clients_become_several_policies() {
    let imported = read_fixture("clients.yaml");
    assert_eq!(bands(&imported, "reports"), [(0, 500), (0, 1000), (0, 2000)]);
    assert_eq!(bands(&imported, "ingest"), [(1000, 1000)]);
    let json =
        read(Client, r#"{"max_retries": 2, "initial_backoff": 0.25, "retry_jitter": "none"}"#);
    assert_eq!(bands(&json, "client"), [(250, 250)]);
}

/// F5: settings of something else are listed, and code is not shown.
#[test]
fn unknown_setting_is_listed() {
    assert_eq!(unsupported(&read_fixture("client.rb")), ["4:3: host: unknown setting"]);
    assert_eq!(
        unsupported(&read_fixture("clients.yaml")),
        ["10:3: ingest.pool_size: unknown setting", "11:1: logging: no retry settings in it",]
    );
    let text = "config.max_retries = 1_0 # ten\nputs \"secret\"\nconfig.max_retrys = 2\n";
    let imported = read(Client, text);
    assert_eq!(policy(&imported, "client").max_attempts(), 10);
    assert_eq!(
        unsupported(&imported),
        [
            "2:1: a line of code: not a setting",
            "3:1: max_retrys: unknown setting; did you mean `max_retries`?",
        ]
    );
}

/// F5: a delay that shrinks is written down, as a policy's own never does.
#[test]
fn shrinking_delays_become_a_schedule() {
    let text =
        "config.max_retries = 4\nconfig.backoff_multiplier = 0.5\nconfig.retry_jitter = :none\n";
    assert_eq!(delays(&read(Client, text), "client"), [1000, 500, 250]);
}

/// F5: a first delay above the cap is the cap, as there.
#[test]
fn base_delay_above_the_cap_is_capped() {
    let text = "initial_backoff: 10\nmax_backoff: 2\nretry_jitter: none\n";
    assert_eq!(delays(&read(Client, text), "client"), [2000, 2000]);
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_settings_are_rejected() {
    let text = "config.max_retries = three\nconfig.initial_backoff = -1\n\
                config.retry_jitter = :equl\nconfig.max_backoff = Float::INFINITY\n\
                config.max_retries = 4\nconfig.backoff_multiplier = -2\n";
    assert_eq!(
        problems_of(Client, text),
        [
            "f:5:1: max_retries: duplicate assignment, first at line 1, column 1; remove one of \
             the two",
            "f:1:22: max_retries: expected a number, not `three`",
            "f:2:26: initial_backoff: expected a number of seconds, not -1",
            "f:4:22: max_backoff: expected a number, not `Float::INFINITY`",
            "f:6:29: backoff_multiplier: must be greater than 0, not -2",
            "f:3:23: retry_jitter: `equl` is not one of full, equal, none; did you mean `equal`?",
        ]
    );
}
