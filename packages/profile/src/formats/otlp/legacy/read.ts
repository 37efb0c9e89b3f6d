// Reads the generations up to v1.7 into the model in two steps: bytes to plain objects, using the field tables, then objects
// to profiles. OTLP/JSON of these generations uses the second step. Fields that today's format lacks become attributes, named
// by semantic convention (see model/attributes/semantic-conventions.ts).
import type { KeyValue, Scope } from '../../../model/columns/any-value.ts'
import { encodeScope } from '../../../model/columns/any-value.ts'
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { ProfileHeader } from '../../../model/build/builder.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { MAX_UINT64 } from '../../../model/columns/int64.ts'
import { PROFILE_STRIDE } from '../../../model/columns/profiles.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../../format.ts'
import { FormatError } from '../../format.ts'
import type { Fail } from './context.ts'
import type { LegacyGeneration } from './field-names.ts'
import { LegacyContext } from './context.ts'
import { withMemory } from './memory.ts'
import { releasedMeaning } from './time-units.ts'
import type { SampleMeaning } from './samples.ts'
import { LegacySamples } from './samples.ts'
import { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { offsetOf, pathOf } from '../locate.ts'
import {
  bytesOf,
  fewMessagesOf,
  messageIn,
  messagesOf,
  numberOf,
  numbersIn,
  textOf,
  toKeyValue,
  toResource,
  toScope,
  wholeOf,
} from '../generations/message-fields.ts'
import { ROOT } from '../generations/schema.ts'
import type { Message } from '../generations/schema-reader.ts'
import { SchemaReader } from '../generations/schema-reader.ts'

export type { LegacyGeneration } from './field-names.ts'

/** ProfilesData of the generation. Keys are field names, 64-bit numbers bigint, bytes Uint8Array. Absent means not set. */
export type LegacyRoot = Message

/** Throws WireError for broken bytes, FormatError for broken content. Offsets count from the start of `bytes`. */
export function readLegacy(
  bytes: Uint8Array,
  from: number,
  to: number,
  generation: LegacyGeneration,
  notes: NoteList,
): Profiles {
  const reader = new SchemaReader(bytes, generation, { lazy: true })
  const fail: Fail = (steps, what) => {
    const offset = from + offsetOf(bytes.subarray(from, to), generation, steps)
    throw new FormatError('otlp', offset, `${what}, read as ${generation}`, pathOf(generation, steps))
  }
  const options = { fail, bytes, inputSize: to - from }
  const profiles = legacyToProfiles(reader.read(ROOT, from, to), generation, notes, options)
  notes.add('unknown-fields', `fields that OTLP ${generation} does not define were dropped`, reader.unknownFields)
  return profiles
}

export interface LegacyOptions {
  /** Throws the error for broken content. The default is a FormatError with offset 0. */
  readonly fail?: Fail
  /** The bytes of the content. Profiles use ranges of them instead of copies. */
  readonly bytes?: Uint8Array
  /** In bytes. Content may expand to four times as many numbers, or 2^24 if that is more. */
  readonly inputSize?: number
  /** Returns the meaning of a profile's samples. The default is that of the release: leaf first, see `releasedMeaning`. */
  readonly meaningOf?: (profile: Message) => SampleMeaning | undefined
}

export function legacyToProfiles(
  root: LegacyRoot,
  generation: LegacyGeneration,
  notes: NoteList,
  options: LegacyOptions = {},
): Profiles {
  const fail: Fail = (steps, what) => {
    throw new FormatError('otlp', 0, `${what}, read as ${generation}`, pathOf(generation, steps))
  }
  const { bytes, inputSize = 0 } = options
  return withMemory(bytes, inputSize, memory => {
    const context = new LegacyContext(generation, notes, options.fail ?? fail, inputSize, memory)
    try {
      new RootReader(context, root, profile => options.meaningOf?.(profile) ?? releasedMeaning(profile, context)).read()
      return context.builder.build()
    } finally {
      context.rows.release()
    }
  })
}

class RootReader {
  readonly #context: LegacyContext
  readonly #root: Message
  /** The tables that all profiles share. Before v1.6 each profile has its own. */
  readonly #tables: LegacyTables | undefined
  readonly #meaningOf: (profile: Message) => SampleMeaning

  constructor(context: LegacyContext, root: Message, meaningOf: (profile: Message) => SampleMeaning) {
    this.#context = context
    this.#meaningOf = meaningOf
    this.#root = root
    if (context.generation === 'v1.6') this.#tables = new LegacyTables(context, root, [])
    if (context.generation === 'v1.7') {
      this.#tables = new LegacyTables(context, messageIn(root, 'dictionary') ?? {}, [['dictionary', 0]])
    }
  }

  read(): void {
    let i = 0
    for (const entry of messagesOf(this.#root, 'resource_profiles')) {
      const at: Steps = [['resource_profiles', i++]]
      this.#context.spendMessages(1, () => at)
      this.#context.builder.resource(toResource(messageIn(entry, 'resource') ?? {}), textOf(entry, 'schema_url'))
      let k = 0
      for (const scope of messagesOf(entry, 'scope_profiles')) this.#readScope(scope, [...at, ['scope_profiles', k++]])
    }
  }

  #readScope(entry: Message, at: Steps): void {
    const { builder, notes } = this.#context
    this.#context.spendMessages(1, () => at)
    const scope = toScope(messageIn(entry, 'scope') ?? {})
    const profiles = messagesOf(entry, 'profiles')
    let open: string | undefined
    let i = 0
    for (const profile of profiles) {
      const steps: Steps = [...at, ['profiles', i++]]
      // A profile's own tables cost several times as much as the rest of an empty profile.
      this.#context.spendMessages(this.#tables === undefined ? 4 : 1, () => steps)
      const reader = new ProfileReader(this.#context, profile, steps, this.#tables)
      // The default type is an attribute of the scope today, so profiles that differ in it cannot share a scope.
      if (reader.defaultType !== open) {
        const written = withDefaultType(scope, reader.defaultType)
        if (open !== undefined) {
          notes.add('scopes-split', 'scopes whose profiles differ in their default type were split')
          this.#context.spend(encodeScope(written).length, () => steps)
        }
        builder.scope(written, textOf(entry, 'schema_url'))
        open = reader.defaultType
      }
      reader.write(this.#meaningOf(profile))
    }
    if (profiles.length === 0) builder.scope(scope, textOf(entry, 'schema_url'))
  }
}

/** Returns the scope with the attribute that names the type to show first, unless it has one or the type is empty. */
export function withDefaultType(scope: Scope, type: string): Scope {
  const key = ATTRIBUTES.pprofScopeDefaultSampleType
  if (type === '' || scope.attributes.some(attribute => attribute.key === key)) return scope
  const attribute: KeyValue = { key, value: type }
  return { ...scope, attributes: [...scope.attributes, attribute] }
}

type Header = Required<Omit<ProfileHeader, 'type' | 'unit'>>

interface ValueType {
  readonly type: string
  readonly unit: string
  /** The number in OTLP. */
  readonly temporality: number
}

const NO_TYPE: ValueType = { type: '', unit: '', temporality: 0 }

class ProfileReader {
  readonly defaultType: string
  readonly #context: LegacyContext
  /** The message around the profile in v1.3, later the profile itself. */
  readonly #container: Message
  readonly #profile: Message
  readonly #at: Steps
  readonly #tables: LegacyTables
  readonly #types: readonly ValueType[]

  constructor(context: LegacyContext, container: Message, at: Steps, shared: LegacyTables | undefined) {
    const isInner = context.generation === 'v1.3'
    this.#context = context
    this.#container = container
    this.#profile = isInner ? (messageIn(container, 'profile') ?? {}) : container
    this.#at = isInner ? [...at, ['profile', 0]] : at
    this.#tables = shared ?? new LegacyTables(context, this.#profile, this.#at)
    this.#types = Array.from(fewMessagesOf(this.#profile, 'sample_type'), (type, i) =>
      this.#valueType(type, () => [...this.#at, ['sample_type', i]]),
    )
    this.defaultType = this.#readDefaultType()
  }

  write(meaning: SampleMeaning): void {
    const header = this.#header(meaning.timeNanos)
    this.#spendOnHeaders(header)
    const samples = this.#samples(meaning)
    const types = this.#types.length === 0 ? [NO_TYPE] : this.#types
    for (const [i, { type, unit, temporality }] of types.entries()) {
      const attributes = [...header.attributes, ...this.#temporalityAttribute(temporality)]
      const own = { ...header, type, unit, attributes }
      if (samples === undefined) this.#context.builder.profile(own)
      else samples.write(i, own)
    }
  }

  #samples(meaning: SampleMeaning): LegacySamples | undefined {
    if (messagesOf(this.#profile, 'sample').length === 0) return undefined
    // The cost of the columns that collect the samples.
    this.#context.spendMessages(1, () => this.#at)
    const units = this.#types.map(type => type.unit)
    return new LegacySamples(this.#context, this.#tables, this.#profile, this.#at, units, meaning)
  }

  /** Counts the copies of the header, one for each type. */
  #spendOnHeaders(header: Header): void {
    const bytes = header.originalPayload.length + header.originalPayloadFormat.length
    const ints = PROFILE_STRIDE + header.attributes.length + bytes / 4
    this.#context.spend(this.#types.length * ints, () => [...this.#at, ['sample_type', 0]])
  }

  #temporalityAttribute(number: number): AttributeIndex[] {
    const { builder, notes } = this.#context
    const temporality = AGGREGATION_TEMPORALITIES[number]
    if (temporality !== undefined) return [builder.attribute(ATTRIBUTES.aggregationTemporality, temporality)]
    if (number !== 0)
      notes.add('unknown-temporality', 'aggregation temporalities other than delta and cumulative were dropped')
    return []
  }

  #readDefaultType(): string {
    switch (this.#context.generation) {
      case 'v1.3':
        return this.#shownFirst(this.#string('default_sample_type'))
      case 'v1.4':
      case 'v1.5':
        return this.#shownFirst(this.#string('default_sample_type_strindex'))
      case 'v1.6':
      case 'v1.7': {
        // 0 means the first type, which is the default anyway, or not set.
        const index = numberOf(this.#profile, 'default_sample_type_index')
        if (index === 0) return ''
        this.#context.check(index, this.#types.length, 'sample_type', () => [
          ...this.#at,
          ['default_sample_type_index', 0],
        ])
        return this.#types[index].type
      }
    }
  }

  /** The default type is the last one unless it is named, as in pprof. Empty if it is the first, the default in the model. */
  #shownFirst(named: string): string {
    const types = this.#types
    const type = named === '' && types.length > 1 ? types[types.length - 1].type : named
    return type === types[0]?.type ? '' : type
  }

  #header(timeNanos: bigint): Header {
    const container = this.#container
    const periodType = messageIn(this.#profile, 'period_type') ?? {}
    const { type, unit, temporality } = this.#valueType(periodType, () => [...this.#at, ['period_type', 0]])
    // Writers that never leave it unspecified repeat that of the first type.
    if (temporality !== 0 && temporality !== this.#types[0]?.temporality) {
      this.#context.notes.add(
        'period-temporality',
        'the aggregation temporality of periods, which has no meaning, was dropped',
      )
    }
    return {
      ...this.#times(timeNanos),
      periodType: type,
      periodUnit: unit,
      period: wholeOf(this.#profile, 'period'),
      id: bytesOf(container, 'profile_id'),
      droppedAttributesCount: numberOf(container, 'dropped_attributes_count'),
      originalPayloadFormat: textOf(container, 'original_payload_format'),
      originalPayload: bytesOf(container, 'original_payload'),
      attributes: this.#attributes(),
    }
  }

  /** v1.3 also has times around the profile. They take precedence if set. */
  #times(nanos: bigint): { readonly timeUnixNano: bigint; readonly durationNano: bigint } {
    const start = this.#scaled(wholeOf(this.#container, 'start_time_unix_nano'), nanos)
    const end = this.#scaled(wholeOf(this.#container, 'end_time_unix_nano'), nanos)
    const time = start === 0n ? this.#scaled(this.#notNegative('time_nanos'), nanos) : start
    if (end >= time && end !== 0n) return { timeUnixNano: time, durationNano: end - time }
    if (end !== 0n) this.#context.notes.add('end-before-start', 'end times before the start of a profile were dropped')
    return { timeUnixNano: time, durationNano: this.#notNegative('duration_nanos') }
  }

  #scaled(time: bigint, nanos: bigint): bigint {
    if (time * nanos <= MAX_UINT64) return time * nanos
    this.#context.notes.add('time-range', 'times and durations that exceed 64 bits in nanoseconds were dropped')
    return 0n
  }

  #notNegative(field: string): bigint {
    const value = wholeOf(this.#profile, field)
    if (value >= 0n) return value
    this.#context.notes.add('negative-time', 'negative times and durations of profiles were dropped')
    return 0n
  }

  #attributes(): AttributeIndex[] {
    const own = Array.from(fewMessagesOf(this.#container, 'attributes'), entry =>
      this.#tables.attribute(toKeyValue(entry)),
    )
    const { pprofProfileDropFrames, pprofProfileKeepFrames } = ATTRIBUTES
    return [
      ...own,
      ...this.#tables.attributesOf(this.#profile, 'attribute_indices', () => this.#at),
      ...this.#comments(),
      ...this.#textAttribute(pprofProfileDropFrames, 'drop_frames'),
      ...this.#textAttribute(pprofProfileKeepFrames, 'keep_frames'),
    ]
  }

  #textAttribute(key: string, field: string): AttributeIndex[] {
    const index = numberOf(this.#profile, field)
    const attribute = this.#tables.textAttribute(key, index, () => [...this.#at, [field, 0]])
    return attribute === undefined ? [] : [attribute]
  }

  #comments(): AttributeIndex[] {
    const field = this.#context.names.comments
    const indexes = numbersIn(this.#profile, field)
    if (indexes.length === 0) return []
    this.#context.bound(indexes.length, () => [...this.#at, [field, 0]])
    const comments = Array.from(indexes, (index, i) => {
      const steps = (): Steps => [...this.#at, [field, i]]
      const comment = this.#tables.stringAt(Number(index), steps)
      this.#context.spendText(comment, steps)
      return comment
    })
    return [this.#context.builder.attribute(ATTRIBUTES.pprofProfileComment, comments)]
  }

  #valueType(message: Message, steps: () => Steps): ValueType {
    const { names } = this.#context
    return {
      type: this.#tables.string(message, names.type, steps),
      unit: this.#tables.string(message, names.unit, steps),
      temporality: numberOf(message, 'aggregation_temporality'),
    }
  }

  #string(field: string): string {
    return this.#tables.string(this.#profile, field, () => this.#at)
  }
}
