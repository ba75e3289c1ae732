//! Questions about one dependency of a project: "which version of `serde` does this use".

use std::sync::LazyLock;

use regex::Regex;

/// Returns the name of the dependency that a question is about; `None` if it asks for something else. Only the files of the project tell
/// whether it is a dependency.
pub fn asked_dependency(question: &str) -> Option<&str> {
    let asked = QUESTION.captures(question.trim())?;
    let name = asked.iter().skip(1).flatten().next()?.as_str();
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '_'));
    (name.len() > 1 && !NO_NAMES.split(' ').any(|word| name.eq_ignore_ascii_case(word))).then_some(name)
}

/// Words in the place of a name that are none.
const NO_NAMES: &str = "this it the which what its our your current latest last next new";

static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    let project = r"(?:(?:this|the|our)(?: project| repo| repository| package| crate| library)?|we|it|you)";
    let forms = [
        format!(r"(?:(?:which|what) (?:is the )?)?version of (?:the )?(\S+)(?: (?:package|library|crate|gem|dependency))?(?: (?:do|does|is|are) {project}.*| (?:is|are) .*| used.*| required.*| here)?"),
        format!(r"(?:which|what) (\S+) version (?:do|does|is|are) {project}.*"),
        r"where is (?:the )?(?:version of )?(\S+?)(?:'s)?(?: version)? (?:declared|pinned|required|locked) ?(?:as a dependency)?".to_owned(),
        format!(r"(?:is|are) (\S+) (?:a |an )?(?:direct )?dependency(?: of {project})?"),
        format!(r"(?:does|do) {project} depend on (\S+)"),
        r"(?:upgrade|bump|update) (?:the )?(?:version of )?(\S+?)(?: version| dependency)?(?: to \S+)?".to_owned(),
        r"(?:the )?(?:dependency|dependencies) (?:on )?(\S+)".to_owned(),
    ];
    let all = forms.map(|form| format!("(?:{form})")).join("|");
    Regex::new(&format!(r"(?i)^(?:{all})[\s?.!]*$")).expect("the expression is valid: a test compiles it")
});

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
            ("upgrade serde to 1.0", "serde"),
            ("where is serde declared", "serde"),
            ("where is the version of serde pinned", "serde"),
        ] {
            assert_eq!(asked_dependency(question), Some(name), "{question}");
        }
        for question in [
            "which version does this use",
            "how is the version of a schema compared",
            "what is the current version of it",
            "what changed in version 2",
            "where is serde used",
            "update the cache when a file changes",
        ] {
            assert_eq!(asked_dependency(question), None, "{question}");
        }
    }
}
