//! The frame around every page: navigation, search, whether it is live, whose store it is.

use maud::{DOCTYPE, Markup, html};

use super::assets::address;
use super::icon::{Icon, icon};
use super::section::Section;
use super::view::View;

/// A whole page.
pub(super) fn whole(view: &View, section: Option<Section>, title: &str, within: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, Some("page.js")))
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (navigation(view, section))
                div class="side-by-side" {
                    (top(view))
                    (inside(view, title, within))
                    (foot(view))
                }
                (keys(view))
                div id="toasts" class="toasts" role="status" aria-live="polite" {
                    @if let Some(done) = view.done { p { (done.said()) } }
                }
            }
        }
    }
}

/// What changes: everything but the frame.
pub(super) fn inside(view: &View, title: &str, within: &Markup) -> Markup {
    html! {
        main id="main" tabindex="-1" data-title=(title) data-now=(view.now) { (within) }
    }
}

/// What a browser has to know before it shows anything. The script is for pages with a frame.
pub(super) fn head(title: &str, script: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Steadfast" }
            link rel="icon" type="image/svg+xml" href=(address("mark.svg"));
            link rel="stylesheet" href=(address("page.css"));
            script src=(address("theme.js")) {}
            @if let Some(script) = script { script type="module" src=(address(script)) {} }
        }
    }
}

fn navigation(view: &View, current: Option<Section>) -> Markup {
    html! {
        nav class="navigation" aria-label="Sections" {
            a class="brand" href="/" { (icon(Icon::Mark)) span { "Steadfast" } }
            ul {
                @for section in seen_by(view) {
                    li {
                        a href=(section.path()) data-key=(section.key())
                            aria-current=[(current == Some(section)).then_some("page")] {
                            (icon(section.icon())) span { (section.label()) }
                        }
                    }
                }
            }
        }
    }
}

/// The sections that are for this one.
fn seen_by(view: &View) -> impl Iterator<Item = Section> {
    Section::ALL.into_iter().filter(|section| view.may_see(*section))
}

fn top(view: &View) -> Markup {
    html! {
        header class="top" {
            form class="search" action="/search" role="search" {
                label class="unseen" for="search" { "Find a task by id, key or text, or a policy" }
                (icon(Icon::Search))
                input id="search" name="q" type="search" autocomplete="off" spellcheck="false"
                    placeholder="Find by id, key, correlation, policy or text";
                kbd aria-hidden="true" { "/" }
            }
            p id="live" class="live" data-state="off" role="status" hidden {
                span class="dot" aria-hidden="true" {} span class="words" { "connecting" }
            }
            button id="theme" class="plain" type="button" hidden {
                (icon(Icon::Theme)) span class="unseen" { "Change between light and dark" }
            }
            button id="keys-open" class="plain" type="button" hidden {
                (icon(Icon::Key)) span class="unseen" { "Keys" }
            }
            (who(view))
        }
    }
}

fn who(view: &View) -> Markup {
    html! {
        @if let Some(name) = view.logged_in() {
            form class="who" action="/logout" method="post" {
                span { (name) }
                button class="link" { "Log out" }
            }
        }
    }
}

fn foot(view: &View) -> Markup {
    html! {
        footer class="foot" {
            span { "Steadfast " (env!("CARGO_PKG_VERSION")) }
            @if let Some(store) = view.store() { span { "Store " code { (store) } } }
            a href="/openapi.json" { "API" }
        }
    }
}

/// The keys that lead somewhere, for this one.
fn keys(view: &View) -> Markup {
    let new = view.may_change().then_some("/tasks/new");
    html! {
        dialog id="keys" class="keys" aria-labelledby="keys-title" data-new=[new] {
            h2 id="keys-title" { "Keys" }
            dl {
                (key(&["/"], "Find a task"))
                (key(&["j"], "Next in a list"))
                (key(&["k"], "Previous in a list"))
                (key(&["Enter"], "Open it"))
                @for section in seen_by(view) {
                    (key(&["g", section.key().to_string().as_str()], section.label()))
                }
                @if view.may_change() { (key(&["n"], "New task")) }
                (key(&["?"], "This list"))
            }
            form method="dialog" { button class="button" { "Close" } }
        }
    }
}

fn key(keys: &[&str], what: &str) -> Markup {
    html! {
        div { dt { @for key in keys { kbd { (key) } } } dd { (what) } }
    }
}
