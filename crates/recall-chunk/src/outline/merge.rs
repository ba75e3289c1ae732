//! One outline from those of the parts of a text.

use std::cmp::Reverse;
use std::ops::Range;

use super::{NO_CUT, Outline};
use crate::lines::Lines;

impl Outline {
    /// An outline without names.
    pub(crate) fn with_costs(cut_costs: Vec<u16>) -> Self {
        Self {
            cut_costs,
            definitions: Vec::new(),
            imports: Vec::new(),
            aliases: Vec::new(),
            all_qualifiers: false,
            references: Vec::new(),
            bound: Vec::new(),
            addresses: Vec::new(),
        }
    }

    /// Adds the outline of a script, whose element begins on the line `element`. Its own costs replace those of `body`, so that its
    /// statements are cut like the elements next to it. The definitions have to be [nested](Self::nest) afterwards.
    pub(crate) fn embed(&mut self, part: Self, lines: &Lines<'_>, element: usize, body: Range<usize>) {
        let base = match self.cut_costs.get(element) {
            Some(&NO_CUT) | None => 1,
            Some(&cost) => cost,
        };
        for line in body.start + 1..body.end.min(lines.len()) {
            let is_tag = line + 1 == body.end && lines.get(line).trim_start().starts_with("</");
            self.cut_costs[line] = match part.cut_costs[line] {
                _ if is_tag => NO_CUT,
                NO_CUT => NO_CUT,
                cost => base.saturating_add(cost.saturating_sub(1).saturating_mul(2)).min(NO_CUT - 1),
            };
        }
        let Self { cut_costs: _, definitions, imports, aliases, all_qualifiers: _, references, bound, addresses } =
            part;
        self.definitions.extend(definitions);
        self.imports.extend(imports);
        self.aliases.extend(aliases);
        self.references.extend(references);
        self.bound.extend(bound);
        self.addresses.extend(addresses);
    }

    /// Sorts the definitions of all parts, and gives each the innermost one that contains it as its parent.
    pub(crate) fn nest(&mut self) {
        self.definitions.sort_by_key(|found| (found.bytes.start, Reverse(found.bytes.end)));
        let mut open: Vec<u32> = Vec::new();
        for index in 0..self.definitions.len() {
            let bytes = self.definitions[index].bytes.clone();
            while let Some(&outer) = open.last()
                && self.definitions[outer as usize].bytes.end < bytes.end
            {
                self.definitions[outer as usize].subtree_end = index as u32;
                open.pop();
            }
            self.definitions[index].parent = open.last().copied();
            open.push(index as u32);
        }
        let count = self.definitions.len() as u32;
        for outer in open {
            self.definitions[outer as usize].subtree_end = count;
        }
    }
}
