//! What a house calls its own secrets is masked as the usual ones are (O5).

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;
use steadfast_store::Task;

use crate::process::{Served, until};
use crate::store::Folder;

const SECRET: &str = "tomato-77";

/// A program that is given a secret under a name of its own, and quotes it when it fails.
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
    let mut told = String::new();
    connection.read_to_string(&mut told).unwrap();
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    told
}

fn is_masked(whose: &str, told: &str) {
    assert!(told.contains("***"), "{whose}: {told}");
    assert!(!told.contains(SECRET), "{whose}: {told}");
}

/// O5: a name that `serve` is told of is masked on the page, in the API, in the log and in events.
#[test]
fn a_name_that_is_said_is_masked_everywhere() {
    let folder = store_with_a_secret();
    let served = Served::start(&folder, "--allow-command sh --secret pin");
    let id = until(|| {
        let told = folder.told("tasks list --status failed --json");
        let page: serde_json::Value = serde_json::from_str(&told).unwrap();
        page["items"][0]["id"].as_str().map(str::to_owned)
    });
    let api = get(&served, &format!("/api/v1/tasks/{id}"));
    assert!(api.contains("no account for ***"), "{api}");
    is_masked("the API", &api);
    is_masked("the page", &get(&served, &format!("/tasks/{id}")));
    is_masked("events", &served.told("events --json"));
    let log = until(|| Some(served.log()).filter(|log| log.contains("no account for")));
    is_masked("the log", &log);
}

/// O5: every command can be told, by a flag or by a variable.
#[test]
fn every_command_takes_a_name() {
    let folder = store_with_a_secret();
    let show = "tasks show --key k1 --json";
    assert!(folder.told(show).contains(SECRET), "nobody said that it is one");
    is_masked("a flag", &folder.told(&format!("{show} --secret ssn,Pin")));
    is_masked("a flag before the command", &folder.told(&format!("--secret pin {show}")));
    let by_variable = folder.command(show).env("STEADFAST_SECRETS", "ssn, pin").output().unwrap();
    is_masked("a variable", &String::from_utf8(by_variable.stdout).unwrap());
    let (code, told) = folder.refused(&format!("{show} --secret=__"));
    assert_eq!(code, Some(2), "{told}");
}
