//! How is a secret kept from being told?
//!
//! What is indexed is what stands in the files, so that a changed file is known by its text. What leaves the engine of it is
//! masked: only what is shown, some kilobytes, which the three letters of the masker's keywords pass at memory speed. A mask
//! keeps the line breaks, so that every line keeps its number.

use std::borrow::Cow;
use std::sync::LazyLock;

use recall_core::{Document, Symbol};
use recall_secrets::{Masker, Settings};

use crate::answer::{Facet, Hit};
use crate::get::Item;
use crate::graph::{GraphNode, NodeThing};

/// One for the process: a pattern is compiled when it is first needed, and stays.
pub(crate) static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));

/// Whether anything was masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masked {
    /// Nothing: there was no secret.
    No,
    /// Something.
    Yes,
}

impl Masked {
    fn or(self, other: Self) -> Self {
        if other == Self::Yes { other } else { self }
    }

    fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::No, Self::or)
    }
}

/// Masks the secrets in a text.
pub(crate) fn text(text: &mut String) -> Masked {
    match MASKER.mask(text) {
        Cow::Borrowed(_) => Masked::No,
        Cow::Owned(masked) => {
            *text = masked;
            Masked::Yes
        }
    }
}

fn some_text(part: &mut Option<String>) -> Masked {
    part.as_mut().map_or(Masked::No, text)
}

/// Masks what a document is called and labelled.
pub(crate) fn document(document: &mut Document) -> Masked {
    let labels = Masked::all(document.tags.iter_mut().map(text));
    text(&mut document.title).or(labels).or(some_text(&mut document.source))
}

fn symbol(symbol: &mut Symbol) -> Masked {
    text(&mut symbol.name).or(text(&mut symbol.qualified))
}

/// Masks all of a hit that comes out of its file. Highlights have to be looked for behind it.
pub(crate) fn hit(hit: &mut Hit) -> Masked {
    let parents =
        Masked::all(hit.parents.iter_mut().map(|parent| text(&mut parent.name).or(some_text(&mut parent.signature))));
    let chunk = some_text(&mut hit.chunk.symbol).or(some_text(&mut hit.chunk.signature));
    text(&mut hit.text).or(document(&mut hit.document)).or(chunk).or(parents)
}

/// Masks all of an item that comes out of its file.
pub(crate) fn item(item: &mut Item) -> Masked {
    let chunk = item
        .chunk
        .as_mut()
        .map_or(Masked::No, |(_, chunk)| some_text(&mut chunk.symbol).or(some_text(&mut chunk.signature)));
    let symbols = Masked::all(item.symbols.iter_mut().map(symbol));
    let texts = text(&mut item.text).or(some_text(&mut item.parent_text));
    texts.or(document(&mut item.document)).or(chunk).or(symbols)
}

/// A node of a graph, masked where it is called by a secret.
pub(crate) fn node(mut node: GraphNode) -> GraphNode {
    match &mut node.thing {
        NodeThing::Document(known) => document(known),
        NodeThing::Symbol { document: known, symbol: named } => document(known).or(symbol(named)),
        NodeThing::External { target } => text(target),
    };
    node
}

/// A name, masked.
pub(crate) fn name(mut name: String) -> String {
    text(&mut name);
    name
}

/// Masks the values of a facet.
pub(crate) fn facet(facet: &mut Facet) {
    for (value, _) in &mut facet.counts {
        text(value);
    }
}
