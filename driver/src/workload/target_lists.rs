//! Lists of targets: a step goes to one of the list that it names, or to one of those without a name.

use super::error::PlanError;
use super::plan::Plan;

/// Targets that stand one after the other; iterations take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetList {
    first: usize,
    count: usize,
}

/// The lists of a plan. Their targets are numbered through, those without a name first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetLists {
    unnamed: TargetList,
    named: Vec<(String, TargetList)>,
}

impl TargetList {
    /// Number of the target whose turn it is.
    #[must_use]
    pub fn in_turn(self, turn: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of targets")]
        let place = (turn % self.count.max(1) as u64) as usize;
        self.first + place
    }
}

impl TargetLists {
    /// The lists of a plan, whose addresses are numbered as in [`Plan::addresses`].
    ///
    /// # Errors
    /// When a list with a name is empty.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let unnamed = TargetList { first: 0, count: plan.targets.len() };
        let mut first = unnamed.count;
        let mut named = Vec::new();
        for (name, addresses) in &plan.named_targets {
            if addresses.is_empty() {
                let place = format!("named_targets.{name}");
                return Err(PlanError::at(place, "is empty; at least one address is needed"));
            }
            named.push((name.clone(), TargetList { first, count: addresses.len() }));
            first += addresses.len();
        }
        Ok(Self { unnamed, named })
    }

    /// The list of this name, or that without one.
    ///
    /// # Errors
    /// What is missing, as the place and the problem.
    pub fn find(&self, name: Option<&str>) -> Result<TargetList, (&'static str, String)> {
        let Some(name) = name else {
            let missing = || ("targets", "is empty; at least one address is needed".to_owned());
            return (self.unnamed.count > 0).then_some(self.unnamed).ok_or_else(missing);
        };
        let found = self.named.iter().find(|(known, _)| known == name);
        found
            .map(|(_, list)| *list)
            .ok_or_else(|| ("target", format!("`{name}` has no address; name it among `named_targets`")))
    }

    /// How many targets all lists have.
    #[must_use]
    pub fn targets(&self) -> u64 {
        self.named.iter().fold(self.unnamed.count, |sum, (_, list)| sum + list.count) as u64
    }

    /// To how many targets one iteration goes at most: to one of each list.
    #[must_use]
    pub fn in_one_iteration(&self) -> u64 {
        self.named.len() as u64 + u64::from(self.unnamed.count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_take_turns_within_a_list_and_never_leave_it() {
        let list = TargetList { first: 2, count: 3 };
        assert_eq!([0, 1, 2, 3, u64::MAX].map(|turn| list.in_turn(turn)), [2, 3, 4, 2, 2]);
    }
}
