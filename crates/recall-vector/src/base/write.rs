//! A base is written beside the one that is in use.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use recall_core::{ChunkRow, Generation};

use super::format::{BLOCK_BYTES, Head};
use crate::graph::{Graph, PREFIX_BYTES};
use crate::mapping::Mapping;
use crate::slots::Slots;
use crate::{Model, WriteError, folder, record};

/// What a base is made of.
pub(crate) struct Ingredients<'a> {
    pub(crate) model: Model,
    pub(crate) generation: Generation,
    /// The chunk of each slot.
    pub(crate) rows: &'a [ChunkRow],
    /// The slots whose chunks are gone or have a newer embedding; the graph still walks over them.
    pub(crate) dead: &'a Slots,
    pub(crate) content: Content<'a>,
}

/// The records of a base.
pub(crate) enum Content<'a> {
    /// Without a graph.
    Records(&'a [u8]),
    /// What a graph holds.
    Graph(&'a Graph),
}

/// Writes a base under a temporary name, waits until it is on disk, and gives it its name.
pub(crate) fn write(path: &Path, ingredients: &Ingredients<'_>) -> Result<(), WriteError> {
    let Ingredients { model, generation, rows, dead, content } = ingredients;
    let (in_memory, in_file);
    let content: &[u8] = match content {
        Content::Records(records) => {
            let mut bytes = Vec::with_capacity(PREFIX_BYTES + records.len());
            bytes.extend(prefix(rows.len(), model.dimensions));
            bytes.extend_from_slice(records);
            in_memory = bytes;
            &in_memory
        }
        Content::Graph(graph) => {
            in_file = saved(graph, path)?;
            &in_file
        }
    };
    let records_end = PREFIX_BYTES + rows.len() * record::stride(model.dimensions);
    let mut tables: Vec<u8> = rows.iter().flat_map(|row| row.0.to_le_bytes()).collect();
    tables.extend(dead.to_bytes(rows.len()));
    tables.extend(content.chunks(BLOCK_BYTES).flat_map(|block| crc32fast::hash(block).to_le_bytes()));
    // Scans read the records where the library put them, by place; it is told where that is by nobody.
    debug_assert!(content[..PREFIX_BYTES] == prefix(rows.len(), model.dimensions));
    let head = Head {
        model: *model,
        generation: *generation,
        slots: rows.len(),
        dead: dead.len(),
        graph_bytes: content.len() - records_end,
        tables_checksum: crc32fast::hash(&tables),
    };
    folder::replace(path, |file| write_file(file, &head, &tables, content)).map_err(|error| WriteError::io(path, error))
}

/// Has a graph written beside the base that it shall become a part of, and maps it.
fn saved(graph: &Graph, base: &Path) -> Result<Mapping, WriteError> {
    let path = folder::temporary(base, "graph").map_err(|error| WriteError::io(base, error))?;
    let mapped = (|| {
        // Made here, so that its owner alone can read it.
        let file = folder::create(&path).map_err(|error| WriteError::io(&path, error))?;
        graph.save(&path)?;
        Mapping::of(&file).map_err(|error| WriteError::io(&path, error))
    })();
    // What is mapped stays until it is unmapped. Where that cannot be, the next opening sweeps it.
    folder::delete(&path);
    mapped
}

fn write_file(file: &File, head: &Head, tables: &[u8], content: &[u8]) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    writer.write_all(&head.to_bytes())?;
    writer.write_all(tables)?;
    let gap = head.content_at() - super::format::HEAD_BYTES - tables.len();
    writer.write_all(&vec![0; gap])?;
    writer.write_all(content)?;
    writer.flush()?;
    file.sync_all()
}

/// What the graph library begins with: the number of the records and their stride.
fn prefix(records: usize, dimensions: usize) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&(records as u32).to_le_bytes());
    prefix[4..].copy_from_slice(&(record::stride(dimensions) as u32).to_le_bytes());
    prefix
}
