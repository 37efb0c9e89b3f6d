// Sorts rows by their times, which most files already have in order.

/** Sorts order[from, to) by `times`. Rows with equal times keep their order. */
export function sortByTime(order: Int32Array, from: number, to: number, times: BigUint64Array): void {
  let sorted = true
  for (let i = from + 1; i < to && sorted; i++) sorted = times[order[i - 1]] <= times[order[i]]
  if (sorted) return
  order.subarray(from, to).sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b))
}
