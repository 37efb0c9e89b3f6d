// Copies a message without its invalid profiles, for readers with onRejectedProfile. Everything else stays the same: a reader
// of the copy gets the same result as if the invalid profiles had never existed. Invalid rows of the dictionary keep their
// positions, and their references beyond a table are cleared.
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { isUtf8 } from '../../../wire/utf8.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { Fault } from './fault-finder.ts'
import { FaultFinder, within } from './fault-finder.ts'
import { pathAt } from '../locate.ts'
import { MessageWriter } from './message-writer.ts'
import type { ReferenceRule } from './reference-rules.ts'
import { isCurrent } from './reference-rules.ts'
import type { FieldSchema, Generation, MessageSchema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { wireTypeOf } from '../generations/schema-reader.ts'

/** Faults that are already known, by the number of a resource, scope or profile, each counted through the message. */
export interface KnownFaults {
  readonly resources: Map<number, Fault>
  readonly scopes: Map<number, Fault>
  readonly profiles: Map<number, Fault>
}

export function noFaults(): KnownFaults {
  return { resources: new Map(), scopes: new Map(), profiles: new Map() }
}

export interface FilteredMessage {
  readonly bytes: Uint8Array
  readonly rejects: readonly Fault[]
  /** Maps the position of a profile in the copy to its number in the message. */
  numberOf(resource: number, scope: number, profile: number): number
  /** Number of dropped parts without a profile. */
  readonly skipped: number
}

/** Each takes microseconds and some text, so messages with more invalid profiles are rejected as a whole. */
export const MAX_REJECTS = 1 << 16

export class TooManyFaults extends Error {
  override readonly name = 'TooManyFaults'
}

/**
 * Throws WireError if profiles or rows cannot be separated, and TooManyFaults beyond MAX_REJECTS. `spell` converts paths to
 * the spelling of the format.
 */
export function dropRejectedProfiles(
  bytes: Uint8Array,
  generation: Generation,
  known: KnownFaults,
  spell: (path: string) => string,
): FilteredMessage {
  const filter = new ProfileFilter(bytes, generation, known, spell)
  filter.root()
  const { writer, rejects, skipped } = filter
  return { bytes: writer.bytes(), rejects, skipped, numberOf: (...place) => filter.numberOf(...place) }
}

class ProfileFilter {
  readonly writer: MessageWriter
  readonly rejects: Fault[] = []
  skipped = 0
  /** The numbers of the profiles in the copy. */
  readonly #kept = new GrowingInts()
  /** For each scope in the copy: the position of its resource, its own position, and the number of profiles before it. */
  readonly #places = new GrowingInts()
  #resourcePlace = 0
  #scopePlace = 0
  readonly #bytes: Uint8Array
  readonly #generation: Generation
  readonly #finder: FaultFinder
  readonly #known: KnownFaults
  readonly #spell: (path: string) => string
  #hasBadRows = false
  /** By field number of a table: how many of its rows are written. */
  readonly #rows = new Map<number, number>()
  #resources = 0
  #scopes = 0
  #profiles = 0

  constructor(bytes: Uint8Array, generation: Generation, known: KnownFaults, spell: (path: string) => string) {
    this.writer = new MessageWriter(bytes.length)
    this.#bytes = bytes
    this.#generation = generation
    this.#finder = new FaultFinder(bytes, generation, spell)
    this.#known = known
    this.#spell = spell
  }

  numberOf(resource: number, scope: number, profile: number): number {
    const { array, length } = this.#places
    let at = 0
    while (at < length && (array[at] !== resource || array[at + 1] !== scope)) at += 3
    return this.#kept.array[array[at + 2] + profile]
  }

  root(): void {
    const root = messageOf(schemaOf(this.#generation), ROOT)
    this.#shareTables(root)
    const reader = new ProtoReader(this.#bytes)
    let row = 0
    for (let at = 0; reader.tag(); at = reader.pos) {
      const field = root.byNumber.get(reader.field)
      if (field?.name === 'resource_profiles') this.#container(reader, field, `resource_profiles[${row++}]`, undefined)
      else this.#copyTables(reader, field, at)
    }
  }

  #shareTables(root: MessageSchema): void {
    const dictionary = root.byName.get('dictionary')
    if (dictionary === undefined) {
      if (root.byName.has('string_table')) {
        this.#hasBadRows = this.#finder.shareTables(root, [0, this.#bytes.length], '')
      }
      return
    }
    const parts: number[] = []
    const reader = new ProtoReader(this.#bytes)
    for (let at = 0; reader.tag(); at = reader.pos) {
      if (reader.field !== dictionary.number) reader.skip()
      else parts.push(...lengthDelimited(reader, dictionary, at))
    }
    this.#hasBadRows = this.#finder.shareTables(this.#finder.schemaOf(dictionary.type), parts, 'dictionary.')
  }

  /** Copies a field of the root or of the dictionary. */
  #copyTables(reader: ProtoReader, field: FieldSchema | undefined, at: number): void {
    if (!this.#hasBadRows || field === undefined || reader.wireType !== LEN) {
      reader.skip()
      this.writer.copy(this.#bytes, at, reader.pos)
      return
    }
    const [from, to] = lengthDelimited(reader, field, at)
    if (field.name !== 'dictionary') return this.#copyRow(field, at, from, to)
    const start = this.writer.open(field.number)
    const inner = new ProtoReader(this.#bytes, from, to)
    const schema = this.#finder.schemaOf(field.type)
    for (let p = from; inner.tag(); p = inner.pos) this.#copyTables(inner, schema.byNumber.get(inner.field), p)
    this.writer.close(start)
  }

  #copyRow(field: FieldSchema, at: number, from: number, to: number): void {
    const row = this.#rows.get(field.number) ?? 0
    this.#rows.set(field.number, row + 1)
    if (!this.#finder.isBadRow(field, row)) return this.writer.copy(this.#bytes, at, to)
    if (field.name === 'attribute_units') {
      this.skipped++
      return
    }
    const start = this.writer.open(field.number)
    if (field.scalar !== undefined || !this.#repair(this.#finder.schemaOf(field.type), from, to))
      this.writer.cutTo(start)
    this.writer.close(start)
  }

  /** Writes a message with its dangling references cleared. Returns false if it has another fault. */
  #repair(schema: MessageSchema, from: number, to: number): boolean {
    const reader = new ProtoReader(this.#bytes, from, to)
    for (let at = from; reader.tag(); at = reader.pos) {
      const field = schema.byNumber.get(reader.field)
      if (field !== undefined && field.scalar === undefined) {
        const [start, end] = lengthDelimited(reader, field, at)
        const opened = this.writer.open(field.number)
        if (!this.#repair(this.#finder.schemaOf(field.type), start, end)) return false
        this.writer.close(opened)
        continue
      }
      reader.skip()
      const rule = field === undefined ? undefined : this.#finder.ruleOf(schema, field)
      if (field !== undefined && rule !== undefined) this.#repairReferences(field, rule, at, reader.pos)
      else if (field?.scalar === 'string' && !this.#isText(at, reader.pos)) return false
      else this.writer.copy(this.#bytes, at, reader.pos)
    }
    return true
  }

  #isText(at: number, to: number): boolean {
    const reader = new ProtoReader(this.#bytes, at, to)
    reader.tag()
    reader.length()
    return isUtf8(this.#bytes, reader.pos, to)
  }

  #repairReferences(field: FieldSchema, rule: ReferenceRule, from: number, to: number): void {
    const reader = new ProtoReader(this.#bytes, from, to)
    reader.tag()
    if (reader.wireType === LEN) reader.length()
    while (reader.pos < to) {
      reader.varint64()
      if (this.#finder.isInRange(field, rule, reader)) this.writer.varintField(field.number, reader.lo, reader.hi)
      // Absent means 0. Lists keep their positions, unless row 0 is missing too, which is possible up to v1.7.
      else if (field.repeated && isCurrent(this.#generation)) this.writer.varintField(field.number, 0, 0)
    }
  }

  /** Copies ResourceProfiles or ScopeProfiles, whose fields have the same roles. `outer` is a fault of the parent. */
  #container(reader: ProtoReader, field: FieldSchema, path: string, outer: Fault | undefined): void {
    const [from, to] = lengthDelimited(reader, field, reader.pos)
    const isResource = field.type === 'ResourceProfiles'
    const schema = this.#finder.schemaOf(field.type)
    const known = isResource ? this.#known.resources.get(this.#resources++) : this.#known.scopes.get(this.#scopes++)
    const fault = outer ?? this.#placed(path, known ?? this.#ownFault(schema, from, to))
    const before = this.writer.length
    const profiles = this.#profiles
    const start = this.writer.open(field.number)
    if (isResource) this.#scopePlace = 0
    else if (fault === undefined) this.#placeScope()
    const inner = new ProtoReader(this.#bytes, from, to)
    let row = 0
    for (let at = from; inner.tag(); at = inner.pos) {
      const part = schema.byNumber.get(inner.field)
      if (part?.name === 'scope_profiles') this.#container(inner, part, `${path}.scope_profiles[${row++}]`, fault)
      else if (part?.name === 'profiles') this.#profile(inner, part, `${path}.profiles[${row++}]`, fault, at)
      else {
        inner.skip()
        this.writer.copy(this.#bytes, at, inner.pos)
      }
    }
    if (fault === undefined) {
      this.writer.close(start)
      if (isResource) this.#resourcePlace++
      return
    }
    this.writer.cutTo(before)
    if (outer === undefined && profiles === this.#profiles) this.skipped++
  }

  #placeScope(): void {
    this.#places.push(this.#resourcePlace)
    this.#places.push(this.#scopePlace++)
    this.#places.push(this.#kept.length)
  }

  /** The fault of each profile inside an invalid container. */
  #placed(path: string, fault: Fault | undefined): Fault | undefined {
    if (fault === undefined) return undefined
    return { path: '', what: `is in ${this.#spell(within(path, fault).path)}: ${fault.what}` }
  }

  /** Finds a fault of a container, apart from the scopes or profiles in it. */
  #ownFault(schema: MessageSchema, from: number, to: number): Fault | undefined {
    const reader = new ProtoReader(this.#bytes, from, to)
    while (reader.tag()) {
      const field = schema.byNumber.get(reader.field)
      const isOwn = field !== undefined && field.name !== 'scope_profiles' && field.name !== 'profiles'
      if (!isOwn || reader.wireType !== LEN) {
        reader.skip()
        continue
      }
      const [start, end] = lengthDelimited(reader, field, reader.pos)
      const fault = this.#partFault(field, start, end)
      if (fault !== undefined) return within(field.name, fault)
    }
    return undefined
  }

  #partFault(field: FieldSchema, from: number, to: number): Fault | undefined {
    if (field.scalar === undefined) return this.#faultIn(field.type, from, to)
    return isUtf8(this.#bytes, from, to) ? undefined : { path: '', what: 'string is not valid UTF-8' }
  }

  #profile(reader: ProtoReader, field: FieldSchema, path: string, outer: Fault | undefined, at: number): void {
    const [from, to] = lengthDelimited(reader, field, at)
    const number = this.#profiles++
    const fault = outer ?? this.#known.profiles.get(number) ?? this.#faultIn(field.type, from, to)
    if (fault === undefined) {
      this.#kept.push(number)
      this.writer.copy(this.#bytes, at, to)
      return
    }
    if (this.rejects.length === MAX_REJECTS) throw new TooManyFaults()
    const reject = within(path, fault)
    this.rejects.push({ path: this.#spell(reject.path), what: reject.what })
  }

  #faultIn(type: string, from: number, to: number): Fault | undefined {
    try {
      return this.#finder.find(this.#finder.schemaOf(type), from, to)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      const path = pathAt(this.#bytes.subarray(from, to), this.#generation, error.offset - from, type)
      return { path, what: error.what }
    }
  }
}

/** Start and end of a message or string after its tag. */
function lengthDelimited(reader: ProtoReader, field: FieldSchema, at: number): readonly [from: number, to: number] {
  if (reader.wireType !== LEN || wireTypeOf(field.scalar) !== LEN)
    throw new WireError(at, `${field.name} has no length`)
  const length = reader.length()
  const from = reader.pos
  reader.pos += length
  return [from, reader.pos]
}
