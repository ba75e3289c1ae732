//! Relations of the graph.

use recall_core::Relation;

use crate::{InvalidRequest, Problem};

/// Reads the names of relations, without repetition and in their order.
///
/// # Errors
/// A name is unknown.
pub fn from_proto(names: &[String]) -> Result<Vec<Relation>, InvalidRequest> {
    let mut relations = Vec::with_capacity(names.len());
    for name in names {
        let Some(relation) = Relation::from_name(name) else {
            let known = "imports, imported_by, defines, references, relates_to, supersedes";
            return Err(InvalidRequest::new("relations", Problem::Unknown { value: name.clone(), known }));
        };
        if !relations.contains(&relation) {
            relations.push(relation);
        }
    }
    Ok(relations)
}

/// Writes relations by their names, in order.
pub fn to_proto(relations: &[Relation]) -> Vec<String> {
    relations.iter().map(|relation| relation.as_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_survive_and_unknown_ones_are_refused() {
        assert_eq!(from_proto(&to_proto(&Relation::ALL)), Ok(Relation::ALL.to_vec()));
        assert_eq!(from_proto(&["defines".to_owned(), "defines".to_owned()]), Ok(vec![Relation::Defines]));
        let error = from_proto(&["calls".to_owned()]).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "`relations` is `calls`; expected one of imports, imported_by, defines, references, relates_to, supersedes"
        );
    }
}
