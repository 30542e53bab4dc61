//! Generated policy files of any size.

use std::fmt::Write;

/// A YAML file of `count` policies, with operations that map two errors each.
pub fn policies(count: usize) -> String {
    let mut text = String::from(
        "version: \"1.1.0\"\nglobal_defaults:\n  jitter_type: full\n  jitter_amount: 0.1\npolicies:\n",
    );
    for number in 0..count {
        let _ = write!(
            text,
            "  policy_{number}:\n    name: \"Policy number {number}\"\n    description: \"Retries of operation {number}\"\n    \
             max_attempts: {}\n    backoff_type: exponential\n    base_delay: {}\n    max_delay: 30.0\n    \
             enabled: true\n",
            2 + number % 7,
            0.5 + (number % 5) as f64,
        );
        if number % 2 == 1 {
            text.push_str(
                "    retryable_exceptions:\n      - TimeoutError\n      - ConnectionError\n",
            );
        }
    }
    text.push_str("subsystem_mappings:\n");
    for subsystem in 0..10 {
        let _ = writeln!(text, "  subsystem_{subsystem}:");
        for number in 0..count.div_ceil(10) {
            let policy = (subsystem * 10 + number) % count.max(1);
            let _ = writeln!(
                text,
                "    operation_{number}: {{timeout: policy_{policy}, default: policy_{policy}}}"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use steadfast::file::{Format, Policies, Source};

    use super::*;

    #[test]
    fn generated_file_is_valid() {
        let source = Source::new("generated.yaml", &policies(100));
        let policies = Policies::parse(&source, Format::Yaml).unwrap();
        assert_eq!((policies.iter().count(), policies.mapped().len()), (100, 200));
    }
}
