// Operations that delay others: time in which a request waited because its thread or event loop ran another one, or because another one
// had the lock.
import { criticalPath } from '../critical-path.ts'
import { requestOf } from '../details.ts'
import { lockHolders } from '../lock-holders.ts'
import type { Ledgers } from '../ledgers.ts'

export interface InterferingOperation {
  readonly service: string
  /** Empty for work outside of any span. */
  readonly name: string
}

export interface Interference {
  /** Rows in the operations: the operation that waited, and the one that it waited for. */
  readonly delayed: number
  readonly by: number
  readonly reason: 'busy' | 'lock'
  readonly nanos: number
  /** The number of requests that waited. */
  readonly requests: number
  /** The row of the span that waited longest, and of one that it waited for; -1 if unknown. */
  readonly example: number
  readonly exampleBy: number
}

export interface InterferenceTable {
  readonly operations: readonly InterferingOperation[]
  /** The largest cost first. */
  readonly pairs: readonly Interference[]
}

type Draft = { -readonly [K in keyof Interference]: Interference[K] } & { longest: number }

/** `rows` are the spans of requests. Time in spans below counts too, as far as the end of the request waited for it in its process. */
export function interference(ledgers: Ledgers, rows: readonly number[]): InterferenceTable {
  const { spans, evidence } = ledgers.input
  const operations: InterferingOperation[] = []
  const known = new Map<string, number>()
  const operationOf = (service: string, name: string): number => {
    const key = `${service}\n${name}`
    let row = known.get(key)
    if (row === undefined) known.set(key, (row = operations.push({ service, name }) - 1))
    return row
  }
  const drafts = new Map<string, Draft>()
  for (const row of rows) {
    const { service, name } = spans[requestOf(ledgers.input, row)]
    const delayed = operationOf(service, name)
    const ofRequest = new Map<string, number>()
    for (const { start, end, kind, reference, span } of criticalPath(ledgers, row)) {
      if (kind !== 'others' && kind !== 'lock') continue
      if (spans[span].process !== spans[row].process) continue
      const owner = kind === 'others' ? evidence.owner[reference] : (lockHolders(ledgers, reference)[0] ?? -1)
      if (kind === 'lock' && owner === -1) continue
      const request = owner === -1 ? -1 : requestOf(ledgers.input, owner)
      // Two spans of one request that run at the same time do not delay each other's request.
      if (request !== -1 && request === requestOf(ledgers.input, row)) continue
      const by =
        request === -1 ? operationOf(service, '') : operationOf(spans[request].service || service, spans[request].name)
      const reason = kind === 'others' ? 'busy' : 'lock'
      const key = `${delayed} ${by} ${reason}`
      let draft = drafts.get(key)
      if (draft === undefined) {
        draft = { delayed, by, reason, nanos: 0, requests: 0, example: -1, exampleBy: -1, longest: 0 }
        drafts.set(key, draft)
      }
      const nanos = end - start
      draft.nanos += nanos
      const sum = (ofRequest.get(key) ?? 0) + nanos
      if (!ofRequest.has(key)) draft.requests++
      ofRequest.set(key, sum)
      if (sum > draft.longest) {
        draft.longest = sum
        draft.example = row
        draft.exampleBy = request
      }
    }
  }
  const pairs = [...drafts.values()].sort((a, b) => b.nanos - a.nanos)
  return { operations, pairs }
}
