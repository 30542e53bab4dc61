//! Fuzz targets of the library.
//!
//! Policy files, settings of other systems, rules, durations and faults may be untrusted. The
//! library reads or rejects each input: without a panic, with correct positions, and with the same
//! result every time. Each module states these properties for one kind of input, as a function that
//! takes any bytes and panics on a violation. libFuzzer searches for such bytes (`fuzz_targets/`,
//! run by `cargo xtask fuzz`).
//!
//! The search starts from the repository's own fixtures, which [`seeds`] turns into inputs.

pub mod environment;
pub mod import;
mod invariants;
pub mod policy_file;
pub mod rules_and_durations;
pub mod seeds;

/// Selects a format by the first byte of an input, and returns it with the rest.
fn split_format<'b, T: Copy>(formats: &[T], bytes: &'b [u8]) -> Option<(T, &'b [u8])> {
    let (first, rest) = bytes.split_first()?;
    let format = formats.get(usize::from(*first) % formats.len())?;
    Some((*format, rest))
}

/// The input from which [`split_format`] returns this format and text.
fn with_format<T: PartialEq>(formats: &[T], format: T, text: &str) -> Vec<u8> {
    let index = formats.iter().position(|each| *each == format).unwrap_or_default();
    let mut input = vec![u8::try_from(index).unwrap_or_default()];
    input.extend_from_slice(text.as_bytes());
    input
}
