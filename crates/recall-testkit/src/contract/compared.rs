//! Points in memory. A condition is compared with each of them.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant::{UpdateMode, Value};
use tonic::Status;

use super::point::{Fields, Point, Prepared, Stored};
use super::state::{Nearest, Points};

/// The points of a collection, in the order of their identities.
#[derive(Default)]
pub(super) struct Compared(BTreeMap<String, Point>);

impl Compared {
    fn matching(&self, condition: &Prepared) -> impl Iterator<Item = (&String, &Point)> {
        self.0.iter().filter(|(id, point)| condition.is_satisfied(id, point))
    }
}

impl Points for Compared {
    fn write(
        &mut self,
        points: Vec<(String, Point)>,
        mode: UpdateMode,
        condition: Option<&Prepared>,
    ) -> Result<(), Status> {
        for (id, point) in points {
            let known = self.0.get(&id);
            let is_excluded =
                known.is_some_and(|known| condition.is_some_and(|condition| !condition.is_satisfied(&id, known)));
            let is_written = match mode {
                UpdateMode::Upsert => !is_excluded,
                UpdateMode::InsertOnly => known.is_none(),
                UpdateMode::UpdateOnly => known.is_some() && !is_excluded,
            };
            if is_written {
                self.0.insert(id, point);
            }
        }
        Ok(())
    }

    fn set(&mut self, fields: &HashMap<String, Value>, condition: &Prepared) -> Result<(), Status> {
        for (_, point) in self.0.iter_mut().filter(|(id, point)| condition.is_satisfied(id, point)) {
            point.fields.extend(fields.clone());
        }
        Ok(())
    }

    fn delete(&mut self, condition: &Prepared) -> Result<(), Status> {
        self.0.retain(|id, point| !condition.is_satisfied(id, point));
        Ok(())
    }

    fn page(
        &mut self,
        condition: &Prepared,
        start: Option<&str>,
        most: usize,
    ) -> Result<Vec<(String, Fields)>, Status> {
        let matching = self.matching(condition).filter(|(id, _)| start.is_none_or(|start| id.as_str() >= start));
        Ok(matching.take(most).map(|(id, point)| (id.clone(), point.fields.clone())).collect())
    }

    fn count(&mut self, condition: &Prepared) -> Result<u64, Status> {
        Ok(self.matching(condition).count() as u64)
    }

    fn best(&mut self, nearest: &Nearest, condition: &Prepared) -> Result<Vec<(String, f32)>, Status> {
        let matching = self.matching(condition);
        let scored = matching.filter_map(|(id, point)| {
            let score = score(&nearest.vector, point.vectors.get(&nearest.name)?)?;
            Some((id.clone(), score))
        });
        let mut scored: Vec<(String, f32)> = scored.collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        scored.truncate(nearest.most);
        Ok(scored)
    }
}

/// The cosine, or the dot product of sparse vectors; `None` for sparse vectors that have no index in common.
fn score(wanted: &Stored, known: &Stored) -> Option<f32> {
    match (wanted, known) {
        (Stored::Dense(wanted), Stored::Dense(known)) => {
            let (wanted, known) = (normalise(wanted), normalise(known));
            Some(wanted.iter().zip(known).map(|(a, b)| a * b).sum())
        }
        (Stored::Sparse(wanted), Stored::Sparse(known)) => {
            let products = wanted.iter().filter_map(|(index, weight)| Some(weight * known.get(index)?));
            products.reduce(|sum, product| sum + product)
        }
        _ => None,
    }
}

fn normalise(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length == 0.0 { vector.to_vec() } else { vector.iter().map(|component| component / length).collect() }
}
