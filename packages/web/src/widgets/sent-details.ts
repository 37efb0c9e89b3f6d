// Details of spans, links, events and log records beyond their attributes: flags, trace state and dropped counts, as sent.
import type { DetailRow } from './detail-list.tsx'

export interface SentDetails {
  readonly traceState?: string
  readonly flags?: number
  readonly droppedAttributes?: number
  readonly droppedEvents?: number
  readonly droppedLinks?: number
}

/** The bits of OTLP's flags that have a name. The low 8 bits are those of W3C Trace Context. */
const SAMPLED = 0x1
const RANDOM = 0x2
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

/** The rows of all details that the sender set. */
export function sentDetails(details: SentDetails): DetailRow[] {
  const { traceState = '', flags = 0, droppedAttributes = 0, droppedEvents = 0, droppedLinks = 0 } = details
  const rows = [
    ['trace state', traceState],
    ['flags', flags === 0 ? '' : flagsText(flags)],
    ['dropped attributes', countText(droppedAttributes)],
    ['dropped events', countText(droppedEvents)],
    ['dropped links', countText(droppedLinks)],
  ] as const
  return rows.filter(([, value]) => value !== '').map(([key, value]) => ({ key, value }))
}

/** `0x301 (sampled, remote)`: the flags in hex, with the names of known bits. */
export function flagsText(flags: number): string {
  const names = [
    (flags & SAMPLED) === 0 ? '' : 'sampled',
    (flags & RANDOM) === 0 ? '' : 'random trace ID',
    (flags & HAS_IS_REMOTE) === 0 ? '' : (flags & IS_REMOTE) === 0 ? 'local' : 'remote',
  ].filter(name => name !== '')
  const hex = `0x${(flags >>> 0).toString(16).padStart(2, '0')}`
  return names.length === 0 ? hex : `${hex} (${names.join(', ')})`
}

function countText(count: number): string {
  return count === 0 ? '' : count.toLocaleString('en')
}
