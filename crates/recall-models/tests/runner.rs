//! The tests of models that need no runtime.

mod golden;
mod install;
mod runtime;
