//! Tests of the program through its interface for clients: JSON lines over standard input and output.

mod batches;
mod daemon_missing;
mod end_of_input;
mod hostile_input;
mod legacy;
mod modern;
mod options;
mod session;
mod skills;
