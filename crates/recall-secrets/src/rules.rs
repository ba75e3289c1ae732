//! The known kinds of secrets.
//!
//! Each rule is a fact published by the issuer of a format, or follows from how a tool is used. A rule must have a
//! format that ordinary text does not have: "32 letters and digits" is a rule only together with a name.

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

/// Iterates over all rules. If two rules find the same secret, the earlier one names it.
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

/// Returns the position of a rule among all rules.
pub(crate) fn place(rule: &Rule) -> Option<usize> {
    all().position(|known| std::ptr::eq(known, rule))
}

#[cfg(test)]
mod tests;
