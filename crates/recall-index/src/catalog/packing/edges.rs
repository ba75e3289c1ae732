//! Packed edges of a document, except its references.

use recall_core::{Edge, EdgeKind};

use super::{Unpacker, push_listed, push_number};

/// Packs edges that are sorted and without duplicates: for each kind its index in [`EdgeKind::ALL`], the length of what follows, and
/// the pairs of a chunk and a target.
pub(crate) fn pack_edges(edges: &[&Edge]) -> Vec<u8> {
    let mut packed = Vec::new();
    for of_kind in edges.chunk_by(|left, right| left.kind == right.kind) {
        let kind = EdgeKind::ALL.iter().position(|known| *known == of_kind[0].kind);
        let pairs: Vec<(u32, &str)> = of_kind.iter().map(|edge| (edge.chunk, edge.target.as_str())).collect();
        let mut listed = Vec::new();
        push_listed(&mut listed, &pairs);
        push_number(&mut packed, kind.expect("the list has every kind"));
        push_number(&mut packed, listed.len());
        packed.extend_from_slice(&listed);
    }
    packed
}

/// Calls `visit` with the kind, the chunk and the target of each packed edge, sorted. `None` if the bytes are not a result of
/// [`pack_edges`]; it may then have been called with edges before the damage.
pub(crate) fn visit_edges(packed: &[u8], mut visit: impl FnMut(EdgeKind, u32, &str)) -> Option<()> {
    let mut packed = Unpacker(packed);
    while !packed.is_empty() {
        let kind = *EdgeKind::ALL.get(packed.number()?)?;
        let length = packed.number()?;
        let (listed, rest) = packed.0.split_at_checked(length)?;
        packed.0 = rest;
        for (chunk, target) in Unpacker(listed).read_list()? {
            visit(kind, chunk, &target);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn unpack(packed: &[u8]) -> Option<Vec<Edge>> {
        let mut edges = Vec::new();
        visit_edges(packed, |kind, chunk, target| edges.push(Edge { kind, chunk, target: target.to_owned() }))?;
        Some(edges)
    }

    proptest! {
        #[test]
        fn edges_round_trip(
            edges in proptest::collection::btree_set((select(&EdgeKind::ALL), 0..9_u32, "[a-cä/]{0,4}"), 0..40),
        ) {
            let mut edges: Vec<Edge> =
                edges.into_iter().map(|(kind, chunk, target)| Edge { kind, chunk, target }).collect();
            edges.sort_unstable();
            let borrowed: Vec<&Edge> = edges.iter().collect();
            prop_assert_eq!(unpack(&pack_edges(&borrowed)), Some(edges));
        }

        #[test]
        fn any_bytes_are_unpacked_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            unpack(&bytes);
        }
    }
}
