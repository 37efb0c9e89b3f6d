// A natural merge sort, which exploits sorted runs. Recordings consist of such runs, one per CPU or thread. A million numbers
// in sixteen runs take four passes.

/** The indexes of the numbers in ascending order of the numbers. Stable. */
export function sortedBy(keys: Float64Array): Int32Array {
  let order = new Int32Array(keys.length)
  for (let i = 0; i < order.length; i++) order[i] = i
  let spare = new Int32Array(keys.length)
  let ends = runEnds(keys)
  while (ends.length > 1) {
    ends = mergePairs(keys, order, spare, ends)
    const merged = spare
    spare = order
    order = merged
  }
  return order
}

/** The ends of the ascending runs. */
function runEnds(keys: Float64Array): Int32Array {
  const ends: number[] = []
  for (let i = 1; i < keys.length; i++) if (keys[i] < keys[i - 1]) ends.push(i)
  ends.push(keys.length)
  return Int32Array.from(ends)
}

function mergePairs(keys: Float64Array, from: Int32Array, to: Int32Array, ends: Int32Array): Int32Array {
  const merged = new Int32Array(Math.ceil(ends.length / 2))
  let start = 0
  for (let run = 0; run < ends.length; run += 2) {
    const middle = ends[run]
    const end = run + 1 < ends.length ? ends[run + 1] : middle
    let a = start
    let b = middle
    for (let k = start; k < end; k++) {
      const takesFirst = b >= end || (a < middle && keys[from[a]] <= keys[from[b]])
      to[k] = takesFirst ? from[a++] : from[b++]
    }
    merged[run >> 1] = end
    start = end
  }
  return merged
}
