//! The overview of a project: its folders as boxes, the larger the more code, above what they import; and its hot files.

mod rows;

use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{LayoutFolder, LayoutRequest, LayoutResponse};
use recall_text::quantity::{bytes, count, count_noun};

use super::{Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::{self, Tab};
use rows::{Placed, Rows, name};

/// The widths for which the boxes are placed, in pixels: of a window, and of a phone. The style sheet shows one of them.
const WIDTHS: [(&str, f64); 2] = [("columns", 1180.0), ("tree", 288.0)];

/// The lines that are drawn, the strongest. More hide each other.
const LINES: usize = 40;

/// The width of the longest bar of the hot files.
const BAR: u64 = 120;

pub(super) async fn page(project: &Project, site: &mut Site) -> Response {
    let request = LayoutRequest { context: Some(project.subject.context.clone()), ..LayoutRequest::default() };
    let layout = match site.rpc.layout(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(project, Tab::Graph, &Shown::from(status)),
    };
    let files = layout.folders.iter().map(|folder| folder.files).sum();
    let content = html! {
        h1 { "Graph" }
        (search())
        @if layout.folders.is_empty() {
            p.empty { "No code is indexed yet. A definition, a file or a memory that is named here is drawn with what uses it and what it uses." }
        } @else {
            p.summary {
                (count_noun(files, "file", "files")) " of code. A box is a folder, the larger the more code it has; a line leads from a folder to what it imports."
            }
            div.picture role="region" aria-label="Folders" tabindex="0" {
                @for (class, width) in WIDTHS { (picture(&layout, class, width)) }
            }
        }
        (hot_files(&layout))
        @if !layout.folders.is_empty() { (table(&layout)) }
    };
    answer::page(StatusCode::OK, view::page(project, Tab::Graph, "Graph", &content))
}

/// The field for the name of another node.
pub(super) fn search() -> Markup {
    html! {
        form.search action="graph" role="search" {
            input #q type="search" name="node" placeholder="A symbol, a file or a memory" aria-label="Node" autocomplete="off"
                autocapitalize="off" spellcheck="false" required;
            button { "Draw" }
        }
    }
}

fn link(folder: &LayoutFolder) -> String {
    view::link_to("browse", &[("type", "code"), ("path", &folder.path)])
}

fn picture(layout: &LayoutResponse, class: &str, width: f64) -> Markup {
    let rows = Rows::new(layout, width);
    let (wide, high) = (format!("{:.0}", rows.width), format!("{:.0}", rows.height));
    let mut lines: Vec<_> = layout.imports.iter().collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.imports));
    lines.truncate(LINES);
    let most = lines.first().map_or(1, |line| line.imports).max(1) as f64;
    let tip = format!("tip-{class}");
    html! {
        svg class={ "graph " (class) } viewBox={ "0 0 " (wide) " " (high) } width=(wide) height=(high) role="group" aria-label="Folders and their imports" {
            defs {
                marker id=(tip) viewBox="0 0 6 8" refX="6" refY="4" markerWidth="6" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse" {
                    path.tip d="M0 0L6 4L0 8Z" {}
                }
            }
            @for line in &lines {
                @if let (Some(from), Some(to)) = (rows.boxes.get(line.from as usize), rows.boxes.get(line.to as usize)) {
                    path.edge d=(curve(&rows, from, to)) stroke-width=(format!("{:.1}", 1.0 + 4.0 * (line.imports as f64 / most).sqrt()))
                        marker-end={ "url(#" (tip) ")" } {
                        title {
                            (name(&layout.folders[line.from as usize])) " imports " (name(&layout.folders[line.to as usize])) ", "
                            (count_noun(line.imports, "time", "times"))
                        }
                    }
                }
            }
            @for (folder, place) in layout.folders.iter().zip(&rows.boxes) { (folder_box(folder, place, is_hot(layout, folder))) }
        }
    }
}

/// Whether one of the hot files is in a folder.
fn is_hot(layout: &LayoutResponse, folder: &LayoutFolder) -> bool {
    layout.hot.iter().any(|file| {
        let rest = if folder.path.is_empty() {
            Some(file.path.as_str())
        } else {
            file.path.strip_prefix(&folder.path).and_then(|rest| rest.strip_prefix('/'))
        };
        rest.is_some_and(|rest| !folder.flat || !rest.contains('/'))
    })
}

/// Returns the line from a box to another: from its lower side to the upper side, which may be above it; on a narrow screen from the
/// right side to the right side.
fn curve(rows: &Rows, from: &Placed, to: &Placed) -> String {
    if rows.is_narrow {
        let (x, y) = (from.x + from.width, from.y + from.height / 2.0);
        let (end_x, end_y) = (to.x + to.width + 1.0, to.y + to.height / 2.0);
        let bend = x.max(end_x) + (rows.width - x.max(end_x)) * ((end_y - y).abs() / rows.height).sqrt();
        return format!("M{x:.1} {y:.1}C{bend:.1} {y:.1} {bend:.1} {end_y:.1} {end_x:.1} {end_y:.1}");
    }
    let (x, y) = (from.x + from.width / 2.0, from.y + from.height);
    let (end_x, end_y) = (to.x + to.width / 2.0, to.y - 1.0);
    let bend = ((end_y - y) / 2.0).abs().max(24.0);
    format!("M{x:.1} {y:.1}C{x:.1} {:.1} {end_x:.1} {:.1} {end_x:.1} {end_y:.1}", y + bend, end_y - bend)
}

fn folder_box(folder: &LayoutFolder, place: &Placed, is_hot: bool) -> Markup {
    let Placed { x, y, width, height, label } = place;
    html! {
        a.folder.hot[is_hot] href=(link(folder)) {
            rect x=(format!("{x:.1}")) y=(format!("{y:.1}")) width=(format!("{width:.1}")) height=(format!("{height:.1}")) rx="6" {}
            text x=(format!("{:.1}", x + 9.0)) y=(format!("{:.1}", y + 18.0)) { (label) }
            text.path-heading x=(format!("{:.1}", x + 9.0)) y=(format!("{:.1}", y + 34.0)) { (bytes(folder.bytes)) }
            title { (name(folder)) ", " (count_noun(folder.files, "file", "files")) }
        }
    }
}

fn hot_files(layout: &LayoutResponse) -> Markup {
    let most = layout.hot.first().map_or(1, |file| file.commits + file.sessions).max(1);
    html! {
        @if !layout.hot.is_empty() {
            h2 { "Hot files" }
            p.summary {
                "By the latest " (count_noun(layout.commits, "commit", "commits")) " and " (count_noun(layout.sessions, "session", "sessions"))
                "; a box with one of them is tinted."
            }
            ul.hot-files {
                @for file in &layout.hot {
                    li data-item="" {
                        a href=(view::link_to("doc", &[("id", &file.path)])) data-open="" { (file.path) }
                        svg.chart width=(BAR) height="10" aria-hidden="true" {
                            rect x="0" y="1" width=(file.commits * BAR / most) height="8" {}
                            rect.minus x=(file.commits * BAR / most) y="1" width=(file.sessions * BAR / most) height="8" {}
                        }
                        a.count href=(view::link_to("history", &[("id", &file.path)])) {
                            (count_noun(file.commits, "commit", "commits"))
                            @if file.sessions > 0 { ", " (count_noun(file.sessions, "session", "sessions")) }
                        }
                    }
                }
            }
        }
    }
}

/// The same in words.
fn table(layout: &LayoutResponse) -> Markup {
    html! {
        h2 { "The same as a table" }
        div.wide tabindex="0" {
            table.graph-table {
                thead { tr { th { "Folder" } th.n { "Files" } th.n { "Code" } th { "Imports" } } }
                tbody {
                    @for (at, folder) in layout.folders.iter().enumerate() {
                        tr {
                            td { a href=(link(folder)) { (name(folder)) } }
                            td.n { (count(folder.files)) }
                            td.n { (bytes(folder.bytes)) }
                            td {
                                @for line in layout.imports.iter().filter(|line| line.from as usize == at) {
                                    span { (name(&layout.folders[line.to as usize])) " " span.count { (count(line.imports)) } } " "
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::HotFile;

    use super::*;

    #[test]
    fn a_folder_whose_folders_are_boxes_too_is_hot_by_its_own_files_only() {
        let hot = vec![HotFile { path: "src/a/b.rs".to_owned(), ..HotFile::default() }];
        let layout = LayoutResponse { hot, ..LayoutResponse::default() };
        let check = |path: &str, flat: bool| {
            is_hot(&layout, &LayoutFolder { path: path.to_owned(), flat, ..LayoutFolder::default() })
        };
        assert!(check("src", false) && check("src/a", true) && check("", false));
        assert!(!check("src", true) && !check("sr", false) && !check("src/b", false));
    }
}
