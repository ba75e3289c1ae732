//! The documents, chunks and memories of a store that pass a filter.
//!
//! The catalog evaluates what it can with bound values, so that few documents and chunks are read. The whole filter is then
//! evaluated on what was read, after masking, except for conditions on fields that are never masked: no filter can ask for a
//! secret that an answer would not show.
//!
//! A condition of the catalog may admit too much, never too little. Begin with `narrow`, then `select`.

mod narrow;
mod path_filters;
mod period;
mod published;
mod row;
mod select;

pub use narrow::{ConditionPlan, Evaluated};
pub(crate) use path_filters::{OutsidePaths, PathFilters};
pub(crate) use period::{Period, PeriodLimit, undated_warning};
pub(crate) use published::{narrow_published, passing_chunks, reads_texts};
pub(crate) use row::MatchRow;
pub(crate) use select::Matching;
pub use select::{ReadCounts, StorePlan};
