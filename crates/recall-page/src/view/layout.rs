//! What all pages have around their content.

use maud::{DOCTYPE, Markup, html};

use crate::access::Project;

/// A page of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Search,
    Browse,
    Decisions,
    Memories,
    Sessions,
    Health,
}

impl Tab {
    const ALL: [Self; 6] = [Self::Search, Self::Browse, Self::Decisions, Self::Memories, Self::Sessions, Self::Health];

    fn name(self) -> &'static str {
        match self {
            Self::Search => "Search",
            Self::Browse => "Browse",
            Self::Decisions => "Decisions",
            Self::Memories => "Memories",
            Self::Sessions => "Sessions",
            Self::Health => "Health",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Search => "",
            Self::Browse => "browse",
            Self::Decisions => "decisions",
            Self::Memories => "memories",
            Self::Sessions => "sessions",
            Self::Health => "health",
        }
    }
}

/// The keys and what they do.
const KEYS: [(&str, &str); 6] = [
    ("/", "search"),
    ("j k", "next, previous"),
    ("Enter", "open"),
    ("e", "open in the editor"),
    ("Esc", "leave the field"),
    ("?", "these keys"),
];

/// Returns a whole page. Links in it are relative to the project's path.
pub(crate) fn page(project: &Project, tab: Tab, title: &str, content: &Markup) -> Markup {
    let base = format!("/{}/", project.key);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · " (project.name()) " · recall" }
                link rel="icon" href={ (base) "icon.svg" };
                link rel="stylesheet" href={ (base) "style.css" };
                script src={ (base) "page.js" } defer {}
            }
            body data-base=(base) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(base) title=(project.subject.root) { span.mark { "recall" } span.project { (project.name()) } }
                    nav aria-label="Pages" {
                        @for page in Tab::ALL {
                            a href={ (base) (page.path()) } aria-current=[(page == tab).then_some("page")] { (page.name()) }
                        }
                    }
                }
                main #main { (content) }
                div #said role="status" aria-live="polite" {}
                dialog #keys aria-label="Keys" {
                    h2 { "Keys" }
                    dl { @for (key, does) in KEYS { dt { kbd { (key) } } dd { (does) } } }
                    form method="dialog" { button { "Close" } }
                }
            }
        }
    }
}
