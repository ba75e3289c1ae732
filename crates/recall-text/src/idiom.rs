//! Questions about what code says in a form of its own in each language: "which environment variables are read", "deprecated functions".
//!
//! The words of such a question are in documents. The code has `os.Getenv` or `process.env`, and `@Deprecated` or `[Obsolete`.

use crate::question_form::{self, QuestionForm};

/// Returns the texts with which code says what a short question asks for; `None` if it asks for anything else. Places have one of them, as
/// it is written.
pub fn asked_idiom(question: &str) -> Option<&'static [&'static str]> {
    question_form::find(FORMS, question, 2)
}

const FORMS: &[QuestionForm<&[&str]>] = &[
    QuestionForm {
        asks: ENVIRONMENT,
        needs: &["environment env", "variable variables var vars"],
        allows: "read reads used uses use looked list all names supported recognized recognised available",
    },
    QuestionForm {
        asks: DEPRECATED,
        needs: &[
            "deprecated deprecation deprecations",
            "deprecated deprecations functions function methods method classes class apis api items things symbols code",
        ],
        allows: "list all marked still public",
    },
    QuestionForm {
        asks: ROUTES,
        needs: &["routes endpoints", "which list all where"],
        allows: "http rest api web defined declared registered exist exists exposed exposes served serves available server service public",
    },
];

/// How a program reads an environment variable.
const ENVIRONMENT: &[&str] = &[
    "os.Getenv",
    "os.LookupEnv",
    "os.environ",
    "os.getenv",
    "process.env",
    "import.meta.env",
    "Deno.env",
    "env::var",
    "env!(",
    "System.getenv",
    "System.get_env",
    "GetEnvironmentVariable",
    "processInfo.environment",
    "lookupEnv",
    "ENV[",
    "ENV.fetch",
    "$_ENV[",
    "getenv(",
];

/// How a definition is marked as deprecated.
const DEPRECATED: &[&str] = &[
    "@deprecated",
    "@Deprecated",
    "#[deprecated",
    "#[Deprecated",
    "[[deprecated",
    "[Obsolete",
    "// Deprecated:",
    "__attribute__((deprecated",
    "@available(*, deprecated",
    "DeprecationWarning",
    "E_USER_DEPRECATED",
];

/// How a server declares what it answers.
const ROUTES: &[&str] = &[
    "app.get(",
    "app.post(",
    "app.put(",
    "app.delete(",
    "app.route(",
    "router.get(",
    "router.post(",
    "router.GET(",
    "router.POST(",
    "r.GET(",
    "r.POST(",
    "HandleFunc(",
    ".route(\"",
    "#[get(",
    "#[post(",
    "@GetMapping",
    "@PostMapping",
    "@RequestMapping",
    "@Get(",
    "@Post(",
    "[HttpGet",
    "[HttpPost",
    "MapGet(",
    "MapPost(",
    "Route::get(",
    "Route::post(",
    "routes.draw",
    "urlpatterns",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_an_idiom_has_its_texts() {
        for (question, text) in [
            ("which environment variables are read?", "process.env"),
            ("list all env vars that this uses", "os.Getenv"),
            ("deprecated functions", "@Deprecated"),
            ("what is deprecated in the public API", "[Obsolete"),
            ("where are the HTTP routes defined", "@GetMapping"),
            ("list all endpoints", "#[get("),
        ] {
            assert!(asked_idiom(question).is_some_and(|texts| texts.contains(&text)), "{question}");
        }
        for question in [
            "how are environment variables parsed",
            "environment",
            "how are routes grouped and registered",
            "why was the old parser deprecated",
            "where is the route of a request matched",
        ] {
            assert_eq!(asked_idiom(question), None, "{question}");
        }
    }
}
