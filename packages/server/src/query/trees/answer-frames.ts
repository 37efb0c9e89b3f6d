// The frames of an answer, standing by themselves: what is resident may grow or go while an answer is being sent.
import type { FrameTable } from '@hearth/profile'

export interface AnswerFrame {
  readonly name: string
  /** Empty where it is not known, or not part of the grouping. */
  readonly file: string
  readonly line: bigint | undefined
  readonly address: bigint | undefined
  /** The file of the mapping; empty where there is none. */
  readonly mapping: string
  /** `profile.frame.type`. */
  readonly type: string | undefined
  /** Of which attribute it is a value; undefined for functions. */
  readonly attribute: string | undefined
}

export function answerFrame(frames: FrameTable, i: number): AnswerFrame {
  return {
    name: frames.name(i),
    file: frames.file(i),
    line: frames.line(i),
    address: frames.address(i),
    mapping: frames.mapping(i),
    type: frames.kind(i),
    attribute: frames.attribute(i),
  }
}

/** Frames of a table that were in an answer are likely to be in the next one: 5 ms of a warm one for 10,000. */
const made = new WeakMap<FrameTable, (AnswerFrame | undefined)[]>()
/** Of one table; beyond it they are made each time. */
const MOST_KEPT = 1 << 16

/** The frames that rows refer to, in the order of their first use, and the rows' numbers in that list. */
export function answerFrames(
  frames: FrameTable,
  rows: Uint32Array,
): { readonly frames: readonly AnswerFrame[]; readonly frame: Uint32Array } {
  let known = made.get(frames)
  if (known === undefined) made.set(frames, (known = []))
  const list: AnswerFrame[] = []
  const frame = new Uint32Array(rows.length)
  const numberOf = numbering(frames.length, rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    const number = numberOf(row)
    if (number === list.length) {
      const answer = known[row] ?? answerFrame(frames, row)
      if (row < MOST_KEPT) known[row] = answer
      list.push(answer)
    }
    frame[i] = number
  }
  return { frames: list, frame }
}

/** Numbers rows in the order in which they are met. */
function numbering(most: number, times: number): (row: number) => number {
  let count = 0
  if (most > 8 * times) {
    const numbers = new Map<number, number>()
    return row => {
      const number = numbers.get(row)
      if (number !== undefined) return number
      numbers.set(row, count)
      return count++
    }
  }
  const numbers = new Int32Array(most)
  return row => {
    if (numbers[row] === 0) numbers[row] = ++count
    return numbers[row] - 1
  }
}
