// A diff as a server sends it, which is a call tree, as rows: a frame's own value is that of all its nodes, and its total that
// of those that are not below another of it.
import type { DiffResponse, DiffSide, Frame } from '@hearth/client'
import type { Change, ChangedFrame, ChangedFrames, ComparedSide } from './changed-frames.ts'
import { byMagnitude } from './changed-frames.ts'
import type { RemoteNames } from '../remote/remote-tree.ts'
import { readableName } from '../remote/remote-tree.ts'

/** Of values that were scaled, which are doubles, and of those that were not. */
type Amount = number | bigint

interface Sums {
  self: Amount
  total: Amount
}

export interface RemoteChangesOptions extends RemoteNames {
  readonly normalise?: boolean
}

export function remoteChanges(answer: DiffResponse, options: RemoteChangesOptions): ChangedFrames {
  const { before, after, frames, nodes, scale } = answer
  const { parent, frame, presence } = nodes
  const was = sumsOf(before, frames.length)
  const is = sumsOf(after, frames.length)
  const seen = new Uint8Array(frames.length)
  // Nodes are in depth-first order: `path` leads to the one at hand, `open` counts each frame on it.
  const path: number[] = []
  const open = new Uint32Array(frames.length)
  for (let i = 0; i < parent.length; i++) {
    while (path.length > 0 && path[path.length - 1] !== parent[i]) open[frame[path.pop()!]]--
    const row = frame[i]
    const outermost = open[row] === 0
    was.add(row, i, outermost)
    is.add(row, i, outermost)
    seen[row] |= presence[i]
    path.push(i)
    open[row]++
  }
  const rows = frames.map((one, row) =>
    changedFrame({ ...one, name: readableName(one.name, options) }, seen[row], was.of(row), is.of(row)),
  )
  return {
    before: comparedSide(before),
    after: comparedSide(after),
    normalised: options.normalise === true,
    scale,
    rows: rows.sort(
      (a, b) =>
        byMagnitude(a.self.delta, b.self.delta) ||
        byMagnitude(a.total.delta, b.total.delta) ||
        byText(a.name, b.name) ||
        byText(a.place, b.place),
    ),
    hidden: after.hidden.nodes,
  }
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

interface FrameSums {
  add(row: number, node: number, outermost: boolean): void
  of(row: number): Sums
}

function sumsOf({ self, total }: DiffSide, frames: number): FrameSums {
  // A single value that is not whole makes all of them doubles; others are exact.
  const whole = self.every(isWhole) && total.every(isWhole)
  const amount = (text: string): Amount => (whole ? BigInt(text) : Number(text))
  const sums = Array.from({ length: frames }, (): Sums => ({ self: amount('0'), total: amount('0') }))
  return {
    add(row, node, outermost) {
      const sum = sums[row]
      sum.self = plus(sum.self, amount(self[node]))
      if (outermost) sum.total = plus(sum.total, amount(total[node]))
    },
    of: row => sums[row],
  }
}

function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text)
}

function plus(a: Amount, b: Amount): Amount {
  return typeof a === 'bigint' && typeof b === 'bigint' ? a + b : Number(a) + Number(b)
}

function changedFrame(frame: Frame, presence: number, was: Sums, is: Sums): ChangedFrame {
  const { name, file = '', line, mapping = '' } = frame
  return {
    name,
    file,
    line,
    place: file === '' ? mapping : line === undefined ? file : `${file}:${line}`,
    presence: presence === 1 ? 'vanished' : presence === 2 ? 'new' : 'both',
    self: changeOf(was.self, is.self),
    total: changeOf(was.total, is.total),
  }
}

function changeOf(before: Amount, after: Amount): Change {
  const exact = typeof before === 'bigint' && typeof after === 'bigint'
  const delta = exact ? after - before : rounded(Number(after) - Number(before))
  return { before: rounded(before), after: rounded(after), delta }
}

function rounded(amount: Amount): bigint {
  return typeof amount === 'bigint' ? amount : BigInt(Math.round(amount))
}

function comparedSide({ type, unit, sum, profiles }: DiffSide): ComparedSide {
  return { type, unit, sum: BigInt(sum), profiles }
}
