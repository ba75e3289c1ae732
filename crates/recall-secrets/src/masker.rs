//! Finds secrets, and puts masks in their place.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::finding::{Suspicion, joined};
use crate::keywords::Keywords;
use crate::mask::{is_masked, masked};
use crate::pattern::Pattern;
use crate::rule::{Format, Shape};
use crate::shape::{self, Assignment, Form};
use crate::value::{self, Certainty};
use crate::{Finding, Rule, Settings, SettingsError, rules};

/// How often a masked text is looked at again. What was masked may uncover what stood in its shadow; twice is usual.
const MOST_ROUNDS: usize = 8;

/// The rules that are on, ready to be used by any number of threads.
///
/// Making one costs some microseconds. A pattern is compiled when its keyword is first met, and stays.
pub struct Masker {
    rules: Vec<Active>,
    keywords: Keywords,
    /// What a keyword stands for, by its tag.
    triggers: Vec<Trigger>,
    allowed: HashSet<String>,
}

struct Active {
    rule: &'static Rule,
    pattern: Option<Pattern>,
}

struct Trigger {
    /// The place of the rule.
    rule: usize,
    keyword: &'static str,
}

impl Masker {
    /// All rules, except those that the settings turn off.
    ///
    /// # Errors
    /// A rule that is to be off does not exist.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let Settings { without, allowed } = settings;
        if let Some(id) = without.iter().find(|id| rules::all().all(|rule| rule.id != **id)) {
            return Err(SettingsError::UnknownRule { id: id.clone() });
        }
        let is_on = |rule: &&Rule| without.iter().all(|id| rule.id != *id);
        let to_active =
            |rule: &'static Rule| Active { rule, pattern: rule.format().map(|format| Pattern::new(format.pattern)) };
        let rules: Vec<Active> = rules::all().filter(is_on).map(to_active).collect();
        let of_rules = rules.iter().enumerate();
        let triggers: Vec<Trigger> = of_rules
            .flat_map(|(rule, active)| active.rule.keywords.iter().map(move |&keyword| Trigger { rule, keyword }))
            .collect();
        let tags = 0_u16..;
        let keywords = Keywords::new(triggers.iter().map(|trigger| trigger.keyword).zip(tags));
        Ok(Self { rules, keywords, triggers, allowed: allowed.into_iter().collect() })
    }

    /// The rules that there are, whether on or off.
    pub fn rules() -> impl Iterator<Item = &'static Rule> {
        rules::all()
    }

    /// The secrets of a text, in its order, none touching another.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        let mut suspicions = Vec::new();
        self.keywords.find(text.as_bytes(), |at, tag| {
            let Trigger { rule, keyword } = self.triggers[usize::from(tag)];
            let suspicion = self.look(&self.rules[rule], text, at..at + keyword.len());
            suspicions.extend(suspicion.filter(|found| self.is_secret(&text[found.span.clone()])));
        });
        if suspicions.is_empty() { Vec::new() } else { joined(suspicions) }
    }

    /// The text with a mask such as `[secret: github-token]` in the place of each secret; as it is where there is none.
    ///
    /// A mask tells nothing of its secret but the rule, and is always the same. The text keeps its number of lines, and what
    /// was masked stays as it is when it is masked again.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..MOST_ROUNDS {
            let findings = self.find(&text);
            if findings.is_empty() {
                break;
            }
            text = Cow::Owned(masked(&text, &findings));
        }
        text
    }

    fn is_secret(&self, secret: &str) -> bool {
        !secret.is_empty() && !is_masked(secret) && !self.allowed.contains(secret)
    }

    /// What a rule finds around its keyword.
    fn look(&self, active: &Active, text: &str, keyword: Range<usize>) -> Option<Suspicion> {
        let rule = active.rule;
        let pattern = || active.pattern.as_ref().expect("a rule with a format has a pattern");
        let span = match &rule.shape {
            Shape::Token(format) => shape::token(text, keyword.start, format, pattern()),
            Shape::TokenAround(behind, format) => shape::token_around(text, keyword.start, *behind, format, pattern()),
            Shape::Block => shape::block(text, &keyword),
            Shape::Url => shape::url(text, &keyword),
            Shape::Header => shape::header(text, &keyword),
            Shape::DockerAuth => shape::docker_auth(text, &keyword),
            // Found by the keywords of names, below.
            Shape::AssignedTo(..) => None,
            Shape::Password | Shape::Key => return self.look_at_assignment(rule, text, &keyword),
        };
        span.map(|span| Suspicion { rule, span })
    }

    fn look_at_assignment(&self, rule: &'static Rule, text: &str, keyword: &Range<usize>) -> Option<Suspicion> {
        let assignment = shape::assignment(text, keyword)?;
        let span = assignment.span.clone();
        if let Some(rule) = self.rule_of(&assignment) {
            return Some(Suspicion { rule, span });
        }
        let is_secret = match (&rule.shape, assignment.form) {
            (Shape::Password, Form::Quoted) => value::is_password(assignment.value, Certainty::Name),
            (Shape::Password, Form::Bare) if assignment.is_constant() => {
                value::is_password(assignment.value, Certainty::Name)
            }
            (Shape::Password, Form::Bare) => value::is_password(assignment.value, Certainty::BareName),
            _ => value::is_key(assignment.value),
        };
        is_secret.then_some(Suspicion { rule, span })
    }

    /// The rule of whose keys the name tells and whose format the value has.
    fn rule_of(&self, assignment: &Assignment<'_>) -> Option<&'static Rule> {
        let mut name = None;
        let found = self.rules.iter().find(|active| {
            let Shape::AssignedTo(names, format) = &active.rule.shape else { return false };
            let name = name.get_or_insert_with(|| assignment.plain_name());
            names.iter().any(|known| name.contains(known)) && is_formatted(assignment.value, format, active)
        });
        found.map(|active| active.rule)
    }
}

fn is_formatted(value: &str, format: &Format, active: &Active) -> bool {
    let pattern = active.pattern.as_ref().expect("a rule with a format has a pattern");
    value::entropy(value) >= format.entropy
        && !value::is_placeholder(value)
        && pattern.match_at_start(value).is_some_and(|found| found.whole.end == value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(masker: &Masker) -> Vec<&'static str> {
        let is_compiled = |active: &&Active| active.pattern.as_ref().is_some_and(Pattern::is_compiled);
        masker.rules.iter().filter(is_compiled).map(|active| active.rule.id).collect()
    }

    #[test]
    fn a_pattern_is_compiled_when_its_keyword_is_met() {
        let masker = Masker::new(Settings::default()).unwrap();
        masker.mask("fn main() { println!(\"nothing of interest, but a password = {}\", hidden()); }");
        assert_eq!(compiled(&masker), [""; 0]);
        masker.mask("the prefix npm_ alone");
        assert_eq!(compiled(&masker), ["npm-token"]);
    }
}
