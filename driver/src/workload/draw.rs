//! Draws: a generator for each iteration of each user, so that they depend on nothing but the plan.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Draws of one iteration.
#[derive(Clone, Debug)]
pub struct Draws(Pcg64Mcg);

impl Draws {
    /// The draws of iteration number `iteration` of user number `user`.
    ///
    /// Seeded anew for each iteration: a failed step ends an iteration, and the draws it did not make must not move
    /// those of the next one.
    #[must_use]
    pub fn new(seed: u64, user: u64, iteration: u64) -> Self {
        let high = mixed(seed ^ mixed(user));
        let low = mixed(high ^ mixed(iteration.wrapping_add(1)));
        Self(Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low)))
    }

    /// A whole number below `bound`, all equally likely (Lemire, "Fast random integer generation in an interval",
    /// 2019). Zero when `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            #[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
            let (high, low) = ((product >> 64) as u64, product as u64);
            if low >= bound || low >= bound.wrapping_neg() % bound.max(1) {
                return high;
            }
        }
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn fraction(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are what the number holds exactly")]
        let numerator = (self.0.next_u64() >> 11) as f64;
        numerator / 9_007_199_254_740_992.0
    }

    /// A number of the exponential distribution of mean 1. At most 37: the largest fraction is below 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.fraction()).ln()
    }
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014: one step of `SplitMix64`.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_user_and_iteration_give_the_same_draws() {
        let draws = |seed, user, iteration| {
            let mut draws = Draws::new(seed, user, iteration);
            [draws.below(1_000_000), draws.below(1_000_000)]
        };
        assert_eq!(draws(1, 2, 3), draws(1, 2, 3));
        assert_ne!(draws(1, 2, 3), draws(1, 2, 4));
        assert_ne!(draws(1, 2, 3), draws(1, 3, 2));
        assert_ne!(draws(1, 2, 3), draws(2, 2, 3));
    }

    #[test]
    fn users_draw_evenly_from_a_range() {
        let mut seen = [0_i32; 10];
        for user in 0..10_000 {
            let drawn = Draws::new(7, user, 0).below(10);
            seen[usize::try_from(drawn).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| (count - 1_000).abs() < 150), "{seen:?}");
    }

    #[test]
    fn a_fraction_lies_between_zero_and_one() {
        let mut draws = Draws::new(1, 1, 1);
        let sum: f64 = (0..10_000).map(|_| draws.fraction()).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.02);
    }
}
