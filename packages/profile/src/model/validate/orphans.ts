// Finds dictionary rows that are not reachable from any sample or profile. Row 0 is exempt, because it must exist.
import type { AnyValue, KeyValue } from '../columns/any-value.ts'
import { isKeyValueList } from '../columns/any-value.ts'
import type { AttributeIndex, LocationIndex, MappingIndex, StackIndex, StringIndex } from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import { ATTRIBUTE_STRIDE, FUNCTION_STRIDE, LINE_STRIDE, LOCATION_STRIDE, ValueKind } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { TableName } from './references.ts'

export function findOrphans(profiles: Profiles, onOrphan: (table: TableName, row: number) => void): void {
  const reached = new Reached(profiles.dictionary)
  reached.fromProfiles(profiles)
  reached.throughDictionary()
  const { mappings, locations, functions, links, attributes, stacks } = reached
  for (const [table, marks] of [
    ['mapping_table', mappings],
    ['location_table', locations],
    ['function_table', functions],
    ['link_table', links],
    ['string_table', reached.strings],
    ['attribute_table', attributes],
    ['stack_table', stacks],
  ] as const) {
    let row = marks.indexOf(0, 1)
    if (table === 'string_table' && row > 0) {
      markInlineStrings(profiles, marks)
      row = marks.indexOf(0, 1)
    }
    for (; row > 0; row = marks.indexOf(0, row + 1)) onOrphan(table, row)
  }
}

/** One byte per row: 1 if the row is reachable. */
class Reached {
  readonly strings: Uint8Array
  readonly functions: Uint8Array
  readonly mappings: Uint8Array
  readonly locations: Uint8Array
  readonly stacks: Uint8Array
  readonly links: Uint8Array
  readonly attributes: Uint8Array
  readonly #dictionary: Dictionary

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
    this.strings = new Uint8Array(dictionary.strings.length)
    this.functions = new Uint8Array(dictionary.functions.length)
    this.mappings = new Uint8Array(dictionary.mappings.length)
    this.locations = new Uint8Array(dictionary.locations.length)
    this.stacks = new Uint8Array(dictionary.stacks.length)
    this.links = new Uint8Array(dictionary.links.length)
    this.attributes = new Uint8Array(dictionary.attributes.length)
  }

  fromProfiles({ profiles, samples }: Profiles): void {
    for (let p = 0; p < profiles.length; p++) {
      this.strings[profiles.type(p)] = 1
      this.strings[profiles.unit(p)] = 1
      this.strings[profiles.periodType(p)] = 1
      this.strings[profiles.periodUnit(p)] = 1
    }
    this.#markAll(profiles.attributes, 0, profiles.attributes.length)
    for (let s = 0; s < samples.length; s++) {
      this.stacks[samples.stack(s)] = 1
      this.links[samples.link(s)] = 1
    }
    this.#markAll(samples.attributes, 0, samples.attributes.length)
  }

  throughDictionary(): void {
    const { stacks, locations, mappings, functions, attributes } = this.#dictionary
    const { ints, base } = stacks.locations
    for (let i = 0; i < stacks.length; i++) {
      if (this.stacks[i] === 0) continue
      const to = base + stacks.to(i as StackIndex)
      for (let at = base + stacks.from(i as StackIndex); at < to; at++) this.locations[ints[at]] = 1
    }
    for (let i = 0; i < locations.length; i++) if (this.locations[i] === 1) this.#location(i as LocationIndex)
    for (let i = 0; i < mappings.length; i++) {
      if (this.mappings[i] === 0) continue
      const row = i as MappingIndex
      this.strings[mappings.filename(row)] = 1
      this.#markAll(mappings.attributes, mappings.attributesFrom(row), mappings.attributesTo(row))
    }
    for (let i = 0; i < functions.length; i++) {
      if (this.functions[i] === 0) continue
      const at = functions.base + i * FUNCTION_STRIDE
      for (let column = 0; column < 3; column++) this.strings[functions.ints[at + column]] = 1
    }
    for (let i = 0; i < attributes.length; i++) {
      if (this.attributes[i] === 0) continue
      const at = attributes.base + i * ATTRIBUTE_STRIDE
      this.strings[attributes.ints[at]] = 1
      this.strings[attributes.ints[at + 1]] = 1
    }
  }

  #location(i: LocationIndex): void {
    const { locations } = this.#dictionary
    const { lines } = locations
    this.mappings[locations.ints[locations.base + i * LOCATION_STRIDE]] = 1
    const to = locations.linesTo(i)
    for (let k = locations.linesFrom(i); k < to; k++) this.functions[lines.ints[lines.base + k * LINE_STRIDE]] = 1
    this.#markAll(locations.attributes, locations.attributesFrom(i), locations.attributesTo(i))
  }

  #markAll(pool: Pool<AttributeIndex>, from: number, to: number): void {
    for (let k = from; k < to; k++) this.attributes[pool.at(k)] = 1
  }
}

/**
 * Keys and string values of resources, scopes and attributes may have been references into the string table, which
 * readers resolve. A string of the table that also occurs in one of these places counts as used.
 */
function markInlineStrings(profiles: Profiles, marks: Uint8Array): void {
  const { strings, attributes } = profiles.dictionary
  const rowsOf = new Map<string, number[]>()
  for (let i = marks.indexOf(0, 1); i > 0; i = marks.indexOf(0, i + 1)) {
    const text = strings.text(i as StringIndex)
    const rows = rowsOf.get(text)
    if (rows === undefined) rowsOf.set(text, [i])
    else rows.push(i)
  }
  const mark = (text: string): void => {
    const rows = rowsOf.get(text)
    if (rows === undefined) return
    for (const row of rows) marks[row] = 1
    rowsOf.delete(text)
  }
  for (let i = 0; i < profiles.resources.length; i++) {
    unlessBroken(() => textsOf(profiles.resources.resource(i).attributes, mark))
  }
  for (let i = 0; i < profiles.scopes.length; i++) {
    unlessBroken(() => textsOf(profiles.scopes.scope(i).attributes, mark))
  }
  for (let i = 1; i < attributes.length && rowsOf.size > 0; i++) {
    const kind = attributes.kind(i as AttributeIndex)
    if (kind === ValueKind.string || kind === ValueKind.array || kind === ValueKind.keyValues) {
      unlessBroken(() => textsIn(attributes.value(i as AttributeIndex), mark))
    }
  }
}

/** Ignores bytes that cannot be decoded. Another rule reports them. */
function unlessBroken(read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
}

function textsOf(entries: readonly KeyValue[], mark: (text: string) => void): void {
  for (const { key, value } of entries) {
    mark(key)
    textsIn(value, mark)
  }
}

function textsIn(value: AnyValue, mark: (text: string) => void): void {
  if (typeof value === 'string') mark(value)
  else if (typeof value !== 'object' || value instanceof Uint8Array) return
  else if (isKeyValueList(value)) textsOf(value.entries, mark)
  else for (const item of value) textsIn(item, mark)
}
