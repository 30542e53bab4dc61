//! Errors for commands that cannot be started.
//!
//! The most common cause is a shell feature: there is no program `cd` or `curl -f URL`.

use std::ffi::OsString;
use std::path::Path;

use nix::errno::Errno;

use crate::error::CliError;

/// Shell builtins without a program of the same name.
const BUILTINS: [&str; 28] = [
    ".", ":", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit",
    "export", "fg", "hash", "jobs", "read", "readonly", "return", "set", "shift", "source",
    "times", "trap", "ulimit", "umask", "unalias", "unset", "wait",
];

pub(super) fn to_cli_error(command: &[OsString], why: Errno) -> CliError {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let name = words.first().map(AsRef::as_ref).unwrap_or_default();
    let line = words.join(" ");
    match why {
        Errno::ENOENT if name.contains('/') => CliError::usage(format!("`{name}` not found"))
            .with_help("check the path, and the interpreter in the script's first line"),
        Errno::ENOENT if name.contains(char::is_whitespace) => CliError::usage(format!(
            "program `{name}` not found: the whole command is one quoted argument"
        ))
        .with_help(format!("remove the quotes, or run it in a shell: {}", in_a_shell(&line))),
        Errno::ENOENT if BUILTINS.contains(&name) => {
            CliError::usage(format!("`{name}` is a shell builtin, not a program"))
                .with_help(format!("run it in a shell: {}", in_a_shell(&line)))
        }
        Errno::ENOENT => CliError::usage(format!("program `{name}` not found in PATH"))
            .with_help(
                "check its name; shell aliases and functions are not visible here: put them into a script",
            ),
        Errno::EACCES if Path::new(name).is_dir() => {
            CliError::usage(format!("`{name}` is a directory"))
                .with_help("pass the program to run, such as ./build.sh")
        }
        Errno::EACCES => {
            CliError::usage(format!("`{name}` is not executable")).with_help(format!(
                "make it executable (chmod +x), or run it with its interpreter: steadfast run -- sh {line}"
            ))
        }
        Errno::ENOEXEC => CliError::usage(format!(
            "`{name}` is not in an executable format"
        ))
        .with_help("if it is a script, name its interpreter in the first line: #!/bin/sh"),
        other => CliError::usage(format!("cannot start `{name}`: {}", other.desc())),
    }
}

fn in_a_shell(line: &str) -> String {
    let line = if line.contains('\'') { "…" } else { line };
    format!("steadfast run -- sh -c '{line}'")
}
