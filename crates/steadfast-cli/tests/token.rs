//! `steadfast token` (K1).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use store::Folder;

/// K1: stdout has only the token, and the file only its hash.
#[test]
fn token_is_shown_once_and_stored_as_hash() {
    let folder = Folder::empty();
    let line = "token new --name ci --role operator --expires 90d --into tokens.toml";
    let output = folder.output(line);
    assert!(output.status.success());
    let token = String::from_utf8(output.stdout).unwrap();
    assert!(token.starts_with("sf_") && token.len() == 56 && token.ends_with('\n'), "{token}");
    let file = fs::read_to_string(folder.path().join("tokens.toml")).unwrap();
    assert!(file.contains("name = \"ci\"") && !file.contains(token.trim()), "{file}");
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("tokens.toml") && !printed.contains(token.trim()), "{printed}");
}

/// K1: a new file is readable only by its owner; an existing file keeps its contents.
#[cfg(unix)]
#[test]
fn new_file_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::empty();
    let file = folder.path().join("tokens.toml");
    let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    folder.run_ok("token new --name a --role viewer --into tokens.toml");
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    folder.run_ok("token new --name b --role admin --into tokens.toml");
    assert_eq!(mode(), 0o640);
    let names: Value =
        serde_json::from_str(&folder.run_ok("token list tokens.toml --json")).unwrap();
    assert_eq!((&names[0]["name"], &names[1]["name"]), (&"a".into(), &"b".into()));
    assert_eq!((&names[1]["role"], &names[1]["expires_at"]), (&"admin".into(), &Value::Null));
}

/// K1: an existing file keeps owner, permissions and links.
#[cfg(unix)]
#[test]
fn existing_file_is_appended_in_place() {
    use std::os::unix::fs::MetadataExt;
    let folder = Folder::empty();
    let (file, link) = (folder.path().join("real.toml"), folder.path().join("tokens.toml"));
    fs::write(&file, "# ours, without a line end").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let before = fs::metadata(&file).unwrap();
    folder.run_ok("token new --name a --role viewer --into tokens.toml");
    let after = fs::metadata(&file).unwrap();
    assert_eq!((before.ino(), before.uid()), (after.ino(), after.uid()));
    assert!(link.is_symlink());
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# ours, without a line end\n\n[[token]]\n"), "{text}");
}

/// K1: tokens created concurrently are all stored.
#[test]
fn concurrent_tokens_are_all_stored() {
    let folder = Folder::empty();
    let making = |number: usize| {
        let line = format!("token new --name t{number} --role viewer --into tokens.toml");
        folder.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let all: Vec<Child> = (0..12).map(making).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let names: Value =
        serde_json::from_str(&folder.run_ok("token list tokens.toml --json")).unwrap();
    assert_eq!(names.as_array().unwrap().len(), 12);
}

/// K1: without a file the entry is printed on stderr.
#[test]
fn entry_is_on_stderr_without_a_file() {
    let folder = Folder::empty();
    let output = folder.output("token new --name ci --role viewer");
    let entry = String::from_utf8(output.stderr).unwrap();
    let from = entry.find("[[token]]").unwrap();
    fs::write(folder.path().join("tokens.toml"), entry.get(from..).unwrap()).unwrap();
    assert!(folder.run_ok("token list tokens.toml").contains("ci"));
    let json: Value =
        serde_json::from_str(&folder.run_ok("token new --name b --role admin --json")).unwrap();
    assert!(json["token"].as_str().unwrap().starts_with("sf_"));
    assert!(json["entry"].as_str().unwrap().starts_with("[[token]]"));
}

/// K1: a duplicate name changes nothing, and no token is shown.
#[test]
fn duplicate_name_is_rejected() {
    let folder = Folder::empty();
    folder.run_ok("token new --name ci --role viewer --into tokens.toml");
    let before = fs::read_to_string(folder.path().join("tokens.toml")).unwrap();
    let line = "token new --name ci --role admin --into tokens.toml";
    let (code, printed) = folder.run_err(line);
    assert_eq!(code, Some(78));
    assert!(
        printed.contains("first used on line 1") && printed.contains("its own name"),
        "{printed}"
    );
    assert!(folder.output(line).stdout.is_empty());
    assert_eq!(fs::read_to_string(folder.path().join("tokens.toml")).unwrap(), before);
}

/// K1, F2: all errors of a file are reported at once.
#[test]
fn invalid_file_is_reported_with_lines() {
    let folder = Folder::empty();
    let text = "[[token]]\nname = \"a\"\nrole = \"amin\"\nhash = \"sf_x\"\n";
    fs::write(folder.path().join("tokens.toml"), text).unwrap();
    let (code, printed) = folder.run_err("token list tokens.toml");
    assert_eq!(code, Some(78));
    for part in ["tokens.toml:3:8", "did you mean `admin`?", "tokens.toml:4:8", "never the token"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (code, printed) = folder.run_err("token list nothing.toml");
    assert!(code == Some(78) && printed.contains("no such file"), "{printed}");
    let (code, printed) = folder.run_err("token new --name anonymous --role viewer");
    assert!(code == Some(2) && printed.contains("choose another one"), "{printed}");
    let (code, printed) = folder.run_err("token new --name a --role king");
    assert!(
        code == Some(2) && printed.contains("unknown role `king`; expected viewer"),
        "{printed}"
    );
}

/// Kills the process at the end of the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn status(address: &str, header: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    let head =
        format!("GET /api/v1/stats HTTP/1.1\r\nHost: a\r\n{header}Connection: close\r\n\r\n");
    connection.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().to_owned()
}

/// K1: `serve --tokens` accepts a token of `token new`.
#[test]
fn server_accepts_the_created_token() {
    let folder = Folder::empty();
    let token = folder.run_ok("token new --name ci --role viewer --into tokens.toml");
    let line = "serve --listen 127.0.0.1:0 --tokens tokens.toml --no-worker --json";
    let mut command = folder.command(line);
    let mut serving = Serving(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut said = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    let address = said["address"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    assert_eq!(status(&address, ""), "401");
    let header = format!("Authorization: Bearer {}\r\n", token.trim());
    assert_eq!(status(&address, &header), "200");
}
