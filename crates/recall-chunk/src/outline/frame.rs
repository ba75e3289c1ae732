//! The state kept for each ancestor of the current node.

use std::ops::Range;

use recall_core::ByteSpan;

use crate::grammar::Role;

/// The state of one ancestor.
pub(super) struct Frame {
    pub(super) role: Role,
    /// The end of the node.
    pub(super) end: usize,
    /// Comments and attributes that may belong to its next child.
    pub(super) pending: Option<Pending>,
    /// The innermost definition that contains the node or is the node.
    pub(super) definition: Option<u32>,
    /// The definition that the node is.
    pub(super) own_definition: Option<u32>,
    /// The last definition among its children.
    pub(super) last_definition: Option<u32>,
    /// Whether its callee was already visited.
    pub(super) has_callee: bool,
    pub(super) in_function: bool,
    /// The module before the name, if the node is a qualified name.
    pub(super) qualifier: Option<ByteSpan>,
    /// Whether names in it are bound rather than used.
    pub(super) binds: bool,
    /// The configuration keys that contain it.
    pub(super) keys_above: u32,
    /// The line, bytes and comments of a wrapper, for the definition inside it.
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
    /// From the first byte of the first comment to the end of the last. `None` if there are only attributes.
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
            keys_above: 0,
            line: usize::MAX,
            wrapped: None,
            wrapped_docs: None,
        }
    }

    /// The frame of a child that is not a definition.
    pub(super) fn child(&self, role: Role, end: usize) -> Self {
        Self {
            definition: self.definition,
            in_function: self.in_function,
            binds: self.binds,
            keys_above: self.keys_above,
            ..Self::root(role, end)
        }
    }
}
