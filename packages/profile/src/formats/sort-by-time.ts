// Sorts rows by their owners and times. Most files already have the times in order.

/** Sorts order[from, to) by `times`. Rows with equal times keep their order. */
export function sortByTime(order: Int32Array, from: number, to: number, times: BigUint64Array): void {
  let sorted = true
  for (let i = from + 1; i < to && sorted; i++) sorted = times[order[i - 1]] <= times[order[i]]
  if (sorted) return
  order.subarray(from, to).sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b))
}

/**
 * The order of observations by owner, owners in order of their numbers. Observations of an owner whose samples were combined are
 * sorted by time; others keep their order.
 */
export function orderByOwner(
  owners: Int32Array,
  count: number,
  isCombined: readonly boolean[],
  times: BigUint64Array,
): Int32Array {
  const ends = new Int32Array(count + 1)
  for (const owner of owners) ends[owner + 1]++
  for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1]
  const order = new Int32Array(owners.length)
  const places = ends.slice()
  for (let i = 0; i < owners.length; i++) order[places[owners[i]]++] = i
  for (let i = 0; i < isCombined.length; i++) if (isCombined[i]) sortByTime(order, ends[i], ends[i + 1], times)
  return order
}
