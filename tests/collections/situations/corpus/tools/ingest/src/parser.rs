use anyhow::{bail, Result};
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub tracking_no: String,
    pub kind: String,
    pub at: String,
}

pub struct CarrierFileReader {
    lines: std::vec::IntoIter<String>,
}

impl CarrierFileReader {
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path)?;
        let (text, _, _) = encoding_rs::WINDOWS_1252.decode(&bytes);
        let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        Ok(Self { lines: lines.into_iter() })
    }
}

impl Iterator for CarrierFileReader {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lines.next().map(|l| parse_line(&l))
    }
}

pub fn parse_line(line: &str) -> Result<Row> {
    let f: Vec<&str> = line.split(';').collect();
    if f.len() != 3 {
        bail!("expected 3 fields, got {}", f.len());
    }
    Ok(Row { tracking_no: f[0].into(), kind: f[1].into(), at: f[2].into() })
}
