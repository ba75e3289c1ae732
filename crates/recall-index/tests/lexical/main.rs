//! Tests of the lexical index through its public interface.

mod damage;
mod filters;
mod fixture;
mod laws;
mod lifecycle;
mod names;
mod neighbours;
mod oracle;
mod portable;
mod scripts;
mod whole;
