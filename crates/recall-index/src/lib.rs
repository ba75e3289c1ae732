//! Storage of a project's texts, and three ways to find them: [`catalog`], [`lexical`] and [`vector`].
//!
//! The catalog is the truth: documents, chunks, symbols, edges and texts in one SQLite file. The lexical index leads from words, names
//! and paths to its chunks, the vector index from an embedding to the nearest ones. Both are derived from the catalog, carry its
//! generation, and are rebuilt from it; they know neither it nor each other. What combines them is the engine.
//!
//! Each module isolates one library and has its own errors, since each index is opened, damaged and repaired by itself.

pub mod catalog;
pub mod lexical;
pub mod vector;
