// Checks row 0 of every dictionary table: it must exist and be the zero value, because an index of 0 means "not set".
import type { LinkIndex, LocationIndex, MappingIndex, StackIndex, StringIndex } from '../columns/brand.ts'
import type { Table } from '../columns/dictionary.ts'
import { ATTRIBUTE_STRIDE, FUNCTION_STRIDE } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import type { ProblemList } from './problems.ts'

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

export function checkZeroRows(profiles: Profiles, problems: ProblemList): void {
  for (const table of profiles.emptyTables) {
    problems.add('zero-row-present', () => [`dictionary.${table}`, 'the table is empty; it must have its zero row'])
  }
  const { strings, functions, mappings, locations, links, stacks, attributes } = profiles.dictionary
  const expect = (table: string, isZero: boolean): void => {
    if (!isZero) problems.add('zero-row-value', () => [`dictionary.${table}[0]`, 'row 0 must be the zero value'])
  }
  const mapping = 0 as MappingIndex
  expect('mapping_table', isZeroRow(mappings, 7) && mappings.attributesTo(mapping) === 0)
  const location = 0 as LocationIndex
  expect(
    'location_table',
    isZeroRow(locations, 3) && locations.linesTo(location) === 0 && locations.attributesTo(location) === 0,
  )
  expect('function_table', isZeroRow(functions, FUNCTION_STRIDE))
  // The ids may also be omitted.
  const traceId = links.traceId(0 as LinkIndex)
  const spanId = links.spanId(0 as LinkIndex)
  expect('link_table', isZeroId(traceId, TRACE_ID_BYTES) && isZeroId(spanId, SPAN_ID_BYTES))
  expect('string_table', strings.byteLength(0 as StringIndex) === 0)
  expect('attribute_table', isZeroRow(attributes, ATTRIBUTE_STRIDE))
  expect('stack_table', stacks.to(0 as StackIndex) === 0)
}

/** Whether the first `count` ints of row 0 are zero. */
function isZeroRow(table: Table, count: number): boolean {
  for (let column = 0; column < count; column++) if (table.ints[table.base + column] !== 0) return false
  return true
}

function isZeroId(id: Uint8Array, length: number): boolean {
  return id.length === 0 || (id.length === length && id.every(byte => byte === 0))
}
