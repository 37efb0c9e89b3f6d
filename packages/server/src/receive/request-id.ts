// The ids of requests, by which the store recognises duplicates within a tenant.
import { createHash } from 'node:crypto'
import type { Profiles } from '@hearth/profile'

const ID_LENGTH = 16

/** The id of a request with a body. `label` is the signal, or whatever else distinguishes requests with the same body. */
export function requestId(label: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(label).update('\0').update(body).digest().subarray(0, ID_LENGTH)
}

/** The id of a request made of several parts. */
export function batchId(label: string, parts: Iterable<Uint8Array | string>): Uint8Array {
  const hash = createHash('sha256').update(label).update('\0')
  // With lengths, so that parts cannot run into each other.
  for (const part of parts) hash.update(`${part.length}\0`).update(part)
  return hash.digest().subarray(0, ID_LENGTH)
}

/** The id and the size of profiles that were never encoded. */
export function columnsId({ dictionary, samples, profiles }: Profiles): { id: Uint8Array; bytes: number } {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const tables = [strings, functions, mappings, locations, stacks, links, attributes, profiles]
  const pools = [samples, samples.values, samples.timestamps]
  const arrays = [...new Set([...tables, ...pools].map(({ ints }) => ints))]
  const parts = [dictionary.bytes, ...arrays.map(ints => new Uint8Array(ints.buffer, ints.byteOffset, ints.byteLength))]
  return { id: batchId('columns', parts), bytes: parts.reduce((sum, part) => sum + part.length, 0) }
}
