//! The layout around every page: navigation, search, live indicator, account and footer.

use maud::{DOCTYPE, Markup, html};

use super::assets::url;
use super::{Icon, Section, View, icon};

pub(super) fn page(view: &View, section: Option<Section>, title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, Some("page.js")))
            body {
                a class="skip" href="#main" { "Skip to content" }
                (navigation(view, section))
                div class="content" {
                    (top(view))
                    (main(view, title, content))
                    (footer(view))
                }
                (shortcuts(view))
                div id="toasts" class="toasts" role="status" aria-live="polite" {
                    @if let Some(flash) = view.flash { p { (flash.message()) } }
                }
            }
        }
    }
}

/// The content without the layout, as the script reloads it.
pub(super) fn main(view: &View, title: &str, content: &Markup) -> Markup {
    html! {
        main id="main" tabindex="-1" data-title=(title) data-now=(view.now) { (content) }
    }
}

/// The document head. Pages with the layout have a script.
pub(super) fn head(title: &str, script: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Steadfast" }
            link rel="icon" type="image/svg+xml" href=(url("mark.svg"));
            link rel="stylesheet" href=(url("page.css"));
            script src=(url("theme.js")) {}
            @if let Some(script) = script { script type="module" src=(url(script)) {} }
        }
    }
}

fn navigation(view: &View, current: Option<Section>) -> Markup {
    html! {
        nav class="navigation" aria-label="Main navigation" {
            a class="brand" href="/" { (icon(Icon::MARK)) span { "Steadfast" } }
            ul {
                @for section in sections(view) {
                    li {
                        a href=(section.path) data-key=(section.key)
                            aria-current=[(current == Some(section)).then_some("page")] {
                            (icon(section.icon)) span { (section.label) }
                        }
                    }
                }
            }
        }
    }
}

fn sections(view: &View) -> impl Iterator<Item = Section> {
    Section::ALL.into_iter().filter(|section| view.can_see(*section))
}

fn top(view: &View) -> Markup {
    html! {
        header class="top" {
            form class="search" action="/search" role="search" {
                label class="visually-hidden" for="search" { "Search by ID, key, correlation ID, policy or text" }
                (icon(Icon::SEARCH))
                input id="search" name="q" type="search" autocomplete="off" spellcheck="false"
                    placeholder="Search by ID, key, correlation ID, policy or text";
                kbd aria-hidden="true" { "/" }
            }
            p id="live" class="live" data-state="off" role="status" hidden {
                span class="dot" aria-hidden="true" {} span class="label" { "connecting" }
            }
            button id="theme" class="plain" type="button" hidden {
                (icon(Icon::THEME)) span class="visually-hidden" { "Toggle theme" }
            }
            button id="shortcuts-open" class="plain" type="button" hidden {
                (icon(Icon::KEY)) span class="visually-hidden" { "Keyboard shortcuts" }
            }
            (account(view))
        }
    }
}

fn account(view: &View) -> Markup {
    html! {
        @if let Some(name) = view.logged_in() {
            form class="account" action="/logout" method="post" {
                span { (name) }
                button class="link" { "Log out" }
            }
        }
    }
}

fn footer(view: &View) -> Markup {
    html! {
        footer class="foot" {
            span { "Steadfast " (env!("CARGO_PKG_VERSION")) }
            @if let Some(store) = view.store() { span { "Store " code { (store) } } }
            a href="/openapi.json" { "API" }
        }
    }
}

fn shortcuts(view: &View) -> Markup {
    let new = view.can_operate().then_some("/tasks/new");
    html! {
        dialog id="shortcuts" class="shortcuts" aria-labelledby="shortcuts-title" data-new=[new] {
            h2 id="shortcuts-title" { "Keyboard shortcuts" }
            dl {
                (shortcut(&["/"], "Search"))
                (shortcut(&["j"], "Next row"))
                (shortcut(&["k"], "Previous row"))
                (shortcut(&["Enter"], "Open row"))
                @for section in sections(view) {
                    (shortcut(&["g", section.key.to_string().as_str()], section.label))
                }
                @if view.can_operate() { (shortcut(&["n"], "New task")) }
                (shortcut(&["?"], "Show shortcuts"))
            }
            form method="dialog" { button class="button" { "Close" } }
        }
    }
}

fn shortcut(keys: &[&str], action: &str) -> Markup {
    html! {
        div { dt { @for key in keys { kbd { (key) } } } dd { (action) } }
    }
}
