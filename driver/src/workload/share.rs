//! The share of a load that this process runs: several drivers, on one machine or many, run one load together.
//!
//! Everything that is numbered in a plan keeps its number in the whole load: users, arrivals and visitors are dealt out to
//! the drivers in turn, and within a driver to its event loops. So each of them sends what it would send in one driver.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::PlanError;

/// Keys of a plan that may differ between drivers that share its load: each is about one process or one host.
const OWN_KEYS: [&str; 5] = ["share", "threads", "sources", "records", "clock_offset_ms"];

/// The text of a plan without what may differ between drivers that share its load; its keys are in one order. The same
/// text, with the same [contents of files](super::Session::contents), is the same load: where a file lies is each host's
/// own. Empty when `plan` is none.
#[must_use]
pub fn load_of(plan: &[u8]) -> String {
    let Ok(Value::Object(mut plan)) = serde_json::from_slice(plan) else { return String::new() };
    for key in OWN_KEYS {
        plan.remove(key);
    }
    let mut plan = Value::Object(plan);
    remove_paths(&mut plan);
    plan.to_string()
}

/// Removes the paths of files: each is the text of a key `file`.
fn remove_paths(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| key != "file" || !value.is_string());
            map.values_mut().for_each(remove_paths);
        }
        Value::Array(list) => list.iter_mut().for_each(remove_paths),
        _ => {}
    }
}

/// A driver's share of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Which share, from 0.
    pub index: usize,
    /// How many drivers there are.
    pub of: NonZeroUsize,
}

/// Every so many-th of what is numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The first.
    pub first: usize,
    /// From one to the next.
    pub every: NonZeroUsize,
}

impl Share {
    /// The whole load.
    pub const WHOLE: Self = Self { index: 0, of: NonZeroUsize::MIN };

    /// The share that a plan gives, if it gives one.
    ///
    /// # Errors
    /// When there is no such share.
    pub fn check(share: Option<Self>) -> Result<Self, PlanError> {
        match share {
            None => Ok(Self::WHOLE),
            Some(share) if share.index < share.of.get() => Ok(share),
            Some(share) => {
                let last = share.of.get() - 1;
                Err(PlanError::at("share.index", format!("{} is not a share from 0 to {last}", share.index)))
            }
        }
    }

    /// Whose turn it is in event loop number `event_loop` of so many `loops`: no other loop of any driver has the same.
    #[must_use]
    pub fn turn(self, event_loop: usize, loops: NonZeroUsize) -> Turn {
        let first = self.index.saturating_add(event_loop.saturating_mul(self.of.get()));
        Turn { first, every: self.of.saturating_mul(loops) }
    }

    /// How many of `all` that are numbered from 0 belong to this share.
    #[must_use]
    pub fn part_of(self, all: u64) -> u64 {
        all.saturating_sub(self.index as u64).div_ceil(self.of.get() as u64)
    }
}

impl Turn {
    /// The numbers below `end` whose turn it is.
    pub fn below(self, end: u64) -> impl Iterator<Item = u64> {
        (self.first as u64..end).step_by(self.every.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).expect("not zero")
    }

    #[test]
    fn every_number_belongs_to_one_event_loop_of_one_driver() {
        // Drivers may have different numbers of event loops.
        let of = number(3);
        let mut owners = vec![Vec::new(); 50];
        for (index, loops) in [1, 2, 5].map(number).into_iter().enumerate() {
            let share = Share { index, of };
            let mut own = 0;
            for event_loop in 0..loops.get() {
                for user in share.turn(event_loop, loops).below(50) {
                    owners[usize::try_from(user).expect("small")].push(index);
                    own += 1;
                }
            }
            assert_eq!(own, share.part_of(50));
        }
        for (user, owners) in owners.into_iter().enumerate() {
            assert_eq!(owners, [user % 3]);
        }
    }

    #[test]
    fn a_driver_alone_runs_everything() {
        assert_eq!(Share::check(None).expect("whole"), Share::WHOLE);
        assert_eq!(Share::WHOLE.part_of(7), 7);
        assert_eq!(Share::WHOLE.turn(1, number(2)).below(6).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(Share { index: 4, of: number(5) }.part_of(4), 0, "more drivers than users");
    }

    #[test]
    fn the_same_load_has_the_same_text_whatever_each_driver_has_for_itself() {
        let one = br#"{"name":"n","share":{"index":0,"of":2},"seed":1,"threads":2}"#;
        let other = br#"{"seed":1,"share":{"index":1,"of":2},"name":"n","sources":["127.0.0.1"]}"#;
        assert_eq!(load_of(one), load_of(other));
        assert_ne!(load_of(one), load_of(br#"{"name":"n","seed":2}"#));
        let [here, there] = ["/a", "/b"].map(|path| {
            load_of(format!(r#"{{"feeds":[{{"list":{{"file":"{path}","draw":"random"}}}}]}}"#).as_bytes())
        });
        assert_eq!(here, there);
        assert_ne!(here, load_of(br#"{"feeds":[{"list":{"draw":"sequence"}}]}"#));
    }

    #[test]
    fn a_share_that_does_not_exist_is_refused() {
        let error = Share::check(Some(Share { index: 2, of: number(2) })).expect_err("0 and 1 exist");
        assert_eq!(error.to_string(), "share.index: 2 is not a share from 0 to 1");
    }
}
