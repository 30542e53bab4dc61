//! What to say of a command that cannot be started.
//!
//! Mostly it is one that only a shell knows: no program is called `cd`, or `curl -f URL`.

use std::ffi::OsString;

use nix::errno::Errno;

use crate::error::CliError;

/// What a shell does itself, because no program could do it for the shell.
const BUILTINS: [&str; 28] = [
    ".", ":", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit",
    "export", "fg", "hash", "jobs", "read", "readonly", "return", "set", "shift", "source",
    "times", "trap", "ulimit", "umask", "unalias", "unset", "wait",
];

/// What is wrong with a command, and what to do about it.
pub(super) fn to_cli_error(command: &[OsString], why: Errno) -> CliError {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let name = words.first().map(AsRef::as_ref).unwrap_or_default();
    let line = words.join(" ");
    match why {
        Errno::ENOENT if name.contains('/') => CliError::usage(format!("`{name}` cannot be found"))
            .with_help("check the path, and the interpreter in its first line".to_owned()),
        Errno::ENOENT if name.contains(char::is_whitespace) => CliError::usage(format!(
            "there is no program `{name}`: it is one word here"
        ))
        .with_help(format!("leave out the quotes, or let a shell read it: {}", in_a_shell(&line))),
        Errno::ENOENT if BUILTINS.contains(&name) => {
            CliError::usage(format!("`{name}` is a part of the shell and no program"))
                .with_help(format!("let a shell run it: {}", in_a_shell(&line)))
        }
        Errno::ENOENT => CliError::usage(format!("there is no program `{name}` on the PATH"))
            .with_help(format!(
                "check its name; if it is an alias or a function, let the shell that knows it run \
                 it: {}",
                in_a_shell(&line)
            )),
        Errno::EACCES => {
            CliError::usage(format!("`{name}` may not be executed")).with_help(format!(
                "make it executable (chmod +x), or name what reads it: steadfast run -- sh {line}"
            ))
        }
        Errno::ENOEXEC => CliError::usage(format!(
            "`{name}` is nothing that this machine executes"
        ))
        .with_help("if it is a script, say in its first line what reads it: #!/bin/sh".to_owned()),
        other => CliError::usage(format!("`{name}` cannot be started: {}", other.desc())),
    }
}

fn in_a_shell(line: &str) -> String {
    let line = if line.contains('\'') { "…" } else { line };
    format!("steadfast run -- sh -c '{line}'")
}
