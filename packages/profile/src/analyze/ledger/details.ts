// The details of an entry: child spans, functions, operations that kept the thread busy, events and waits, each with its time.
import type { EntryKind } from './entry-kinds.ts'
import { EVIDENCE_KINDS } from './evidence.ts'
import type { LedgerInput } from './ledger-input.ts'
import type { DetailSource } from './lock-holders.ts'
import { lockHolders } from './lock-holders.ts'
import type { LedgerSegment } from './segments.ts'

export interface LedgerDetail {
  /**
   * `span`: a child, or another span of the same request. `operation`: other requests. `function`: code. `event`: measured events. `lock`: a lock that another request had.
   * `wait`: other waits.
   */
  readonly what: 'span' | 'operation' | 'function' | 'event' | 'lock' | 'wait'
  readonly name: string
  readonly nanos: bigint
  /** The number of children, requests, events or stretches. */
  readonly count: number
  /** Rows of spans, the longest time first; at most MAX_SPANS. Spans that ran a function are known on a critical path only. */
  readonly spans: readonly number[]
  /** The function with most of the time; empty if unknown. */
  readonly mostly: string
}

const MAX_DETAILS = 20
const MAX_SPANS = 20

/** Time of an event loop or thread that no code used. */
export const IDLE_NAME = 'idle while the request waits'
export const NO_SPAN_NAME = 'no span'
const NO_DATA_NAME = 'no data'

interface Group {
  readonly what: LedgerDetail['what']
  readonly name: string
  nanos: number
  readonly spans: Map<number, number>
  readonly functions: Map<string, number>
  readonly parts: Set<number>
}

/** The largest first. At most MAX_DETAILS; `segments` are those of the entry. `of` is the row of the span; -1 for those of many. */
export function detailsOf(
  ledgers: DetailSource,
  kind: EntryKind,
  segments: readonly LedgerSegment[],
  of = -1,
): LedgerDetail[] {
  const groups = new Map<string, Group>()
  for (const segment of segments) {
    const { what, name, span, part, code } = describe(ledgers, kind, segment, of)
    const key = `${what} ${name}`
    let group = groups.get(key)
    if (group === undefined)
      groups.set(key, (group = { what, name, nanos: 0, spans: new Map(), functions: new Map(), parts: new Set() }))
    const nanos = segment.end - segment.start
    group.nanos += nanos
    group.parts.add(part)
    if (span !== -1) group.spans.set(span, (group.spans.get(span) ?? 0) + nanos)
    if (code !== '') group.functions.set(code, (group.functions.get(code) ?? 0) + nanos)
  }
  return [...groups.values()]
    .sort((a, b) => b.nanos - a.nanos)
    .slice(0, MAX_DETAILS)
    .map(({ what, name, nanos, spans, functions, parts }) => {
      const all = largest(spans)
      const [mostly = ''] = largest(functions)
      return {
        what,
        name,
        nanos: BigInt(nanos),
        count: what === 'span' || (what === 'operation' && all.length > 0) ? all.length : parts.size,
        spans: all.slice(0, MAX_SPANS),
        mostly,
      }
    })
}

interface Described {
  readonly what: LedgerDetail['what']
  readonly name: string
  readonly span: number
  readonly part: number
  readonly code: string
}

function describe(ledgers: DetailSource, kind: EntryKind, segment: LedgerSegment, of: number): Described {
  const { reference, start, span: onPath = -1 } = segment
  const { input } = ledgers
  if (kind === 'unknown') return { what: 'wait', name: NO_DATA_NAME, span: -1, part: start, code: '' }
  if (kind === 'children')
    return { what: 'span', name: input.spans[reference].name, span: reference, part: reference, code: '' }
  const { owner, stack, label, kind: kinds } = input.evidence
  const code = stack[reference] === -1 ? '' : input.functionOf(stack[reference])
  const event = label[reference] === -1 ? '' : input.labels[label[reference]]
  const part = reference
  if (kind === 'own-cpu') {
    const span = onPath === -1 || owner[reference] === -1 ? onPath : owner[reference]
    return { what: 'function', name: code === '' ? 'unknown function' : code, span, part, code }
  }
  if (kind === 'others') {
    const span = owner[reference] === -1 ? -1 : requestOf(input, owner[reference])
    if (span !== -1 && of !== -1 && span === requestOf(input, of))
      return { what: 'span', name: input.spans[owner[reference]].name, span: owner[reference], part, code }
    return { what: 'operation', name: span === -1 ? NO_SPAN_NAME : input.spans[span].name, span, part, code }
  }
  if (EVIDENCE_KINDS[kinds[reference]] === 'idle') return { what: 'wait', name: IDLE_NAME, span: -1, part, code: '' }
  const [holder = -1] = kind === 'lock' ? lockHolders(ledgers, reference) : []
  if (holder !== -1) {
    const span = requestOf(input, holder)
    return {
      what: 'lock',
      name: `${event === '' ? 'lock' : event} held by ${input.spans[span].name}`,
      span,
      part,
      code,
    }
  }
  if (event !== '') return { what: 'event', name: event, span: -1, part, code }
  return { what: 'wait', name: code === '' ? kind : code, span: -1, part, code }
}

/** The outermost span above in the same process: the request that a service serves. */
export function requestOf({ spans }: Pick<LedgerInput, 'spans'>, span: number): number {
  let row = span
  for (let steps = 0; steps < spans.length; steps++) {
    const { parent } = spans[row]
    if (parent === -1 || spans[parent].process !== spans[row].process) return row
    row = parent
  }
  return span
}

/** Keys by their value, the largest first. */
function largest<K>(values: ReadonlyMap<K, number>): K[] {
  return [...values].sort((a, b) => b[1] - a[1]).map(([key]) => key)
}
