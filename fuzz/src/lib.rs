//! Fuzz targets of the library.
//!
//! Policy files, settings of other systems, rules, durations and faults may be untrusted. The
//! library reads or rejects each input: without a panic, with correct positions, and with the same
//! result every time. Each module states these properties for one kind of input, as a function that
//! takes any bytes and panics on a violation. libFuzzer searches for such bytes (`fuzz_targets/`,
//! run by `cargo xtask fuzz`).
//!
//! The search starts from the repository's own fixtures, which [`seeds`] turns into inputs.

mod answers;
pub mod environment;
pub mod import;
pub mod policy_file;
pub mod rules_and_durations;
pub mod seeds;

/// The first byte chooses one of several ways to read the rest.
fn choose<'b, T: Copy>(ways: &[T], bytes: &'b [u8]) -> Option<(T, &'b [u8])> {
    let (first, rest) = bytes.split_first()?;
    let way = ways.get(usize::from(*first) % ways.len())?;
    Some((*way, rest))
}

/// An input that [`choose`] reads this way.
fn chosen<T: PartialEq>(ways: &[T], way: T, text: &str) -> Vec<u8> {
    let place = ways.iter().position(|each| *each == way).unwrap_or_default();
    let mut input = vec![u8::try_from(place).unwrap_or_default()];
    input.extend_from_slice(text.as_bytes());
    input
}
