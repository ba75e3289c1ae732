//! Tests of masking: share of secrets that are masked, share of look-alikes that are, and properties of any text.

mod forms;
mod fresh;
mod generated;
mod laws;
mod lookalikes;
mod places;
mod samples;
mod shapes;
mod work;
