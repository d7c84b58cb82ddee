//! Blocks of acks.

use crate::transport::{Block, SACK_BLOCKS};
use proptest::prelude::*;
use std::vec::Vec;

proptest! {
    #[test]
    fn without_known_blocks_are_the_segments_that_none_of_them_has(
        ends in prop::collection::vec((0u64..30, 0u64..30), SACK_BLOCKS + 1),
    ) {
        let blocks: Vec<Block> = ends.iter().map(|&(from, to)| Block { from, to }).collect();
        let (block, known) = (blocks[0], [blocks[1], blocks[2], blocks[3]]);
        let found: Vec<u64> = block.without(&known).collect();
        let has = |it: &Block, segment: u64| it.from <= segment && segment < it.to;
        let new: Vec<u64> = (block.from..block.to)
            .filter(|segment| !known.iter().any(|it| has(it, *segment)))
            .collect();
        prop_assert_eq!(found, new);
    }
}
