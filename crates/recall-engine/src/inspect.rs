//! Inspection of stores: items, lists, status and checks.

mod abbreviated;
mod doctor;
mod get;
mod history;
mod kept;
mod layout;
mod list;
mod named_by_end;
mod status;

pub use abbreviated::{Abbreviated, NamesRequest};
pub use doctor::{DoctorReport, DoctorRequest, Fix, SecretScan};
pub use get::{CitedItem, Item, ItemRequest, Parent};
pub use history::{History, HistoryRequest, RecordStatus};
pub use kept::{CompactReport, KeptStore};
pub use layout::{FolderImports, HotFile, LayoutFolder, LayoutRequest, ProjectLayout};
pub use list::{ListRequest, Listed, Listing, Said, StaleReason};
pub use status::{FailureEntry, FailureEntryKind, FileCounts, HistoryStatus, Status, StoreStatus};

pub(crate) use history::find_document;
