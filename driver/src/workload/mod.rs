//! *What* to play: the plan, the session made from it, feeds, templates, and what a user checks and captures.

pub mod alias;
pub mod authentication;
pub mod capture;
pub mod draw;
pub mod encoding;
pub mod error;
pub mod expectation;
pub mod feed;
pub mod json_pointer;
pub mod lines;
pub mod load;
pub mod marker;
pub mod outcome;
pub mod page_objects;
pub mod part;
pub mod payload;
pub mod plan;
pub mod quantity;
pub mod script;
pub mod sequence;
pub mod session;
pub mod step;
pub mod target_lists;
pub mod template;
pub mod think;
pub mod transport;
pub mod validation;
pub mod variables;

pub use error::PlanError;
pub use load::Load;
pub use plan::Plan;
pub use session::Session;
pub use step::Step;
pub use transport::Transport;
pub use validation::Validation;
