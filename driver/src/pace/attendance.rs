//! When the users of the closed model come and go.

use std::time::Duration;

/// A change of the number of users, spread evenly over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it begins, since the beginning of the run's first ramp.
    pub begins: Duration,
    /// How long it takes.
    pub takes: Duration,
    /// Users before.
    pub from: u64,
    /// Users after.
    pub to: u64,
}

/// The changes of a run, one after the other; the first begins with no users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attendance(pub Vec<Change>);

impl Attendance {
    /// How long the shortest change takes.
    #[must_use]
    pub fn shortest(&self) -> Duration {
        self.0.iter().map(|change| change.takes).min().unwrap_or_default()
    }

    /// When user number `user` comes, goes, comes again and so on. The last to come is the first to go.
    pub fn turns(&self, user: u64) -> impl Iterator<Item = Duration> {
        self.0.iter().filter_map(move |change| {
            let Change { from, to, .. } = *change;
            if (from..to).contains(&user) {
                Some(change.share(user - from, to - from))
            } else if (to..from).contains(&user) {
                Some(change.share(from - 1 - user, from - to))
            } else {
                None
            }
        })
    }
}

impl Change {
    /// The moment of change number `number` of `count`.
    fn share(&self, number: u64, count: u64) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "2^53 users are enough")]
        let share = number as f64 / count as f64;
        self.begins + self.takes.mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(user: u64) -> Vec<u128> {
        let change = |begins, from, to| Change {
            begins: Duration::from_secs(begins),
            takes: Duration::from_secs(4),
            from,
            to,
        };
        let attendance = Attendance(vec![change(0, 0, 4), change(100, 4, 2), change(200, 2, 6)]);
        attendance.turns(user).map(|turn| turn.as_secs().into()).collect()
    }

    #[test]
    fn users_come_one_after_the_other_and_the_last_is_the_first_to_go() {
        assert_eq!(turns(0), [0]);
        assert_eq!(turns(1), [1]);
        assert_eq!(turns(2), [2, 102, 200]);
        assert_eq!(turns(3), [3, 100, 201]);
        assert_eq!(turns(5), [203]);
        assert_eq!(turns(6), [0; 0]);
    }
}
