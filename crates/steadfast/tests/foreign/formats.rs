//! The systems that are known, and how a text is known to be of one.

use steadfast::file::Source;
use steadfast::foreign::ForeignFormat;

use super::{FIXTURES, fixture};

/// F5: people name a format in a command.
#[test]
fn every_format_is_found_by_its_name() {
    for format in ForeignFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert!(!format.about().is_empty());
    }
    let error = "step-function".parse::<ForeignFormat>().unwrap_err();
    assert!(error.to_string().ends_with("did you mean step-functions?"), "{error}");
}

/// F5: people have a file, not the name of its format.
#[test]
fn every_fixture_is_guessed() {
    for (name, format) in FIXTURES {
        let source = Source::new(name, &fixture(name));
        assert_eq!(ForeignFormat::guess(&source), Some(format), "{name}");
    }
}

#[test]
fn a_text_of_no_system_is_not_guessed() {
    assert_eq!(ForeignFormat::guess(&Source::new("a", "name: a\nport: 80\n")), None);
    assert_eq!(ForeignFormat::guess(&Source::new("a", "")), None);
}
