// Detects the generation of a message by the names in it. The reader of the current layout uses it when it finds a name that
// only generations up to v1.7 have. It reads v1.8 and later itself, because they differ so little.
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { LegacyGeneration } from '../otlp/legacy/read.ts'
import type { Generation } from '../otlp/generations/schema.ts'
import { GENERATIONS, jsonName, schemaOf } from '../otlp/generations/schema.ts'

const CURRENT: readonly Generation[] = ['v1.8', 'v1.9', 'v1.11']

export function isCurrent(generation: Generation): generation is Exclude<Generation, LegacyGeneration> {
  return CURRENT.includes(generation)
}

/** The keys of a message in generations up to v1.7 that it no longer has. `formerly` is the message that it replaced. */
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

/** Reads the next message and returns its generation, or undefined for v1.8 and later. Throws JsonError. */
export function sniffLegacy(reader: JsonReader): LegacyGeneration | undefined {
  const names = new Names(reader)
  return names.isOlder() ? names.generation() : undefined
}

export const LEGACY_TABLES = [
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
  /** Number of profiles with each kind of type. One broken profile must not decide. */
  readonly #sampleTypes = { array: 0, object: 0 }

  constructor(reader: JsonReader) {
    this.#reader = reader
    this.#eachKey(key => {
      this.#root.add(key)
      if (key === 'dictionary' && reader.peek() === 'object') this.#eachKey(name => this.#dictionary.add(name))
      else if (key === 'resourceProfiles') this.#eachIn(key, ['scopeProfiles', 'profiles'])
    })
  }

  /** Since v1.8 a profile has one type instead of several. If that is ambiguous, later names decide. */
  isOlder(): boolean {
    const { array, object } = this.#sampleTypes
    if (array !== object) return array > object
    const later = ['samples', 'timeUnixNano', 'durationNano'].some(name => this.#profile.has(name))
    return !later && !this.#dictionary.has('stackTable')
  }

  generation(): LegacyGeneration {
    const profile = this.#profile
    if (['profile', 'startTimeUnixNano', 'endTimeUnixNano'].some(name => profile.has(name))) return 'v1.3'
    if (LEGACY_TABLES.some(name => this.#root.has(name))) return 'v1.6'
    if (this.#root.has('dictionary')) return 'v1.7'
    if (profile.has('attributes')) return 'v1.4'
    return [...LEGACY_TABLES, 'defaultSampleTypeStrindex'].some(name => profile.has(name)) ? 'v1.5' : 'v1.7'
  }

  /** Walks nested lists down to the profiles. */
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

  /** Skips values that `visit` does not read. */
  #eachKey(visit: (key: string) => void): void {
    const reader = this.#reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) visit(key)
  }
}
