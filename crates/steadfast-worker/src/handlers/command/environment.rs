//! The variables that a command sees.
//!
//! A command is allowed by its program. A variable that makes the loader, a shell or an
//! interpreter run something else first would allow everything. So a command starts with an empty
//! environment, and of what a task may add, the variables that are known to do that are refused. A
//! list can never be whole: a program with a variable of its own for it is better not allowed.

use std::ffi::OsString;

use tokio::process::Command;

use super::super::HandlerFault;
use super::CommandCall;

const PATH: &str = "PATH";
const KEY: &str = "STEADFAST_KEY";
const ATTEMPT: &str = "STEADFAST_ATTEMPT";

/// What decides which code runs.
const REFUSED: [&str; 22] = [
    PATH,
    "BROWSER",
    "CLASSPATH",
    "CURL_HOME",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GLOBIGNORE",
    "IFS",
    "LESSCLOSE",
    "LESSOPEN",
    "MAKEFLAGS",
    "NULLCMD",
    "OPENSSL_CONF",
    "PS4",
    "READNULLCMD",
    "SHELLOPTS",
    "TAR_OPTIONS",
    "VISUAL",
    "ZDOTDIR",
    "ZIPOPT",
    "_JAVA_OPTIONS",
];
/// Interpreters and tools with so many that only their names are known: a warning filter of Python
/// imports a module, and there is one that starts a browser.
const REFUSED_FAMILIES: [&str; 17] = [
    "BASH",
    "BORG_",
    "DYLD_",
    "GIT_",
    "JAVA",
    "JDK_",
    "LD_",
    "LUA_",
    "NODE_",
    "PERL",
    "PHP",
    "PYTHON",
    "RCLONE_",
    "RESTIC_",
    "RSYNC_",
    "RUBY",
    "STEADFAST_",
];
/// Programs that others start: `EDITOR`, `SUDO_EDITOR`, `MANPAGER`, `SSH_ASKPASS`.
const REFUSED_ENDS: [&str; 3] = ["EDITOR", "PAGER", "ASKPASS"];

/// Whether a task may set this variable.
pub(super) fn check(name: &str, value: &str) -> Result<(), HandlerFault> {
    let wrong = |problem: &str| Err(HandlerFault::invalid(&format!("env.{name}"), problem));
    if name.is_empty() || name.contains(['=', '\0']) {
        return wrong("is no name of a variable; use letters, digits and `_`");
    }
    if value.contains('\0') {
        return wrong("has a zero byte");
    }
    if is_refused(name) {
        return wrong("cannot be set by a task: it could make the program run other code");
    }
    Ok(())
}

fn is_refused(name: &str) -> bool {
    REFUSED.contains(&name)
        || REFUSED_FAMILIES.iter().any(|family| name.starts_with(family))
        || REFUSED_ENDS.iter().any(|end| name.ends_with(end))
}

/// Gives a command its environment, and no more.
pub(super) fn give(
    command: &mut Command,
    call: &CommandCall,
    key: Option<&str>,
    attempt: Option<u32>,
) {
    command.env_clear().envs(&call.env);
    command.env(PATH, path());
    if let Some(key) = key {
        command.env(KEY, key);
    }
    if let Some(attempt) = attempt {
        command.env(ATTEMPT, attempt.to_string());
    }
}

fn path() -> OsString {
    std::env::var_os(PATH).unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}
