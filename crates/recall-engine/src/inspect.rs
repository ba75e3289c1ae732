//! Inspection of stores: items, lists, status and checks.

mod doctor;
mod get;
mod list;
mod status;

pub use doctor::{DoctorReport, DoctorRequest, Mend, SecretScan};
pub use get::{Item, ItemRequest, Parent};
pub use list::{ListRequest, Listed, Listing, Said};
pub use status::{FailureEntry, Status, StoreStatus};
