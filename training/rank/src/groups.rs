//! Groups of related features for the ablation.
//!
//! Removing a single feature shows no effect if another one carries nearly the same information.

/// A group of features.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) features: &'static [&'static str],
}

/// The groups; every feature belongs to one of them.
pub(crate) const GROUPS: [Group; 13] = [
    Group { name: "retrievers", features: &["lexical_rank", "symbol_rank", "path_name_rank", "fused", "fused_rank"] },
    Group {
        name: "body",
        features: &[
            "body_best",
            "body_top",
            "body_whole",
            "body_best_rank",
            "body_top_rank",
            "body_whole_rank",
            "body_coverage",
            "chunk_score",
            "chunk_score_rank",
            "chunk_coverage",
            "matched_chunks",
            "holds_rarest",
        ],
    },
    Group {
        name: "names",
        features: &[
            "symbol_best",
            "symbol_whole",
            "symbol_best_rank",
            "symbol_whole_rank",
            "symbol_coverage",
            "chunk_symbol_coverage",
            "symbol_share",
            "names_equal",
            "names_folded",
            "names_begun",
            "names_stem",
        ],
    },
    Group {
        name: "comments",
        features: &["comment_best", "comment_whole", "comment_best_rank", "comment_whole_rank", "comment_coverage"],
    },
    Group {
        name: "path",
        features: &["path", "path_rank", "path_coverage", "stem_coverage", "stem_share", "folder_share"],
    },
    Group {
        name: "absolute",
        features: &[
            "body_part",
            "chunk_part",
            "symbol_part",
            "path_part",
            "held",
            "phrase_equal",
            "path_equal",
            "names_near",
            "is_memory",
            "asks_decision",
            "asks_docs",
            "asks_tests",
        ],
    },
    Group { name: "closeness", features: &["pairs", "near", "lead"] },
    Group { name: "graph", features: &["rank", "used", "uses", "walked", "walked_over_links", "walked_rank"] },
    Group { name: "neighbours", features: &["folder_mass", "kin"] },
    Group {
        name: "kinds",
        features: &[
            "is_test",
            "is_example",
            "is_declaration",
            "is_data",
            "is_markup",
            "is_unknown",
            "is_generated",
            "is_prose",
            "is_record",
            "asked_for",
        ],
    },
    Group {
        name: "sizes",
        features: &["place", "chunks", "tokens", "symbol_tokens", "comment_tokens", "chunk_tokens"],
    },
    Group {
        name: "question",
        features: &[
            "asks_symbol",
            "asks_path",
            "asks_question",
            "terms",
            "names",
            "mean_weight",
            "rarest",
            "unknown",
            "store_chunks",
        ],
    },
    Group {
        name: "meaning",
        features: &["cosine", "cosine_relative", "cosine_rank", "chunk_cosine", "semantic_rank", "nearest_cosine"],
    },
];

#[cfg(test)]
mod tests {
    use recall_engine::Basis;

    use super::*;

    /// The first two columns of the table of features in the README: names and groups.
    fn documented_features() -> Vec<(&'static str, &'static str)> {
        let (_, features) =
            include_str!("../README.md").split_once("\n## The features\n").expect("the README has the section");
        let rows = features.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| {
            let mut cells = row.split(" | ");
            let name = cells.next().and_then(|name| name.strip_suffix('`'));
            (
                name.unwrap_or_else(|| panic!("no name: {row}")),
                cells.next().unwrap_or_else(|| panic!("no group: {row}")),
            )
        })
        .collect()
    }

    #[test]
    fn every_feature_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.features.iter().copied()).collect();
        let mut known = recall_engine::feature_names(Basis::Meaning);
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn the_recipe_describes_every_feature() {
        let names: Vec<&str> = documented_features().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, recall_engine::feature_names(Basis::Meaning));
    }

    #[test]
    fn the_recipe_states_the_group_of_every_feature() {
        for (name, documented) in documented_features() {
            let group = GROUPS.iter().find(|group| group.features.contains(&name));
            assert_eq!(group.map(|group| group.name), Some(documented), "{name}");
        }
    }
}
