//! What answers say, as a text.

use std::fmt::Write as _;

use tonic::{Status, Streaming};

/// What an answer says.
pub(crate) fn reported<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(status) => format!("{status:?}"),
    }
}

/// All messages of a stream.
pub(crate) async fn all<T: std::fmt::Debug>(stream: Result<Streaming<T>, Status>) -> String {
    let mut stream = match stream {
        Ok(stream) => stream,
        Err(status) => return format!("{status:?}"),
    };
    let mut reported = String::new();
    loop {
        match stream.message().await {
            Ok(Some(message)) => writeln!(reported, "{message:?}").expect("a string takes everything"),
            Ok(None) => return reported,
            Err(status) => return reported + &format!("{status:?}"),
        }
    }
}
