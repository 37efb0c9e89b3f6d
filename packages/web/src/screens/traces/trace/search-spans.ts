// Spans of a trace whose name, service, id or message has a text in it.
import type { Spans } from '@hearth/client'

export interface FoundSpans {
  /** A byte for each row, not 0 where it fits. */
  readonly matches: Uint8Array
  /** As `12 spans`. */
  readonly text: string
}

/** Undefined where nothing is looked for. */
export function matchingSpans(
  spans: Pick<Spans, 'length' | 'name' | 'service' | 'id' | 'statusMessage'>,
  text: string,
): FoundSpans | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return undefined
  const matches = new Uint8Array(spans.length)
  const isId = /^[0-9a-f]{1,16}$/.test(wanted)
  // Names are few, however many spans have them.
  const known = new Map<string, boolean>()
  const has = (name: string): boolean => {
    let fits = known.get(name)
    if (fits === undefined) known.set(name, (fits = name.toLowerCase().includes(wanted)))
    return fits
  }
  let count = 0
  for (let i = 0; i < spans.length; i++) {
    const fits =
      has(spans.name(i)) ||
      has(spans.service(i)) ||
      has(spans.statusMessage(i)) ||
      (isId && spans.id(i).includes(wanted))
    if (!fits) continue
    matches[i] = 1
    count++
  }
  return { matches, text: count === 0 ? 'none' : `${count.toLocaleString('en')} ${count === 1 ? 'span' : 'spans'}` }
}

/** The next row that fits, round and round; -1 where none does. */
export function nextSpan(matches: Uint8Array, from: number, direction: 1 | -1): number {
  const { length } = matches
  for (let step = 1; step <= length; step++) {
    const row = ((((from === -1 && direction === -1 ? 0 : from) + direction * step) % length) + length) % length
    if (matches[row] !== 0) return row
  }
  return -1
}
