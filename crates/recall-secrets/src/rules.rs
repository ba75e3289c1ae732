//! Which kinds of secrets are known?
//!
//! Each rule is a fact that the maker of a format publishes, or that follows from how a thing is used. A rule earns its place by
//! a format that ordinary text does not have: what is "32 letters and digits" is a rule only together with a name.

mod assigned;
mod build;
mod clouds;
mod code;
mod further;
mod general;
mod messaging;
mod models;
mod money;
mod operations;
mod places;
mod work;

use crate::Rule;

/// All rules. Where two find the same, the earlier names it.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 12] = [
        code::RULES,
        clouds::RULES,
        build::RULES,
        models::RULES,
        messaging::RULES,
        money::RULES,
        operations::RULES,
        work::RULES,
        assigned::RULES,
        further::RULES,
        places::RULES,
        general::RULES,
    ];
    groups.into_iter().flatten()
}

/// The place of a rule among all.
pub(crate) fn place(rule: &Rule) -> Option<usize> {
    all().position(|known| std::ptr::eq(known, rule))
}

#[cfg(test)]
mod tests;
