//! The known kinds of secrets.
//!
//! Each rule is a fact published by the issuer of a format, or follows from how a tool is used. A rule must have a
//! format that ordinary text does not have: "32 letters and digits" is a rule only together with a name.

mod assigned;
mod clouds;
mod code;
mod further;
mod general;
mod work;

use crate::Rule;

/// Iterates over all rules. If two rules find the same secret, the earlier one names it.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 12] = [
        code::RULES,
        clouds::RULES,
        code::BUILD_RULES,
        clouds::MODEL_RULES,
        work::MESSAGING_RULES,
        work::MONEY_RULES,
        clouds::OPERATION_RULES,
        work::RULES,
        assigned::RULES,
        further::RULES,
        assigned::PLACE_RULES,
        general::RULES,
    ];
    groups.into_iter().flatten()
}

/// Returns the position of a rule among all rules.
pub(crate) fn place(rule: &Rule) -> Option<usize> {
    all().position(|known| std::ptr::eq(known, rule))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::all;
    use crate::rule::{Pattern, Rule, Shape};

    #[test]
    fn every_pattern_compiles_within_its_limits() {
        for format in all().filter_map(Rule::format) {
            assert!(Pattern::new(format.pattern).match_at_start("").is_none(), "{} matches nothing", format.pattern);
        }
    }

    #[test]
    fn every_rule_has_a_unique_id_and_usable_keywords() {
        let mut seen: HashMap<&str, &Rule> = HashMap::new();
        for rule in all() {
            let is_short = |keyword: &&&str| keyword.len() < 3;
            assert!(rule.keywords.iter().find(is_short).is_none(), "{}: a keyword has no gram", rule.id);
            let is_lower = |keyword: &&str| !keyword.bytes().any(|byte| byte.is_ascii_uppercase());
            assert!(rule.keywords.iter().all(is_lower), "{}: keywords are in lower case", rule.id);
            assert_eq!(
                rule.keywords.is_empty(),
                matches!(rule.shape, Shape::AssignedTo(..) | Shape::File),
                "{}",
                rule.id
            );
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(rule.id.bytes().all(is_plain), "{}", rule.id);
            let is_link = rule.documented.starts_with("https://");
            assert!(is_link || rule.documented.is_empty() && rule.format().is_none(), "{} has no source", rule.id);
            // A prefixed and an assigned form of the same key may share an id.
            let twin = seen.insert(rule.id, rule).map(|twin| matches!(twin.shape, Shape::AssignedTo(..)));
            assert!(twin.is_none_or(|_| matches!(rule.shape, Shape::AssignedTo(..))), "{} is there twice", rule.id);
        }
    }
}
