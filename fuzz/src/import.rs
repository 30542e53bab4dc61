//! Arbitrary retry settings of other systems (F5).

use steadfast::Policy;
use steadfast::file::{Format, Policies, Source};
use steadfast_import::{ImportFormat, ImportReport, export, import};

use crate::{answers, choose};

/// The first byte chooses the system, the rest is the file.
pub fn check(bytes: &[u8]) {
    let Some((format, bytes)) = choose(&ImportFormat::ALL, bytes) else {
        return;
    };
    let Ok(source) = Source::from_bytes("fuzzed", bytes.to_vec()) else {
        return;
    };
    let answer = import(format, &source);
    match (&answer, &import(format, &source)) {
        (Ok(imported), Ok(again)) => {
            assert_eq!(imported, again, "one text, two answers");
            check_imported(imported);
        }
        (Err(problems), Err(again)) => {
            let account = answers::of_problems(problems);
            assert_eq!(account, answers::of_problems(again), "one text, two answers");
        }
        _ => panic!("read once and refused once: {answer:?}"),
    }
}

/// F5: what is imported is a policy file that means the same.
fn check_imported(imported: &ImportReport) {
    answers::json(imported);
    let yaml = imported.to_yaml();
    let policies = match Policies::parse(&Source::new("imported.yaml", &yaml), Format::Yaml) {
        Ok(policies) => policies,
        Err(problems) => panic!("its policy file is refused: {problems}\n{yaml}"),
    };
    let built: Vec<Policy> = imported.policies.iter().map(|each| build(each.draft())).collect();
    let listed: Vec<Policy> = policies.iter().map(|policy| (**policy).clone()).collect();
    assert_eq!(listed, built, "its policy file means something else:\n{yaml}");
    built.iter().for_each(answers::check_policy);
    ImportFormat::ALL.into_iter().for_each(|format| check_exported(format, &policies));
}

fn build<D: TryInto<Policy, Error: std::fmt::Debug>, E: std::fmt::Debug>(
    draft: Result<D, E>,
) -> Policy {
    match draft.map(TryInto::try_into) {
        Ok(Ok(policy)) => policy,
        Ok(Err(error)) => panic!("it cannot be built: {error:?}"),
        Err(error) => panic!("it cannot be drafted: {error:?}"),
    }
}

/// F5: what can be written for a system can be read as that system's.
fn check_exported(format: ImportFormat, policies: &Policies) {
    let Ok(text) = export(format, policies) else {
        return;
    };
    let again = import(format, &Source::new("exported", &text));
    assert!(again.is_ok(), "its export is refused: {again:?}\n{text}");
}
