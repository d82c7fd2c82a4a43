//! *When* to send: the clock, deadlines, the timetable of the phases, and what ends a run early.

pub mod alarms;
pub mod arrivals;
pub mod attendance;
pub mod clock;
pub mod deadlines;
pub mod lease;
pub mod rounding;
pub mod slices;
pub mod start;
pub mod stop;
pub mod timetable;
pub mod wall_clock;

pub use alarms::{Alarm, Alarms, Wake};
pub use arrivals::Arrivals;
pub use clock::{Clock, LoopClock, Moment};
pub use deadlines::WakeUps;
pub use rounding::Rounding;
pub use slices::{Gate, Slice, SliceCommand};
pub use start::Start;
pub use stop::{StopReason, StopSwitch};
pub use timetable::{Interval, Phase, Timetable};
pub use wall_clock::WallClock;
