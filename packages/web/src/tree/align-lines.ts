// Aligns the lines of two versions of a text: equal lines stand beside each other.
//
//   before   a  b  c  d          a  b  c  ·  d
//   after    a  c  x  d    ──►   a  ·  c  x  d

/** A pair of line numbers from 1. Undefined where one version has no such line. */
export interface AlignedLine {
  readonly before: number | undefined
  readonly after: number | undefined
}

/** The table of the longest common subsequence has this many cells at most. Larger differences are paired by position. */
const MAX_CELLS = 4_000_000

export function alignLines(before: readonly string[], after: readonly string[]): AlignedLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--
    endAfter--
  }
  const aligned: AlignedLine[] = []
  for (let i = 0; i < start; i++) aligned.push({ before: i + 1, after: i + 1 })
  const middle = alignMiddle(before.slice(start, endBefore), after.slice(start, endAfter))
  for (const pair of middle) aligned.push({ before: moved(pair.before, start), after: moved(pair.after, start) })
  for (let i = 0; endBefore + i < before.length; i++) {
    aligned.push({ before: endBefore + i + 1, after: endAfter + i + 1 })
  }
  return aligned
}

function moved(line: number | undefined, by: number): number | undefined {
  return line === undefined ? undefined : line + by
}

function alignMiddle(before: readonly string[], after: readonly string[]): AlignedLine[] {
  const [rows, columns] = [before.length, after.length]
  const pairs: AlignedLine[] = []
  if ((rows + 1) * (columns + 1) > MAX_CELLS) {
    for (let i = 0; i < Math.max(rows, columns); i++) {
      pairs.push({ before: i < rows ? i + 1 : undefined, after: i < columns ? i + 1 : undefined })
    }
    return pairs
  }
  // lengths[i][j] is the length of the longest common subsequence of the lines from i and from j.
  const width = columns + 1
  const lengths = new Uint32Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
    }
  }
  let [i, j] = [0, 0]
  while (i < rows && j < columns) {
    if (before[i] === after[j]) pairs.push({ before: ++i, after: ++j })
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) pairs.push({ before: ++i, after: undefined })
    else pairs.push({ before: undefined, after: ++j })
  }
  while (i < rows) pairs.push({ before: ++i, after: undefined })
  while (j < columns) pairs.push({ before: undefined, after: ++j })
  return pairs
}
