// Tells which generation a message is by the names in it. The reader of today's layout asks when it meets a name that only
// generations up to v1.7 had; v1.8 and later differ so little that it reads them all.
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { LegacyGeneration } from '../otlp/legacy/read.ts'
import type { Generation } from '../otlp/generations/schema.ts'
import { GENERATIONS, jsonName, schemaOf } from '../otlp/generations/schema.ts'

const CURRENT: readonly Generation[] = ['v1.8', 'v1.9', 'v1.11']

export function isCurrent(generation: Generation): generation is Exclude<Generation, LegacyGeneration> {
  return CURRENT.includes(generation)
}

/** The keys that a message had in generations up to v1.7 and no longer has. `formerly` is what took its place then. */
export function olderKeys(message: string, formerly = message): ReadonlySet<string> {
  const older = GENERATIONS.filter(generation => !isCurrent(generation))
  const keys = new Set([...keysOf(older, message), ...keysOf(older, formerly)])
  for (const key of keysOf(CURRENT, message)) keys.delete(key)
  return keys
}

function keysOf(generations: readonly Generation[], message: string): string[] {
  return generations.flatMap(
    generation =>
      schemaOf(generation)
        .get(message)
        ?.fields.map(({ name }) => jsonName(name)) ?? [],
  )
}

/** Of generations up to v1.7; undefined for later ones. Reads the message that comes next. Throws JsonError. */
export function sniffLegacy(reader: JsonReader): LegacyGeneration | undefined {
  const names = new Names(reader)
  return names.isOlder() ? names.generation() : undefined
}

const TABLES = [
  'mappingTable',
  'locationTable',
  'functionTable',
  'linkTable',
  'stringTable',
  'attributeTable',
  'attributeUnits',
]

class Names {
  readonly #reader: JsonReader
  readonly #root = new Set<string>()
  readonly #dictionary = new Set<string>()
  readonly #profile = new Set<string>()
  /** How many profiles have their types so: one that is broken decides nothing. */
  readonly #sampleTypes = { array: 0, object: 0 }

  constructor(reader: JsonReader) {
    this.#reader = reader
    this.#eachKey(key => {
      this.#root.add(key)
      if (key === 'dictionary' && reader.peek() === 'object') this.#eachKey(name => this.#dictionary.add(name))
      else if (key === 'resourceProfiles') this.#eachIn(key, ['scopeProfiles', 'profiles'])
    })
  }

  /** Of several types of a profile one was left with v1.8; where that does not tell, later names decide. */
  isOlder(): boolean {
    const { array, object } = this.#sampleTypes
    if (array !== object) return array > object
    const later = ['samples', 'timeUnixNano', 'durationNano'].some(name => this.#profile.has(name))
    return !later && !this.#dictionary.has('stackTable')
  }

  generation(): LegacyGeneration {
    const profile = this.#profile
    if (['profile', 'startTimeUnixNano', 'endTimeUnixNano'].some(name => profile.has(name))) return 'v1.3'
    if (TABLES.some(name => this.#root.has(name))) return 'v1.6'
    if (this.#root.has('dictionary')) return 'v1.7'
    if (profile.has('attributes')) return 'v1.4'
    return [...TABLES, 'defaultSampleTypeStrindex'].some(name => profile.has(name)) ? 'v1.5' : 'v1.7'
  }

  /** Goes down by lists, to the profiles at the bottom. */
  #eachIn(list: string, below: readonly string[]): void {
    const reader = this.#reader
    if (reader.peek() !== 'array') return
    reader.beginArray()
    while (reader.nextItem()) {
      if (reader.peek() !== 'object') continue
      if (list === 'profiles') this.#readProfile()
      else this.#eachKey(key => key === below[0] && this.#eachIn(key, below.slice(1)))
    }
  }

  #readProfile(): void {
    this.#eachKey(key => {
      const kind = this.#reader.peek()
      if (kind !== 'null') this.#profile.add(key)
      if (key === 'profile' && kind === 'object') this.#eachKey(name => this.#noteType(name))
      else this.#noteType(key)
    })
  }

  #noteType(key: string): void {
    const kind = this.#reader.peek()
    if (key === 'sampleType' && (kind === 'array' || kind === 'object')) this.#sampleTypes[kind]++
  }

  /** What `visit` leaves alone is skipped. */
  #eachKey(visit: (key: string) => void): void {
    const reader = this.#reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) visit(key)
  }
}
