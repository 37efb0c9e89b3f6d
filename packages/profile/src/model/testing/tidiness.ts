// Lists what is untidy about a dictionary: duplicates, orphans, a nonzero row 0, unsorted attribute lists. Written as
// simply as possible, to check `compact` against.
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../columns/brand.ts'
import type { Pool } from '../columns/dictionary.ts'
import { ValueKind } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'

/** Returns one line for each finding. */
export function tidiness(profiles: Profiles): string[] {
  return [...duplicates(profiles), ...orphans(profiles), ...unsorted(profiles)]
}

/** Each row as text, by table. */
function rowsAsText({ dictionary }: Profiles): Record<string, string[]> {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const rows = <I extends number>(length: number, text: (i: I) => string): string[] =>
    Array.from({ length }, (_, i) => text(i as I))
  const set = (list: AttributeIndex[]): string => list.toSorted((a, b) => a - b).join(',')
  return {
    strings: rows<StringIndex>(strings.length, i => JSON.stringify(strings.text(i))),
    functions: rows<FunctionIndex>(functions.length, i =>
      [functions.name(i), functions.systemName(i), functions.filename(i), functions.startLine(i)].join(' '),
    ),
    mappings: rows<MappingIndex>(mappings.length, i =>
      [
        mappings.memoryStart(i),
        mappings.memoryLimit(i),
        mappings.fileOffset(i),
        mappings.filename(i),
        set(mappings.attributesOf(i)),
      ].join(' '),
    ),
    locations: rows<LocationIndex>(locations.length, i => {
      const lines: string[] = []
      for (let k = locations.linesFrom(i); k < locations.linesTo(i); k++) {
        lines.push(`${locations.lines.function(k)}:${locations.lines.line(k)}:${locations.lines.column(k)}`)
      }
      return [locations.mapping(i), locations.address(i), lines.join(','), set(locations.attributesOf(i))].join(' ')
    }),
    stacks: rows<StackIndex>(stacks.length, i => stacks.locations.slice(stacks.from(i), stacks.to(i)).join(' ')),
    links: rows<LinkIndex>(links.length, i => `${links.traceId(i).join(',')} ${links.spanId(i).join(',')}`),
    attributes: rows<AttributeIndex>(attributes.length, i => {
      const kind = attributes.kind(i)
      const [a, b] = [attributes.a(i), attributes.b(i)]
      const isRange = kind === ValueKind.string || kind >= ValueKind.array
      const value = isRange ? attributes.bytes.subarray(a, a + b).join(',') : `${a} ${b}`
      return [attributes.key(i), attributes.unit(i), kind, value].join(' ')
    }),
  }
}

const ZERO_ROWS: Readonly<Record<string, string>> = {
  strings: '""',
  functions: '0 0 0 0',
  mappings: '0 0 0 0 ',
  locations: '0 0  ',
  stacks: '',
  links: ' ',
  attributes: '0 0 0 0 0',
}

function duplicates(profiles: Profiles): string[] {
  const found: string[] = []
  for (const [table, rows] of Object.entries(rowsAsText(profiles))) {
    if (rows[0] !== ZERO_ROWS[table]) found.push(`${table}[0] is not the zero row: ${rows[0]}`)
    const seen = new Map<string, number>()
    for (const [i, row] of rows.entries()) {
      if (seen.has(row)) found.push(`${table}[${i}] is the same as [${seen.get(row)}]`)
      seen.set(row, i)
    }
  }
  return found
}

function orphans({ dictionary, profiles, samples }: Profiles): string[] {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const used = {
    strings: new Set<number>(),
    functions: new Set<number>(),
    mappings: new Set<number>(),
    locations: new Set<number>(),
    stacks: new Set<number>(),
    links: new Set<number>(),
    attributes: new Set<number>(),
  }
  const addAll = (set: Set<number>, list: Pool<number>): void => {
    for (let k = 0; k < list.length; k++) set.add(list.at(k))
  }
  // Pools hold the references of every row. Without orphan rows, all of those are in use.
  for (let i = 0; i < samples.length; i++) {
    used.stacks.add(samples.stack(i))
    used.links.add(samples.link(i))
  }
  addAll(used.locations, stacks.locations)
  for (const list of [samples.attributes, profiles.attributes, locations.attributes, mappings.attributes]) {
    addAll(used.attributes, list)
  }
  for (let i = 0; i < locations.length; i++) used.mappings.add(locations.mapping(i as LocationIndex))
  for (let k = 0; k < locations.lines.length; k++) used.functions.add(locations.lines.function(k))
  for (let i = 0 as FunctionIndex; i < functions.length; i++) {
    for (const string of [functions.name(i), functions.systemName(i), functions.filename(i)]) used.strings.add(string)
  }
  for (let i = 0 as MappingIndex; i < mappings.length; i++) used.strings.add(mappings.filename(i))
  for (let i = 0 as AttributeIndex; i < attributes.length; i++) {
    used.strings.add(attributes.key(i))
    used.strings.add(attributes.unit(i))
  }
  for (let i = 0; i < profiles.length; i++) {
    for (const string of [profiles.type(i), profiles.unit(i), profiles.periodType(i), profiles.periodUnit(i)]) {
      used.strings.add(string)
    }
  }
  const found: string[] = []
  for (const [table, { length }] of Object.entries({
    strings,
    functions,
    mappings,
    locations,
    stacks,
    links,
    attributes,
  })) {
    for (let i = 1; i < length; i++) {
      if (!used[table as keyof typeof used].has(i)) found.push(`nothing refers to ${table}[${i}]`)
    }
  }
  return found
}

function unsorted({ dictionary, profiles, samples }: Profiles): string[] {
  const found: string[] = []
  const check = (name: string, list: readonly number[]): void => {
    if (list.some((attribute, k) => k > 0 && attribute <= list[k - 1]))
      found.push(`${name} has attributes ${list.join(' ')}`)
  }
  for (let i = 0; i < samples.length; i++) check(`samples[${i}]`, samples.attributesOf(i))
  for (let i = 0; i < profiles.length; i++) check(`profiles[${i}]`, profiles.attributesOf(i))
  const { locations, mappings } = dictionary
  for (let i = 0 as LocationIndex; i < locations.length; i++) check(`locations[${i}]`, locations.attributesOf(i))
  for (let i = 0 as MappingIndex; i < mappings.length; i++) check(`mappings[${i}]`, mappings.attributesOf(i))
  return found
}
