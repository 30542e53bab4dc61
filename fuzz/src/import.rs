//! Arbitrary retry settings of other systems (F5).

use steadfast::Policy;
use steadfast::file::{Format, Policies, Source};
use steadfast_import::{ImportFormat, ImportReport, export, import};

use crate::{invariants, split_format};

/// Checks an input. The first byte selects the system, the rest is the file.
pub fn check(bytes: &[u8]) {
    let Some((format, bytes)) = split_format(&ImportFormat::ALL, bytes) else {
        return;
    };
    let Ok(source) = Source::from_bytes("fuzzed", bytes.to_vec()) else {
        return;
    };
    let result = import(format, &source);
    match (&result, &import(format, &source)) {
        (Ok(imported), Ok(again)) => {
            assert_eq!(imported, again, "two imports of the same text differ");
            check_imported(imported);
        }
        (Err(problems), Err(again)) => {
            let text = invariants::check_problems(problems);
            assert_eq!(
                text,
                invariants::check_problems(again),
                "two imports of the same text differ"
            );
        }
        _ => panic!("the second import of the same text has another outcome than {result:?}"),
    }
}

/// F5: the imported policies and the policy file written from them are the same.
fn check_imported(imported: &ImportReport) {
    invariants::json(imported);
    let yaml = imported.to_yaml();
    let policies = match Policies::parse(&Source::new("imported.yaml", &yaml), Format::Yaml) {
        Ok(policies) => policies,
        Err(problems) => panic!("the policy file is rejected: {problems}\n{yaml}"),
    };
    let built: Vec<Policy> = imported.policies.iter().map(|each| build(each.draft())).collect();
    let listed: Vec<Policy> = policies.iter().map(|policy| (**policy).clone()).collect();
    assert_eq!(listed, built, "the policy file has other policies:\n{yaml}");
    built.iter().for_each(invariants::check_policy);
    ImportFormat::ALL.into_iter().for_each(|format| check_exported(format, &policies));
}

fn build<D: TryInto<Policy, Error: std::fmt::Debug>, E: std::fmt::Debug>(
    draft: Result<D, E>,
) -> Policy {
    match draft.map(TryInto::try_into) {
        Ok(Ok(policy)) => policy,
        Ok(Err(error)) => panic!("the policy cannot be built: {error:?}"),
        Err(error) => panic!("the policy cannot be drafted: {error:?}"),
    }
}

/// F5: an export for a system can be imported again.
fn check_exported(format: ImportFormat, policies: &Policies) {
    let Ok(text) = export(format, policies) else {
        return;
    };
    let again = import(format, &Source::new("exported", &text));
    assert!(again.is_ok(), "the export is rejected: {again:?}\n{text}");
}
