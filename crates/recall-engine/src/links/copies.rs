//! Files that tools made from other files of the project: bundles of several files, and the JavaScript that a compiler wrote beside its
//! source (ADR 64).
//!
//! They are recognised by the names that they define. A bundle defines most names of its parts and few others. Files that define the
//! same names as each other, such as plugins, are not parts of a bundle. A name includes the types around it: a class that implements
//! an interface has other names than the interface. Texts are not compared, because bundlers remove comments and compilers remove
//! types.

use std::hash::{Hash, Hasher};

use recall_text::FileKind;
use rustc_hash::{FxHashMap, FxHasher};

use crate::links::path_text::last_component;
use crate::links::paths::Paths;

/// The least number of names in a bundle. Fewer may agree by chance.
const LEAST_NAMES: u32 = 8;
/// The least number of names in a part of a bundle.
const LEAST_NAMES_OF_PART: u32 = 2;
/// The least number of files in a bundle.
const LEAST_PARTS: u32 = 2;
/// The share of a part's names that its bundle defines. A bundler leaves out what nothing uses.
const PART_SHARE: f64 = 0.75;
/// The share of a bundle's names that its parts define.
const BUNDLE_SHARE: f64 = 0.7;
/// The greatest part of a bundle, as a share of the bundle's names. A larger file is another version of it.
const GREATEST_PART: f64 = 0.75;
/// The share of the parts' names that only one of them defines.
const OWN_SHARE: f64 = 0.8;
/// The greatest number of files that define a name that counts. A name of more files is one of a pattern.
const MOST_DEFINERS: usize = 8;
/// The share of a compiled file's names that its source defines.
const SOURCE_SHARE: f64 = 0.8;

/// The languages that are compiled to JavaScript, file for file.
const COMPILED_TO_JAVASCRIPT: &[&str] = &["typescript", "tsx"];
/// The endings of files that C and C++ include. A header declares what sources define, and is no bundle of them.
const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx"];

/// The definitions of a store's documents: hashes of their names.
#[derive(Default)]
pub(super) struct Defined(Vec<(u64, u32)>);

impl Defined {
    /// Adds a definition of a document by its qualified name.
    pub(super) fn add(&mut self, qualified: &str, document: u32) {
        let mut hasher = FxHasher::default();
        qualified.hash(&mut hasher);
        self.0.push((hasher.finish(), document));
    }

    /// Returns the documents that are bundles of others or compiled from one, ascending.
    pub(super) fn into_copies(mut self, paths: &Paths) -> Vec<u32> {
        self.0.retain(|&(_, document)| paths.place(document).file_kind == FileKind::Main);
        self.0.sort_unstable();
        self.0.dedup();
        let mut common = Common { paths, names: FxHashMap::default(), shared: FxHashMap::default() };
        for definers in self.by_name() {
            for &(_, document) in definers {
                *common.names.entry(document).or_default() += 1;
            }
            for_each_pair(definers, |pair| *common.shared.entry(pair).or_default() += 1);
        }
        let mut parts = FxHashMap::<u32, Parts>::default();
        for pair in common.shared.keys().filter(|pair| common.is_part(**pair)) {
            let of_bundle = parts.entry(pair.1).or_default();
            of_bundle.count += 1;
            of_bundle.names += common.shared[pair];
        }
        for definers in self.by_name() {
            let mut bundles = Vec::new();
            for_each_pair(definers, |pair| bundles.extend(common.is_part(pair).then_some(pair.1)));
            bundles.sort_unstable();
            bundles.dedup();
            for bundle in bundles {
                parts.entry(bundle).or_default().covered += 1;
            }
        }
        let bundles = parts.iter().filter(|(bundle, parts)| parts.are_whole(common.names[bundle]));
        let mut copies: Vec<u32> = bundles.map(|(&bundle, _)| bundle).collect();
        copies.extend(common.shared.keys().filter(|pair| common.is_source(**pair)).map(|&(_, compiled)| compiled));
        copies.sort_unstable();
        copies.dedup();
        copies
    }

    /// Returns the definitions of each name that counts.
    fn by_name(&self) -> impl Iterator<Item = &[(u64, u32)]> {
        self.0.chunk_by(|a, b| a.0 == b.0).filter(|definers| definers.len() <= MOST_DEFINERS)
    }
}

/// The names that documents have in common.
struct Common<'p> {
    paths: &'p Paths,
    /// The number of names of each document.
    names: FxHashMap<u32, u32>,
    /// The number of names that both documents of a pair define.
    shared: FxHashMap<(u32, u32), u32>,
}

impl Common<'_> {
    /// Whether the first document of a pair may be a part of the second one.
    fn is_part(&self, (part, bundle): (u32, u32)) -> bool {
        let (of_part, of_bundle) = (self.names[&part], self.names[&bundle]);
        let is_header = |document| has_header_name(self.paths.path(document));
        of_bundle >= LEAST_NAMES
            && of_part >= LEAST_NAMES_OF_PART
            && is_share(self.shared[&(part, bundle)], PART_SHARE, of_part)
            && f64::from(of_part) <= GREATEST_PART * f64::from(of_bundle)
            && self.paths.are_of_family(part, bundle)
            && is_header(part) == is_header(bundle)
    }

    /// Whether the second document of a pair is JavaScript that was compiled from the first one: it has the same name and defines the
    /// same.
    fn is_source(&self, (source, compiled): (u32, u32)) -> bool {
        let language = |document| self.paths.place(document).language.as_ref().map_or("", |language| language.as_str());
        language(compiled) == "javascript"
            && COMPILED_TO_JAVASCRIPT.contains(&language(source))
            && stem(self.paths.path(compiled)) == stem(self.paths.path(source))
            && is_share(self.shared[&(source, compiled)], SOURCE_SHARE, self.names[&compiled])
    }
}

/// What is known of a bundle's parts.
#[derive(Default)]
struct Parts {
    count: u32,
    /// The names that they share with the bundle; one that two parts define counts twice.
    names: u32,
    /// The names of the bundle that at least one part defines.
    covered: u32,
}

impl Parts {
    /// Whether a document with that many names consists of the parts.
    fn are_whole(&self, names: u32) -> bool {
        self.count >= LEAST_PARTS
            && is_share(self.covered, BUNDLE_SHARE, names)
            && is_share(self.covered, OWN_SHARE, self.names)
    }
}

/// Whether a part is at least a share of a whole.
fn is_share(part: u32, share: f64, whole: u32) -> bool {
    f64::from(part) >= share * f64::from(whole)
}

/// Calls `visit` with every ordered pair of different documents.
fn for_each_pair(definers: &[(u64, u32)], mut visit: impl FnMut((u32, u32))) {
    for &(_, one) in definers {
        for &(_, other) in definers.iter().filter(|(_, other)| *other != one) {
            visit((one, other));
        }
    }
}

/// Returns the file name up to the first dot.
fn stem(path: &str) -> &str {
    let name = last_component(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

fn has_header_name(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| HEADERS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::paths::places;

    /// Returns the paths of the copies among files with the names that each defines.
    fn copies<'a>(files: &[(&'a str, &[&str])]) -> Vec<&'a str> {
        let all: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        let paths = Paths::new(places(&all));
        let mut defined = Defined::default();
        for (document, (_, names)) in (0..).zip(files) {
            names.iter().for_each(|name| defined.add(name, document));
        }
        defined.into_copies(&paths).into_iter().map(|document| all[document as usize]).collect()
    }

    const READ: &[&str] = &["open", "Reader", "Reader::next", "Reader::close"];
    const WRITE: &[&str] = &["create", "Writer", "Writer::put", "Writer::flush"];
    const BOTH: &[&str] = &[
        "open",
        "Reader",
        "Reader::next",
        "Reader::close",
        "create",
        "Writer",
        "Writer::put",
        "Writer::flush",
        "__export",
    ];

    #[test]
    fn a_bundle_defines_what_its_parts_define() {
        let files = [("js/read.js", READ), ("js/write.js", WRITE), ("web/all.js", BOTH)];
        assert_eq!(copies(&files), ["web/all.js"]);
        // A second bundle is another version of the first one.
        let two = [("js/read.js", READ), ("js/write.js", WRITE), ("web/all.js", BOTH), ("web/all.mjs", BOTH)];
        assert_eq!(copies(&two), ["web/all.js", "web/all.mjs"]);
        // One file that holds all is not made of itself.
        assert_eq!(copies(&[("js/all.js", BOTH), ("web/all.js", BOTH)]), [""; 0]);
    }

    #[test]
    fn a_file_that_adds_much_is_no_bundle() {
        let mut more = BOTH.to_vec();
        more.extend(["parse", "Token", "Token::kind", "lex"]);
        let files: [(&str, &[&str]); 3] = [("read.js", READ), ("write.js", WRITE), ("app.js", &more)];
        assert_eq!(copies(&files), [""; 0]);
    }

    #[test]
    fn files_of_one_pattern_are_no_parts() {
        let handler: &[&str] = &["init", "call", "cast", "info", "stop"];
        let larger: &[&str] = &["init", "call", "cast", "info", "stop", "retry", "drain", "flush"];
        assert_eq!(copies(&[("a.erl", handler), ("b.erl", handler), ("c.erl", handler), ("d.erl", larger)]), [""; 0]);
    }

    #[test]
    fn a_class_is_no_copy_of_the_interfaces_that_it_implements() {
        let reads: &[&str] = &["Reads", "Reads::next", "Reads::close", "Reads::seek"];
        let writes: &[&str] = &["Writes", "Writes::put", "Writes::flush", "Writes::sync"];
        let file: &[&str] =
            &["File", "File::next", "File::close", "File::seek", "File::put", "File::flush", "File::sync", "File::new"];
        assert_eq!(copies(&[("Reads.java", reads), ("Writes.java", writes), ("File.java", file)]), [""; 0]);
    }

    #[test]
    fn a_header_is_no_copy_of_the_sources_that_it_declares() {
        let read: &[&str] = &["io_open", "io_next", "io_close", "io_seek"];
        let write: &[&str] = &["io_create", "io_put", "io_flush", "io_sync"];
        let both = [read, write].concat();
        assert_eq!(copies(&[("read.c", read), ("write.c", write), ("io.h", &both)]), [""; 0]);
        assert_eq!(copies(&[("read.h", read), ("write.h", write), ("io.c", &both)]), [""; 0]);
        assert_eq!(copies(&[("read.c", read), ("write.c", write), ("all/io.c", &both)]), ["all/io.c"]);
    }

    #[test]
    fn javascript_beside_its_source_is_compiled() {
        let files: [(&str, &[&str]); 4] = [
            ("src/store.ts", &["Store", "Store::get"]),
            ("lib/store.js", &["Store", "Store::get"]),
            ("src/other.js", &["Store", "Store::get"]),
            ("lib/cache.js", &["Cache"]),
        ];
        assert_eq!(copies(&files), ["lib/store.js"]);
    }
}
