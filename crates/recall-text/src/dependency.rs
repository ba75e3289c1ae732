//! Questions about one dependency of a project: "which version of `serde` does this use".

use std::sync::LazyLock;

use regex::Regex;

/// A question about one dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DependencyQuestion<'a> {
    /// The name of the dependency as it is written.
    pub name: &'a str,
    /// Whether its form is that of such a question alone. "rollup version" and "where is rollup declared" may as well be about code: only a
    /// declaration of `rollup` with a version shows what is meant.
    pub is_certain: bool,
}

/// Returns what a question asks about a dependency; `None` if it asks for something else. Only the files of the project tell whether it
/// is a dependency.
pub fn asked_dependency(question: &str) -> Option<DependencyQuestion<'_>> {
    let question = question.trim();
    if question.len() > MOST_BYTES {
        return None;
    }
    [(&CERTAIN, true), (&UNCERTAIN, false)].into_iter().find_map(|(forms, is_certain)| {
        let name = forms.captures(question)?.iter().skip(1).flatten().next()?.as_str();
        let name = name.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '_'));
        let is_name = name.len() > 1 && !is_among(name, NO_NAMES);
        is_name.then_some(DependencyQuestion { name, is_certain })
    })
}

/// Returns what a translated question asks about a dependency; `None` if it asks for something else. A translation has the words in the
/// order of the other language and without its grammar: one word asks for a version or for dependencies, and one other word is a name.
pub fn asked_dependency_in_translation(question: &str) -> Option<DependencyQuestion<'_>> {
    let has = |list: &str| question.split(' ').any(|word| is_among(word, list));
    let mut names = question.split(' ').filter(|word| !is_among(word, ASKING) && !is_among(word, NO_NAMES));
    let (Some(name), None) = (names.next(), names.next()) else { return None };
    let asks_for_version = is_among("version", question);
    let is_certain = has(DEPENDING) || asks_for_version && has("which what use");
    ((is_certain || asks_for_version) && name.len() > 1).then_some(DependencyQuestion { name, is_certain })
}

/// Words that ask what a project depends on.
const DEPENDING: &str = "depend depends dependency dependencies rely";

/// Words that a translated question about a dependency may have besides its name.
const ASKING: &str = "which what where version use need require install declare project package library depend depends dependency \
    dependencies rely";

fn is_among(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|known| word.eq_ignore_ascii_case(known))
}

/// The most bytes of such a question. A longer text asks for more.
const MOST_BYTES: usize = 200;

/// Words in the place of a name that are none.
const NO_NAMES: &str = "this it the which what its our your current latest last next new";

static CERTAIN: LazyLock<Regex> = LazyLock::new(|| {
    let project = r"(?:(?:this|the|our)(?: project| repo| repository| package| crate| library)?|we|it|you)";
    any_form(&[
        format!(
            r"(?:(?:which|what) (?:is the )?)?version of (?:the )?(\S+)(?: (?:package|library|crate|gem|dependency))?(?: (?:do|does|is|are) {project}.*| (?:is|are) .*| used.*| required.*| here)?"
        ),
        format!(r"(?:which|what) (\S+) version (?:do|does|is|are) {project}.*"),
        r"where is (?:the )?version of (\S+?) (?:declared|pinned|required|locked)".to_owned(),
        r"where is (?:the )?(\S+?)(?:'s)? version (?:declared|pinned|required|locked)".to_owned(),
        r"where is (\S+?) (?:pinned|locked|(?:declared|required) as a dependency)".to_owned(),
        format!(r"(?:is|are) (\S+) (?:a |an )?(?:direct )?dependency(?: of {project})?"),
        format!(r"(?:does|do) {project} depend on (\S+)"),
        r"(?:the )?(?:dependency|dependencies) (?:on )?(\S+)".to_owned(),
        r"(?:the )?(\S+) dependency version".to_owned(),
    ])
});

static UNCERTAIN: LazyLock<Regex> = LazyLock::new(|| {
    any_form(&[
        r"(?:upgrade|bump|update) (?:the )?(?:version of )?(\S+?)(?: version| dependency)?(?: to (?:the )?(?:(?:latest|newest|next|new) (?:version|release)|\S+))?".to_owned(),
        r"where is (\S+?) (?:declared|required)".to_owned(),
        r"(?:the )?(\S+) (?:package |library |crate |gem )?(?:version|dependency)".to_owned(),
    ])
});

/// The most bytes between the name of a dependency and its version.
const VERSION_WITHIN: usize = 80;

/// Returns whether the text after the name of a dependency begins with its version: on the same line or on the next, as after
/// `<artifactId>guava</artifactId>`.
pub fn begins_with_version(text: &str) -> bool {
    let near = &text[..text.floor_char_boundary(VERSION_WITHIN)];
    near.lines().take(2).any(|line| VERSION.is_match(line))
}

static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r#"[0-9]+\.[0-9x*]|[\^~=<>] ?v?[0-9]|["']v?[0-9]+["']"#;
    Regex::new(expression).expect("the expression is valid: a test compiles it")
});

/// Compiles forms of a whole question, of which the name is the only group that matches.
fn any_form(forms: &[String]) -> Regex {
    let all: Vec<String> = forms.iter().map(|form| format!("(?:{form})")).collect();
    Regex::new(&format!(r"(?i)^(?:{})[\s?.!]*$", all.join("|"))).expect("the expression is valid: a test compiles it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_a_dependency_has_its_name() {
        for (question, name) in [
            ("which version of psr/log does this use?", "psr/log"),
            ("what version of serde do we use", "serde"),
            ("version of @scope/package", "@scope/package"),
            ("which serde version do we use", "serde"),
            ("is serde a dependency?", "serde"),
            ("does this project depend on `serde`", "serde"),
            ("where is serde declared as a dependency", "serde"),
            ("@scope/package dependency version", "@scope/package"),
            ("where is the version of serde pinned", "serde"),
        ] {
            let expected = Some(DependencyQuestion { name, is_certain: true });
            assert_eq!(asked_dependency(question), expected, "{question}");
        }
        for (question, name) in [
            ("upgrade serde to 1.0", "serde"),
            ("upgrade psr/log to the latest version", "psr/log"),
            ("bump serde", "serde"),
            ("where is serde declared", "serde"),
            ("serde version", "serde"),
            ("the serde crate version?", "serde"),
        ] {
            let expected = Some(DependencyQuestion { name, is_certain: false });
            assert_eq!(asked_dependency(question), expected, "{question}");
        }
        for question in [
            "which version does this use",
            "how is the version of a schema compared",
            "what is the current version of it",
            "what changed in version 2",
            "where is serde used",
            "update the cache when a file changes",
            "latest version",
            "how is the version checked",
        ] {
            assert_eq!(asked_dependency(question), None, "{question}");
        }
    }

    #[test]
    fn a_translated_question_about_a_dependency_has_one_name() {
        for (question, expected) in [
            ("which version serde use", Some(("serde", true))),
            ("use which version serde", Some(("serde", true))),
            ("depend @scope/package", Some(("@scope/package", true))),
            ("serde depend", Some(("serde", true))),
            ("serde version", Some(("serde", false))),
            ("which version use", None),
            ("where version serde check", None),
            ("which dependencies use", None),
            ("where serde use", None),
        ] {
            let expected = expected.map(|(name, is_certain)| DependencyQuestion { name, is_certain });
            assert_eq!(asked_dependency_in_translation(question), expected, "{question}");
        }
    }

    #[test]
    fn a_version_follows_a_name_on_its_line_or_on_the_next() {
        for text in [
            " = \"1.0\"",
            "\": \"^2\",",
            "', '>= 4'",
            " = { version = \"3\", features = [] }",
            "</artifactId>\n  <version>9.1.31</version>",
            " v1.9.1 // indirect",
        ] {
            assert!(begins_with_version(text), "{text}");
        }
        for text in ["\": \"eslint --fix\",", " = { workspace = true }", "'\n\ngem 'other', '1.0'", "5"] {
            assert!(!begins_with_version(text), "{text}");
        }
    }
}
