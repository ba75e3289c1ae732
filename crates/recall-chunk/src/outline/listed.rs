//! The macros of C and C++ in an outline: those that the parser did not see, and lists of calls that declare names, one a line. An X macro
//! makes members of an enumeration of `OP(LOAD, 1)`.

use std::ops::Range;

use recall_core::ChunkKind;

use super::{DefinitionNode, MAX_DEFINITIONS, Outline, Reader, names};
use crate::languages::Kinds;
use crate::lines::Lines;
use crate::macros;

/// The fewest lines of a list. Fewer are calls.
const MIN_ENTRIES: usize = 3;

/// A line of a list.
struct Entry<'t> {
    line: usize,
    called: &'t str,
    name: Range<usize>,
}

impl Reader<'_> {
    /// Records the uses of macros that the parser did not see.
    pub(super) fn record_macros(&mut self) {
        for range in macros::find(self.lines.text()) {
            let name = names::type_name(self.lines.text(), range);
            if let Some(name) = name.filter(|name| macros::is_capital(&self.lines.text()[name.clone()])) {
                self.add_reference(name);
            }
        }
    }
}

impl Outline {
    /// Adds the names that lists of macro calls outside functions declare.
    pub(super) fn add_listed_names(&mut self, lines: &Lines<'_>) {
        let text = lines.text();
        // A line that is not an entry ends a list.
        let entries: Vec<Option<Entry<'_>>> = (0..lines.len())
            .filter(|&line| !says_nothing(lines.get(line).trim()))
            .map(|line| entry(lines, line))
            .collect();
        let lists =
            entries.chunk_by(|one, next| one.as_ref().map(|one| one.called) == next.as_ref().map(|next| next.called));
        let listed: Vec<DefinitionNode> = lists
            .filter(|list| list.len() >= MIN_ENTRIES)
            .flat_map(|list| list.iter().flatten())
            .filter(|entry| !self.is_in_function(entry.name.start))
            .take(MAX_DEFINITIONS.saturating_sub(self.definitions.len()))
            .map(|entry| {
                let bytes = lines.first(entry.line)..lines.start(entry.line) + lines.get(entry.line).trim_end().len();
                let bytes = bytes.start..bytes.start + text[bytes].trim_end_matches(['\\', ' ', '\t']).len();
                DefinitionNode {
                    lines: entry.line..entry.line + 1,
                    name: entry.name.clone(),
                    signature: bytes.clone(),
                    doc: None,
                    bytes,
                    kinds: Kinds::CONSTANT,
                    keyword: "",
                    label: None,
                    scope: None,
                    parent: None,
                    subtree_end: 0,
                }
            })
            .collect();
        if !listed.is_empty() {
            self.definitions.extend(listed);
            self.nest();
        }
    }

    fn is_in_function(&self, byte: usize) -> bool {
        let is_function = |found: &&DefinitionNode| found.kinds.chunk == ChunkKind::Function;
        self.definitions.iter().filter(is_function).any(|found| found.bytes.contains(&byte))
    }
}

/// Returns the macro and its first argument if a line is a call of a macro with a name in capitals, and no statement: `OP(LOAD, 1)`, and
/// `X(ERR_NONE, "none") \` of a list that is a macro itself.
fn entry<'t>(lines: &Lines<'t>, line: usize) -> Option<Entry<'t>> {
    let text = lines.get(line).trim().trim_end_matches(['\\', ' ', '\t']);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (called, arguments) = text.split_once('(')?;
    let after = arguments.trim_start();
    let length = after.find(|c| !is_of_name(c))?;
    let is_in_capitals = length > 1
        && after.starts_with(|c: char| c.is_ascii_uppercase())
        && !after[..length].contains(|c: char| c.is_ascii_lowercase());
    let is_call = called.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && called.chars().all(is_of_name);
    let is_argument = after[length..].trim_start().starts_with([',', ')']);
    if !is_call || !is_in_capitals || !is_argument || !text.ends_with(')') {
        return None;
    }
    let start = lines.first(line) + text.len() - after.len();
    Some(Entry { line, called, name: start..start + length })
}

fn says_nothing(line: &str) -> bool {
    line.is_empty() || line == "\\" || line.starts_with("//") || line.starts_with("/*")
}
