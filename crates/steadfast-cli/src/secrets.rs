//! Names whose values are secret, beside the usual ones (O5): said once for all commands.
//!
//! A redactor knows what passwords and tokens are called everywhere. What a house calls its own
//! secrets only the house knows, so it can say it, before anything is logged, told or kept.

use std::env;

use steadfast::observe::Redactor;

/// The variable that names them for every command, parted by commas.
const VARIABLE: &str = "STEADFAST_SECRETS";

/// Has the values of these names masked from now on, and of those that the variable names.
pub(crate) fn mask(said: &[String]) {
    let by_variable = env::var(VARIABLE).unwrap_or_default();
    let names = said.iter().map(String::as_str).chain(by_variable.split(',')).map(str::trim);
    names.fold(Redactor::new(), Redactor::also).install();
}

/// Reads a name. One without a letter would be compared with nothing, and mask nothing.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    match text.trim() {
        name if name.contains(char::is_alphanumeric) => Ok(name.to_owned()),
        _ => Err("write the name of a field, a header or a variable, like pin".to_owned()),
    }
}
