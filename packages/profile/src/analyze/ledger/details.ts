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
  /** The number of samples of code. A set of them would have a million rows. */
  samples: number
  /** The last of them: segments of one sample follow one another. */
  last: number
}

/** The largest first. At most MAX_DETAILS; `segments` are those of the entry. `of` is the row of the span; -1 for those of many. */
export function detailsOf(
  ledgers: DetailSource,
  kind: EntryKind,
  segments: readonly LedgerSegment[],
  of = -1,
): LedgerDetail[] {
  const details = new DetailSums(ledgers, kind, of)
  for (const { start, end, reference, span } of segments) details.add(start, end, reference, span)
  return details.largest()
}

/** Sums segments of one entry into details, so that the segments of many requests need not be kept. */
export class DetailSums {
  readonly #ledgers: DetailSource
  readonly #kind: EntryKind
  readonly #of: number
  readonly #groups = new Map<string, Group>()
  /** Code is named by its stack, and the work of others by its span: most segments of many requests share these. */
  readonly #known = new Map<number, { readonly group: Group; readonly span: number }>()

  constructor(ledgers: DetailSource, kind: EntryKind, of = -1) {
    this.#ledgers = ledgers
    this.#kind = kind
    this.#of = of
  }

  /** Takes the fields of a segment. */
  add(start: number, end: number, reference: number, onPath = -1): void {
    const { stack, owner } = this.#ledgers.input.evidence
    const hasKey = this.#kind === 'others' || (this.#kind === 'own-cpu' && onPath === -1)
    const key = !hasKey ? -1 : this.#kind === 'others' ? owner[reference] : stack[reference]
    let known = key === -1 ? undefined : this.#known.get(key)
    if (known === undefined) {
      const { what, name, span } = describe(this.#ledgers, this.#kind, { reference, onPath }, this.#of)
      known = { group: this.#groupOf(what, name), span }
      if (key !== -1) this.#known.set(key, known)
    }
    const { group, span } = known
    const nanos = end - start
    group.nanos += nanos
    if (this.#kind !== 'own-cpu') {
      // Entries of operations and spans count by their spans.
      if (span === -1 || key === -1) group.parts.add(this.#kind === 'unknown' ? start : reference)
    } else if (reference !== group.last) {
      group.samples++
      group.last = reference
    }
    if (span !== -1) group.spans.set(span, (group.spans.get(span) ?? 0) + nanos)
    const code = codeOf(this.#ledgers.input, this.#kind, reference)
    if (code !== '') group.functions.set(code, (group.functions.get(code) ?? 0) + nanos)
  }

  #groupOf(what: LedgerDetail['what'], name: string): Group {
    const key = `${what} ${name}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { what, name, nanos: 0, spans: new Map(), functions: new Map(), parts: new Set(), samples: 0, last: -1 }
      this.#groups.set(key, group)
    }
    return group
  }

  largest(): LedgerDetail[] {
    return [...this.#groups.values()]
      .sort((a, b) => b.nanos - a.nanos)
      .slice(0, MAX_DETAILS)
      .map(({ what, name, nanos, spans, functions, parts, samples }) => {
        const all = largest(spans)
        const [mostly = ''] = largest(functions)
        return {
          what,
          name,
          nanos: BigInt(nanos),
          count: what === 'span' || (what === 'operation' && all.length > 0) ? all.length : parts.size + samples,
          spans: all.slice(0, MAX_SPANS),
          mostly,
        }
      })
  }
}

interface Described {
  readonly what: LedgerDetail['what']
  readonly name: string
  readonly span: number
}

function describe(
  ledgers: DetailSource,
  kind: EntryKind,
  { reference, onPath }: { readonly reference: number; readonly onPath: number },
  of: number,
): Described {
  const { input } = ledgers
  if (kind === 'unknown') return { what: 'wait', name: NO_DATA_NAME, span: -1 }
  if (kind === 'children') return { what: 'span', name: input.spans[reference].name, span: reference }
  const { owner, label } = input.evidence
  const code = codeOf(input, kind, reference)
  const event = label[reference] === -1 ? '' : input.labels[label[reference]]
  if (kind === 'own-cpu') {
    const span = onPath === -1 || owner[reference] === -1 ? onPath : owner[reference]
    return { what: 'function', name: code === '' ? 'unknown function' : code, span }
  }
  if (kind === 'others') {
    const span = owner[reference] === -1 ? -1 : requestOf(input, owner[reference])
    if (span !== -1 && of !== -1 && span === requestOf(input, of))
      return { what: 'span', name: input.spans[owner[reference]].name, span: owner[reference] }
    return { what: 'operation', name: span === -1 ? NO_SPAN_NAME : input.spans[span].name, span }
  }
  if (isIdle(input, reference)) return { what: 'wait', name: IDLE_NAME, span: -1 }
  const [holder = -1] = kind === 'lock' ? lockHolders(ledgers, reference) : []
  if (holder !== -1) {
    const span = requestOf(input, holder)
    return { what: 'lock', name: `${event === '' ? 'lock' : event} held by ${input.spans[span].name}`, span }
  }
  if (event !== '') return { what: 'event', name: event, span: -1 }
  return { what: 'wait', name: code === '' ? kind : code, span: -1 }
}

/** The function at the end of the stack of a row of the evidence; empty if there is none. */
function codeOf(input: LedgerInput, kind: EntryKind, reference: number): string {
  if (kind === 'unknown' || kind === 'children') return ''
  const stack = input.evidence.stack[reference]
  return stack === -1 || (kind !== 'own-cpu' && kind !== 'others' && isIdle(input, reference))
    ? ''
    : input.functionOf(stack)
}

function isIdle({ evidence }: LedgerInput, reference: number): boolean {
  return EVIDENCE_KINDS[evidence.kind[reference]] === 'idle'
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
