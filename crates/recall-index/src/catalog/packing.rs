//! A compact encoding of what a document contains: its chunks, symbols, edges and lists of names.
//!
//! Numbers are LEB128. A name is its length and its bytes. A list of names is its length and the names.
//!
//! Chunks, symbols and edges are only read together with others of their document. As rows of their own, with a key, the document
//! and a name of their kind in each, they would take three times the bytes (ADR 80).

mod chunks;
mod compressed;
mod edges;
mod symbols;

use memchr::memmem;
use recall_core::{ByteSpan, Edge};

pub(crate) use chunks::{PackedChunk, pack_chunks, unpack_chunks, visit_chunks};
pub(crate) use compressed::{compress, decompress};
pub(crate) use edges::{pack_edges, visit_edges};
pub(crate) use symbols::{PackedSymbol, pack_symbols, visit_symbols};

/// Packs names in order.
pub(crate) fn pack_names(names: &[String]) -> Vec<u8> {
    let mut packed = Vec::new();
    push_number(&mut packed, names.len());
    for name in names {
        push_name(&mut packed, name);
    }
    packed
}

/// Unpacks names. `None` if the bytes are not a result of [`pack_names`].
pub(crate) fn unpack_names(packed: &[u8]) -> Option<Vec<String>> {
    let mut packed = Unpacker(packed);
    let names = (0..packed.count()?).map(|_| packed.name().map(str::to_owned)).collect::<Option<_>>()?;
    packed.is_empty().then_some(names)
}

/// Packs the references of a document: pairs of a chunk's ordinal and a name, sorted and without duplicates.
///
/// `spans` are the spans of the chunks. A name is nearly always contained in its chunk's text and is then two numbers,
/// its position and its length. Other names are [listed](push_listed) after those, as are names qualified by a module,
/// because lookups omit the module.
pub(crate) fn pack_references(references: &[(u32, &str)], text: &str, spans: &[ByteSpan]) -> Vec<u8> {
    let (mut in_text, mut listed) = (Vec::new(), Vec::new());
    for &(chunk, name) in references {
        let span = spans.get(chunk as usize).filter(|_| Edge::split_qualifier(name).0.is_none());
        match span.and_then(|&span| place_of(name, text, span)) {
            Some(place) => in_text.push((chunk, place, name.len())),
            None => listed.push((chunk, name)),
        }
    }
    in_text.sort_unstable();
    let mut packed = Vec::new();
    push_number(&mut packed, in_text.chunk_by(|left, right| left.0 == right.0).count());
    let mut previous_chunk = 0;
    for mentions in in_text.chunk_by(|left, right| left.0 == right.0) {
        let chunk = mentions[0].0;
        push_number(&mut packed, (chunk - previous_chunk) as usize);
        push_number(&mut packed, mentions.len());
        previous_chunk = chunk;
        let mut previous_place = 0;
        for &(_, place, length) in mentions {
            push_number(&mut packed, place - previous_place);
            push_number(&mut packed, length);
            previous_place = place;
        }
    }
    push_listed(&mut packed, &listed);
    packed
}

/// Unpacks the pairs in order. `None` if the bytes are not a result of [`pack_references`] for this text.
pub(crate) fn unpack_references(packed: &[u8], text: &str) -> Option<Vec<(u32, String)>> {
    let mut references = Vec::new();
    visit_references(packed, text, |chunk, name| references.push((chunk, name.to_owned())))?;
    references.sort_unstable();
    Some(references)
}

/// Calls `visit` with each packed pair, in no particular order. `None` if it ended early because the bytes are not a
/// result of [`pack_references`] for this text.
pub(crate) fn visit_references(packed: &[u8], text: &str, mut visit: impl FnMut(u32, &str)) -> Option<()> {
    let mut packed = Unpacker(packed);
    let mut chunk = 0_u32;
    for _ in 0..packed.count()? {
        chunk = chunk.checked_add(u32::try_from(packed.number()?).ok()?)?;
        let mut place = 0_usize;
        for _ in 0..packed.count()? {
            place = place.checked_add(packed.number()?)?;
            let end = place.checked_add(packed.number()?)?;
            visit(chunk, text.get(place..end)?);
        }
    }
    for (chunk, name) in packed.read_list()? {
        visit(chunk, &name);
    }
    Some(())
}

/// A chunk that may refer to a name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameCandidate {
    /// Its ordinal in the document.
    pub(crate) chunk: u32,
    /// The module that the name is taken from, if known.
    pub(crate) module: Option<String>,
    /// The position in the text of a name of the same length. `None` if the name was already compared.
    pub(crate) place: Option<usize>,
}

/// The chunks that refer to a bare name of this length, with or without a module. `None` as in [`unpack_references`].
/// Listed names are compared here and returned without a position.
pub(crate) fn candidates_for(packed: &[u8], name: &str) -> Option<Vec<NameCandidate>> {
    let mut packed = Unpacker(packed);
    let mut found = Vec::new();
    let mut chunk = 0_u32;
    for _ in 0..packed.count()? {
        chunk = chunk.checked_add(u32::try_from(packed.number()?).ok()?)?;
        let mut place = 0_usize;
        for _ in 0..packed.count()? {
            place = place.checked_add(packed.number()?)?;
            if packed.number()? == name.len() {
                found.push(NameCandidate { chunk, module: None, place: Some(place) });
            }
        }
    }
    for (chunk, listed) in packed.read_list()? {
        let (module, bare) = Edge::split_qualifier(&listed);
        if bare == name {
            found.push(NameCandidate { chunk, module: module.map(str::to_owned), place: None });
        }
    }
    found.sort_unstable();
    Some(found)
}

/// The first position of a name in a span of a text.
fn place_of(name: &str, text: &str, span: ByteSpan) -> Option<usize> {
    let within = span.slice(text)?;
    Some(span.start as usize + memmem::find(within.as_bytes(), name.as_bytes())?)
}

/// Writes sorted pairs without duplicates, together with their names.
///
/// Each name is written once. The names come first, sorted: for each, the length of the prefix shared with the previous
/// name, then the rest. Then for each chunk: the difference to the previous chunk, the number of its names, and the
/// differences between their indexes in the list.
fn push_listed(packed: &mut Vec<u8>, references: &[(u32, &str)]) {
    let mut names: Vec<&str> = references.iter().map(|&(_, name)| name).collect();
    names.sort_unstable();
    names.dedup();
    push_number(packed, names.len());
    let mut previous = "";
    for &name in &names {
        let shared = common_prefix_bytes(previous, name);
        push_number(packed, shared);
        push_name(packed, &name[shared..]);
        previous = name;
    }
    let mut previous_chunk = 0;
    for mentions in references.chunk_by(|left, right| left.0 == right.0) {
        let chunk = mentions[0].0;
        push_number(packed, (chunk - previous_chunk) as usize);
        push_number(packed, mentions.len());
        previous_chunk = chunk;
        let mut previous_place = 0;
        for (_, name) in mentions {
            let place = names.binary_search(name).expect("the list has every name");
            push_number(packed, place - previous_place);
            previous_place = place;
        }
    }
}

/// The length of the common prefix of two names, in bytes of whole characters.
fn common_prefix_bytes(left: &str, right: &str) -> usize {
    let alike = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    right.floor_char_boundary(alike)
}

fn push_name(packed: &mut Vec<u8>, name: &str) {
    push_number(packed, name.len());
    packed.extend_from_slice(name.as_bytes());
}

fn push_number(packed: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

/// Writes the difference between two numbers, which is small in either direction.
fn push_step(packed: &mut Vec<u8>, from: u32, to: u32) {
    let step = to.wrapping_sub(from).cast_signed();
    push_number(packed, ((step << 1) ^ (step >> 31)).cast_unsigned() as usize);
}

/// Writes two lists of bytes, the first with its length. Names compress better if numbers do not separate them.
fn join(numbers: &[u8], names: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(3 + numbers.len() + names.len());
    push_number(&mut packed, numbers.len());
    packed.extend_from_slice(numbers);
    packed.extend_from_slice(names);
    packed
}

/// Reads the result of [`join`].
fn split(packed: &[u8]) -> Option<(Unpacker<'_>, Unpacker<'_>)> {
    let mut packed = Unpacker(packed);
    let numbers = packed.number()?;
    let (numbers, names) = packed.0.split_at_checked(numbers)?;
    Some((Unpacker(numbers), Unpacker(names)))
}

/// The name that was written or read last, of which the next one often repeats the beginning or all.
#[derive(Default)]
struct LastName(String);

impl LastName {
    /// Writes 0 for no name, 1 for the last one, else the length of the prefix shared with the last one, plus 2, and the rest.
    fn push(&mut self, packed: &mut Vec<u8>, name: Option<&str>) {
        let Some(name) = name else { return push_number(packed, 0) };
        if name == self.0 {
            return push_number(packed, 1);
        }
        let shared = common_prefix_bytes(&self.0, name);
        push_number(packed, 2 + shared);
        push_name(packed, &name[shared..]);
        name.clone_into(&mut self.0);
    }

    /// Reads what [`push`](Self::push) wrote: whether there is a name, which is then the last one.
    fn read(&mut self, packed: &mut Unpacker<'_>) -> Option<bool> {
        match packed.number()? {
            0 => return Some(false),
            1 => {}
            shared => {
                self.0.truncate(self.0.get(..shared - 2)?.len());
                self.0.push_str(packed.name()?);
            }
        }
        Some(true)
    }
}

/// The bytes that remain to be unpacked.
struct Unpacker<'a>(&'a [u8]);

impl<'a> Unpacker<'a> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..usize::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = usize::from(byte & 0x7F);
            number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of elements that follow, each at least one byte long.
    fn count(&mut self) -> Option<usize> {
        self.number().filter(|&count| count <= self.0.len())
    }

    /// The number after a step of [`push_step`].
    fn step(&mut self, from: u32) -> Option<u32> {
        let step = u32::try_from(self.number()?).ok()?;
        Some(from.wrapping_add((step >> 1) ^ (step & 1).wrapping_neg()))
    }

    /// The rest of the bytes, written by [`push_listed`].
    fn read_list(&mut self) -> Option<Vec<(u32, String)>> {
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.count()? {
            let shared = self.number()?;
            let mut name = match names.last() {
                Some(previous) => previous.get(..shared)?.to_owned(),
                None => String::new(),
            };
            name.push_str(self.name()?);
            names.push(name);
        }
        let mut references = Vec::new();
        let mut chunk = 0_u32;
        while !self.is_empty() {
            chunk = chunk.checked_add(u32::try_from(self.number()?).ok()?)?;
            let mut place = 0_usize;
            for _ in 0..self.count()? {
                place = place.checked_add(self.number()?)?;
                references.push((chunk, names.get(place)?.clone()));
            }
        }
        Some(references)
    }

    fn name(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        let (name, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(name).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::{ChunkKind, EdgeKind, SymbolKind};

    use super::*;

    #[test]
    fn the_order_of_kinds_is_part_of_the_format() {
        // A change needs another schema, or stored kinds would be read as others.
        let chunks: Vec<&str> = ChunkKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let symbols: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let edges: Vec<&str> = EdgeKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(chunks.join(" "), "function method type module group part section cell window");
        assert_eq!(
            symbols.join(" "),
            "function method class struct enum interface type module constant variable macro table key heading"
        );
        assert_eq!(edges.join(" "), "imports defines references relates_to supersedes");
    }

    #[test]
    fn a_name_in_its_chunks_text_takes_two_bytes() {
        let text = "fn open() { a_rather_long_name(another_rather_long_name) }";
        let span = ByteSpan { start: 0, end: text.len() as u32 };
        let one = pack_references(&[(0, "a_rather_long_name")], text, &[span]);
        let two = pack_references(&[(0, "a_rather_long_name"), (0, "another_rather_long_name")], text, &[span]);
        assert_eq!(two.len(), one.len() + 2);
    }

    #[test]
    fn a_name_outside_of_its_chunks_text_is_written_once() {
        let once = pack_references(&[(0, "a_rather_long_name")], "", &[]);
        let often = pack_references(
            &[(0, "a_rather_long_name"), (1, "a_rather_long_name"), (7, "a_rather_long_name")],
            "",
            &[],
        );
        assert_eq!(often.len(), once.len() + 2 * "dnp".len());
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let listed = [&[][..], &[1], &[0x80], &[0xFF; 12], &[1, 0, 2, 0xC3, 0x28], &[0, 0, 1, 0], &[200]];
        for invalid in listed.map(|listed| [&[0][..], listed].concat()) {
            assert_eq!(unpack_references(&invalid, "text"), None, "{invalid:?}");
        }
        for after_the_end in [[1, 0, 1, 2, 3, 0], [1, 0, 1, 9, 1, 0]] {
            assert_eq!(unpack_references(&after_the_end, "text"), None, "{after_the_end:?}");
        }
        assert_eq!(unpack_names(&[0, 7]), None, "bytes are left over");
    }

    proptest! {
        #[test]
        fn references_round_trip(
            pairs in proptest::collection::btree_set((0..9_u32, "([a-cä]\\.)?[a-cä]{0,3}"), 0..80),
            text in "[a-cä.]{0,40}",
            cuts in proptest::collection::vec(0..80_usize, 0..8),
        ) {
            let mut cuts: Vec<u32> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut) as u32).collect();
            cuts.sort_unstable();
            let spans: Vec<ByteSpan> =
                cuts.windows(2).map(|cut| ByteSpan { start: cut[0], end: cut[1] }).collect();
            let pairs: Vec<(u32, String)> = pairs.into_iter().collect();
            let borrowed: Vec<(u32, &str)> = pairs.iter().map(|(chunk, name)| (*chunk, name.as_str())).collect();
            let packed = pack_references(&borrowed, &text, &spans);
            for name in ["", "a", "bc", "ä"] {
                let found: Vec<(u32, Option<String>)> = candidates_for(&packed, name)
                    .expect("it was packed")
                    .into_iter()
                    .filter(|found| found.place.is_none_or(|place| text[place..].starts_with(name)))
                    .map(|found| (found.chunk, found.module))
                    .collect();
                let named = pairs.iter().map(|(chunk, target)| (*chunk, Edge::split_qualifier(target)));
                let named = named.filter(|(_, (_, bare))| *bare == name);
                let mut expected: Vec<(u32, Option<String>)> =
                    named.map(|(chunk, (module, _))| (chunk, module.map(str::to_owned))).collect();
                expected.sort_unstable();
                prop_assert_eq!(found, expected, "{}", name);
            }
            prop_assert_eq!(unpack_references(&packed, &text), Some(pairs));
        }

        #[test]
        fn names_round_trip(names in proptest::collection::vec("\\PC{0,8}", 0..20)) {
            prop_assert_eq!(unpack_names(&pack_names(&names)), Some(names));
        }

        #[test]
        fn any_bytes_are_unpacked_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            unpack_names(&bytes);
            unpack_references(&bytes, "some text");
            candidates_for(&bytes, "text");
        }
    }
}
