// Converts the ids of a pprof file to positions. A pprof file can be parsed with the document's proto by design, but pprof
// refers to rows by id and the document by position. Only a bare profile without additions to pprof is read as pprof.
import { messagesOf, numberOf, numbersIn, wholeOf } from '../otlp/generations/message-fields.ts'
import type { Message, MessageSequence } from '../otlp/generations/schema-reader.ts'
import { appendedMessages, mappedMessages } from './mapped-messages.ts'

const TABLES_OF_OTEP: readonly string[] = ['location_indices', 'attribute_table', 'attribute_units', 'link_table']
const FIELDS_OF_OTEP: readonly string[] = [
  'locations_start_index',
  'locations_length',
  'stacktrace_id_index',
  'attributes',
  'link',
  'timestamps_unix_nano',
]

/** Whether all rows have ids and the profile uses no additions of the document. */
export function isPprof(profile: Message): boolean {
  if (TABLES_OF_OTEP.some(field => profile[field] !== undefined)) return false
  const locations = messagesOf(profile, 'location')
  if (locations.length === 0) return false
  for (const table of ['location', 'mapping', 'function']) {
    for (const row of messagesOf(profile, table)) if (numberOf(row, 'id') === 0) return false
  }
  for (const sample of messagesOf(profile, 'sample'))
    if (FIELDS_OF_OTEP.some(field => sample[field] !== undefined)) return false
  return true
}

/** `unknown` returns a position for an id that no row has, or throws. */
export function withPlaces(profile: Message, unknown: (table: string, id: bigint) => number): Message {
  const mappings = messagesOf(profile, 'mapping')
  const mappingPlaces = placesOf(mappings)
  const functionPlaces = placesOf(messagesOf(profile, 'function'))
  const locationPlaces = placesOf(messagesOf(profile, 'location'))
  const place = (places: ReadonlyMap<bigint, number>, table: string, id: bigint): bigint =>
    BigInt(places.get(id) ?? unknown(table, id))
  const locations = mappedMessages(messagesOf(profile, 'location'), location => {
    const mapping = wholeOf(location, 'mapping_index')
    return {
      ...location,
      // 0 means "none" in pprof, which has a separate row here.
      mapping_index: mapping === 0n ? BigInt(mappings.length) : place(mappingPlaces, 'mapping', mapping),
      line: mappedMessages(messagesOf(location, 'line'), line => ({
        ...line,
        function_index: place(functionPlaces, 'function', wholeOf(line, 'function_index')),
      })),
    }
  })
  const samples = mappedMessages(messagesOf(profile, 'sample'), sample => ({
    ...sample,
    location_index: Array.from(numbersIn(sample, 'location_index'), id =>
      place(locationPlaces, 'location', BigInt(id)),
    ),
  }))
  return { ...profile, mapping: appendedMessages(mappings, [{}]), location: locations, sample: samples }
}

function placesOf(rows: MessageSequence): ReadonlyMap<bigint, number> {
  const places = new Map<bigint, number>()
  let place = 0
  for (const row of rows) places.set(wholeOf(row, 'id'), place++)
  return places
}
