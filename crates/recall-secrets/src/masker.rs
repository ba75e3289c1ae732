//! The masker: finding secrets and replacing them with masks.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use thiserror::Error;

use crate::finding::{Candidate, is_masked, mask, merge};
use crate::keywords::Keywords;
use crate::rule::{Format, Pattern, Shape};
use crate::shape::{self, Assignment, Form};
use crate::value::{self, Certainty};
use crate::{Finding, Rule, rules};

/// The maximum number of masking passes. Masking a secret may uncover another one next to it; two passes are usual.
const MOST_ROUNDS: usize = 8;

/// The longest file name extension. A longer one is treated as a part of the name.
const MOST_ENDING: usize = 8;

/// The active rules, for use by any number of threads.
///
/// Creating one takes some microseconds. A pattern is compiled when its keyword first occurs, and is kept.
pub struct Masker {
    rules: Vec<Active>,
    keywords: Keywords,
    /// The rule and the keyword of each tag.
    triggers: Vec<Trigger>,
    allowed: HashSet<String>,
}

struct Active {
    rule: &'static Rule,
    pattern: Option<Pattern>,
}

struct Trigger {
    /// The index of the rule.
    rule: usize,
    keyword: &'static str,
}

impl Masker {
    /// Activates all rules except those turned off in the settings.
    ///
    /// # Errors
    /// The settings turn off a rule that does not exist.
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

    /// Iterates over all rules, whether active or not.
    pub fn rules() -> impl Iterator<Item = &'static Rule> {
        rules::all()
    }

    /// Returns the secrets of a text in order; no two overlap.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        merge(self.candidates(text))
    }

    /// Returns the secrets in the whole text of a file, including those recognized only by the file's name.
    pub fn find_in_file(&self, name: &str, text: &str) -> Vec<Finding> {
        let mut candidates = self.candidates(text);
        let file_rule = self.rules.iter().find(|active| matches!(active.rule.shape, Shape::File));
        if let Some(Active { rule, .. }) = file_rule {
            let spans = shape::in_file(name, text).into_iter().filter(|span| self.is_secret(&text[span.clone()]));
            candidates.extend(spans.map(|span| Candidate { rule, span }));
        }
        merge(candidates)
    }

    /// Replaces each secret with a mask such as `[secret: github-token]`.
    ///
    /// A mask reveals the rule and nothing else, and is the same for all secrets of the rule. The number of lines does
    /// not change, and masking a masked text changes nothing.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.mask_repeatedly(Cow::Borrowed(text))
    }

    /// Masks a part of a file's text as it would be masked within the whole.
    ///
    /// This also masks those lines of a multi-line key, and those entries of a manifest, that can only be recognized
    /// from other parts of the file. The part is a byte range on character boundaries.
    pub fn mask_part<'t>(&self, name: &str, text: &'t str, part: Range<usize>) -> Cow<'t, str> {
        let findings = self.find_in_file(name, text).into_iter().filter_map(|Finding { rule, span }| {
            let span = span.start.max(part.start)..span.end.min(part.end);
            (!span.is_empty()).then(|| Finding { rule, span: span.start - part.start..span.end - part.start })
        });
        let findings: Vec<Finding> = findings.collect();
        let text = &text[part.clone()];
        let masked = if findings.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(mask(text, &findings)) };
        self.mask_repeatedly(masked)
    }

    /// Masks a file name or path. Each component is also masked by itself, without its extension.
    pub fn mask_path<'t>(&self, path: &'t str) -> Cow<'t, str> {
        // A token without a digit is very unlikely, and most paths have no digit.
        if !path.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') {
            return Cow::Borrowed(path);
        }
        let masked_component = |component: &str| {
            let (stem, ending) = match component.rsplit_once('.') {
                // What ends with a point has no ending, and keeps its point.
                Some((stem, ending)) if !stem.is_empty() && (1..=MOST_ENDING).contains(&ending.len()) => (stem, ending),
                _ => (component, ""),
            };
            let stem = self.mask(stem);
            if ending.is_empty() { stem.into_owned() } else { format!("{stem}.{ending}") }
        };
        let masked: Vec<String> = path.split('/').map(masked_component).collect();
        let masked = masked.join("/");
        if masked == path { self.mask(path) } else { Cow::Owned(self.mask(&masked).into_owned()) }
    }

    /// Returns whether a part of a file may hold secrets that are only recognized from the whole text or the file's
    /// name.
    pub fn depends_on_whole(&self, name: &str, part: &str) -> bool {
        shape::is_secret_file(name) || shape::may_be_manifest(name, part) || shape::has_key_lines(part)
    }

    /// Masks a text repeatedly until nothing more is found.
    fn mask_repeatedly<'t>(&self, mut text: Cow<'t, str>) -> Cow<'t, str> {
        for _ in 0..MOST_ROUNDS {
            let findings = self.find(&text);
            if findings.is_empty() {
                break;
            }
            text = Cow::Owned(mask(&text, &findings));
        }
        text
    }

    fn candidates(&self, text: &str) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        self.keywords.find(text.as_bytes(), |at, tag| {
            let Trigger { rule, keyword } = self.triggers[usize::from(tag)];
            let active = &self.rules[rule];
            let keyword = at..at + keyword.len();
            if matches!(active.rule.shape, Shape::Password | Shape::Key) {
                candidates.extend(self.match_column(active.rule, text, &keyword));
            }
            let many = match active.rule.shape {
                Shape::Cookies => shape::cookies(text, &keyword),
                Shape::WebKey => shape::web_key(text, &keyword),
                Shape::Kubernetes => shape::secret_manifest(text, &keyword),
                _ => {
                    let candidate = self.match_rule(active, text, keyword);
                    candidates.extend(candidate.filter(|found| self.is_secret(&text[found.span.clone()])));
                    return;
                }
            };
            let many = many.into_iter().filter(|span| self.is_secret(&text[span.clone()]));
            candidates.extend(many.map(|span| Candidate { rule: active.rule, span }));
        });
        candidates
    }

    fn is_secret(&self, secret: &str) -> bool {
        !secret.is_empty() && !is_masked(secret) && !self.allowed.contains(secret)
    }

    /// Applies a single-match rule around its keyword.
    fn match_rule(&self, active: &Active, text: &str, keyword: Range<usize>) -> Option<Candidate> {
        let rule = active.rule;
        let pattern = || active.pattern.as_ref().expect("a rule with a format has a pattern");
        let span = match &rule.shape {
            Shape::Token(format) => shape::token(text, keyword.start, format, pattern()),
            Shape::TokenAround(offset, format) => shape::token_around(text, keyword.start, *offset, format, pattern()),
            Shape::Block => shape::block(text, &keyword),
            Shape::Url => shape::url(text, &keyword),
            Shape::Header => shape::header(text, &keyword),
            Shape::DockerAuth => shape::docker_auth(text, &keyword),
            Shape::Pair => shape::pair(text, &keyword),
            Shape::Command => shape::command(text, &keyword),
            Shape::Piped => shape::pipe_source(text, &keyword),
            Shape::Call => shape::call(text, &keyword),
            Shape::DataSource => shape::data_source(text, &keyword),
            Shape::PgPass => shape::pgpass(text, &keyword),
            Shape::PasswordHash => shape::password_hash(text, &keyword),
            // Found by the keywords of names or by the file name, or handled above as several matches.
            Shape::AssignedTo(..) | Shape::File | Shape::Cookies | Shape::WebKey | Shape::Kubernetes => None,
            Shape::Password | Shape::Key => return self.match_assignment(rule, text, &keyword),
        };
        span.map(|span| Candidate { rule, span })
    }

    /// Returns the secrets in the column of a table whose head is the name with the keyword.
    fn match_column(&self, rule: &'static Rule, text: &str, keyword: &Range<usize>) -> Vec<Candidate> {
        let is_password = matches!(rule.shape, Shape::Password);
        let is_random = |value: &str| value::is_key(value) || value::is_short_key(value);
        let is_found =
            |value| if is_password { value::is_password(value, Certainty::BareName) } else { is_random(value) };
        let cells = shape::column(text, keyword).into_iter();
        let found = cells.filter(|span| is_found(&text[span.clone()]) && self.is_secret(&text[span.clone()]));
        found.map(|span| Candidate { rule, span }).collect()
    }

    fn match_assignment(&self, rule: &'static Rule, text: &str, keyword: &Range<usize>) -> Option<Candidate> {
        let assignment = shape::assignment(text, keyword)?;
        let span = assignment.span.clone();
        if let Some(rule) = self.rule_of(&assignment) {
            return Some(Candidate { rule, span });
        }
        let Assignment { value, form, .. } = assignment;
        let is_secret = match (&rule.shape, form) {
            (Shape::Password, Form::Literal) => value::is_password(value, Certainty::Name),
            (Shape::Password, Form::Bare) if assignment.is_constant() => value::is_password(value, Certainty::Name),
            (Shape::Password, Form::Bare) => value::is_password(value, Certainty::BareName),
            (Shape::Password, Form::Prose) => value::is_password(value, Certainty::Prose),
            (_, Form::Prose) => (value::is_key(value) || value::is_short_key(value)) && !value::is_access(value),
            _ => {
                let names_key = || {
                    let name = assignment.plain_name();
                    ["apikey", "secret", "accesskey", "authtoken"].iter().any(|part| name.contains(part))
                };
                value::is_key(value)
                    || value::is_short_key(value)
                    || value::is_salt(value)
                    || (value::is_random_uuid(value) && names_key())
            }
        };
        is_secret.then_some(Candidate { rule, span })
    }

    /// Returns the rule whose names include this assignment's name and whose format the value has.
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

/// Which rules are off, and which values are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The ids of rules that are off. Empty by default.
    pub without: Vec<String>,
    /// Values that are never secrets, whatever they look like: credentials of a test server, documented examples. A
    /// secret is compared as a whole.
    pub allowed: Vec<String>,
}

/// The settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A rule that is to be off does not exist, probably because of a typing error.
    #[error("unknown secret rule `{id}`")]
    UnknownRule {
        /// The id in the settings.
        id: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(masker: &Masker) -> Vec<&'static str> {
        let is_compiled = |active: &&Active| active.pattern.as_ref().is_some_and(Pattern::is_compiled);
        masker.rules.iter().filter(is_compiled).map(|active| active.rule.id).collect()
    }

    #[test]
    fn a_pattern_is_compiled_when_its_keyword_occurs() {
        let masker = Masker::new(Settings::default()).unwrap();
        masker.mask("fn main() { println!(\"nothing of interest, but a password = {}\", hidden()); }");
        assert_eq!(compiled(&masker), [""; 0]);
        masker.mask("the prefix npm_ alone");
        assert_eq!(compiled(&masker), ["npm-token"]);
    }
}
