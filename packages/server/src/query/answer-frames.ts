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
}

export function answerFrame(frames: FrameTable, i: number): AnswerFrame {
  return {
    name: frames.name(i),
    file: frames.file(i),
    line: frames.line(i),
    address: frames.address(i),
    mapping: frames.mapping(i),
    type: frames.kind(i),
  }
}

/** The frames that rows refer to, in the order of their first use, and the rows' numbers in that list. */
export function answerFrames(
  frames: FrameTable,
  rows: Uint32Array,
): { readonly frames: readonly AnswerFrame[]; readonly frame: Uint32Array } {
  const numbers = new Map<number, number>()
  const list: AnswerFrame[] = []
  const frame = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    let number = numbers.get(rows[i])
    if (number === undefined) {
      number = list.push(answerFrame(frames, rows[i])) - 1
      numbers.set(rows[i], number)
    }
    frame[i] = number
  }
  return { frames: list, frame }
}

/** The order of name, file, line and address, by code units: the same on every machine. */
export function compareFrames(frames: FrameTable): (a: number, b: number) => number {
  return (a, b) =>
    compare(frames.name(a), frames.name(b)) ||
    compare(frames.file(a), frames.file(b)) ||
    compare(frames.line(a) ?? 0n, frames.line(b) ?? 0n) ||
    compare(frames.address(a) ?? 0n, frames.address(b) ?? 0n) ||
    compare(frames.mapping(a), frames.mapping(b)) ||
    a - b
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
