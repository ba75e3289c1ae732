//! The description of a model that is not installed yet.
//!
//! It is read from the configuration files that sentence-transformers and transformers write, and from a manifest that
//! may be partial.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Batching, MANIFEST, Manifest, ModelFile, NetworkKind, Pooling, VERSION};
use crate::providers::known_prefixes;

/// The bound for a stated window. Tokenizers write 10^30 for no limit.
const LARGEST_WINDOW: f64 = 1e6;

/// The window of a model that states none; that of the first BERT models.
const USUAL_WINDOW: usize = 512;

/// The properties of a model before it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) kind: NetworkKind,
    /// The stated dimension, if there is one.
    pub(crate) dimensions: Option<usize>,
    pub(crate) pooling: Pooling,
    pub(crate) normalise: bool,
    pub(crate) query_prefix: String,
    pub(crate) document_prefix: String,
    pub(crate) window_tokens: usize,
    pub(crate) licence: Option<String>,
    pub(crate) origin: Option<String>,
}

/// A partial manifest. Missing fields are taken from other files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PartialManifest {
    #[serde(rename = "role")]
    kind: Option<NetworkKind>,
    dimensions: Option<usize>,
    pooling: Option<Pooling>,
    normalise: Option<bool>,
    query_prefix: Option<String>,
    document_prefix: Option<String>,
    window_tokens: Option<usize>,
    licence: Option<String>,
    origin: Option<String>,
}

/// `config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    architectures: Option<Vec<String>>,
    model_type: Option<String>,
    hidden_size: Option<usize>,
    max_position_embeddings: Option<usize>,
}

/// `sentence_bert_config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

/// `tokenizer_config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenizerConfig {
    model_max_length: Option<f64>,
}

/// `1_Pooling/config.json`.
#[expect(clippy::struct_excessive_bools, reason = "the file has one flag for each kind of pooling")]
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    word_embedding_dimension: Option<usize>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

/// `config_sentence_transformers.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Prompts {
    prompts: std::collections::BTreeMap<String, Option<String>>,
}

impl Prompts {
    /// Returns the first prompt with one of these names, or what is known about the model if it states no prompts.
    fn prefix(&self, names: [&str; 3], known: &str) -> String {
        if self.prompts.is_empty() {
            return known.to_owned();
        }
        names.iter().find_map(|name| self.prompts.get(*name).cloned().flatten()).unwrap_or_default()
    }
}

/// Reads the configuration of a folder. The manifest takes precedence over the model's own files. A model whose files state no prefixes,
/// such as those of e5, has the ones that are known for its name.
pub(crate) fn describe(folder: &Path, name: &str) -> Result<Description, DescribeError> {
    let manifest: PartialManifest = read(folder, MANIFEST)?;
    let config: Config = read(folder, "config.json")?;
    let pooling: PoolingConfig = read(folder, "1_Pooling/config.json")?;
    let prompts: Prompts = read(folder, "config_sentence_transformers.json")?;
    let (known_query, known_document) = known_prefixes(name);
    let query = ["query", "search_query", "question"];
    let document = ["document", "search_document", "passage"];
    let kind = manifest.kind.unwrap_or_else(|| config.kind());
    let dimensions = match kind {
        NetworkKind::Embed => manifest.dimensions.or(pooling.word_embedding_dimension).or(config.hidden_size),
        NetworkKind::Rerank => Some(1),
    };
    Ok(Description {
        kind,
        dimensions,
        pooling: manifest.pooling.map_or_else(|| pooling.pooling(folder), Ok)?,
        normalise: manifest.normalise.unwrap_or(true),
        query_prefix: manifest.query_prefix.unwrap_or_else(|| prompts.prefix(query, known_query)),
        document_prefix: manifest.document_prefix.unwrap_or_else(|| prompts.prefix(document, known_document)),
        window_tokens: manifest.window_tokens.map_or_else(|| window(folder, &config), Ok)?,
        licence: manifest.licence,
        origin: manifest.origin,
    })
}

impl Description {
    /// Completes the description with the measured properties.
    pub(crate) fn into_manifest(self, dimensions: usize, batching: Batching, files: Vec<ModelFile>) -> Manifest {
        let Self {
            kind,
            dimensions: _,
            pooling,
            normalise,
            query_prefix,
            document_prefix,
            window_tokens,
            licence,
            origin,
        } = self;
        let version = VERSION;
        Manifest {
            version,
            kind,
            dimensions,
            pooling,
            normalise,
            query_prefix,
            document_prefix,
            window_tokens,
            batching,
            licence,
            origin,
            files,
        }
    }
}

impl Config {
    fn kind(&self) -> NetworkKind {
        let scores = self.architectures.iter().flatten().any(|name| name.ends_with("ForSequenceClassification"));
        if scores { NetworkKind::Rerank } else { NetworkKind::Embed }
    }

    /// Returns the number of token positions. Models of the `RoBERTa` family start counting after the padding's id, so
    /// two positions are never used.
    fn positions(&self) -> Option<usize> {
        let unused = if self.model_type.as_deref().is_some_and(|family| family.contains("roberta")) { 2 } else { 0 };
        self.max_position_embeddings.map(|positions| positions.saturating_sub(unused))
    }
}

impl PoolingConfig {
    /// Returns the kind of pooling. If the file is missing, it is the mean, which most models use.
    fn pooling(&self, folder: &Path) -> Result<Pooling, DescribeError> {
        let chosen = [
            (self.pooling_mode_mean_tokens, Some(Pooling::Mean)),
            (self.pooling_mode_cls_token, Some(Pooling::Cls)),
            (self.pooling_mode_lasttoken, Some(Pooling::Last)),
            (self.pooling_mode_max_tokens, None),
            (self.pooling_mode_mean_sqrt_len_tokens, None),
            (self.pooling_mode_weightedmean_tokens, None),
        ];
        let mut chosen = chosen.iter().filter(|(is_chosen, _)| *is_chosen).map(|(_, pooling)| *pooling);
        match (chosen.next(), chosen.next()) {
            (None, _) => Ok(Pooling::Mean),
            (Some(Some(pooling)), None) => Ok(pooling),
            _ => Err(DescribeError::UnknownPooling { path: folder.join("1_Pooling/config.json") }),
        }
    }
}

fn window(folder: &Path, config: &Config) -> Result<usize, DescribeError> {
    let sentence: SentenceConfig = read(folder, "sentence_bert_config.json")?;
    let tokenizer: TokenizerConfig = read(folder, "tokenizer_config.json")?;
    let tokenizer = tokenizer.model_max_length.filter(|window| *window >= 1.0 && *window < LARGEST_WINDOW);
    let stated = sentence.max_seq_length.or(tokenizer.map(|window| window as usize));
    let window = match (stated, config.positions()) {
        (Some(stated), Some(positions)) => stated.min(positions),
        (stated, positions) => stated.or(positions).unwrap_or(USUAL_WINDOW),
    };
    Ok(window.max(1))
}

/// Reads one of the files. A missing file has no fields.
fn read<T: Default + DeserializeOwned>(folder: &Path, name: &str) -> Result<T, DescribeError> {
    let path = folder.join(name);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(source) => return Err(DescribeError::Unreadable { path, source }),
    };
    serde_json::from_str(&text).map_err(|source| DescribeError::Malformed { path, source })
}

/// A model's configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file is malformed.
    #[error("`{}` is malformed", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The pooling is unsupported, or is a combination of several kinds.
    #[error("`{}` requires an unsupported pooling: only mean, first token or last token is supported", path.display())]
    UnknownPooling {
        /// The file with the pooling.
        path: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(files: &[(&str, &str)]) -> Result<Description, DescribeError> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        describe(folder.path(), "multilingual-e5-small")
    }

    #[test]
    fn a_model_without_prompts_has_the_prefixes_of_its_name() {
        let prefixes = |files: &[(&str, &str)]| {
            let described = described(files).unwrap();
            (described.query_prefix, described.document_prefix)
        };
        let own = |query: &str, document: &str| (query.to_owned(), document.to_owned());
        assert_eq!(prefixes(&[]), own("query: ", "passage: "));
        assert_eq!(prefixes(&[(MANIFEST, r#"{"query_prefix": ""}"#)]), own("", "passage: "));
        let stated = r#"{"prompts": {"query": "q: "}}"#;
        assert_eq!(prefixes(&[("config_sentence_transformers.json", stated)]), own("q: ", ""));
        let folder = tempfile::tempdir().unwrap();
        let unknown = describe(folder.path(), "a-model-of-ours").unwrap();
        assert_eq!((unknown.query_prefix, unknown.document_prefix), own("", ""));
    }

    #[test]
    fn the_configuration_of_sentence_transformers_is_read() {
        let described = described(&[
            ("config.json", r#"{"model_type": "bert", "hidden_size": 384, "max_position_embeddings": 512}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 256, "do_lower_case": false}"#),
            ("tokenizer_config.json", r#"{"model_max_length": 1000000000000000019884624838656}"#),
            ("1_Pooling/config.json", r#"{"word_embedding_dimension": 384, "pooling_mode_cls_token": true}"#),
            ("config_sentence_transformers.json", r#"{"prompts": {"query": "query: ", "document": null}}"#),
        ]);
        let expected = Description {
            kind: NetworkKind::Embed,
            dimensions: Some(384),
            pooling: Pooling::Cls,
            normalise: true,
            query_prefix: "query: ".to_owned(),
            document_prefix: String::new(),
            window_tokens: 256,
            licence: None,
            origin: None,
        };
        assert_eq!(described.unwrap(), expected);
    }

    #[test]
    fn a_manifest_takes_precedence_over_the_models_own_files() {
        let described = described(&[
            ("config.json", r#"{"hidden_size": 384, "max_position_embeddings": 512}"#),
            (MANIFEST, r#"{"dimensions": 128, "pooling": "last", "document_prefix": "d: ", "licence": "MIT"}"#),
        ]);
        let described = described.unwrap();
        assert_eq!((described.dimensions, described.pooling), (Some(128), Pooling::Last));
        assert_eq!((described.document_prefix.as_str(), described.licence.as_deref()), ("d: ", Some("MIT")));
        assert_eq!(described.window_tokens, 512);
    }

    #[test]
    fn a_sequence_classifier_is_a_cross_encoder() {
        let described = described(&[(
            "config.json",
            r#"{"architectures": ["XLMRobertaForSequenceClassification"], "model_type": "xlm-roberta",
                "hidden_size": 768, "max_position_embeddings": 514}"#,
        )]);
        let described = described.unwrap();
        assert_eq!(
            (described.kind, described.dimensions, described.window_tokens),
            (NetworkKind::Rerank, Some(1), 512)
        );
    }

    #[test]
    fn an_unusable_configuration_is_refused() {
        let two = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#;
        for text in [two, r#"{"pooling_mode_max_tokens": true}"#] {
            let described = described(&[("1_Pooling/config.json", text)]);
            assert!(matches!(described, Err(DescribeError::UnknownPooling { .. })), "{text}");
        }
        assert!(matches!(described(&[("config.json", "{")]), Err(DescribeError::Malformed { .. })));
        assert!(matches!(described(&[(MANIFEST, r#"{"pooling": "max"}"#)]), Err(DescribeError::Malformed { .. })));
    }
}
