//! Whatever comes in, what comes out is a policy file or problems.

use proptest::prelude::*;
use steadfast::file::{Format, Policies, Source};
use steadfast_import::{ImportFormat, export, import};

use super::{FIXTURES, fixture};

/// Imports, and checks what must hold for every text.
fn check(format: ImportFormat, text: &str) -> Result<(), TestCaseError> {
    let source = Source::new("f", text);
    let imported = match import(format, &source) {
        Ok(imported) => imported,
        Err(problems) => {
            prop_assert!(problems.iter().all(|problem| !problem.message.is_empty()));
            return Ok(());
        }
    };
    let yaml = imported.to_yaml();
    let policies = Policies::parse(&Source::new("y", &yaml), Format::Yaml);
    let policies = policies.map_err(|e| TestCaseError::fail(format!("{e}\n{yaml}\n{text}")))?;
    let built: Vec<_> =
        imported.policies.iter().map(|policy| policy.draft().unwrap().build().unwrap()).collect();
    let listed: Vec<_> = policies.iter().map(|policy| (**policy).clone()).collect();
    prop_assert_eq!(listed, built, "{}", yaml);
    for format in [ImportFormat::GrpcServiceConfig, ImportFormat::Resilience4j] {
        if let Ok(text) = export(format, &policies) {
            prop_assert!(import(format, &Source::new("e", &text)).is_ok(), "{}", text);
        }
    }
    Ok(())
}

/// Fragments with a meaning in some format.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "-1",
        "0",
        "1",
        "4294967295",
        "1e308",
        "0.5",
        "NaN",
        "null",
        "true",
        "\"\"",
        "[]",
        "{}",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "=",
        "\n",
        "  ",
        "- ",
        "#",
        "\\",
        "/",
        "'",
        "500ms",
        "0.1s",
        "PT1H",
        "any",
        "a.b.C$D",
        "\u{feff}",
        "\u{2028}",
        "é",
        "99999999999999999999s",
        "*a",
        "&a",
    ];
    prop_oneof![
        4 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// F5, K4: no text is a panic.
    #[test]
    fn any_text_parses_or_is_rejected(text in any::<String>()) {
        for format in ImportFormat::ALL {
            check(format, &text)?;
        }
    }

    /// F5, K4: nor is any bytes.
    #[test]
    fn any_bytes_parse_or_are_rejected(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in ImportFormat::ALL {
            check(format, &String::from_utf8_lossy(&bytes))?;
        }
    }

    /// F5, K4: a file with some of it replaced is read or refused, in its own format and others.
    #[test]
    fn changed_fixture_parses_or_is_rejected(
        which in 0..FIXTURES.len(),
        other in 0..ImportFormat::ALL.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, piece()), 1..5),
    ) {
        let (name, format) = FIXTURES[which];
        let mut text = fixture(name);
        for (index, length, piece) in changes {
            let start = text.floor_char_boundary(index.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, &piece);
        }
        check(format, &text)?;
        check(ImportFormat::ALL[other], &text)?;
    }
}
