//! Arbitrary policy files (F1, F2).

use steadfast::file::{Format, Policies, Source};

use crate::{answers, choose};

/// The notations, in the order in which a first byte chooses them.
pub(crate) const FORMATS: [Format; 3] = [Format::Yaml, Format::Json, Format::Toml];

/// The first byte chooses the notation, the rest is the file.
pub fn check(bytes: &[u8]) {
    let Some((format, bytes)) = choose(&FORMATS, bytes) else {
        return;
    };
    match Source::from_bytes("fuzzed", bytes.to_vec()) {
        Ok(source) => read_twice(&source, format),
        Err(problem) => {
            answers::of_problems(&problem.into());
        }
    }
}

fn read_twice(source: &Source, format: Format) {
    let read = || answers::account(&Policies::parse(source, format));
    assert_eq!(read(), read(), "one text, two answers");
}
