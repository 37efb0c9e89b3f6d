// Searches the spans of a trace by name, service, ID and status message.
import type { Spans } from '@hearth/client'
import { counted } from '../../../widgets/counted.ts'

export interface FoundSpans {
  /** One byte for each row, 1 if the row matches. */
  readonly matches: Uint8Array
  /** For example `12 spans`. */
  readonly text: string
}

/** Returns undefined if the search text is empty. */
export function matchingSpans(
  spans: Pick<Spans, 'length' | 'name' | 'service' | 'id' | 'statusMessage'>,
  text: string,
): FoundSpans | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return undefined
  const matches = new Uint8Array(spans.length)
  const isId = /^[0-9a-f]{1,16}$/.test(wanted)
  // A trace has few different names, even if it has many spans. Each is searched once.
  const known = new Map<string, boolean>()
  const has = (name: string): boolean => {
    let matched = known.get(name)
    if (matched === undefined) known.set(name, (matched = name.toLowerCase().includes(wanted)))
    return matched
  }
  let count = 0
  for (let i = 0; i < spans.length; i++) {
    const isMatch =
      has(spans.name(i)) ||
      has(spans.service(i)) ||
      has(spans.statusMessage(i)) ||
      (isId && spans.id(i).includes(wanted))
    if (!isMatch) continue
    matches[i] = 1
    count++
  }
  return { matches, text: count === 0 ? 'No results' : counted(count, 'span') }
}

/** Returns the next matching row, wrapping around at the ends, or -1 if no row matches. */
export function nextSpan(matches: Uint8Array, from: number, direction: 1 | -1): number {
  const { length } = matches
  for (let step = 1; step <= length; step++) {
    const row = ((((from === -1 && direction === -1 ? 0 : from) + direction * step) % length) + length) % length
    if (matches[row] !== 0) return row
  }
  return -1
}
