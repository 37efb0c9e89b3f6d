// The reference of a stored profile as a text: the series, the request, its arrival time, and the profile's position in
// it.
import type { Block } from '../../store/native/block.ts'
import { QueryError } from '../query-error.ts'
import type { Values } from '../statement.ts'

export interface ProfileReference {
  readonly series: bigint
  readonly request: Uint8Array
  readonly received: bigint
  readonly scopeIndex: number
  readonly itemIndex: number
}

/** Columns in `profiles` and in `span_samples`. */
export const REFERENCE_COLUMNS = ['series', 'request', 'received', 'scope_index', 'item_index'] as const

export function referenceAt(block: Block, row: number): ProfileReference {
  return {
    series: block.column('series').bigint(row),
    request: block.column('request').bytes(row),
    received: block.column('received').bigint(row),
    scopeIndex: block.column('scope_index').number(row),
    itemIndex: block.column('item_index').number(row),
  }
}

/** `series-request-received-scope-item`, the first three in hex. */
export function printReference({ series, request, received, scopeIndex, itemIndex }: ProfileReference): string {
  const hex = (value: bigint) => value.toString(16).padStart(16, '0')
  return [hex(series), Buffer.from(request).toString('hex'), hex(received), scopeIndex, itemIndex].join('-')
}

const REFERENCE = /^([0-9a-f]{16})-([0-9a-f]{32})-([0-9a-f]{16})-(\d{1,10})-(\d{1,10})$/

/** Throws QueryError if the text is not a reference. */
export function parseReference(text: string): ProfileReference {
  const match = REFERENCE.exec(text)
  if (match === null)
    throw new QueryError('argument', `${JSON.stringify(text.slice(0, 120))} is not a profile reference`)
  const [, series, request, received, scopeIndex, itemIndex] = match
  return {
    series: BigInt(`0x${series}`),
    request: new Uint8Array(Buffer.from(request, 'hex')),
    received: BigInt.asIntN(64, BigInt(`0x${received}`)),
    scopeIndex: Number(scopeIndex),
    itemIndex: Number(itemIndex),
  }
}

export function referenceCondition(values: Values, reference: ProfileReference): string {
  return (
    `series = ${values.add('UInt64', reference.series)} AND request = ${values.add('FixedString(16)', reference.request)} ` +
    `AND received = ${values.time(reference.received)} AND scope_index = ${values.add('UInt64', reference.scopeIndex)} ` +
    `AND item_index = ${values.add('UInt64', reference.itemIndex)}`
  )
}
