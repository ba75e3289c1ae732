//! Functions of Windows that neither the standard library nor a well-kept crate offers without `unsafe`. On other systems the crate is
//! empty.

#[cfg(windows)]
mod inheritance;

#[cfg(windows)]
pub use inheritance::keep_standard_handles;
