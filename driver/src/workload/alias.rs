//! Draws one of several things by their weights, in constant time however many there are.
//!
//! A. J. Walker, "An efficient method for generating discrete random variables with general distributions", 1977; made
//! as in M. D. Vose, "A linear algorithm for generating random numbers with a given distribution", 1991.

use super::draw::Draws;

/// The things in columns of equal height, each shared by two of them at most.
#[derive(Clone, Debug)]
pub struct AliasTable(Vec<Column>);

#[derive(Clone, Copy, Debug)]
struct Column {
    /// How much of it belongs to the thing of its own number.
    own: f64,
    /// To whom the rest belongs.
    other: usize,
}

impl AliasTable {
    /// A table of things with these weights, all above 0.
    #[must_use]
    pub fn new(weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        #[expect(clippy::cast_precision_loss, reason = "there are not as many things")]
        let height = |weight: &f64| weight / sum * weights.len() as f64;
        let mut columns: Vec<Column> =
            weights.iter().enumerate().map(|(other, weight)| Column { own: height(weight), other }).collect();
        let (mut low, mut high): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&column| columns[column].own < 1.0);
        while let Some((filled, giver)) = low.pop().zip(high.last().copied()) {
            columns[filled].other = giver;
            columns[giver].own -= 1.0 - columns[filled].own;
            if columns[giver].own < 1.0 {
                high.pop();
                low.push(giver);
            }
        }
        // What rounding has left is full: its other one is itself.
        Self(columns)
    }

    /// The number of one of them. A thing alone costs no draw.
    pub fn draw(&self, draws: &mut Draws) -> usize {
        if self.0.len() < 2 {
            return 0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of columns")]
        let column = draws.below(self.0.len() as u64) as usize;
        let Column { own, other } = self.0[column];
        if draws.fraction() < own { column } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of these weights is drawn, of 100,000 draws of as many iterations, in percent.
    fn shares(weights: &[f64]) -> Vec<f64> {
        let table = AliasTable::new(weights);
        let mut seen = vec![0_u32; weights.len()];
        for iteration in 0..100_000 {
            seen[table.draw(&mut Draws::new(1, iteration % 60, iteration / 60))] += 1;
        }
        seen.iter().map(|&count| f64::from(count) / 1_000.0).collect()
    }

    #[test]
    fn each_comes_as_often_as_its_weight_within_half_a_point() {
        for weights in [
            &[2.0, 6.0, 17.0, 75.0][..],
            &[75.0, 17.0, 6.0, 2.0],
            &[1.0, 1.0],
            &[245.0, 80.0, 120.0, 200.0, 140.0, 135.0, 70.0, 9.0, 1.0],
        ] {
            let sum: f64 = weights.iter().sum();
            for (share, weight) in shares(weights).iter().zip(weights) {
                let expected = 100.0 * weight / sum;
                assert!((share - expected).abs() < 0.5, "{share} % instead of {expected} %");
            }
        }
    }

    #[test]
    fn the_table_gives_each_its_share_exactly() {
        let weights: Vec<f64> = (1..=1_000).map(|number| f64::from(number * number % 97 + 1)).collect();
        let (sum, table) = (weights.iter().sum::<f64>(), AliasTable::new(&weights));
        let mut found = vec![0.0; weights.len()];
        for (number, column) in table.0.iter().enumerate() {
            found[number] += column.own.min(1.0);
            found[column.other] += 1.0 - column.own.min(1.0);
        }
        for (found, weight) in found.iter().zip(&weights) {
            assert!((found / 1_000.0 - weight / sum).abs() < 1e-12, "{found}");
        }
    }

    #[test]
    fn what_stands_alone_is_always_drawn() {
        assert_eq!(shares(&[0.5]), [100.0]);
    }
}
