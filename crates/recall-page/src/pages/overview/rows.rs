//! Boxes in rows: a folder stands above those that it imports, as far as their imports have no circles.

use std::collections::BTreeMap;

use recall_api::v1::{LayoutFolder, LayoutResponse};

/// The most rows. A project with longer chains of imports has several of their links in one row.
const MOST_ROWS: usize = 7;

/// The least width and height of a box, for a short name and a size, and what the largest has in addition.
const WIDTH: (f64, f64) = (112.0, 160.0);
const HEIGHT: (f64, f64) = (44.0, 34.0);

/// The same for one box below another, which leaves room for their lines to the right of them.
const NARROW_WIDTH: (f64, f64) = (100.0, 96.0);

/// The width below which boxes stand below one another.
const NARROW: f64 = 600.0;

/// The room between two boxes of a row, between two rows, and around the picture.
const GAP: f64 = 14.0;
const BETWEEN: f64 = 46.0;
const MARGIN: f64 = 12.0;

/// The room above the first row, for the lines that lead to it from below.
const ABOVE: f64 = 34.0;

/// The width of a letter, and the room before and after a label.
const LETTER: f64 = 7.3;
const PADDING: f64 = 18.0;

/// A box with its label.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// As much of the name as the box has room for.
    pub(super) label: String,
}

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The boxes, in the order of the folders.
    pub(super) boxes: Vec<Placed>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Whether the boxes stand below one another.
    pub(super) is_narrow: bool,
}

impl Rows {
    /// Places the folders of a layout within a width.
    pub(super) fn new(layout: &LayoutResponse, width: f64) -> Self {
        let imports: Vec<_> =
            layout.imports.iter().map(|line| (line.from as usize, line.to as usize, line.imports)).collect();
        let levels = levels(layout.folders.len(), &imports);
        let mut by_level: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, level) in levels.into_iter().enumerate() {
            by_level.entry(level).or_default().push(at);
        }
        let most = layout.folders.iter().map(|folder| folder.bytes).max().unwrap_or(1).max(1) as f64;
        let is_narrow = width < NARROW;
        let mut rows = Self { boxes: vec![Placed::default(); layout.folders.len()], width, height: ABOVE, is_narrow };
        let (least, more) = if is_narrow { NARROW_WIDTH } else { WIDTH };
        let room = width - 2.0 * MARGIN;
        for level in by_level.into_values() {
            let mut line: Vec<usize> = Vec::new();
            let mut used = 0.0;
            for at in level {
                let folder = &layout.folders[at];
                let share = (folder.bytes as f64 / most).sqrt();
                let name = name(folder);
                let wide = least + more * share;
                let label = short(&name, ((wide - PADDING) / LETTER) as usize);
                rows.boxes[at] =
                    Placed { width: wide, height: HEIGHT.0 + HEIGHT.1 * share, label, ..Placed::default() };
                if used > 0.0 && (is_narrow || used + wide > room) {
                    rows.end_line(&std::mem::take(&mut line), used);
                    used = 0.0;
                }
                line.push(at);
                used += wide + GAP;
            }
            rows.end_line(&line, used);
        }
        rows.height += MARGIN;
        rows
    }

    /// Places a line of boxes in the middle, below the lines before.
    fn end_line(&mut self, line: &[usize], used: f64) {
        let mut x = if self.is_narrow { MARGIN } else { (self.width - (used - GAP)) / 2.0 };
        let mut high: f64 = 0.0;
        for &at in line {
            let placed = &mut self.boxes[at];
            (placed.x, placed.y) = (x, self.height);
            x += placed.width + GAP;
            high = high.max(placed.height);
        }
        self.height += high + if self.is_narrow { GAP } else { BETWEEN };
    }
}

/// Returns the name of a folder. A star stands for the files directly in it.
pub(super) fn name(folder: &LayoutFolder) -> String {
    match (folder.path.as_str(), folder.flat) {
        ("", true) => "*".to_owned(),
        ("", false) => "the whole project".to_owned(),
        (path, true) => format!("{path}/*"),
        (path, false) => path.to_owned(),
    }
}

/// Returns the row of each folder: below all that import it, except for imports that close a circle.
fn levels(folders: usize, imports: &[(usize, usize, u64)]) -> Vec<usize> {
    let order = order(folders, imports);
    let mut position = vec![0; folders];
    for (at, &folder) in order.iter().enumerate() {
        position[folder] = at;
    }
    let mut levels = vec![0; folders];
    for &folder in &order {
        for &(_, to, _) in imports.iter().filter(|(from, to, _)| *from == folder && position[*to] > position[folder]) {
            levels[to] = levels[to].max(levels[folder] + 1);
        }
    }
    let rows = levels.iter().max().map_or(0, |last| last + 1);
    if rows > MOST_ROWS {
        for level in &mut levels {
            *level = *level * MOST_ROWS / rows;
        }
    }
    // What imports nothing and is not imported stands below.
    let last = levels.iter().max().map_or(0, |last| last + 1);
    for (folder, level) in levels.iter_mut().enumerate() {
        if !imports.iter().any(|(from, to, _)| *from == folder || *to == folder) {
            *level = last;
        }
    }
    levels
}

/// Returns the weight of what a folder imports, and of what imports it.
fn flow(folder: usize, imports: &[&(usize, usize, u64)]) -> (u64, u64) {
    let weigh = |is_counted: bool, weight: u64| if is_counted { weight } else { 0 };
    imports.iter().fold((0, 0), |(out, into), (from, to, weight)| {
        (out + weigh(*from == folder, *weight), into + weigh(*to == folder, *weight))
    })
}

/// Orders folders so that few imports lead backwards: greedily, what is only imported last, what only imports first, else what imports
/// most beyond what it is imported (Eades, Lin and Smyth, 1993).
fn order(folders: usize, imports: &[(usize, usize, u64)]) -> Vec<usize> {
    let mut open: Vec<usize> = (0..folders).collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while !open.is_empty() {
        let between: Vec<_> = imports.iter().filter(|(from, to, _)| open.contains(from) && open.contains(to)).collect();
        let flows: Vec<(u64, u64)> = open.iter().map(|&folder| flow(folder, &between)).collect();
        let at = if let Some(at) = flows.iter().position(|(out, _)| *out == 0) {
            last.push(open[at]);
            at
        } else {
            let source = flows.iter().position(|(_, into)| *into == 0);
            let most = || (0..flows.len()).max_by_key(|&at| flows[at].0 as i64 - flows[at].1 as i64);
            let at = source.or_else(most).unwrap_or_default();
            first.push(open[at]);
            at
        };
        open.remove(at);
    }
    first.extend(last.into_iter().rev());
    first
}

/// Returns the end of a name, which says most.
fn short(name: &str, letters: usize) -> String {
    let count = name.chars().count();
    if count <= letters {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count + 1 - letters.max(1)).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use recall_api::v1::FolderImports;

    use super::*;

    #[test]
    fn a_folder_stands_above_what_it_imports() {
        assert_eq!(levels(4, &[(0, 1, 1), (1, 2, 1), (0, 2, 5)]), [0, 1, 2, 3], "the last is alone");
        assert_eq!(levels(2, &[(0, 1, 9), (1, 0, 1)]), [0, 1], "the weaker import leads upwards");
        assert_eq!(levels(2, &[(0, 1, 1), (1, 0, 9)]), [1, 0]);
        let chain: Vec<_> = (0..20).map(|at| (at, at + 1, 1)).collect();
        assert_eq!(levels(21, &chain).into_iter().max(), Some(MOST_ROWS - 1));
    }

    #[test]
    fn no_box_leaves_the_picture_or_lies_on_another() {
        let folder = |at: u64| LayoutFolder {
            path: format!("src/{}", "x".repeat(at as usize * 3)),
            bytes: 1 + at * at * 1000,
            ..LayoutFolder::default()
        };
        let imports = (0..20).map(|at| FolderImports { from: at, to: at / 2 + 1, imports: 1 }).collect();
        let layout = LayoutResponse { folders: (0..24).map(folder).collect(), imports, ..LayoutResponse::default() };
        for width in [288.0, 1180.0] {
            let rows = Rows::new(&layout, width);
            for (at, a) in rows.boxes.iter().enumerate() {
                assert!(a.x >= 0.0 && a.x + a.width <= width && a.y + a.height <= rows.height, "{a:?}");
                assert!(a.label.chars().count() as f64 * LETTER <= a.width, "{a:?}");
                for b in &rows.boxes[at + 1..] {
                    let is_apart =
                        a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y;
                    assert!(is_apart, "{a:?} {b:?}");
                }
            }
        }
    }
}
