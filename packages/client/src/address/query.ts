// The selected profiles: the parts that users choose, and the selector for the server.
import type { SnapshotMode } from '@hearth/profile'
import { SNAPSHOT_MODES, isGaugeType } from '@hearth/profile'
import type { Fields } from './route-fields.ts'
import { choice, list, text } from './route-fields.ts'

/** Longer operators first, because they are matched in this order. */
const COMPARISONS = ['!=', '!~', '=~', '<=', '>=', '=', '<', '>'] as const
export const FILTER_OPERATORS = ['=', '!=', '=~', '!~', '<', '<=', '>', '>=', 'exists', 'absent'] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]

/** A condition on an attribute. */
export interface Filter {
  /** Can have a level before it, such as `resource:region`. */
  readonly key: string
  readonly operator: FilterOperator
  /** Empty if the operator has no value. */
  readonly value: string
}

/** A condition on the stacks: `frame "gc"`, `!leaf =~"^runtime"`. */
export interface StackFilter {
  readonly negated: boolean
  readonly place: 'frame' | 'from' | 'leaf'
  readonly regex: boolean
  readonly name: string
  /** The file of the function; any if it is missing. */
  readonly file?: string
}

export interface Query {
  /** Empty for all. */
  readonly service: string
  /** Such as `cpu:nanoseconds`; empty until one is selected. */
  readonly type: string
  readonly filters: readonly Filter[]
  readonly stacks: readonly StackFilter[]
  /** RFC 3339, or relative such as `now-1h`. */
  readonly from: string
  readonly to: string
  /** How snapshots of a state, such as the live heap, are combined over time. Other types are added up. */
  readonly snapshots: SnapshotMode
  /** Only samples of this span. Not part of addresses, because traces have their own screen. */
  readonly span?: SpanScope
  /** Only samples without a span, in an exact range of time. */
  readonly unlinked?: boolean
}

/** The span of a request. */
export interface SpanScope {
  readonly traceId: string
  /** The whole trace if it is missing. */
  readonly spanId?: string
  /** Whether to include the spans below it. */
  readonly subtree?: boolean
}

export const DEFAULT_FROM = 'now-1h'
export const DEFAULT_TO = 'now'

export const queryFields: Fields<Query> = {
  service: ['service', text()],
  type: ['type', text()],
  filters: ['where', list(readFilter, writeFilter)],
  stacks: ['stack', list(readStackFilter, writeStackFilter)],
  from: ['from', text(DEFAULT_FROM)],
  to: ['to', text(DEFAULT_TO)],
  snapshots: ['snapshots', choice(SNAPSHOT_MODES, 'average')],
}

export const EMPTY_QUERY: Query = {
  service: '',
  type: '',
  filters: [],
  stacks: [],
  from: DEFAULT_FROM,
  to: DEFAULT_TO,
  snapshots: 'average',
}

/** Whether the values of a query are snapshots of a state. */
export function hasSnapshots({ type }: Pick<Query, 'type'>): boolean {
  return isGaugeType(type.slice(0, Math.max(0, type.lastIndexOf(':'))) || type)
}

/** The parameter of requests that sets how snapshots are combined. Empty for the default and for other types. */
export function snapshotsOf(query: Pick<Query, 'type' | 'snapshots'>): { readonly snapshots?: SnapshotMode } {
  return hasSnapshots(query) && query.snapshots !== 'average' ? { snapshots: query.snapshots } : {}
}

/**
 * `region=eu`, `!debug`, `thread.id`: operators within a key are escaped, so the first unescaped one is the operator.
 */
function writeFilter({ key, operator, value }: Filter): string {
  const name = key.replaceAll(/[%!=<>~]/g, character => `%${character.charCodeAt(0).toString(16)}`)
  if (operator === 'exists') return name
  return operator === 'absent' ? `!${name}` : `${name}${operator}${value}`
}

/** Returns undefined if there is no key. */
export function readFilter(written: string): Filter | undefined {
  if (written.startsWith('!')) {
    const key = keyOf(written.slice(1))
    return key === '' ? undefined : { key, operator: 'absent', value: '' }
  }
  const at = written.search(/[!=<>~]/)
  if (at < 0) return written === '' ? undefined : { key: keyOf(written), operator: 'exists', value: '' }
  const operator = COMPARISONS.find(each => written.startsWith(each, at))
  if (operator === undefined || at === 0) return undefined
  return { key: keyOf(written.slice(0, at)), operator, value: written.slice(at + operator.length) }
}

function keyOf(name: string): string {
  return name.replaceAll(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

const STACK_FILTER = /^(!?)(frame|from|leaf)(=~|=)([^]*)$/

function writeStackFilter({ negated, place, regex, name }: StackFilter): string {
  return `${negated ? '!' : ''}${place}${regex ? '=~' : '='}${name}`
}

function readStackFilter(written: string): StackFilter | undefined {
  const parts = STACK_FILTER.exec(written)
  if (parts === null) return undefined
  const [, mark, place, operator, name] = parts
  return { negated: mark === '!', place: place as StackFilter['place'], regex: operator === '=~', name }
}

/** The selector in the server's language, such as `cpu:ns{service.name="checkout"} | frame "gc"`. */
export function selectorOf({ service, type, filters, stacks }: Omit<Query, 'from' | 'to' | 'snapshots'>): string {
  const matchers = filters.map(matcherOf)
  if (service !== '') matchers.unshift(`resource:service.name=${quoted(service)}`)
  const head = `${typeText(type)}${matchers.length === 0 ? '' : `{${matchers.join(', ')}}`}`
  return [head, ...stacks.map(predicateOf)].join(' | ')
}

/** Pyroscope's types have five parts, others two. The names of perf's types have colons: `cpu-clock:ppp:nanoseconds`. */
function typeText(type: string): string {
  const parts = type.split(':')
  const at = type.lastIndexOf(':')
  if (parts.length === 3 || parts.length === 4) return typeSelector(type.slice(0, at), type.slice(at + 1))
  return parts.map(typePart).join(':')
}

/** A selector of only a type, with any characters in its name. */
export function typeSelector(type: string, unit: string): string {
  return `${typePart(type)}:${typePart(unit)}`
}

function typePart(part: string): string {
  return part === '' || /^[\w.\-/+%]+$/.test(part) ? part : quoted(part)
}

function matcherOf({ key, operator, value }: Filter): string {
  const name = selectorKey(key)
  if (operator === 'exists') return name
  if (operator === 'absent') return `!${name}`
  // Text is compared with the text of any value. Only order operators need numbers.
  const isOrder = operator.startsWith('<') || operator.startsWith('>')
  return `${name}${operator}${isOrder ? value : quoted(value)}`
}

const LEVEL = /^(resource|scope|profile|sample):([^]+)$/

/** An attribute key in selector syntax. */
export function selectorKey(key: string): string {
  const parts = LEVEL.exec(key)
  return parts === null ? bareKey(key) : `${parts[1]}:${bareKey(parts[2])}`
}

function bareKey(key: string): string {
  return /^[A-Za-z_][\w.\-/]*$/.test(key) ? key : quoted(key)
}

function predicateOf({ negated, place, regex, name, file }: StackFilter): string {
  return `${negated ? '!' : ''}${place} ${regex ? '=~' : ''}${quoted(name)}${file === undefined ? '' : ` in ${quoted(file)}`}`
}

function quoted(value: string): string {
  // oxlint-disable-next-line no-control-regex
  const escaped = value.replaceAll(/[\u0000-\u001f\u007f"\\]/g, character => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${escaped}"`
}
