// Sets of row numbers as sorted runs without repeats. Attribute lists are sets, so equal lists become equal runs.

// Insertion sort is faster below this length (a `sort` call with its view costs 200 ns) and quadratic above it.
const INSERTION_BELOW = 32

/** Sorts `ints[from, to)` and removes repeats. Returns the end of the set. */
export function sortSet(ints: Int32Array, from: number, to: number): number {
  if (to - from < 2) return to
  if (to - from < INSERTION_BELOW) {
    for (let i = from + 1; i < to; i++) {
      const value = ints[i]
      let k = i
      for (; k > from && ints[k - 1] > value; k--) ints[k] = ints[k - 1]
      ints[k] = value
    }
  } else ints.subarray(from, to).sort()
  let end = from + 1
  for (let i = from + 1; i < to; i++) if (ints[i] !== ints[end - 1]) ints[end++] = ints[i]
  return end
}
