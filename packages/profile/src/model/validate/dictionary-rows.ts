// Checks rows of the dictionary one at a time: functions, mappings, locations with their lines, stacks and links. Row 0
// is checked in zero-rows.ts. Loops over large tables use no closures, because one that captures a loop variable
// allocates an object per iteration. 60,000 locations, 30,000 functions and 20,000 links took 75 ms with closures and
// take 8 ms without.
import type { FunctionIndex, LinkIndex, LocationIndex, MappingIndex, StackIndex } from '../columns/brand.ts'
import { parseBuildId } from '../attributes/build-id.ts'
import type { Dictionary, FunctionTable, LocationTable, MappingTable } from '../columns/dictionary.ts'
import { FUNCTION_STRIDE, LINE_STRIDE, LOCATION_STRIDE, MAPPING_STRIDE } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import type { ProblemList } from './problems.ts'
import type { TableName } from './references.ts'
import type { RuleId } from './rules.ts'
import { isUnset } from './unset-string.ts'

export function checkDictionaryRows(profiles: Profiles, problems: ProblemList): void {
  checkMappings(profiles, problems)
  checkLocations(profiles, problems)
  checkFunctions(profiles, problems)
  checkLinks(profiles, problems)
  if (problems.strict) checkStacks(profiles, problems)
}

function checkMappings({ dictionary }: Profiles, problems: ProblemList): void {
  const { mappings, attributes, strings } = dictionary
  const { ints, base } = mappings
  for (let i = 1; i < mappings.length; i++) {
    const row = i as MappingIndex
    const at = base + i * MAPPING_STRIDE
    const isEmpty = (ints[at] | ints[at + 1] | ints[at + 2] | ints[at + 3]) === 0
    if (!isEmpty && !isBelow(ints[at], ints[at + 1], ints[at + 2], ints[at + 3])) reportRange(mappings, row, problems)
    if (!problems.strict) continue
    const path = `dictionary.mapping_table[${i}]`
    // The deprecated attribute counts as well. Another rule reports it.
    const hasBuildId = mappings.attributesOf(row).some(a => parseBuildId(strings.text(attributes.key(a))) !== undefined)
    if (!hasBuildId)
      problems.add('mapping-build-id', () => [`${path}.attribute_indices`, 'the mapping has no build id'])
  }
}

function reportRange(mappings: MappingTable, i: MappingIndex, problems: ProblemList): void {
  const [start, limit] = [mappings.memoryStart(i), mappings.memoryLimit(i)]
  const what = `memory_start ${hex(start)} is not below memory_limit ${hex(limit)}`
  reportRow(problems, 'mapping-range', 'mapping_table', i, what)
}

function checkLocations({ dictionary }: Profiles, problems: ProblemList): void {
  const { locations, mappings } = dictionary
  const { ints, base } = locations
  for (let i = 0; i < locations.length; i++) {
    const from = locations.linesFrom(i as LocationIndex)
    const to = locations.linesTo(i as LocationIndex)
    checkLines(locations, i, from, to, problems)
    if (!problems.strict || i === 0) continue
    const at = base + i * LOCATION_STRIDE
    if (ints[at + 1] === 0 && ints[at + 2] === 0) {
      const row = i as LocationIndex
      // Profilers describe a frame that they could not unwind by its attributes alone.
      if (from === to && locations.attributesFrom(row) === locations.attributesTo(row))
        reportRow(problems, 'location-empty', 'location_table', i, 'it has no address, lines or attributes')
    } else if (!isInMapping(mappings, ints[at], ints[at + 1], ints[at + 2])) {
      reportAddress(dictionary, i as LocationIndex, problems)
    }
  }
}

function checkLines({ lines }: LocationTable, i: number, from: number, to: number, problems: ProblemList): void {
  const { ints, base } = lines
  for (let k = from; k < to; k++) {
    const at = base + k * LINE_STRIDE
    if (ints[at] === 0) reportLine(problems, 'line-function', i, k - from, 'function_index', UNSET)
    // The sign of a 64-bit number is the sign of its upper half.
    if (ints[at + 2] < 0) reportLine(problems, 'position-negative', i, k - from, 'line', `the line is ${lines.line(k)}`)
    if (ints[at + 4] < 0)
      reportLine(problems, 'position-negative', i, k - from, 'column', `the column is ${lines.column(k)}`)
  }
}

const UNSET = 'it is 0, which means "not set"'

function reportRow(problems: ProblemList, rule: RuleId, table: TableName, row: number, message: string): void {
  problems.add(rule, () => [`dictionary.${table}[${row}]`, message])
}

function reportLine(
  problems: ProblemList,
  rule: RuleId,
  location: number,
  line: number,
  field: string,
  message: string,
): void {
  problems.add(rule, () => [`dictionary.location_table[${location}].lines[${line}].${field}`, message])
}

function reportAddress({ locations, mappings }: Dictionary, i: LocationIndex, problems: ProblemList): void {
  problems.add('location-address', () => {
    const mapping = locations.mapping(i)
    const range = `[${hex(mappings.memoryStart(mapping))}, ${hex(mappings.memoryLimit(mapping))}]`
    const path = `dictionary.location_table[${i}].address`
    return [path, `${hex(locations.address(i))} is not in ${range} of mapping ${mapping}`]
  })
}

/** Compares halves, so that valid data needs no BigInt. */
function isInMapping({ ints, base }: MappingTable, mapping: number, lo: number, hi: number): boolean {
  const at = base + mapping * MAPPING_STRIDE
  const isBelowStart = isBelow(lo, hi, ints[at], ints[at + 1])
  // The format allows the limit itself.
  const isAboveLimit = isBelow(ints[at + 2], ints[at + 3], lo, hi)
  if (!isBelowStart && !isAboveLimit) return true
  // A mapping without a range does not restrict addresses.
  return (ints[at] | ints[at + 1] | ints[at + 2] | ints[at + 3]) === 0
}

/** Compares as unsigned. */
function isBelow(aLo: number, aHi: number, bLo: number, bHi: number): boolean {
  return aHi === bHi ? aLo >>> 0 < bLo >>> 0 : aHi >>> 0 < bHi >>> 0
}

function checkFunctions({ dictionary }: Profiles, problems: ProblemList): void {
  const { functions, strings } = dictionary
  for (let i = 0; i < functions.length; i++) {
    const row = i as FunctionIndex
    if (
      i > 0 &&
      isUnset(strings, functions.name(row)) &&
      isUnset(strings, functions.systemName(row)) &&
      isUnset(strings, functions.filename(row))
    ) {
      reportRow(problems, 'function-name', 'function_table', i, 'it has no name, system name or file name')
    }
    if (functions.ints[functions.base + i * FUNCTION_STRIDE + 4] < 0) reportStartLine(functions, row, problems)
  }
}

function reportStartLine(functions: FunctionTable, i: FunctionIndex, problems: ProblemList): void {
  const path = `dictionary.function_table[${i}].start_line`
  problems.add('position-negative', () => [path, `the start line is ${functions.startLine(i)}`])
}

function checkStacks({ dictionary }: Profiles, problems: ProblemList): void {
  const { stacks } = dictionary
  const { ints, base } = stacks.locations
  for (let i = 0; i < stacks.length; i++) {
    const from = base + stacks.from(i as StackIndex)
    const to = base + stacks.to(i as StackIndex)
    for (let at = from; at < to; at++) if (ints[at] === 0) reportFrame(problems, i, at - from)
  }
}

function reportFrame(problems: ProblemList, stack: number, place: number): void {
  problems.add('stack-location', () => [`dictionary.stack_table[${stack}].location_indices[${place}]`, UNSET])
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

function checkLinks({ dictionary }: Profiles, problems: ProblemList): void {
  const { links } = dictionary
  for (let i = 1; i < links.length; i++) {
    checkId(problems, 'trace-id-length', i, 'trace_id', links.traceId(i as LinkIndex), TRACE_ID_BYTES)
    checkId(problems, 'span-id-length', i, 'span_id', links.spanId(i as LinkIndex), SPAN_ID_BYTES)
  }
}

function checkId(problems: ProblemList, rule: RuleId, i: number, field: string, id: Uint8Array, length: number): void {
  const isZero = id.every(byte => byte === 0)
  if (!isZero && id.length === length) return
  const path = `dictionary.link_table[${i}].${field}`
  if (isZero)
    problems.add('link-incomplete', () => [path, id.length === 0 ? 'the id is not set' : 'the id is all zero'])
  else problems.add(rule, () => [path, `the id has ${id.length} bytes, but needs ${length}`])
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`
}
