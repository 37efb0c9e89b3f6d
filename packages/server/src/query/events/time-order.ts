// Sorts observations by time. Most observations of a profile are in order already, so that whole runs are merged.

/** The numbers of rows by time. Rows with the same time keep their order. */
export function timeOrder(times: BigInt64Array): Int32Array {
  const { length } = times
  const keys = keysOf(times)
  let rows = new Int32Array(length)
  for (let row = 0; row < length; row++) rows[row] = row
  let starts = [0]
  for (let row = 1; row < length; row++) if (keys[row] < keys[row - 1]) starts.push(row)
  let merged = starts.length > 1 ? new Int32Array(length) : rows
  while (starts.length > 1) {
    const next: number[] = []
    for (let run = 0; run < starts.length; run += 2) {
      merge(keys, rows, merged, starts[run], starts[run + 1] ?? length, starts[run + 2] ?? length)
      next.push(starts[run])
    }
    starts = next
    ;[rows, merged] = [merged, rows]
  }
  return rows
}

/** Merges the runs from `first` and from `second` on. */
function merge(
  keys: Float64Array,
  rows: Int32Array,
  into: Int32Array,
  first: number,
  second: number,
  end: number,
): void {
  let [one, other] = [first, second]
  for (let at = first; at < end; at++) {
    const isOne = one < second && (other >= end || keys[rows[one]] <= keys[rows[other]])
    into[at] = rows[isOne ? one++ : other++]
  }
}

/** Doubles in the order of the times, without a BigInt for each. Exact within 104 days of the first. */
function keysOf(times: BigInt64Array): Float64Array {
  const words = new Int32Array(times.buffer, times.byteOffset, 2 * times.length)
  const keys = new Float64Array(times.length)
  for (let i = 0; i < keys.length; i++) keys[i] = (words[2 * i + 1] - words[1]) * 2 ** 32 + (words[2 * i] >>> 0)
  return keys
}
