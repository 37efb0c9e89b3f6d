// Columns that several tables share.
import { arrayOf, date, fewTexts, fixedBytes, text, time64, uint32, uint64, uint8 } from '../native/table.ts'

/** Attributes in a row: key, kind of value (numbered like AnyValue's fields) and value as text. See attribute-text.ts. */
export const attributes = {
  attribute_keys: arrayOf(fewTexts()),
  attribute_kinds: arrayOf(uint8()),
  attribute_values: arrayOf(text()),
  dropped_attributes: uint32(),
} as const

/**
 * Fields that this version of OTLP does not define, of the row's message and of messages in it, as the library's
 * `encodeParts` writes them. Empty in nearly every row. Rows that have some hash them too.
 */
export const unknownFields = { unknown_fields: text() } as const

/**
 * The encoded message of an item, if it or a message in it has fields that this version of OTLP does not define. Then the item
 * is read from here instead of from its columns. Empty in nearly every row. For a data point, it is its metric with this point
 * alone.
 */
export const original = { original: text() } as const

/**
 * The first columns of every content-addressed row. `check` is another 64 bits of the same hash, which shows two contents
 * with one id. It is 0 for copies from tables of others (exported/container-copies.ts), whose ids are other hashes.
 */
export const symbolKey = {
  tenant: fewTexts(),
  id: uint64(),
  check: uint64(),
  /** The last day on which a row that refers to it arrived. Retention deletes symbols by it. */
  last_seen: date(),
} as const

/**
 * The origin of a row: its request and its position in it, so that a request can be returned in order. `day` is the day of
 * receipt by the server's clock, because senders' times can be anything and must not create partitions.
 */
export const origin = {
  tenant: fewTexts(),
  day: date(),
  received: time64(),
  request: fixedBytes(16),
  /** Counted over the complete request: the n-th resource, the n-th scope. */
  resource_index: uint32(),
  scope_index: uint32(),
  /** The n-th item in its scope. */
  item_index: uint32(),
  /** Ids in `resources` and `scopes`. */
  resource: uint64(),
  scope: uint64(),
  /** The resource's service.name. */
  service: fewTexts(),
} as const

/** By tenant and day. Retention drops partitions, which frees the disk at once. */
export const PARTITION = '(tenant, day)'
