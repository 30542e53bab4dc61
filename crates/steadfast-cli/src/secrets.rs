//! Additional names whose values are redacted (O5).
//!
//! Common names such as `password` and `token` are always redacted. `--secret` and
//! `STEADFAST_SECRETS` add names, before anything is logged, shown or stored.

use std::env;

use steadfast::observe::Redactor;

const SECRETS_ENV: &str = "STEADFAST_SECRETS";

/// Installs a redactor for these names and those of the environment variable.
pub(crate) fn install(flags: &[String]) {
    let from_env = env::var(SECRETS_ENV).unwrap_or_default();
    let names = flags.iter().map(String::as_str).chain(from_env.split(',')).map(str::trim);
    names.fold(Redactor::new(), Redactor::also).install();
}

/// Parses a name. A name without a letter or digit would match nothing.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    match text.trim() {
        name if name.contains(char::is_alphanumeric) => Ok(name.to_owned()),
        _ => {
            Err("not a name: pass the name of a field, header or variable, such as pin".to_owned())
        }
    }
}
