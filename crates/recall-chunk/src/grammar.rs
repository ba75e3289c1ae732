//! A language's [`Syntax`] table, indexed by the node kind ids of its grammar.

use std::sync::OnceLock;

use crate::languages::{Definition, Import, Names, SYNTAXES, Syntax};

/// What the walk does at a node of one kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Role {
    definition: Option<&'static Definition>,
    import: Option<&'static Import>,
    callee: Option<Callee>,
    traits: u8,
}

/// The child of a call that is the callee.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callee {
    Field(u16),
    /// The child in this field, if its name is capitalised.
    Component(u16),
    FirstNamed,
}

/// Properties of a node kind. A kind can have several.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum NodeTrait {
    Named = 1,
    Block = 2,
    Comment = 4,
    Attribute = 8,
    Wrapper = 16,
    Type = 32,
    Value = 64,
    Qualified = 128,
}

impl Role {
    /// Text that the grammar could not parse. The nodes found in it are treated as siblings.
    pub(crate) const ERROR: Self =
        Self { definition: None, import: None, callee: None, traits: NodeTrait::Named as u8 | NodeTrait::Block as u8 };

    pub(crate) fn has(self, property: NodeTrait) -> bool {
        self.traits & property as u8 != 0
    }

    pub(crate) fn definition(self) -> Option<&'static Definition> {
        self.definition
    }

    pub(crate) fn import(self) -> Option<&'static Import> {
        self.import
    }

    pub(crate) fn callee(self) -> Option<Callee> {
        self.callee
    }
}

/// A [`Syntax`] with its node and field names resolved to ids.
pub(crate) struct Grammar {
    pub(crate) syntax: &'static Syntax,
    pub(crate) language: tree_sitter::Language,
    roles: Vec<Role>,
    /// The ids of the fields that bind names.
    binders: Vec<u16>,
}

impl Grammar {
    /// Whether a language has a grammar. Runs nothing of the grammar.
    pub(crate) fn exists(language: &str) -> bool {
        SYNTAXES.iter().any(|syntax| syntax.name == language)
    }

    /// The grammar of a language, resolved at first use. `None` if there is none.
    pub(crate) fn for_language(language: &str) -> Option<(usize, &'static Self)> {
        static GRAMMARS: [OnceLock<Grammar>; SYNTAXES.len()] = [const { OnceLock::new() }; SYNTAXES.len()];
        let index = SYNTAXES.iter().position(|syntax| syntax.name == language)?;
        Some((index, GRAMMARS[index].get_or_init(|| Self::resolve(&SYNTAXES[index]))))
    }

    fn resolve(syntax: &'static Syntax) -> Self {
        let language = (syntax.grammar)();
        let roles = (0..language.node_kind_count() as u16).map(|kind| role(syntax, &language, kind)).collect();
        let field = |name: &&str| language.field_id_for_name(name).map(std::num::NonZero::get);
        let binders = syntax.binders.iter().filter_map(field).collect();
        Self { syntax, language, roles, binders }
    }

    /// Whether names below this field are bound.
    pub(crate) fn is_binder(&self, field: u16) -> bool {
        self.binders.contains(&field)
    }

    /// The role of nodes of this kind.
    pub(crate) fn role(&self, kind: u16) -> Role {
        self.roles.get(kind as usize).copied().unwrap_or(Role::ERROR)
    }
}

fn role(syntax: &'static Syntax, language: &tree_sitter::Language, kind: u16) -> Role {
    let Some(name) = language.node_kind_for_id(kind).filter(|_| language.node_kind_is_named(kind)) else {
        return Role::default();
    };
    let callee = syntax.calls.iter().find(|call| call.node == name).map(|call| {
        match (language.field_id_for_name(call.callee), call.names) {
            (None, _) => Callee::FirstNamed,
            (Some(field), Names::Any) => Callee::Field(field.get()),
            (Some(field), Names::Capitalised) => Callee::Component(field.get()),
        }
    });
    let traits = [
        (syntax.blocks, NodeTrait::Block),
        (syntax.comments, NodeTrait::Comment),
        (syntax.attributes, NodeTrait::Attribute),
        (syntax.wrappers, NodeTrait::Wrapper),
        (syntax.types, NodeTrait::Type),
        (syntax.values, NodeTrait::Value),
        (
            syntax.qualified.as_ref().map_or(&[], |qualified| std::slice::from_ref(&qualified.node)),
            NodeTrait::Qualified,
        ),
    ];
    Role {
        definition: syntax.definitions.iter().find(|definition| definition.node == name),
        import: syntax.imports.iter().find(|import| import.node == name),
        callee,
        traits: traits
            .into_iter()
            .filter(|(kinds, _)| kinds.contains(&name))
            .fold(NodeTrait::Named as u8, |all, (_, property)| all | property as u8),
    }
}

#[cfg(test)]
mod tests {
    use recall_text::Language;

    use super::*;

    #[test]
    fn builtin_names_are_sorted() {
        for syntax in SYNTAXES {
            assert!(syntax.builtins.is_sorted(), "{}", syntax.name);
        }
    }

    #[test]
    fn every_grammar_belongs_to_a_known_language() {
        for syntax in SYNTAXES {
            assert_eq!(syntax.name.parse().as_ref().map(Language::as_str), Ok(syntax.name));
        }
    }

    #[test]
    fn every_name_in_a_table_exists_in_its_grammar() {
        let mut unknown = Vec::new();
        for syntax in SYNTAXES {
            let language = (syntax.grammar)();
            let kinds = syntax
                .definitions
                .iter()
                .map(|definition| definition.node)
                .chain(syntax.imports.iter().map(|import| import.node))
                .chain(syntax.calls.iter().map(|call| call.node))
                .chain(
                    [syntax.blocks, syntax.comments, syntax.attributes, syntax.wrappers, syntax.types, syntax.values]
                        .concat(),
                )
                .chain(syntax.qualified.iter().map(|qualified| qualified.node));
            for kind in kinds {
                if language.id_for_node_kind(kind, true) == 0 {
                    unknown.push(format!("{}: node {kind}", syntax.name));
                }
            }
            for field in syntax.binders {
                if language.field_id_for_name(field).is_none() {
                    unknown.push(format!("{}: field {field}", syntax.name));
                }
            }
            if let Some(qualified) = &syntax.qualified
                && language.field_id_for_name(qualified.module).is_none()
            {
                unknown.push(format!("{}: field {}", syntax.name, qualified.module));
            }
            for call in syntax.calls {
                if !call.callee.is_empty() && language.field_id_for_name(call.callee).is_none() {
                    unknown.push(format!("{}: field {}", syntax.name, call.callee));
                }
            }
        }
        assert_eq!(unknown, Vec::<String>::new());
    }
}
