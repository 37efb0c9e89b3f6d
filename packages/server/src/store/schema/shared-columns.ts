// Columns that several tables have.
import { arrayOf, date, fewTexts, fixedBytes, text, time64, uint32, uint64, uint8 } from '../native/table.ts'

/** Attributes in a row: key, kind of value (numbered as AnyValue's fields) and value as text; see attribute-text.ts. */
export const attributes = {
  attribute_keys: arrayOf(fewTexts()),
  attribute_kinds: arrayOf(uint8()),
  attribute_values: arrayOf(text()),
  dropped_attributes: uint32(),
} as const

/** What every content-addressed row begins with. `check` is another 64 bits of the same hash: two contents with one id show. */
export const symbolKey = {
  tenant: fewTexts(),
  id: uint64(),
  check: uint64(),
  /** The last day on which something that refers to it came in; by it symbols that nothing refers to any more are found. */
  last_seen: date(),
} as const

/**
 * Where a row came from: its request, and its place in it, so that a request can be given back in its order. `day` is the
 * day on which it came in, by the server's clock: senders' times may be anything, and must not make partitions.
 */
export const origin = {
  tenant: fewTexts(),
  day: date(),
  received: time64(),
  request: fixedBytes(16),
  /** Counted over the whole request: the n-th resource, the n-th scope. */
  resource_index: uint32(),
  scope_index: uint32(),
  /** The n-th in its scope. */
  item_index: uint32(),
  /** Ids in `resources` and `scopes`. */
  resource: uint64(),
  scope: uint64(),
  /** The resource's service.name. */
  service: fewTexts(),
} as const

/** By tenant and day, so that retention is dropping partitions, which frees the disk at once. */
export const PARTITION = '(tenant, day)'
