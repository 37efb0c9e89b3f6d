// Sorts lines bytewise, as `LC_ALL=C sort` does. It is a three-way radix quicksort over words of four bytes. Lines of
// one profile share long prefixes. A sort that compares pairs walks over them about log2 n times (20 for a million
// lines), this one once.

/** Ranges up to this length are sorted by insertion. */
const FEW = 8

/**
 * Line i is bytes[starts[i], starts[i + 1]) with its line break. The last start is the end of the last line, and four
 * more bytes must follow it. Returns the numbers of the lines in order.
 */
export function sortLines(bytes: Uint8Array, starts: Int32Array): Int32Array {
  const lines = new LineWords(bytes, starts)
  const order = new Int32Array(starts.length - 1)
  for (let i = 0; i < order.length; i++) order[i] = i
  if (isSorted(lines, order.length)) return order
  // Entries: from, to, and the number of bytes known to be equal. A list instead of recursion, because lines may be
  // long.
  const ranges: number[] = [0, order.length, 0]
  while (ranges.length > 0) {
    const depth = ranges.pop()!
    const to = ranges.pop()!
    const from = ranges.pop()!
    if (to - from <= FEW) {
      sortFew(lines, order, from, to, depth)
      continue
    }
    const pivot = median(
      lines.word(order[from], depth),
      lines.word(order[(from + to) >> 1], depth),
      lines.word(order[to - 1], depth),
    )
    let lower = from
    let upper = to
    let ended = true
    for (let i = from; i < upper;) {
      const word = lines.word(order[i], depth)
      if (word < pivot) swap(order, lower++, i++)
      else if (word > pivot) swap(order, i, --upper)
      else {
        if (ended && !lines.isEnded(order[i], depth)) ended = false
        i++
      }
    }
    ranges.push(from, lower, depth, upper, to, depth)
    // Lines that are all at their end differ at most in zero bytes, so the shorter ones come first.
    if (ended) order.subarray(lower, upper).sort((a, b) => lines.length(a) - lines.length(b))
    else ranges.push(lower, upper, depth + 4)
  }
  return order
}

class LineWords {
  readonly #view: DataView
  readonly #starts: Int32Array

  constructor(bytes: Uint8Array, starts: Int32Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = starts
  }

  /** Without the line break. */
  length(i: number): number {
    return this.#starts[i + 1] - this.#starts[i] - 1
  }

  isEnded(i: number, at: number): boolean {
    return at >= this.length(i)
  }

  /** Four bytes as a number with the same order, with zeros beyond the end. */
  word(i: number, at: number): number {
    const from = this.#starts[i] + at
    const left = this.#starts[i + 1] - 1 - from
    if (left >= 4) return this.#view.getUint32(from, false)
    return left <= 0 ? 0 : (this.#view.getUint32(from, false) & (-1 << (32 - 8 * left))) >>> 0
  }

  compare(a: number, b: number, from: number): number {
    const length = Math.min(this.length(a), this.length(b))
    for (let at = from; at < length; at += 4) {
      const difference = this.word(a, at) - this.word(b, at)
      if (difference !== 0) return difference
    }
    return this.length(a) - this.length(b)
  }
}

/** Often true, because files are read in order and written again. */
function isSorted(lines: LineWords, count: number): boolean {
  for (let i = 1; i < count; i++) if (lines.compare(i - 1, i, 0) > 0) return false
  return true
}

function sortFew(lines: LineWords, order: Int32Array, from: number, to: number, depth: number): void {
  for (let i = from + 1; i < to; i++) {
    const line = order[i]
    let k = i
    for (; k > from && lines.compare(order[k - 1], line, depth) > 0; k--) order[k] = order[k - 1]
    order[k] = line
  }
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}

function swap(order: Int32Array, i: number, k: number): void {
  const kept = order[i]
  order[i] = order[k]
  order[k] = kept
}
