//! Arbitrary policy files (F1, F2).

use steadfast::file::{Format, Policies, Source};

use crate::{invariants, split_format};

/// The formats, in the order in which the first byte selects them.
pub(crate) const FORMATS: [Format; 3] = [Format::Yaml, Format::Json, Format::Toml];

/// Checks an input. The first byte selects the format, the rest is the file.
pub fn check(bytes: &[u8]) {
    let Some((format, bytes)) = split_format(&FORMATS, bytes) else {
        return;
    };
    match Source::from_bytes("fuzzed", bytes.to_vec()) {
        Ok(source) => parse_twice(&source, format),
        Err(problem) => {
            invariants::check_problems(&problem.into());
        }
    }
}

fn parse_twice(source: &Source, format: Format) {
    let parse = || invariants::check_result(&Policies::parse(source, format));
    assert_eq!(parse(), parse(), "two parses of the same text differ");
}
