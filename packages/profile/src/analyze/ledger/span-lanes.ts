// Finds the lanes of each span.
import type { LedgerInput } from './ledger-input.ts'

export interface SpanLanes {
  /** The lanes of each span; usually one. */
  readonly of: readonly (readonly number[])[]
  /** Whether everything that the lane does during the span is done for the span: a thread that serves one request. */
  readonly isExclusive: Uint8Array
  /** The lanes of each process whose evidence is about the whole process. */
  readonly wide: ReadonlyMap<number, readonly number[]>
}

const NONE: readonly number[] = []

/**
 * A span has the lane that it names, or else the lanes of its samples, or of the spans of its process below or above it. The last
 * resort is the only lane of its process that has samples of any span: an event loop.
 */
export function spanLanes({ spans, lanes, evidence }: LedgerInput): SpanLanes {
  const linked = new Uint8Array(lanes.length)
  const found: number[][] = spans.map(({ lane }) => (lane === -1 ? [] : [lane]))
  for (let row = 0; row < evidence.length; row++) {
    const owner = evidence.owner[row]
    if (owner === -1) continue
    const lane = evidence.lane[row]
    linked[lane] = 1
    if (lanes[lane].process === spans[owner].process && spans[owner].lane === -1 && !found[owner].includes(lane))
      found[owner].push(lane)
  }
  const order = topDown(spans.map(({ parent }) => parent))
  const inherit = (to: number, from: number): void => {
    if (from === -1 || to === -1 || found[to].length > 0 || spans[from].process !== spans[to].process) return
    found[to] = [...found[from]]
  }
  for (const row of order.toReversed()) inherit(spans[row].parent, row)
  for (const row of order) inherit(row, spans[row].parent)
  const loops = new Map<number, number[]>()
  const wide = new Map<number, number[]>()
  for (const [lane, { process, isProcess = false }] of lanes.entries()) {
    if (isProcess) wide.set(process, [...(wide.get(process) ?? NONE), lane])
    else if (linked[lane] === 1) loops.set(process, [...(loops.get(process) ?? NONE), lane])
  }
  for (const [row, { process }] of spans.entries()) {
    const only = loops.get(process) ?? NONE
    if (found[row].length === 0 && only.length === 1) found[row] = [...only]
  }
  const isExclusive = Uint8Array.from(spans, ({ lane }) => (lane !== -1 && linked[lane] === 0 ? 1 : 0))
  return { of: found, isExclusive, wide }
}

/** Rows with every parent before its children. */
function topDown(parent: readonly number[]): number[] {
  const depth = new Int32Array(parent.length).fill(-1)
  for (let first = 0; first < parent.length; first++) {
    const way: number[] = []
    let row = first
    for (; row !== -1 && depth[row] === -1; row = parent[row]) way.push(row)
    let level = row === -1 ? 0 : depth[row] + 1
    for (let i = way.length - 1; i >= 0; i--) depth[way[i]] = level++
  }
  return Array.from(parent.keys()).sort((a, b) => depth[a] - depth[b])
}
