//! How many secrets are masked, how much else, and what holds of every text?

mod forms;
mod generated;
mod laws;
mod lookalikes;
mod places;
mod samples;
mod shapes;
mod work;
