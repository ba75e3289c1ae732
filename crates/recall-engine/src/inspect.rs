//! Inspection of stores: items, lists, status and checks.

mod compact;
mod doctor;
mod get;
mod kept;
mod list;
mod published;
mod status;

pub use compact::CompactReport;
pub use doctor::{DoctorReport, DoctorRequest, Mend, SecretScan};
pub use get::{Item, ItemRequest, Parent};
pub use kept::KeptStore;
pub use list::{ListRequest, Listed, Listing, Said};
pub use status::{FailureEntry, FailureEntryKind, FileCounts, Status, StoreStatus};
