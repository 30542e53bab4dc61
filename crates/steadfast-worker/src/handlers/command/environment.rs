//! The environment of a command.
//!
//! A command is allowed by its program. A variable that makes the loader, a shell or an interpreter
//! run other code first would allow everything. So a command starts with an empty environment, and a
//! task cannot set the variables that are known to do that. Such a list is never complete: do not
//! allow a program that has a variable of its own for it.

use tokio::process::Command;

use super::super::HandlerError;
use super::CommandCall;

const PATH: &str = "PATH";
const KEY: &str = "STEADFAST_KEY";
const ATTEMPT: &str = "STEADFAST_ATTEMPT";

/// Variables that decide which code runs.
const FORBIDDEN: &str = "PATH BROWSER CLASSPATH CURL_HOME ENV FPATH GCONV_PATH GLOBIGNORE IFS LESSCLOSE \
    LESSOPEN MAKEFLAGS NULLCMD OPENSSL_CONF PS4 READNULLCMD SHELLOPTS TAR_OPTIONS VISUAL ZDOTDIR ZIPOPT \
    _JAVA_OPTIONS";
/// Prefixes of interpreters and tools with too many such variables to list: a warning filter of Python
/// imports a module, and another one starts a browser.
const FORBIDDEN_PREFIXES: &str = "BASH BORG_ DYLD_ GIT_ JAVA JDK_ LD_ LUA_ NODE_ PERL PHP PYTHON RCLONE_ \
    RESTIC_ RSYNC_ RUBY STEADFAST_";
/// Suffixes of variables that name programs to start: `EDITOR`, `SUDO_EDITOR`, `MANPAGER`,
/// `SSH_ASKPASS`.
const FORBIDDEN_SUFFIXES: &str = "EDITOR PAGER ASKPASS";

/// Checks that a task may set this variable.
pub(super) fn check(name: &str, value: &str) -> Result<(), HandlerError> {
    let invalid = |problem: &str| Err(HandlerError::invalid(&format!("env.{name}"), problem));
    if name.is_empty() || name.contains(['=', '\0']) {
        return invalid("is not a valid variable name; use letters, digits and `_`");
    }
    if value.contains('\0') {
        return invalid("contains a NUL byte");
    }
    if is_forbidden(name) {
        return invalid("cannot be set by a task: it could make the program run other code");
    }
    Ok(())
}

fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.split(' ').any(|forbidden| name == forbidden)
        || FORBIDDEN_PREFIXES.split(' ').any(|prefix| name.starts_with(prefix))
        || FORBIDDEN_SUFFIXES.split(' ').any(|suffix| name.ends_with(suffix))
}

pub(super) fn set(
    command: &mut Command,
    call: &CommandCall,
    key: Option<&str>,
    attempt: Option<u32>,
) {
    command.env_clear().envs(&call.env);
    let path = std::env::var_os(PATH);
    command.env(PATH, path.unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
    if let Some(key) = key {
        command.env(KEY, key);
    }
    if let Some(attempt) = attempt {
        command.env(ATTEMPT, attempt.to_string());
    }
}
