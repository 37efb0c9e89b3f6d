// Sorts the rows of a table by a value. A table can have a million rows, for which a sort with a comparison takes half a second.

const DIGIT_BITS = 16
const DIGITS = 2 ** DIGIT_BITS

/** Returns the rows with the largest value first. Rows with equal values keep their order. Takes linear time (radix sort). */
export function sortedDescending(rows: Uint32Array, values: Float64Array): Uint32Array {
  const keys = descendingKeys(values)
  let [from, to] = [rows.slice(), new Uint32Array(rows.length)]
  const starts = new Uint32Array(DIGITS)
  for (let digit = 0; digit < 64 / DIGIT_BITS; digit++) {
    const word = digit >> 1
    const shift = (digit & 1) * DIGIT_BITS
    starts.fill(0)
    for (const row of from) starts[(keys[2 * row + word] >>> shift) & (DIGITS - 1)]++
    // Many values have zeros at their end. One digit for all rows changes nothing.
    if (from.length > 0 && starts[(keys[2 * from[0] + word] >>> shift) & (DIGITS - 1)] === from.length) continue
    let start = 0
    for (let i = 0; i < DIGITS; i++) {
      const count = starts[i]
      starts[i] = start
      start += count
    }
    for (const row of from) to[starts[(keys[2 * row + word] >>> shift) & (DIGITS - 1)]++] = row
    ;[from, to] = [to, from]
  }
  return from
}

/** The bits of each value as two words, the lower one first, changed so that unsigned order is descending order of values. */
function descendingKeys(values: Float64Array): Uint32Array {
  // Adding 0 turns −0 into 0, which is equal to it.
  const keys = new Uint32Array(values.map(value => value + 0).buffer)
  for (let high = 1; high < keys.length; high += 2) {
    if (keys[high] >>> 31 === 1) continue
    keys[high] = ~(keys[high] | 0x80000000)
    keys[high - 1] = ~keys[high - 1]
  }
  return keys
}
