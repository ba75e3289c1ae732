//! What is remembered of each ancestor of the node that is visited.

use std::ops::Range;

use recall_core::ByteSpan;

use crate::grammar::Role;

/// An ancestor.
pub(super) struct Frame {
    pub(super) role: Role,
    /// The byte behind it.
    pub(super) end: usize,
    /// Comments and attributes that may belong to its next child.
    pub(super) pending: Option<Pending>,
    /// The innermost definition that it is or is in.
    pub(super) definition: Option<u32>,
    /// The definition that it is.
    pub(super) own_definition: Option<u32>,
    /// The definition among its children that came last.
    pub(super) last_definition: Option<u32>,
    /// Whether the child that it calls has been seen.
    pub(super) has_callee: bool,
    pub(super) in_function: bool,
    /// The module before the name that it holds, where it is a qualified name.
    pub(super) qualifier: Option<ByteSpan>,
    /// Whether names in it are bound, not used.
    pub(super) binds: bool,
    pub(super) definitions_above: u32,
    /// The line of a wrapper, its bytes and its comments, for the definition in it.
    pub(super) line: usize,
    pub(super) wrapped: Option<Range<usize>>,
    pub(super) wrapped_docs: Option<Pending>,
}

/// Comments and attributes without a blank line between them.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    pub(super) start: usize,
    /// From the first comment's first byte to behind the last comment; `None` for attributes alone.
    pub(super) comments: Option<Range<usize>>,
}

impl Frame {
    pub(super) fn root(role: Role, end: usize) -> Self {
        Self {
            role,
            end,
            pending: None,
            definition: None,
            own_definition: None,
            last_definition: None,
            has_callee: false,
            in_function: false,
            qualifier: None,
            binds: false,
            definitions_above: 0,
            line: usize::MAX,
            wrapped: None,
            wrapped_docs: None,
        }
    }

    /// The frame of a child that defines nothing.
    pub(super) fn child(&self, role: Role, end: usize) -> Self {
        Self {
            definition: self.definition,
            in_function: self.in_function,
            binds: self.binds,
            definitions_above: self.definitions_above,
            ..Self::root(role, end)
        }
    }
}
