//! `cargo xtask package`: packages of the publishable crates, and what each must contain.
//!
//! Cargo's own verification compiles every package and all dependencies again, for minutes. What
//! it would find is a file that a source includes from outside of its package, so that is what is
//! looked for here. A registry shows a README without the repository around it, so its links must
//! lead to files of the package or be absolute.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::docs::relative_links;
use crate::run::{Failure, Run};
use crate::{only, paths};

/// Files that every package contains.
const REQUIRED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Fields of every manifest, which a registry shows.
const FIELDS: [&str; 6] =
    ["license", "repository", "readme", "description", "categories", "keywords"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &[])?;
    check()
}

/// The check that `cargo xtask test` runs as well.
pub(crate) fn check() -> Result<(), Failure> {
    let names = names()?;
    let packages = names.iter().flat_map(|name| ["--package", name]);
    Run::cargo("package --no-verify --allow-dirty --offline --quiet")
        .arguments(packages)
        .next("complete the manifest of the package, or the version of its path dependency")
        .go()?;
    names.iter().try_for_each(|name| check_package(name))
}

/// The packages in `crates/`, whose folders have their names.
fn names() -> Result<Vec<String>, Failure> {
    let folder = paths::root().join("crates");
    let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn check_package(name: &str) -> Result<(), Failure> {
    let list = Run::cargo("package --list --allow-dirty --offline --package").argument(name);
    let listed = list.answer().unwrap_or_default();
    let files: BTreeSet<&str> = listed.lines().collect();
    if let Some(missing) = REQUIRED.into_iter().find(|required| !files.contains(required)) {
        return Err(Failure::plain(
            format!("package {name} has no {missing}"),
            "add it; licence texts are symbolic links to the ones of the repository",
        ));
    }
    let root = paths::root().join("crates").join(name);
    for source in files.iter().filter(|file| file.starts_with("src/") && file.ends_with(".rs")) {
        let path = root.join(source);
        let text = read(&path)?;
        if let Some(included) =
            included(source, &text).find(|included| !files.contains(included.as_str()))
        {
            return Err(Failure::plain(
                format!("package {name} lacks {included}, which {source} includes"),
                "move it into the package, or do not exclude it",
            ));
        }
    }
    check_manifest(name, &read(&root.join("Cargo.toml"))?)?;
    check_readme(name, &read(&root.join("README.md"))?, &files)
}

fn check_manifest(name: &str, manifest: &str) -> Result<(), Failure> {
    let package = manifest.split("\n[").next().unwrap_or_default();
    let has = |field: &str| {
        let mut rest = package.lines().filter_map(|line| line.strip_prefix(field));
        rest.any(|rest| rest.starts_with([' ', '.']))
    };
    match FIELDS.into_iter().find(|field| !has(field)) {
        None => Ok(()),
        Some(field) => Err(Failure::plain(
            format!("the manifest of {name} has no {field}"),
            "add it, or inherit it from the workspace",
        )),
    }
}

fn check_readme(name: &str, readme: &str, files: &BTreeSet<&str>) -> Result<(), Failure> {
    let is_packaged = |target: &&str| files.contains(resolved(Path::new(target)).as_str());
    match linked_files(readme).find(|target| !is_packaged(target)) {
        None => Ok(()),
        Some(target) => Err(Failure::plain(
            format!("the README of {name} links to {target}, which is not in its package"),
            "link to the file in the repository by its whole URL, or remove the link",
        )),
    }
}

/// Files that a page links to without a host; code blocks and anchors of the page have none.
fn linked_files(page: &str) -> impl Iterator<Item = &str> {
    relative_links(page).filter_map(|link| link.split('#').next()).filter(|file| !file.is_empty())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("{}: {error}", path.display()), "check that it is readable")
}

/// Files that a source includes, relative to its package.
fn included(source: &str, text: &str) -> impl Iterator<Item = String> {
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let calls = code.flat_map(|line| {
        ["include_str!(\"", "include_bytes!(\"", "include!(\""]
            .into_iter()
            .filter_map(move |call| Some(line.split_once(call)?.1.split_once('"')?.0))
    });
    calls.map(|file| resolved(&folder.join(file)))
}

/// The path without `.` and `..`, except where it leaves the package.
fn resolved(path: &Path) -> String {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if resolved.file_name().is_some() => _ = resolved.pop(),
            component => resolved.push(component),
        }
    }
    resolved.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_are_found_in_code_only() {
        let text = "//! include_str!(\"comment.txt\")\n\
                    const A: &str = include_str!(\"../assets/a.css\");\n\
                    static B: &[u8] = include_bytes!(\"../../../docs/b.png\");\n";
        let found: Vec<String> = included("src/web.rs", text).collect();
        assert_eq!(found, ["assets/a.css", "../../docs/b.png"]);
    }

    fn rejected_link(readme: &str) -> Option<String> {
        let files = BTreeSet::from(["README.md", "docs/notes.md"]);
        check_readme("steadfast", readme, &files).err().map(|failure| failure.to_string())
    }

    #[test]
    fn readme_link_outside_of_the_package_is_rejected() {
        for target in
            ["../../docs/server.md", "../steadfast-store", "src/lib.rs#top", "docs/../../x"]
        {
            let problem = rejected_link(&format!("See [this]({target} \"title\").")).unwrap();
            let file = target.split('#').next().unwrap();
            assert!(problem.contains(&format!("links to {file}, which")), "{problem}");
        }
    }

    #[test]
    fn readme_link_into_the_package_or_to_a_host_is_accepted() {
        let readme = "[a](docs/notes.md#top) [b](https://docs.rs/steadfast) [c](#license) \
                      [d](./docs/notes.md) [e](mailto:a@b.example)\n```text\n[x](../y)\n```\n";
        assert_eq!(rejected_link(readme), None);
    }

    #[test]
    fn manifest_without_a_field_is_rejected() {
        let fields = FIELDS.map(|field| format!("{field}.workspace = true\n"));
        let manifest = |fields: &[String]| format!("[package]\n{}\n[features]\n", fields.concat());
        assert!(check_manifest("steadfast", &manifest(&fields)).is_ok());
        for missing in FIELDS {
            let rest = fields.iter().filter(|field| !field.starts_with(missing));
            let rest: Vec<String> = rest.cloned().collect();
            let elsewhere = format!("{}{missing} = 1\n", manifest(&rest));
            assert!(check_manifest("steadfast", &elsewhere).is_err(), "{missing}");
        }
    }

    #[test]
    fn every_folder_of_a_crate_has_the_name_of_its_package() {
        for name in names().unwrap() {
            let manifest = paths::root().join("crates").join(&name).join("Cargo.toml");
            let manifest = fs::read_to_string(manifest).unwrap();
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }
}
