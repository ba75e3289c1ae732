//! How good are the answers, and on which questions is that known?
//!
//! [`mine`] makes questions with known answers out of a git repository's own history, and puts the tree of any of its
//! commits into a folder.
//!
//! Knows no engine and no daemon: whoever measures asks them, and brings the answers here.

pub mod mine;
