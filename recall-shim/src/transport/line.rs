//! The lines of an input, up to a length.

use rmcp::model::RequestId;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use super::id_scan::IdScan;

/// The lines of an input.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    limit_bytes: usize,
    /// The line that is being read, or was returned last.
    bytes: Vec<u8>,
    is_whole: bool,
    /// The search for the id in a line that is too long, whose bytes are not kept.
    scan: Option<IdScan>,
}

/// A line.
pub(super) enum Line<'l> {
    /// Its bytes, without the line end.
    Whole(&'l [u8]),
    /// It is longer than the limit.
    TooLong { id: Option<RequestId>, limit_bytes: usize },
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, limit_bytes: usize) -> Self {
        Self { input: BufReader::new(input), limit_bytes, bytes: Vec::new(), is_whole: false, scan: None }
    }

    /// Returns the next line; `None` at the end of the input, also within a line, and if the input cannot be read. If the future is
    /// dropped, the next call goes on where it was.
    pub(super) async fn next(&mut self) -> Option<Line<'_>> {
        if std::mem::take(&mut self.is_whole) {
            self.bytes.clear();
        }
        loop {
            let available = self.input.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let read = end.map_or(available.len(), |end| end + 1);
            if self.scan.is_none() && self.bytes.len() + part.len() > self.limit_bytes {
                let mut scan = IdScan::default();
                scan.feed(&self.bytes);
                // Gives the memory back too.
                self.bytes = Vec::new();
                self.scan = Some(scan);
            }
            match &mut self.scan {
                Some(scan) => scan.feed(part),
                None => self.bytes.extend_from_slice(part),
            }
            self.input.consume(read);
            if end.is_some() {
                if let Some(scan) = self.scan.take() {
                    return Some(Line::TooLong { id: scan.id(), limit_bytes: self.limit_bytes });
                }
                self.is_whole = true;
                return Some(Line::Whole(&self.bytes));
            }
        }
    }
}
