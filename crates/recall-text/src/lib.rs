//! Texts and paths: their words, languages and kinds, and how they are cleaned, shortened, compared and shown.
//!
//! Everything here knows only strings: no document, no id, no request. What recall is about is `recall-core`, which
//! depends on this crate. So a crate that only reads or writes texts is not compiled again when the domain changes.
//!
//! Pure: no I/O, no clock, no environment. Begin with `words` and `fold` (what equal words are), `language` and `file_kind` (what a
//! file is), `tokens` (what it costs to read), `condense` and `report` (what a long question says).

mod agent_source;
mod clean;
mod condense;
mod dependency;
mod directory_question;
mod doc_path;
mod file_kind;
mod fold;
pub mod highlight;
mod idiom;
mod import_line;
mod instruction;
mod language;
mod likeness;
mod onboarding;
mod opposition;
pub mod quantity;
mod question_form;
pub mod quote;
mod release;
mod report;
mod task_list;
mod text_signature;
pub mod tokens;
pub mod words;

pub use agent_source::{
    AGENT_FOLDERS, AGENT_SOURCES, AgentFolder, AgentPlace, AgentSource, Concern, HomePlace, agent_file_patterns,
    agent_source, is_agent_file, leads_to_agent_files,
};
pub use clean::{clean, is_clean};
pub use condense::{Condensed, condense};
pub use dependency::{DependencyQuestion, asked_dependency, asked_dependency_in_translation, begins_with_version};
pub use directory_question::{NamedDirectory, asked_directories, directory_rank};
pub use doc_path::{
    DocPath, DocPathError, PROJECT_FOLDER, PathForm, is_at_or_below, looks_like_identifier, looks_like_path, path_form,
    path_of_uri, path_spellings,
};
pub use file_kind::{Definitions, FileKind, ToolFile, is_minified};
pub use fold::{Normalized, fold_case, normalize_text, normalized_path, without_accents};
pub use idiom::asked_idiom;
pub use import_line::{ImportLine, import_line};
pub use instruction::instructions;
pub use language::{BuildFolder, Form, Language, UnknownLanguage, build_folders, is_code_extension, is_data_table};
pub use likeness::{Likeness, Vocabulary, near, nearest};
pub use onboarding::Onboarding;
pub use opposition::{Relation, Statement, relation};
pub use quote::{error_causes, error_chain, error_chain_as};
pub use release::{asked_release, heading_version, is_list_of_changes, version_likeness};
pub use report::{Frame, Report, asked_message, reads_like_a_message};
pub use task_list::boxes;
pub use text_signature::{TextRun, TextSignature};
