//! `cargo xtask docs`: the documentation build, with warnings denied.

use crate::run::{Failure, Run};
use crate::{only, paths};

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &["--open"])?;
    build().arguments(arguments).go()?;
    println!("{}", paths::target().join("doc/steadfast/index.html").display());
    Ok(())
}

/// The build that `cargo xtask test` runs as well.
pub(crate) fn build() -> Run {
    Run::cargo("doc --workspace --all-features --no-deps")
        .variable("RUSTDOCFLAGS", "-D warnings")
        .next("fix the documentation warnings")
}

/// Targets of a page's relative links; code blocks have none.
pub(crate) fn relative_links(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("```").step_by(2);
    let targets = prose.flat_map(|text| text.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Generated directories.
    const GENERATED: [&str; 3] = [".git", "node_modules", "target"];

    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                let is_generated = GENERATED.iter().any(|generated| name == *generated);
                if !is_generated {
                    pages(&path, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }

    /// Anchors of the headings of a page.
    fn anchors(page: &str) -> Vec<String> {
        let headings = page.lines().filter(|line| line.starts_with('#'));
        let name = |heading: &str| {
            let words = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(name).collect()
    }

    fn target_exists(page: &Path, target: &str) -> bool {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = match file {
            "" => page.to_owned(),
            file => page.parent().unwrap().join(file),
        };
        let has = |anchor: &str| {
            let text = fs::read_to_string(&file).unwrap_or_default();
            anchors(&text).iter().any(|name| name == anchor)
        };
        file.exists() && (anchor.is_empty() || has(anchor))
    }

    #[test]
    fn relative_links_of_pages_resolve() {
        let mut all = Vec::new();
        pages(paths::root(), &mut all);
        assert!(all.len() > 20, "{all:?}");
        for page in all {
            let text = fs::read_to_string(&page).unwrap();
            let dead: Vec<_> =
                relative_links(&text).filter(|link| !target_exists(&page, link)).collect();
            assert!(dead.is_empty(), "{}: {dead:?}", page.display());
        }
    }
    /// Absolute links to files of this repository, as in the READMEs of crates.
    #[test]
    fn repository_links_of_pages_resolve() {
        let manifest = fs::read_to_string(paths::root().join("Cargo.toml")).unwrap();
        let url = manifest.split_once("repository = \"").unwrap().1.split('"').next().unwrap();
        let (mut all, mut checked) = (Vec::new(), 0);
        pages(paths::root(), &mut all);
        for page in all {
            let text = fs::read_to_string(&page).unwrap();
            for kind in ["blob", "tree"] {
                for rest in text.split(&format!("]({url}/{kind}/main/")).skip(1) {
                    let target = rest.split([')', ' ']).next().unwrap();
                    let exists = target_exists(&paths::root().join("README.md"), target);
                    assert!(exists, "{}: {target}", page.display());
                    checked += 1;
                }
            }
        }
        assert!(checked > 10, "{checked} links to {url}");
    }
}
