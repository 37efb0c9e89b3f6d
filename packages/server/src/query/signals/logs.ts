// Log records by text, severity, resource and time, in pages in both directions.
import type { AnyValue } from '@hearth/profile'
import type { LogRecord } from '@hearth/signals'
import { readLogRecord } from '../../store/signals/read-items.ts'
import { ValueKind } from '@hearth/profile'
import { checkRegex } from '../select/matcher-sql.ts'
import { unknownCursor } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { idOf } from '../select/span-tree.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { ResponseResource, ResponseScope } from './containers-of.ts'
import { Containers } from './containers-of.ts'
import { PROFILE_ID_KEYS, checkItemSelector, itemsWhere, profileIdCondition } from './items-where.ts'
import { resourcesOfProcesses } from './same-process.ts'

export interface LogFilter {
  readonly service?: string
  /** A text in the body. */
  readonly text?: string
  /** A regular expression (RE2) that matches anywhere in the body. */
  readonly regex?: string
  /** Whether text and regex ignore case. */
  readonly ignoreCase?: boolean
  /** Severity numbers of OTLP: 1 to 24. */
  readonly minSeverity?: number
  readonly maxSeverity?: number
  readonly traceId?: string
  readonly spanId?: string
  /** Hex. */
  readonly profileId?: string
  /** The id of a resource. Selects other resources of the same process too. */
  readonly resource?: bigint
  /** The value of thread.id. */
  readonly thread?: string
  /** Unix nanoseconds: only records that the server received later. */
  readonly receivedAfter?: bigint
}

export interface LogChoice {
  /** 'newest' first unless given. */
  readonly order?: 'newest' | 'oldest'
  /** 100 unless given. */
  readonly limit?: number
  /** A record's `cursor`. Selects only records after it in the order. */
  readonly after?: string
}

export interface LogRow {
  readonly cursor: string
  /** The time by which it is found: its own time, or when it was observed, or when it was received. */
  readonly time: bigint
  readonly received: bigint
  readonly service: string
  /** Rows in `resources` and `scopes`. */
  readonly resource: number
  readonly scope: number
  readonly record: LogRecord
  /** The profile that it refers to, in hex; empty if there is none. */
  readonly profileId: string
}

export interface Logs {
  readonly logs: readonly LogRow[]
  readonly resources: readonly ResponseResource[]
  readonly scopes: readonly ResponseScope[]
  /** The cursor of the next page in this direction; undefined on the last page. */
  readonly next: string | undefined
}

const MAX_LOGS = 10_000
const ORDER = 'time, request, scope_index, item_index'
const COLUMNS =
  'time, received, request, scope_index, item_index, resource, scope, service, time_unix_nano, observed_unix_nano, ' +
  'severity_number, severity_text, body_kind, body, attribute_keys, attribute_kinds, attribute_values, ' +
  'dropped_attributes, flags, trace_id, span_id, event_name'

export async function searchLogs(
  context: QueryContext,
  query: Query,
  filter: LogFilter = {},
  { order = 'newest', limit = 100, after }: LogChoice = {},
): Promise<Logs> {
  checkCount('limit', limit, MAX_LOGS)
  const running = new RunningQuery(context.engine, query)
  const values = new Values()
  const conditions = [await logsWhere(running, values, filter)]
  if (after !== undefined) conditions.push(pageCondition(values, after, order === 'newest' ? '<' : '>'))
  const direction = order === 'newest' ? 'DESC' : 'ASC'
  const block = await running.select(
    `SELECT ${COLUMNS} FROM logs WHERE ${conditions.join(' AND ')} ORDER BY ${ORDER.split(', ')
      .map(name => `${name} ${direction}`)
      .join(', ')} LIMIT ${limit + 1}`,
    values.all,
  )
  const containers = new Containers(running)
  const logs: LogRow[] = []
  for (let row = 0; row < Math.min(block.rows, limit); row++) {
    const record = readLogRecord(block, row)
    const place = ['scope_index', 'item_index'].map(name => block.column(name).number(row))
    const request = Buffer.from(block.column('request').bytes(row)).toString('hex')
    const time = block.column('time').bigint(row)
    logs.push({
      cursor: [time, request, ...place].join('.'),
      time,
      received: block.column('received').bigint(row),
      service: block.column('service').text(row),
      resource: containers.resource(block.column('resource'), row),
      scope: containers.scope(block.column('scope'), row),
      record,
      profileId: profileIdOf(record),
    })
  }
  return { logs, ...(await containers.load()), next: block.rows > limit ? logs.at(-1)?.cursor : undefined }
}

/** The condition on rows of `logs`. */
export async function logsWhere(running: RunningQuery, values: Values, filter: LogFilter): Promise<string> {
  await checkItemSelector(running, 'log')
  if (filter.regex !== undefined) await checkRegex(running, filter.regex)
  return [itemsWhere(running, values, filter.service), ...(await conditionsOf(running, values, filter))].join(' AND ')
}

async function conditionsOf(running: RunningQuery, values: Values, filter: LogFilter): Promise<string[]> {
  const { text, regex, ignoreCase = false, minSeverity, maxSeverity, traceId, spanId, profileId } = filter
  const conditions: string[] = []
  if (filter.receivedAfter !== undefined) conditions.push(`received > ${values.time(filter.receivedAfter)}`)
  if (text !== undefined) {
    const position = ignoreCase ? 'positionCaseInsensitiveUTF8' : 'position'
    conditions.push(`body_kind != ${ValueKind.bytes} AND ${position}(body, ${values.text(text)}) > 0`)
  }
  if (regex !== undefined) {
    const flags = ignoreCase ? '(?is)' : '(?s)'
    conditions.push(`body_kind != ${ValueKind.bytes} AND match(body, ${values.text(`${flags}(?:${regex})`)})`)
  }
  if (minSeverity !== undefined) conditions.push(`severity_number >= ${values.add('Int32', minSeverity)}`)
  if (maxSeverity !== undefined) conditions.push(`severity_number <= ${values.add('Int32', maxSeverity)}`)
  if (traceId !== undefined) {
    conditions.push(`trace_id = ${values.add('FixedString(16)', idOf(traceId, 16, 'trace'))}`)
  }
  if (spanId !== undefined) conditions.push(`span_id = ${values.add('FixedString(8)', idOf(spanId, 8, 'span'))}`)
  if (profileId !== undefined) conditions.push(profileIdCondition(values, profileId))
  if (filter.resource !== undefined) {
    const resources = (await resourcesOfProcesses(running, [filter.resource])).get(filter.resource) ?? []
    conditions.push(`resource IN ${values.ids(resources)}`)
  }
  if (filter.thread !== undefined) {
    conditions.push(
      "arrayExists((k, value) -> k = 'thread.id' AND value = " +
        `${values.text(filter.thread)}, attribute_keys, attribute_values)`,
    )
  }
  return conditions
}

function pageCondition(values: Values, cursor: string, sign: '<' | '>'): string {
  const match = /^(\d{1,19})\.([0-9a-f]{32})\.(\d{1,10})\.(\d{1,10})$/.exec(cursor)
  if (match === null) throw unknownCursor(cursor)
  const [, time, request, scope, item] = match
  const index = (text: string) => values.add('UInt64', BigInt(text))
  return (
    `(${ORDER}) ${sign} (${values.time(BigInt.asIntN(64, BigInt(time)))}, ` +
    `${values.add('FixedString(16)', idOf(request, 16, 'request'))}, ${index(scope)}, ${index(item)})`
  )
}

function profileIdOf({ attributes }: LogRecord): string {
  for (const { key, value } of attributes) {
    if (!PROFILE_ID_KEYS.some(name => name === key)) continue
    const hex = hexOf(value)
    if (hex !== '') return hex
  }
  return ''
}

function hexOf(value: AnyValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'string' && /^(?:[0-9a-fA-F]{2})+$/.test(value) ? value.toLowerCase() : ''
}
