//! How many secrets are masked, how much else, and what holds of every text?

mod forms;
mod laws;
mod lookalikes;
mod samples;
mod shapes;
mod work;
