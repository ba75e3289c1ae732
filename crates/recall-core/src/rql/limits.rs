//! The limits of a statement, with their reasons.

/// The longest text of a statement or a filter. The longest list of paths fits; a message may be larger.
pub const MOST_BYTES: usize = 1024 * 1024;

/// The deepest nesting of parentheses. Parsing, printing and evaluation recurse once a level.
pub const MOST_DEPTH: usize = 64;

/// The most values that a filter compares with: a list of ids that a script collected. Reading and binding so many takes 30 to 50
/// ms on a busy machine.
pub const MOST_TERMS: usize = 5000;

/// The most comparisons of a filter, after equalities of one field are combined. Each may be evaluated for each row, so a filter
/// of this size takes about 5 µs a row.
pub const MOST_COMPARISONS: usize = 256;

/// The longest text in `USING`, as in a search.
pub const MOST_QUERY_BYTES: usize = 10 * 1024;

/// The number of rows without `LIMIT`. All of them with their texts are about 200 KB.
pub const DEFAULT_ROWS: u32 = 100;

/// The greatest `LIMIT`. The texts of so many chunks are about 2 MB.
pub const MOST_ROWS: u32 = 1000;

/// The greatest `OFFSET`. Each page reads the rows before it again; a condition on the last path reads further.
pub const MOST_OFFSET: u32 = 100_000;
