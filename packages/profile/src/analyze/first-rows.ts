// The first rows in an order, without sorting all of them.

/**
 * The first `limit` rows in the order of `compare`, sorted. A heap keeps the rows found so far with the last of them on top,
 * so that most rows cost one comparison.
 */
export function firstRows(rows: Uint32Array, limit: number, compare: (a: number, b: number) => number): Uint32Array {
  if (limit < 1) return new Uint32Array(0)
  if (rows.length <= limit) return rows.slice().sort(compare)
  const heap = rows.slice(0, limit)
  for (let at = (limit >> 1) - 1; at >= 0; at--) sink(heap, at, compare)
  for (let i = limit; i < rows.length; i++) {
    if (compare(rows[i], heap[0]) >= 0) continue
    heap[0] = rows[i]
    sink(heap, 0, compare)
  }
  return heap.sort(compare)
}

/** Moves a row below rows that come after it in the order. */
function sink(heap: Uint32Array, from: number, compare: (a: number, b: number) => number): void {
  const row = heap[from]
  let at = from
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && compare(heap[child + 1], heap[child]) > 0) child++
    if (compare(row, heap[child]) >= 0) break
    heap[at] = heap[child]
    at = child
  }
  heap[at] = row
}
