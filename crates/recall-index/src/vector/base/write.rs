//! Writing of a base, next to the one in use.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use recall_core::{ChunkRow, Generation};

use super::format::{BLOCK_BYTES, Head};
use crate::vector::graph::{Graph, PREFIX_BYTES};
use crate::vector::mapping::Mapping;
use crate::vector::slot_set::SlotSet;
use crate::vector::{Model, VectorWriteError, folder, record};

/// The contents of a base to write.
pub(crate) struct BaseParts<'a> {
    pub(crate) model: Model,
    pub(crate) generation: Generation,
    /// The chunk of each slot.
    pub(crate) rows: &'a [ChunkRow],
    /// The slots whose chunks were removed or have a newer embedding. The graph still contains them.
    pub(crate) dead: &'a SlotSet,
    pub(crate) content: Content<'a>,
}

/// The records of a base.
pub(crate) enum Content<'a> {
    /// Records without a graph.
    Records(&'a [u8]),
    /// A graph, which contains the records.
    Graph(&'a Graph),
}

/// Writes a base under a temporary name, syncs it to disk and renames it.
pub(crate) fn write(path: &Path, parts: &BaseParts<'_>) -> Result<(), VectorWriteError> {
    let BaseParts { model, generation, rows, dead, content } = parts;
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
            in_file = save(graph, path)?;
            &in_file
        }
    };
    let records_end = PREFIX_BYTES + rows.len() * record::stride(model.dimensions);
    let mut tables: Vec<u8> = rows.iter().flat_map(|row| row.0.to_le_bytes()).collect();
    tables.extend(dead.to_bytes(rows.len()));
    tables.extend(content.chunks(BLOCK_BYTES).flat_map(|block| crc32fast::hash(block).to_le_bytes()));
    // Scans address records by offset. usearch does not document its layout, so check it here.
    debug_assert!(content[..PREFIX_BYTES] == prefix(rows.len(), model.dimensions));
    let head = Head {
        model: *model,
        generation: *generation,
        slots: rows.len(),
        dead: dead.len(),
        graph_bytes: content.len() - records_end,
        tables_checksum: crc32fast::hash(&tables),
    };
    folder::replace(path, |file| write_file(file, &head, &tables, content))
        .map_err(|error| VectorWriteError::io(path, error))
}

/// Saves a graph to a temporary file next to the base and maps it.
fn save(graph: &Graph, base: &Path) -> Result<Mapping, VectorWriteError> {
    let path = folder::temporary(base, "graph").map_err(|error| VectorWriteError::io(base, error))?;
    let mapped = (|| {
        // Created here, so that only the owner can read it.
        let file = folder::create(&path).map_err(|error| VectorWriteError::io(&path, error))?;
        graph.save(&path)?;
        Mapping::new(&file).map_err(|error| VectorWriteError::io(&path, error))
    })();
    // The mapping stays valid until it is unmapped. If the system cannot delete a mapped file, the next opening does.
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

/// The start of usearch's format: the number of records and their stride.
fn prefix(records: usize, dimensions: usize) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&(records as u32).to_le_bytes());
    prefix[4..].copy_from_slice(&(record::stride(dimensions) as u32).to_le_bytes());
    prefix
}
