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
    CommandCall, CommandLimits, CommandOutput, Commands, HandlerError,
};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// No test takes this long; a failing one must not hang.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

fn commands() -> Commands {
    Commands::new(["sh", "cat", "env", "true", "no-such-program"])
}

async fn call(commands: &Commands, payload: Value) -> Result<CommandOutput, HandlerError> {
    commands.call(CommandCall::parse(&payload.to_string())?, None, None).await
}

async fn sh(script: &str) -> Result<CommandOutput, HandlerError> {
    call(&commands(), json!({"program": "sh", "args": ["-c", script]})).await
}

fn class(fault: &HandlerError) -> Class {
    judge::judge(&Rules::default(), &fault.fault()).class()
}

/// D19: a command's output is its result.
#[tokio::test]
async fn successful_command_returns_its_output() {
    let answer = sh("echo out; echo err >&2").await.unwrap();
    let expected = json!({"exit_code": 0, "stdout": "out\n", "stderr": "err\n"});
    assert_eq!(serde_json::to_value(answer).unwrap(), expected);
}

/// D19: a string is passed by its value, anything else as JSON.
#[tokio::test]
async fn stdin_of_any_json_type_is_passed() {
    for (stdin, read) in [(json!("a\nb"), "a\nb"), (json!({"a": [1]}), r#"{"a":[1]}"#)] {
        let answer = call(&commands(), json!({"program": "cat", "stdin": stdin})).await.unwrap();
        assert_eq!(answer.stdout, read);
    }
    let answer = call(&commands(), json!({"program": "cat"})).await.unwrap();
    assert_eq!(answer.stdout, "");
}

/// D19: a program that does not read its input is not blocked by it.
#[tokio::test]
async fn unread_stdin_is_ignored() {
    let payload = json!({"program": "true", "stdin": "x".repeat(1 << 20)});
    assert!(call(&commands(), payload).await.is_ok());
}

/// K2: a command's environment has its path, key, attempt and the task's variables, and nothing else.
#[tokio::test]
async fn environment_has_only_the_given_variables() {
    let call = CommandCall::parse(r#"{"program": "env", "env": {"REGION": "eu"}}"#).unwrap();
    let answer = commands().call(call, Some("key-1"), Some(3)).await.unwrap();
    let mut lines: Vec<_> = answer.stdout.lines().collect();
    lines.sort_unstable();
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    assert_eq!(lines, [&path, "REGION=eu", "STEADFAST_ATTEMPT=3", "STEADFAST_KEY=key-1"]);
}

/// K2: a variable that would run other code is rejected.
#[tokio::test]
async fn variable_that_runs_other_code_is_rejected() {
    let loaders = ["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "PYTHONWARNINGS", "PERL5OPT"];
    let started = ["BROWSER", "GIT_EDITOR", "MANPAGER", "SSH_ASKPASS"];
    for name in loaders.into_iter().chain(started).chain(["STEADFAST_KEY", "", "A=B"]) {
        let payload = json!({"program": "env", "env": {name: "x"}});
        let fault = call(&commands(), payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(&format!("payload.env.{name}: ")), "{fault}");
        assert_eq!((fault.fault().kind, class(&fault)), (Some(Kind::Argument), Class::Final));
    }
}

/// K2: only exactly listed programs run.
#[tokio::test]
async fn unlisted_program_is_rejected() {
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
async fn program_that_cannot_start_fails_for_good() {
    let folder = tempfile::tempdir().unwrap();
    // Written by another process: a file that is open for writing cannot be executed.
    let file = |name: &str, content: &str, mode: &str| {
        let path = folder.path().join(name).to_str().unwrap().to_owned();
        let script = "printf %s \"$1\" > \"$0\" && chmod \"$2\" \"$0\"";
        let mut writer = std::process::Command::new("sh");
        assert!(writer.args(["-c", script, &path, content, mode]).status().unwrap().success());
        path
    };
    let absent = folder.path().join("absent").to_str().unwrap().to_owned();
    let cases = [
        ("no-such-program".to_owned(), Kind::NotFound, "not found on the worker's PATH"),
        (absent, Kind::NotFound, "was not found; check its path"),
        (
            file("orphan", "#!/no/such/interpreter\n", "755"),
            Kind::NotFound,
            "its interpreter was not found",
        ),
        (file("plain", "#!/bin/sh\n", "644"), Kind::PermissionDenied, "chmod +x"),
    ];
    for (program, kind, words) in cases {
        let fault = call(&Commands::new([&program]), json!({"program": program})).await;
        let fault = fault.unwrap_err();
        assert_eq!((fault.fault().kind, class(&fault)), (Some(kind), Class::Final), "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
    }
}

/// D19, J11: the error has the exit code and the end of stderr.
#[tokio::test]
async fn failed_command_error_has_exit_code_and_stderr() {
    let fault = sh("seq 1000 >&2; echo 'disk is full' >&2; exit 75").await.unwrap_err();
    assert_eq!(fault.fault().exit_code, Some(75));
    let message = fault.to_string();
    assert!(message.starts_with("`sh` failed with exit status: 75: …"), "{message}");
    assert!(message.ends_with("999 1000 disk is full"), "{message}");
}

/// D19: a program killed by a signal has the shells' exit code for it.
#[tokio::test]
async fn command_killed_by_a_signal_names_the_signal() {
    let fault = sh("kill -KILL $$").await.unwrap_err();
    assert_eq!(fault.fault().exit_code, Some(128 + 9));
    assert_eq!(fault.to_string(), "`sh` failed with signal: 9 (SIGKILL)");
}

/// J1, J10: the handler reports the exit code, the policy classifies it.
#[tokio::test]
async fn exit_code_is_classified_by_the_policy() {
    let fault = sh("exit 75").await.unwrap_err();
    assert_eq!(class(&fault), Class::Final);
    let policy = Policy::immediate().retry_on(["exit:75"]).build().unwrap();
    assert_eq!(judge::judge(policy.rules(), &fault.fault()).class(), Class::Retryable);
}

/// O5: secrets of the command are in no error.
#[tokio::test]
async fn secrets_are_masked_in_errors() {
    let payload = json!({
        "program": "sh",
        "args": ["-c", "echo \"bad: $DB_PASSWORD and $1 and $2\" >&2; exit 1", "--",
                 "--token=tomato", "--api-key", "cabbage"],
        "env": {"DB_PASSWORD": "aubergine"},
    });
    let read = CommandCall::parse(&payload.to_string()).unwrap();
    let debug = format!("{read:?}");
    let message = commands().call(read, None, None).await.unwrap_err().to_string();
    for secret in ["tomato", "cabbage", "aubergine"] {
        assert!(!message.contains(secret), "{message}");
        assert!(!debug.contains(secret), "{debug}");
    }
    assert!(message.contains("bad: ***"), "{message}");
}

/// K4: the error of an invalid payload names the field, and nothing runs.
#[tokio::test]
async fn invalid_payload_fails_for_good() {
    let cases = [
        (json!("ls"), "payload: must be an object"),
        (json!({}), "payload: missing field `program`"),
        (json!({"program": ""}), "payload.program: must not be empty"),
        (json!({"program": "x".repeat(5_000)}), "payload.program: is 5000 bytes long; the maximum"),
        (json!({"program": "true", "arguments": []}), "payload.arguments: unknown field"),
        (json!({"program": "true", "args": "-x"}), "payload.args: invalid type"),
        (json!({"program": "true", "args": ["a", "\0"]}), "payload.args[1]: contains a NUL byte"),
        (
            json!({"program": "true", "timeout": "soon"}),
            "payload.timeout: `soon` is not a duration",
        ),
        (json!({"program": "true", "timeout": 0}), "payload.timeout: must be greater than 0"),
        (
            json!({"program": "true", "timeout": "2d"}),
            "payload.timeout: 2d is too long; this worker allows at most 1d",
        ),
    ];
    for (payload, expected) in cases {
        let fault = call(&commands(), payload).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        assert_eq!(class(&fault), Class::Final);
    }
}

/// A named pipe that a program writes to. Its end means that every process that had it open is gone.
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

    /// Resolves when the first line arrives, and with the rest when all writers have closed the pipe.
    fn follow(&self) -> (oneshot::Receiver<()>, oneshot::Receiver<String>) {
        let (started, has_started) = oneshot::channel();
        let (ended, has_ended) = oneshot::channel();
        let path = self.path.clone();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(fs::File::open(path).unwrap());
            let mut text = String::new();
            reader.read_line(&mut text).unwrap();
            let _ = started.send(());
            text.clear();
            reader.read_to_string(&mut text).unwrap();
            let _ = ended.send(text);
        });
        (has_started, has_ended)
    }

    /// A script that waits for a grandchild which holds the pipe open.
    fn family(&self, grandchild: &str) -> Value {
        let script = format!("({grandchild}) > \"$0\" & wait");
        json!({"program": "sh", "args": ["-c", script, self.path]})
    }
}

const STUBBORN: &str = "trap '' TERM; echo started; while :; do sleep 1000; done";
const CLEAN: &str = "trap 'echo cleaned; exit' TERM; echo started; sleep 1000 & wait";

fn limits(grace: Duration) -> CommandLimits {
    let mut limits = CommandLimits::default();
    limits.grace = grace;
    limits
}

async fn soon<T>(receiver: oneshot::Receiver<T>) -> T {
    tokio::time::timeout(TEST_TIMEOUT, receiver).await.unwrap().unwrap()
}

/// D19, J2: a command that times out is terminated with all its children, even those that ignore
/// SIGTERM, and may have taken effect.
#[tokio::test]
async fn timed_out_command_is_killed_with_its_process_group() {
    let pipe = Pipe::new();
    let (started, ended) = pipe.follow();
    let mut payload = pipe.family(STUBBORN);
    payload["timeout"] = json!("1h");
    let commands = commands();
    let an_hour_passes = async {
        soon(started).await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600)).await;
    };
    let (answer, ()) = tokio::join!(call(&commands, payload), an_hour_passes);
    tokio::time::resume();
    let fault = answer.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::Timeout));
    assert_eq!(class(&fault), Class::UnknownOutcome);
    assert_eq!(fault.to_string(), "`sh` timed out after 1h and was terminated");
    soon(ended).await;
}

/// D10, D19: a command whose future is dropped is terminated with all its children.
#[tokio::test]
async fn cancelled_command_is_killed_with_its_process_group() {
    let pipe = Pipe::new();
    let (started, ended) = pipe.follow();
    let commands = commands().limits(limits(Duration::from_millis(50)));
    tokio::select! {
        done = call(&commands, pipe.family(STUBBORN)) => panic!("the command ended early: {done:?}"),
        () = soon(started) => {}
    }
    soon(ended).await;
}

/// D19: a terminated command gets SIGTERM first and has its grace to clean up.
#[tokio::test]
async fn cancelled_command_can_clean_up() {
    let pipe = Pipe::new();
    let (started, ended) = pipe.follow();
    let commands = commands().limits(limits(TEST_TIMEOUT));
    let script = format!("exec > \"$0\"; {CLEAN}");
    let payload = json!({"program": "sh", "args": ["-c", script, pipe.path]});
    tokio::select! {
        done = call(&commands, payload) => panic!("the command ended early: {done:?}"),
        () = soon(started) => {}
    }
    assert_eq!(soon(ended).await, "cleaned\n");
}

/// D19: a command ends with its runtime.
#[test]
fn command_does_not_outlive_the_runtime() {
    let pipe = Pipe::new();
    let (started, ended) = pipe.follow();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let payload = pipe.family(STUBBORN);
    runtime.spawn(async move { call(&commands(), payload).await });
    runtime.block_on(soon(started));
    runtime.shutdown_background();
    tokio::runtime::Runtime::new().unwrap().block_on(soon(ended));
}

/// D19: a command ends with its program; its children are killed and not awaited.
#[tokio::test]
async fn background_children_of_a_command_are_killed() {
    let pipe = Pipe::new();
    let (started, ended) = pipe.follow();
    let script = "exec 3> \"$0\"; echo started >&3; sleep 1000 & echo done";
    let payload = json!({"program": "sh", "args": ["-c", script, pipe.path]});
    let answer = tokio::time::timeout(TEST_TIMEOUT, call(&commands(), payload)).await.unwrap();
    assert_eq!(answer.unwrap().stdout, "done\n");
    soon(started).await;
    soon(ended).await;
}

/// The future is `Send`: a worker runs commands on any thread.
fn _can_be_spawned(commands: &'static Commands, call: CommandCall) -> impl Send {
    commands.call(call, None, None)
}
