//! The permutations that leave a model as it is: those of the elements within each block.

/// Interchangeable elements of one given set, at least two, by position in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarrierBlock {
    pub set: u32,
    pub indices: Vec<u32>,
}

/// All permutations that map each block to itself.
///
/// The elements of all blocks are numbered; these numbers are called points. The points of a block are contiguous.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Group {
    blocks: Vec<CarrierBlock>,
    /// The first point of each block, and one past the last point of all.
    starts: Vec<u32>,
    block_of: Vec<u32>,
    /// By given set and position; [`FIXED`] for elements that do not move.
    points: Vec<Vec<u32>>,
}

const FIXED: u32 = u32::MAX;

/// Where each point goes.
pub type Permutation = Vec<u32>;

impl Group {
    pub fn new(mut blocks: Vec<CarrierBlock>) -> Group {
        blocks.retain(|block| block.indices.len() > 1);
        let mut group = Group { starts: vec![0], ..Group::default() };
        for (number, block) in (0..).zip(&blocks) {
            let set = block.set as usize;
            if group.points.len() <= set {
                group.points.resize(set + 1, Vec::new());
            }
            for index in &block.indices {
                let positions = &mut group.points[set];
                if positions.len() <= *index as usize {
                    positions.resize(*index as usize + 1, FIXED);
                }
                positions[*index as usize] = group.block_of.len() as u32;
                group.block_of.push(number);
            }
            group.starts.push(group.block_of.len() as u32);
        }
        group.blocks = blocks;
        group
    }

    pub fn blocks(&self) -> &[CarrierBlock] {
        &self.blocks
    }

    /// No element moves.
    pub fn is_trivial(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn n_points(&self) -> usize {
        self.block_of.len()
    }

    pub fn block_of(&self, point: u32) -> u32 {
        self.block_of[point as usize]
    }

    /// The points of each block.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::Range<u32>> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// The point of an element, if it moves.
    pub fn point(&self, set: u32, index: u32) -> Option<u32> {
        let point = *self.points.get(set as usize)?.get(index as usize)?;
        (point != FIXED).then_some(point)
    }

    /// Whether any element of a given set moves.
    pub fn moves(&self, set: u32) -> bool {
        self.points.get(set as usize).is_some_and(|points| !points.is_empty())
    }

    /// Given set and position of a point.
    pub fn element(&self, point: u32) -> (u32, u32) {
        let number = self.block_of[point as usize] as usize;
        let block = &self.blocks[number];
        (block.set, block.indices[(point - self.starts[number]) as usize])
    }

    pub fn identity(&self) -> Permutation {
        (0..self.n_points() as u32).collect()
    }

    /// Permutations that exchange two neighbouring points of a block. Their products are all permutations.
    pub fn exchanges(&self) -> Vec<Permutation> {
        let exchange = |point: u32| {
            let mut images = self.identity();
            images.swap(point as usize, point as usize + 1);
            images
        };
        self.ranges().flat_map(|range| range.start..range.end - 1).map(exchange).collect()
    }

    /// How many permutations there are; nothing if they are too many to count.
    pub fn order(&self) -> Option<u128> {
        let factorial = |n: usize| (1..=n as u128).try_fold(1_u128, u128::checked_mul);
        self.blocks.iter().try_fold(1_u128, |order, block| order.checked_mul(factorial(block.indices.len())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_elements_of_blocks() {
        let blocks = [(0, vec![0, 1, 3]), (0, vec![2]), (2, vec![0, 1])];
        let group = Group::new(blocks.map(|(set, indices)| CarrierBlock { set, indices }).to_vec());
        assert_eq!(group.n_points(), 5);
        assert_eq!(group.point(0, 3), Some(2));
        assert_eq!((group.point(0, 2), group.point(1, 0), group.point(0, 9)), (None, None, None));
        for point in 0..5 {
            let (set, index) = group.element(point);
            assert_eq!(group.point(set, index), Some(point));
        }
        assert_eq!(group.ranges().collect::<Vec<_>>(), [0..3, 3..5]);
        assert_eq!(group.order(), Some(12));
        assert!(!group.moves(1) && group.moves(2));
    }
}
