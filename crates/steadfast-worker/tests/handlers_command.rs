//! The built-in handler `command`, with real programs (D19, K2).

#![cfg(all(feature = "command", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Kind, Policy};
use steadfast_worker::handlers::{
    CommandAnswer, CommandCall, CommandLimits, Commands, HandlerFault,
};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// Nothing here takes long; a test that fails must not hang.
const PATIENCE: Duration = Duration::from_secs(60);

fn commands() -> Commands {
    Commands::new(["sh", "cat", "env", "true", "no-such-program"])
}

async fn call(commands: &Commands, payload: Value) -> Result<CommandAnswer, HandlerFault> {
    commands.call(CommandCall::read(&payload.to_string())?, None, None).await
}

async fn sh(script: &str) -> Result<CommandAnswer, HandlerFault> {
    call(&commands(), json!({"program": "sh", "args": ["-c", script]})).await
}

fn class(fault: &HandlerFault) -> Class {
    judge::judge(&Rules::default(), &fault.fault()).class()
}

/// D19: what a command writes is its result.
#[tokio::test]
async fn a_success_tells_what_was_written() {
    let answer = sh("echo out; echo err >&2").await.unwrap();
    let expected = json!({"exit_code": 0, "stdout": "out\n", "stderr": "err\n"});
    assert_eq!(serde_json::to_value(answer).unwrap(), expected);
}

/// D19: a text is read as it is, anything else as JSON.
#[tokio::test]
async fn a_command_reads_what_it_is_given() {
    for (stdin, read) in [(json!("a\nb"), "a\nb"), (json!({"a": [1]}), r#"{"a":[1]}"#)] {
        let answer = call(&commands(), json!({"program": "cat", "stdin": stdin})).await.unwrap();
        assert_eq!(answer.stdout, read);
    }
    let answer = call(&commands(), json!({"program": "cat"})).await.unwrap();
    assert_eq!(answer.stdout, "");
}

/// D19: a program that does not read is not stopped by what it is given.
#[tokio::test]
async fn what_is_not_read_does_no_harm() {
    let payload = json!({"program": "true", "stdin": "x".repeat(1 << 20)});
    assert!(call(&commands(), payload).await.is_ok());
}

/// K2: a command sees the path, what it is given, its key and its attempt, and nothing else.
#[tokio::test]
async fn the_environment_is_empty_but_for_what_is_given() {
    let call = CommandCall::read(r#"{"program": "env", "env": {"REGION": "eu"}}"#).unwrap();
    let answer = commands().call(call, Some("key-1"), Some(3)).await.unwrap();
    let mut lines: Vec<_> = answer.stdout.lines().collect();
    lines.sort_unstable();
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    assert_eq!(lines, [&path, "REGION=eu", "STEADFAST_ATTEMPT=3", "STEADFAST_KEY=key-1"]);
}

/// K2: a variable that would run other code is refused.
#[tokio::test]
async fn a_variable_that_runs_other_code_is_refused() {
    let loaders = ["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "PYTHONWARNINGS", "PERL5OPT"];
    let started = ["BROWSER", "GIT_EDITOR", "MANPAGER", "SSH_ASKPASS"];
    for name in loaders.into_iter().chain(started).chain(["STEADFAST_KEY", "", "A=B"]) {
        let payload = json!({"program": "env", "env": {name: "x"}});
        let fault = call(&commands(), payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(&format!("payload.env.{name}: ")), "{fault}");
        assert_eq!((fault.fault().kind, class(&fault)), (Some(Kind::Argument), Class::Final));
    }
}

/// K2: off unless listed, letter by letter.
#[tokio::test]
async fn a_program_that_is_not_listed_is_refused() {
    for program in ["ls", "/bin/sh", "./sh", "SH", "sh -c true", "cart"] {
        let fault = call(&commands(), json!({"program": program})).await.unwrap_err();
        assert_eq!(
            (fault.fault().kind, class(&fault)),
            (Some(Kind::PermissionDenied), Class::Final)
        );
        let message = fault.to_string();
        assert!(message.ends_with(&format!("--allow-command {program}")), "{message}");
        assert_eq!(message.contains("did you mean `cat`?"), program == "cart", "{message}");
    }
    let fault = call(&Commands::default(), json!({"program": "true"})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::PermissionDenied));
}

/// D19: a program that cannot be executed is final, and the message says what to do.
#[tokio::test]
async fn a_program_that_cannot_be_executed_is_final() {
    let folder = tempfile::tempdir().unwrap();
    // Written by another process: while this one has a file open, nobody can execute it.
    let file = |name: &str, content: &str, mode: &str| {
        let path = folder.path().join(name).to_str().unwrap().to_owned();
        let script = "printf %s \"$1\" > \"$0\" && chmod \"$2\" \"$0\"";
        let mut writer = std::process::Command::new("sh");
        assert!(writer.args(["-c", script, &path, content, mode]).status().unwrap().success());
        path
    };
    let absent = folder.path().join("absent").to_str().unwrap().to_owned();
    let cases = [
        ("no-such-program".to_owned(), Kind::NotFound, "not on the worker's PATH"),
        (absent, Kind::NotFound, "is not there"),
        (file("orphan", "#!/no/such/interpreter\n", "755"), Kind::NotFound, "the interpreter"),
        (file("plain", "#!/bin/sh\n", "644"), Kind::PermissionDenied, "chmod +x"),
    ];
    for (program, kind, words) in cases {
        let fault = call(&Commands::new([&program]), json!({"program": program})).await;
        let fault = fault.unwrap_err();
        assert_eq!((fault.fault().kind, class(&fault)), (Some(kind), Class::Final), "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
    }
}

/// D19, J11: a failure is told by its exit code and the end of what was said about it.
#[tokio::test]
async fn a_failure_tells_its_exit_code_and_last_words() {
    let fault = sh("seq 1000 >&2; echo 'disk is full' >&2; exit 75").await.unwrap_err();
    assert_eq!(fault.fault().exit_code, Some(75));
    let message = fault.to_string();
    assert!(message.starts_with("`sh` ended with exit status: 75: …"), "{message}");
    assert!(message.ends_with("999 1000 disk is full"), "{message}");
}

/// D19: a program that a signal ended has the shells' exit code for that.
#[tokio::test]
async fn a_signal_is_told_by_its_name() {
    let fault = sh("kill -KILL $$").await.unwrap_err();
    assert_eq!(fault.fault().exit_code, Some(128 + 9));
    assert_eq!(fault.to_string(), "`sh` ended with signal: 9 (SIGKILL)");
}

/// J1, J10: the handler tells the exit code, and the policy says what it means.
#[tokio::test]
async fn whether_an_exit_code_is_tried_again_is_for_the_policy() {
    let fault = sh("exit 75").await.unwrap_err();
    assert_eq!(class(&fault), Class::Final);
    let policy = Policy::immediate().retry_on(["exit:75"]).build().unwrap();
    assert_eq!(judge::judge(policy.rules(), &fault.fault()).class(), Class::Retryable);
}

/// O5: what the command was given in confidence is in no fault.
#[tokio::test]
async fn secrets_are_not_in_faults() {
    let payload = json!({
        "program": "sh",
        "args": ["-c", "echo \"bad: $DB_PASSWORD and $1 and $2\" >&2; exit 1", "--",
                 "--token=tomato", "--api-key", "cabbage"],
        "env": {"DB_PASSWORD": "aubergine"},
    });
    let read = CommandCall::read(&payload.to_string()).unwrap();
    let debug = format!("{read:?}");
    let message = commands().call(read, None, None).await.unwrap_err().to_string();
    for secret in ["tomato", "cabbage", "aubergine"] {
        assert!(!message.contains(secret), "{message}");
        assert!(!debug.contains(secret), "{debug}");
    }
    assert!(message.contains("bad: ***"), "{message}");
}

/// K4: what makes no sense is told by its place, and nothing is run.
#[tokio::test]
async fn a_payload_that_makes_no_sense_is_final() {
    let cases = [
        (json!("ls"), "payload: it must be an object"),
        (json!({}), "payload: missing field `program`"),
        (json!({"program": ""}), "payload.program: must have 1 to 4096 bytes"),
        (json!({"program": "true", "arguments": []}), "payload.arguments: there is no such field"),
        (json!({"program": "true", "args": "-x"}), "payload.args: invalid type"),
        (json!({"program": "true", "args": ["a", "\0"]}), "payload.args[1]: has a zero byte"),
        (
            json!({"program": "true", "timeout": "soon"}),
            "payload.timeout: `soon` is not a duration",
        ),
        (json!({"program": "true", "timeout": 0}), "payload.timeout: must be longer than 0"),
        (
            json!({"program": "true", "timeout": "2d"}),
            "payload.timeout: 2d is too long; at most 1d",
        ),
    ];
    for (payload, expected) in cases {
        let fault = call(&commands(), payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        assert_eq!(class(&fault), Class::Final);
    }
}

/// A named pipe that a program writes to. Its end says that everybody who had it open is gone.
struct Pipe {
    _folder: TempDir,
    path: PathBuf,
}

impl Pipe {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self { _folder: folder, path }
    }

    /// Told when the first line is there, and what else was written when all have closed it.
    fn follow(&self) -> (oneshot::Receiver<()>, oneshot::Receiver<String>) {
        let (begun, has_begun) = oneshot::channel();
        let (ended, has_ended) = oneshot::channel();
        let path = self.path.clone();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(fs::File::open(path).unwrap());
            let mut text = String::new();
            reader.read_line(&mut text).unwrap();
            let _ = begun.send(());
            text.clear();
            reader.read_to_string(&mut text).unwrap();
            let _ = ended.send(text);
        });
        (has_begun, has_ended)
    }

    /// A script that has a grandchild which has the pipe open, and waits for it.
    fn family(&self, grandchild: &str) -> Value {
        let script = format!("({grandchild}) > \"$0\" & wait");
        json!({"program": "sh", "args": ["-c", script, self.path]})
    }
}

const STUBBORN: &str = "trap '' TERM; echo begun; while :; do sleep 1000; done";
const CLEAN: &str = "trap 'echo cleaned; exit' TERM; echo begun; sleep 1000 & wait";

fn limits(grace: Duration) -> CommandLimits {
    let mut limits = CommandLimits::default();
    limits.grace = grace;
    limits
}

async fn soon<T>(receiver: oneshot::Receiver<T>) -> T {
    tokio::time::timeout(PATIENCE, receiver).await.unwrap().unwrap()
}

/// D19, J2: a command that takes too long is ended with all its children, even those that will
/// not be asked, and may have taken effect.
#[tokio::test]
async fn too_slow_a_command_is_ended_with_its_whole_group() {
    let pipe = Pipe::new();
    let (begun, ended) = pipe.follow();
    let mut payload = pipe.family(STUBBORN);
    payload["timeout"] = json!("1h");
    let commands = commands();
    let an_hour_passes = async {
        soon(begun).await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600)).await;
    };
    let (answer, ()) = tokio::join!(call(&commands, payload), an_hour_passes);
    tokio::time::resume();
    let fault = answer.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::Timeout));
    assert_eq!(class(&fault), Class::UnknownOutcome);
    assert_eq!(fault.to_string(), "`sh` took longer than 1h and was ended");
    soon(ended).await;
}

/// D10, D19: a command whose future is dropped is ended with all its children.
#[tokio::test]
async fn a_cancelled_command_is_ended_with_its_whole_group() {
    let pipe = Pipe::new();
    let (begun, ended) = pipe.follow();
    let commands = commands().limits(limits(Duration::from_millis(50)));
    tokio::select! {
        done = call(&commands, pipe.family(STUBBORN)) => panic!("it has ended: {done:?}"),
        () = soon(begun) => {}
    }
    soon(ended).await;
}

/// D19: whoever is ended is asked first, and has its grace time to clean up.
#[tokio::test]
async fn a_cancelled_command_can_clean_up() {
    let pipe = Pipe::new();
    let (begun, ended) = pipe.follow();
    let commands = commands().limits(limits(PATIENCE));
    let script = format!("exec > \"$0\"; {CLEAN}");
    let payload = json!({"program": "sh", "args": ["-c", script, pipe.path]});
    tokio::select! {
        done = call(&commands, payload) => panic!("it has ended: {done:?}"),
        () = soon(begun) => {}
    }
    assert_eq!(soon(ended).await, "cleaned\n");
}

/// D19: when the runtime goes away, so does the command.
#[test]
fn a_command_does_not_outlive_the_runtime() {
    let pipe = Pipe::new();
    let (begun, ended) = pipe.follow();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let payload = pipe.family(STUBBORN);
    runtime.spawn(async move { call(&commands(), payload).await });
    runtime.block_on(soon(begun));
    runtime.shutdown_background();
    tokio::runtime::Runtime::new().unwrap().block_on(soon(ended));
}

/// D19: a command is over when its program is; nothing is left running, and nothing is waited for.
#[tokio::test]
async fn what_a_program_leaves_running_is_ended() {
    let pipe = Pipe::new();
    let (begun, ended) = pipe.follow();
    let script = "exec 3> \"$0\"; echo begun >&3; sleep 1000 & echo done";
    let payload = json!({"program": "sh", "args": ["-c", script, pipe.path]});
    let answer = tokio::time::timeout(PATIENCE, call(&commands(), payload)).await.unwrap();
    assert_eq!(answer.unwrap().stdout, "done\n");
    soon(begun).await;
    soon(ended).await;
}

/// A worker runs commands on any of its threads.
fn _can_be_spawned(commands: &'static Commands, call: CommandCall) -> impl Send {
    commands.call(call, None, None)
}
