//! Inspection of stores: items, lists, status and checks.

mod abbreviated;
mod compact;
mod doctor;
mod get;
mod history;
mod kept;
mod list;
mod names;
mod published;
mod record;
mod stale;
mod status;

pub use abbreviated::Abbreviated;
pub use compact::CompactReport;
pub use doctor::{DoctorReport, DoctorRequest, Fix, SecretScan};
pub use get::{CitedItem, Item, ItemRequest, Parent};
pub use history::{History, HistoryRequest};
pub use kept::KeptStore;
pub use list::{ListRequest, Listed, Listing, Said};
pub use names::NamesRequest;
pub use record::RecordStatus;
pub use stale::StaleReason;
pub use status::{FailureEntry, FailureEntryKind, FileCounts, HistoryStatus, Status, StoreStatus};
