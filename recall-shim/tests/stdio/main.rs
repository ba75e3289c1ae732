//! The program, spoken to as clients do: JSON lines over its standard input and output.

mod daemon_missing;
mod end_of_input;
mod hostile_input;
mod legacy;
mod modern;
mod options;
mod session;
