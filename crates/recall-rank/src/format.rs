//! The binary format of a ranker.
//!
//! All numbers are little-endian; `vN` is an unsigned LEB128 number.
//!
//! | part | form |
//! |---|---|
//! | magic, version | `RCLR`, u16 |
//! | features | v count, then each: v length, UTF-8 name, f32 gain |
//! | calibration | v count, then each: f32 score, f32 probability |
//! | trees | v count, then each: its nodes in pre-order |
//! | checksum | u32, CRC-32 of all bytes before it |
//!
//! A leaf is v 0, f32 value, v cover. A split is v 1 + 2 · feature + (1 if missing values go right), f32 threshold. In
//! pre-order no child positions are stored, so a cycle cannot be encoded.

use std::collections::HashSet;

use thiserror::Error;

use crate::ranker::{Calibration, Parts};
use crate::tree::{MAX_LEAVES, Node, Side, Tree};

const MAGIC: [u8; 4] = *b"RCLR";

/// Incremented with every change of the format.
const VERSION: u16 = 1;

const CHECKSUM_BYTES: usize = 4;

/// The bound on leaf values, which keeps the sum over any number of trees finite.
const MAX_VALUE: f32 = 1e30;

/// The feature and the missing side of a split must fit 16 bits.
const MAX_FEATURES: usize = 1 << 15;

/// The bytes are not a valid ranker.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// The bytes do not begin with the magic number.
    #[error("this is not a ranker: it does not begin with `RCLR`")]
    Magic,
    /// The bytes were written by another version.
    #[error("the ranker has format version {found}, expected {VERSION}")]
    Version {
        /// The version in the bytes.
        found: u16,
    },
    /// The bytes were changed or truncated.
    #[error("the ranker is damaged: its checksum is {found:08x}, that of its bytes is {computed:08x}")]
    Checksum {
        /// The stored checksum.
        found: u32,
        /// The computed checksum.
        computed: u32,
    },
    /// The bytes end before the ranker does.
    #[error("the ranker ends too early, at byte {at}")]
    Truncated {
        /// The offset at which more bytes were expected.
        at: usize,
    },
    /// The ranker ends before the bytes do.
    #[error("the ranker ends at byte {at}, but more follows")]
    Trailing {
        /// The offset of the first surplus byte.
        at: usize,
    },
    /// A number exceeds 32 bits, or is not encoded in its shortest form.
    #[error("the number at byte {at} is malformed")]
    Number {
        /// The offset of the number.
        at: usize,
    },
    /// There are no features, or too many.
    #[error("the ranker has {count} features, expected 1 to {MAX_FEATURES}")]
    FeatureCount {
        /// The stored number of features.
        count: usize,
    },
    /// A feature's name is not UTF-8, is empty, or occurs twice.
    #[error("the name of feature {feature} is malformed or a duplicate")]
    FeatureName {
        /// The index of the feature.
        feature: usize,
    },
    /// A feature's gain is negative or not finite.
    #[error("the gain of feature {feature} is not a finite number of at least 0")]
    Gain {
        /// The index of the feature.
        feature: usize,
    },
    /// The scores of the calibration do not increase, its probabilities decrease, or a value is out of bounds.
    #[error("the calibration is not an ascending table of probabilities")]
    Calibration,
    /// A tree has too many leaves.
    #[error("tree {tree} has more than {MAX_LEAVES} leaves")]
    Leaves {
        /// The index of the tree.
        tree: usize,
    },
    /// A split uses a feature that does not exist.
    #[error("tree {tree} splits on the unknown feature {feature}")]
    Feature {
        /// The index of the tree.
        tree: usize,
        /// The index of the feature.
        feature: usize,
    },
    /// A threshold is not finite, or a leaf's value is out of bounds.
    #[error("a threshold or value of tree {tree} is out of bounds")]
    Value {
        /// The index of the tree.
        tree: usize,
    },
    /// A leaf has no training rows.
    #[error("a leaf of tree {tree} has no cover")]
    Cover {
        /// The index of the tree.
        tree: usize,
    },
}

pub(crate) fn write(parts: &Parts) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    write_count(&mut bytes, parts.features.len());
    for (name, gain) in parts.features.iter().zip(&parts.gains) {
        write_count(&mut bytes, name.len());
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&gain.to_le_bytes());
    }
    write_count(&mut bytes, parts.calibration.points().len());
    for (score, probability) in parts.calibration.points() {
        bytes.extend_from_slice(&score.to_le_bytes());
        bytes.extend_from_slice(&probability.to_le_bytes());
    }
    write_count(&mut bytes, parts.trees.len());
    for node in parts.trees.iter().flat_map(Tree::nodes) {
        write_node(&mut bytes, node);
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn write_node(bytes: &mut Vec<u8>, node: &Node) {
    match *node {
        Node::Leaf { value, cover } => {
            write_number(bytes, 0);
            bytes.extend_from_slice(&value.to_le_bytes());
            write_number(bytes, cover);
        }
        Node::Split { feature, threshold, missing, .. } => {
            write_number(bytes, 1 + 2 * u32::from(feature) + u32::from(missing == Side::Right));
            bytes.extend_from_slice(&threshold.to_le_bytes());
        }
    }
}

fn write_count(bytes: &mut Vec<u8>, count: usize) {
    write_number(bytes, u32::try_from(count).expect("the parts of a ranker have fewer than 2³² entries"));
}

fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn read(bytes: &[u8]) -> Result<Parts, ReadError> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take().ok() != Some(MAGIC) {
        return Err(ReadError::Magic);
    }
    let found = u16::from_le_bytes(reader.take()?);
    if found != VERSION {
        return Err(ReadError::Version { found });
    }
    let end = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|end| *end >= reader.at);
    let end = end.ok_or(ReadError::Truncated { at: bytes.len() })?;
    let found = u32::from_le_bytes(Reader { bytes, at: end }.take()?);
    let computed = crc32fast::hash(&bytes[..end]);
    if found != computed {
        return Err(ReadError::Checksum { found, computed });
    }
    reader.bytes = &bytes[..end];
    let parts = reader.parts()?;
    if reader.at < end {
        return Err(ReadError::Trailing { at: reader.at });
    }
    Ok(parts)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn parts(&mut self) -> Result<Parts, ReadError> {
        let (features, gains) = self.features()?;
        let calibration = self.calibration()?;
        let trees =
            (0..self.number()? as usize).map(|tree| self.tree(tree, features.len())).collect::<Result<_, _>>()?;
        Ok(Parts { features, gains, trees, calibration })
    }

    fn features(&mut self) -> Result<(Vec<String>, Vec<f32>), ReadError> {
        let count = self.number()? as usize;
        if count == 0 || count > MAX_FEATURES {
            return Err(ReadError::FeatureCount { count });
        }
        let mut taken = HashSet::new();
        let (mut names, mut gains) = (Vec::new(), Vec::new());
        for feature in 0..count {
            let length = self.number()? as usize;
            let name = std::str::from_utf8(self.slice(length)?).map_err(|_| ReadError::FeatureName { feature })?;
            if name.is_empty() || !taken.insert(name.to_owned()) {
                return Err(ReadError::FeatureName { feature });
            }
            names.push(name.to_owned());
            let gain = self.float()?;
            if !gain.is_finite() || gain < 0.0 {
                return Err(ReadError::Gain { feature });
            }
            gains.push(gain);
        }
        Ok((names, gains))
    }

    fn calibration(&mut self) -> Result<Calibration, ReadError> {
        let count = self.number()?;
        let points = (0..count).map(|_| Ok((self.float()?, self.float()?))).collect::<Result<_, ReadError>>()?;
        Calibration::from_points(points).ok_or(ReadError::Calibration)
    }

    fn tree(&mut self, tree: usize, features: usize) -> Result<Tree, ReadError> {
        Tree::in_pre_order(|| self.node(tree, features))?.ok_or(ReadError::Leaves { tree })
    }

    fn node(&mut self, tree: usize, features: usize) -> Result<Node, ReadError> {
        let Some(split) = self.number()?.checked_sub(1) else {
            let value = self.float()?;
            if value.is_nan() || value.abs() > MAX_VALUE {
                return Err(ReadError::Value { tree });
            }
            let cover = self.number()?;
            return if cover > 0 { Ok(Node::Leaf { value, cover }) } else { Err(ReadError::Cover { tree }) };
        };
        let threshold = self.float()?;
        if !threshold.is_finite() {
            return Err(ReadError::Value { tree });
        }
        let missing = if split % 2 == 0 { Side::Left } else { Side::Right };
        let feature = (split / 2) as usize;
        match u16::try_from(feature) {
            Ok(feature) if usize::from(feature) < features => Ok(Node::Split { feature, threshold, missing, right: 0 }),
            _ => Err(ReadError::Feature { tree, feature }),
        }
    }

    fn number(&mut self) -> Result<u32, ReadError> {
        let at = self.at;
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.take()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let is_shortest = byte != 0 || shift == 0;
                return u32::try_from(number).ok().filter(|_| is_shortest).ok_or(ReadError::Number { at });
            }
        }
        Err(ReadError::Number { at })
    }

    fn float(&mut self) -> Result<f32, ReadError> {
        self.take().map(f32::from_le_bytes)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let slice = self.slice(N)?;
        Ok(slice.try_into().expect("the slice has the requested length"))
    }

    fn slice(&mut self, length: usize) -> Result<&[u8], ReadError> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(ReadError::Truncated { at: self.bytes.len() })?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }
}

#[cfg(test)]
mod tests;
