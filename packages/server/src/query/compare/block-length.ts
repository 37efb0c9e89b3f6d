// The length of the blocks of time that a comparison takes as runs.

const SECOND = 1_000_000_000n
/** Agents send a profile every ten seconds. */
const MIN_BLOCK = 10n * SECOND
/** Fewer runs say too little about their variation. */
const MIN_RUNS = 6n
const MAX_BLOCKS = 60n

/**
 * Returns nanoseconds. A block is as long as the shorter range: the blocks of the longer one then show how much such a range varies
 * without a change. Blocks are shorter if there would be fewer than six of them.
 */
export function blockLength(before: bigint, after: bigint): bigint {
  const [shorter, longer] = before < after ? [before, after] : [after, before]
  const forRuns = (before + after) / MIN_RUNS
  const forRows = longer / MAX_BLOCKS
  const wanted = shorter < forRuns ? shorter : forRuns
  return [wanted, forRows, MIN_BLOCK].reduce((a, b) => (a > b ? a : b))
}
