//! Packed chunks: consecutive chunks of a document.

use std::ops::ControlFlow;

use recall_core::{ByteSpan, Chunk, ChunkKind, Span};

use super::{LastName, join, push_number, push_step, split};

/// A packed chunk. Its ordinal follows from its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedChunk<'a> {
    pub(crate) kind: ChunkKind,
    pub(crate) span: Span,
    pub(crate) tokens: u32,
    pub(crate) symbol: Option<&'a str>,
    pub(crate) signature: Option<&'a str>,
    pub(crate) doc_comment: Option<ByteSpan>,
}

impl<'a> From<&'a Chunk> for PackedChunk<'a> {
    fn from(chunk: &'a Chunk) -> Self {
        let Chunk { ordinal: _, kind, span, symbol, signature, doc_comment, tokens } = chunk;
        let (symbol, signature) = (symbol.as_deref(), signature.as_deref());
        Self { kind: *kind, span: *span, tokens: *tokens, symbol, signature, doc_comment: *doc_comment }
    }
}

impl PackedChunk<'_> {
    pub(crate) fn to_chunk(self, ordinal: u32) -> Chunk {
        let Self { kind, span, tokens, symbol, signature, doc_comment } = self;
        let (symbol, signature) = (symbol.map(str::to_owned), signature.map(str::to_owned));
        Chunk { ordinal, kind, span, symbol, signature, doc_comment, tokens }
    }
}

/// Packs chunks in order, without their ordinals.
///
/// A kind is its index in [`ChunkKind::ALL`]. A chunk starts near the end of the previous one. The parts of a definition have its
/// symbol path and its signature, and the members of a definition begin with its symbol path.
pub(crate) fn pack_chunks(chunks: &[Chunk]) -> Vec<u8> {
    let (mut numbers, mut names) = (Vec::new(), Vec::new());
    let (mut last_symbol, mut last_signature) = (LastName::default(), LastName::default());
    let (mut last_byte, mut last_line) = (0, 0);
    push_number(&mut numbers, chunks.len());
    for Chunk { ordinal: _, kind, span, symbol, signature, doc_comment, tokens } in chunks {
        let kind = ChunkKind::ALL.iter().position(|known| known == kind);
        push_number(&mut numbers, kind.expect("the list has every kind"));
        push_step(&mut numbers, last_byte, span.bytes.start);
        push_step(&mut numbers, span.bytes.start, span.bytes.end);
        push_step(&mut numbers, last_line, span.start_line);
        push_step(&mut numbers, span.start_line, span.end_line);
        push_number(&mut numbers, *tokens as usize);
        push_number(&mut numbers, usize::from(doc_comment.is_some()));
        if let Some(doc_comment) = doc_comment {
            push_step(&mut numbers, span.bytes.start, doc_comment.start);
            push_step(&mut numbers, doc_comment.start, doc_comment.end);
        }
        (last_byte, last_line) = (span.bytes.end, span.end_line);
        last_symbol.push(&mut names, symbol.as_deref());
        last_signature.push(&mut names, signature.as_deref());
    }
    join(&numbers, &names)
}

/// Unpacks all chunks. The ordinals count from `first`. `None` if the bytes are not a result of [`pack_chunks`].
pub(crate) fn unpack_chunks(packed: &[u8], first: u32) -> Option<Vec<Chunk>> {
    let mut chunks = Vec::new();
    visit_chunks(packed, |chunk| {
        chunks.push(chunk.to_chunk(first + chunks.len() as u32));
        ControlFlow::Continue(())
    })?;
    Some(chunks)
}

/// Calls `visit` with each packed chunk in order, until it returns `Break`. `None` if the bytes are not a result of [`pack_chunks`].
pub(crate) fn visit_chunks(packed: &[u8], mut visit: impl FnMut(PackedChunk<'_>) -> ControlFlow<()>) -> Option<()> {
    let (mut numbers, mut names) = split(packed)?;
    let (mut last_symbol, mut last_signature) = (LastName::default(), LastName::default());
    let (mut last_byte, mut last_line) = (0, 0);
    for _ in 0..numbers.count()? {
        let kind = *ChunkKind::ALL.get(numbers.number()?)?;
        let start = numbers.step(last_byte)?;
        let end = numbers.step(start)?;
        let start_line = numbers.step(last_line)?;
        let end_line = numbers.step(start_line)?;
        let tokens = u32::try_from(numbers.number()?).ok()?;
        let doc_comment = match numbers.number()? {
            0 => None,
            1 => {
                let start = numbers.step(start)?;
                Some(ByteSpan { start, end: numbers.step(start)? })
            }
            _ => return None,
        };
        (last_byte, last_line) = (end, end_line);
        let symbol = last_symbol.read(&mut names)?.then_some(&*last_symbol.0);
        let signature = last_signature.read(&mut names)?.then_some(&*last_signature.0);
        let span = Span { bytes: ByteSpan { start, end }, start_line, end_line };
        if visit(PackedChunk { kind, span, tokens, symbol, signature, doc_comment }).is_break() {
            return Some(());
        }
    }
    (numbers.is_empty() && names.is_empty()).then_some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn any_chunk() -> impl Strategy<Value = Chunk> {
        let names = (proptest::option::of("[a-cä]{0,4}"), proptest::option::of("[a-cä]{0,4}"));
        (select(&ChunkKind::ALL), any::<[u32; 5]>(), names, proptest::option::of(any::<[u32; 2]>())).prop_map(
            |(kind, [start, end, start_line, end_line, tokens], (symbol, signature), comment)| Chunk {
                ordinal: 0,
                kind,
                span: Span { bytes: ByteSpan { start, end }, start_line, end_line },
                symbol,
                signature,
                doc_comment: comment.map(|[start, end]| ByteSpan { start, end }),
                tokens,
            },
        )
    }

    #[test]
    fn a_further_part_of_a_definition_takes_few_bytes() {
        let part = |start: u32| Chunk {
            ordinal: 0,
            kind: ChunkKind::Part,
            span: Span {
                bytes: ByteSpan { start, end: start + 900 },
                start_line: start / 30,
                end_line: start / 30 + 29,
            },
            symbol: Some("impl Store > fn open".to_owned()),
            signature: Some("pub fn open(path: &Path) -> Result<Self, OpenError>".to_owned()),
            doc_comment: None,
            tokens: 200,
        };
        let (one, two) = (pack_chunks(&[part(0)]), pack_chunks(&[part(0), part(900)]));
        assert!(two.len() <= one.len() + 12, "{} and {} bytes", one.len(), two.len());
    }

    proptest! {
        #[test]
        fn chunks_round_trip(mut chunks in proptest::collection::vec(any_chunk(), 0..20)) {
            for (ordinal, chunk) in (7..).zip(&mut chunks) {
                chunk.ordinal = ordinal;
            }
            prop_assert_eq!(unpack_chunks(&pack_chunks(&chunks), 7), Some(chunks));
        }

        #[test]
        fn any_bytes_are_unpacked_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            unpack_chunks(&bytes, 0);
        }
    }
}
