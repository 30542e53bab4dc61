//! Redaction of custom secret names (O5).

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;
use steadfast_store::Task;
use steadfast_testing::poll::wait_for;

use crate::process::Served;
use crate::store::Folder;

const SECRET: &str = "tomato-77";

/// A program that gets a secret under a custom name and prints it when it fails.
fn store_with_a_secret() -> Folder {
    Folder::with(async |store| {
        let payload = json!({
            "program": "sh",
            "args": ["-c", "echo no account for $PIN >&2; exit 1"],
            "env": {"PIN": SECRET},
        });
        store.submit(Task::new("command", &payload).key("k1")).await.unwrap();
    })
}

fn get(served: &Served, path: &str) -> String {
    let address = served.url.strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(head.as_bytes()).unwrap();
    let mut printed = String::new();
    connection.read_to_string(&mut printed).unwrap();
    assert!(printed.starts_with("HTTP/1.1 200"), "{printed}");
    printed
}

fn assert_redacted(whose: &str, printed: &str) {
    assert!(printed.contains("***"), "{whose}: {printed}");
    assert!(!printed.contains(SECRET), "{whose}: {printed}");
}

/// O5: a name given to `serve` is redacted on the page, in the API, in the log and in events.
#[test]
fn custom_secret_is_redacted_everywhere() {
    let folder = store_with_a_secret();
    let served = Served::start(&folder, "--allow-command sh --secret pin");
    let id = wait_for("the task is listed", || {
        let printed = folder.run_ok("tasks list --status failed --json");
        let page: serde_json::Value = serde_json::from_str(&printed).unwrap();
        page["items"][0]["id"].as_str().map(str::to_owned)
    });
    let api = get(&served, &format!("/api/v1/tasks/{id}"));
    assert!(api.contains("no account for ***"), "{api}");
    assert_redacted("the API", &api);
    assert_redacted("the page", &get(&served, &format!("/tasks/{id}")));
    assert_redacted("events", &served.run_ok("events --json"));
    let log = wait_for("the fault is logged", || {
        Some(served.log()).filter(|log| log.contains("no account for"))
    });
    assert_redacted("the log", &log);
}

/// O5: every command accepts names, by flag or environment variable.
#[test]
fn every_command_accepts_secret_names() {
    let folder = store_with_a_secret();
    let show = "tasks show --key k1 --json";
    assert!(folder.run_ok(show).contains(SECRET), "not redacted without its name");
    assert_redacted("a flag", &folder.run_ok(&format!("{show} --secret ssn,Pin")));
    assert_redacted("a flag before the command", &folder.run_ok(&format!("--secret pin {show}")));
    let by_variable = folder.command(show).env("STEADFAST_SECRETS", "ssn, pin").output().unwrap();
    assert_redacted("a variable", &String::from_utf8(by_variable.stdout).unwrap());
    let (code, printed) = folder.run_err(&format!("{show} --secret=__"));
    assert_eq!(code, Some(2), "{printed}");
}
