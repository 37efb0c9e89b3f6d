// Exact sums of 64-bit numbers that are stored as pairs of halves. A sum beyond 64 bits is clamped to the limit.

/** Number of halves that add up in a double without rounding: 2^20 times 2^32 is 2^52. */
const EXACT_COUNT = 1 << 20
const WORD = 0x1_0000_0000

/** Writes the sum of `count` pairs, starting at `from`, to `out`, low half first. Returns true if it was clamped. */
export function sumPairs(ints: Int32Array, from: number, count: number, out: Int32Array, at: number): boolean {
  if (count > EXACT_COUNT) return sumMany(ints, from, count, out, at)
  let low = 0
  let high = 0
  for (let k = from, to = from + 2 * count; k < to; k += 2) {
    low += ints[k] >>> 0
    high += ints[k + 1]
  }
  const carry = Math.floor(low / WORD)
  return settle(low - carry * WORD, high + carry, out, at)
}

function settle(low: number, high: number, out: Int32Array, at: number): boolean {
  const above = high > 0x7fff_ffff
  const below = high < -0x8000_0000
  out[at] = above ? -1 : below ? 0 : low
  out[at + 1] = above ? 0x7fff_ffff : below ? -0x8000_0000 : high
  return above || below
}

function sumMany(ints: Int32Array, from: number, count: number, out: Int32Array, at: number): boolean {
  let sum = 0n
  for (let done = 0; done < count; done += EXACT_COUNT) {
    let low = 0
    let high = 0
    for (let k = from + 2 * done, to = from + 2 * Math.min(done + EXACT_COUNT, count); k < to; k += 2) {
      low += ints[k] >>> 0
      high += ints[k + 1]
    }
    sum += (BigInt(high) << 32n) + BigInt(low)
  }
  return settle(Number(BigInt.asUintN(32, sum)), Number(sum >> 32n), out, at)
}
