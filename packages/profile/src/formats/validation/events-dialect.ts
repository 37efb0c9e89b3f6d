// The dialect of the timestamped-events proposal.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { checkConvention } from '../../model/validate/attribute-values.ts'
import type { MessageName } from '../events-text/schema.ts'
import { MESSAGE_NAMES, messageNamed } from '../events-text/schema.ts'
import type { Fields, Schema } from '../otlp/generations/schema.ts'
import { compileMessages } from '../otlp/generations/schema.ts'
import { messageIn, messagesOf, numberOf, wholeOf } from '../otlp/generations/message-fields.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import type { Dialect, MessageCheck, WalkState } from './dialect.ts'
import { checkAddress, checkKeys, checkLink, checkReferencedKeys } from './otlp-checks.ts'
import type { RawTables } from './raw-tables.ts'

const ROOT = 'Profile'

/** Strings are referred to by names that end in `string_index`, the others by these. */
const TABLES: Readonly<Record<string, string>> = {
  event_type_index: 'event_types',
  stack_index: 'stacks',
  link_index: 'links',
  clock_index: 'clocks',
  location_index: 'locations',
  mapping_index: 'mappings',
  function_index: 'functions',
  attribute_indices: 'attributes',
  attribute_incidices: 'attributes',
  attribute_index: 'attributes',
}

/** Tables of which a row that does not exist is never the default 0. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['event_types', 'clocks', 'links', 'locations', 'attributes'])

const CHECKS: Readonly<Record<string, MessageCheck>> = {
  Profile: ({ problems }, message) => {
    if (wholeOf(message, 'duration_nanos') < 0n)
      problems.add('time-order', () => ['duration_nanos', 'the duration is negative'])
  },
  Event: checkEvent,
  EventType: (check, message, path) => checkReferencedKeys(check, message, path, 'attribute_incidices'),
  Clock: checkClock,
  Location: (check, message, path) => {
    checkReferencedKeys(check, message, path, 'attribute_index')
    checkAddress(check, message, path)
  },
  Mapping: (check, message, path) => checkReferencedKeys(check, message, path, 'attributes'),
  Link: checkLink,
  KeyValue: checkAttribute,
  KeyValueList: (check, message, path) => checkKeys(check, message, 'values', path, 'value-keys-unique'),
}

export const eventsDialect: Dialect = {
  schema: schemaOfEvents(),
  root: ROOT,
  tables: [...[...new Set(Object.values(TABLES))].map(name => [name, [name]] as const), ['strings', ['strings']]],
  tableOf: ({ name: message }, { name }) => {
    if (message === 'Mapping' && name === 'attributes') return 'attributes'
    if (message === 'AnyValue' && name === 'string_index') return 'strings'
    return /string_u?index$/.test(name) ? 'strings' : TABLES[name]
  },
  // A file may omit its stacks, like the examples of the document.
  allows: (table, index, length) => (index === 0 && !NEVER_EMPTY.has(table)) || (table === 'stacks' && length === 0),
  zeroRows: ['strings', 'stacks'],
  needsZeroRows: false,
  checks: CHECKS,
}

/** Indexes are 64 bits wide here, so that none is cut to a valid one. */
function schemaOfEvents(): Schema {
  const fieldsOf = (name: MessageName): Fields =>
    Object.fromEntries(
      Array.from(messageNamed(name).byNumber.values(), field => {
        const type = field.type === 'BuildIdKind' ? 'uint64' : field.type.replace(/^u?int32$/, 'uint64')
        return [field.name, `${field.number} ${type}${field.repeated ? '*' : name === 'AnyValue' ? '|' : ''}`]
      }),
    )
  return compileMessages(Object.fromEntries(MESSAGE_NAMES.map(name => [name, fieldsOf(name)])), ROOT)
}

/** Converts a path to the names that a text uses instead of the proto's. */
export function respelled(path: string, otherNames: ReadonlyMap<string, string>): string {
  let message = eventsDialect.schema.get(ROOT)
  const steps = path.split('.').map(step => {
    const [name] = step.split('[')
    const field = message?.byName.get(name)
    const other = message && otherNames.get(`${message.name}.${name}`)
    message = field && eventsDialect.schema.get(field.type)
    return other === undefined ? step : other + step.slice(name.length)
  })
  return steps.join('.')
}

function checkEvent(check: WalkState, message: Message, path: string): void {
  const { problems, tables } = check
  checkReferencedKeys(check, message, path, 'attribute_indices')
  const index = numberOf(message, 'event_type_index')
  const type = tables.row('event_types', index)
  if (type === undefined) {
    if (message['event_type_index'] === undefined)
      problems.add('reference-range', () => [`${path}.event_type_index`, '0 is out of range: event_types has 0 rows'])
    return
  }
  const value = wholeOf(message, 'value')
  const sum = wholeOf(message, 'sum')
  if (value !== 0n && sum !== 0n && value !== sum)
    problems.add('event-value-sum', () => [`${path}.sum`, `it is ${sum}, but the value is ${value}`])
  if (type['clock_index'] !== undefined) return
  const what = `event_types[${index}] has no clock`
  for (const field of ['time', 'duration'])
    if (wholeOf(message, field) !== 0n)
      problems.add('event-clock', () => [`${path}.${field}`, `it is set, but ${what}`])
  // Aggregates have a count or a sum, and need no time.
  if (value !== 0n && wholeOf(message, 'count') === 0n)
    problems.add('event-clock', () => [`${path}.value`, `a single event has a time, but ${what}`])
}

function checkClock(check: WalkState, message: Message, path: string): void {
  checkReferencedKeys(check, message, path, 'attribute_indices')
  if (wholeOf(message, 'frequency') === 0n)
    check.problems.add('clock-frequency', () => [`${path}.frequency`, 'the frequency is missing'])
}

function checkAttribute(check: WalkState, message: Message, path: string): void {
  const { problems, tables } = check
  const key = tables.keyOf(message)
  if (key === '') problems.add('attribute-key-empty', () => [`${path}.key_string_index`, 'the key is empty'])
  // Only rows of the table are attributes. Others are entries of a value.
  if (!problems.strict || !/^attributes\[\d+\]$/.test(path)) return
  const read = (): AnyValue => valueOf(messageIn(message, 'value') ?? {}, tables)
  checkConvention(key, read, () => path, problems)
}

function valueOf(message: Message, tables: RawTables): AnyValue {
  if (message['string_index'] !== undefined) return tables.text(numberOf(message, 'string_index'))
  const list = messageIn(message, 'array_value')
  if (list !== undefined) return Array.from(messagesOf(list, 'values'), item => valueOf(item, tables))
  if (message['kvlist_value'] !== undefined) return { entries: [] }
  return (message['bool_value'] ??
    message['int_value'] ??
    message['double_value'] ??
    message['bytes_value']) as AnyValue
}
