// Combines the profiles of one request. The profiles of a series get the resource that its labels describe, with the
// types, times and values that Pyroscope gives them. Everything else stays as the format's reader returned it.
import type {
  AttributeIndex,
  KeyValue,
  LinkIndex,
  ProfileHeaderChange,
  Profiles,
  Resource,
  Scope,
  StackIndex,
} from '@hearth/profile'
import { ProfilesBuilder, concat, withHeaders } from '@hearth/profile'
import { DictionaryCarrier } from '../../query/resident/dictionary-carrier.ts'
import type { SeriesLabels } from '../series-labels.ts'
import { PYROSCOPE_ATTRIBUTES, privateAttributes, resourceAttributes } from '../series-labels.ts'

/** The profile fields that the format's reader returned. */
export interface ReadHeader {
  readonly row: number
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly period: bigint
  readonly time: bigint
  readonly duration: bigint
}

/** Changes to a profile. Absent fields keep their value. */
export interface ProfileChange {
  /** Pyroscope's `__name__`. */
  readonly name: string
  readonly type?: string
  readonly unit?: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: bigint
  readonly time?: bigint
  readonly duration?: bigint
  readonly id?: Uint8Array
  readonly attributes?: readonly KeyValue[]
  /** A factor for each value. */
  readonly scale?: bigint
  /** Nanoseconds to add to each timestamp. */
  readonly shift?: bigint
  /** The previous cumulative profile, whose values are subtracted. */
  readonly previous?: { readonly profiles: Profiles; readonly row: number }
}

export class SeriesBuilder {
  readonly #parts: Profiles[] = []
  #length = 0

  /** The number of profiles. */
  get length(): number {
    return this.#length
  }

  /** Throws RangeError if a value exceeds 64 bits. */
  add(
    labels: SeriesLabels,
    source: Profiles,
    change: (header: ReadHeader) => ProfileChange,
    /** The scope name if the format has none. */
    scopeName = '',
  ): void {
    const { length } = source.profiles
    const changes = Array.from({ length }, (_, row) => change(headerOf(source, row)))
    const attributes = resourceAttributes(labels)
    const hidden = privateAttributes(labels)
    const carried = changes.every(keepsSamples) ? source : new SampleCarrier(source, changes).build()
    this.#parts.push(
      withHeaders(carried, {
        resource: resource => withLabels(resource, attributes),
        scope: scope => namedScope(scope, scopeName),
        profile: row => headerChange(changes[row], hidden),
      }),
    )
    this.#length += length
  }

  build(): Profiles {
    return concat(this.#parts)
  }
}

function keepsSamples({ scale = 1n, shift = 0n, previous }: ProfileChange): boolean {
  return scale === 1n && shift === 0n && previous === undefined
}

function headerChange(
  { name, attributes = [], time, duration, ...header }: ProfileChange,
  hidden: readonly KeyValue[],
): ProfileHeaderChange {
  return {
    ...header,
    ...(time === undefined ? {} : { timeUnixNano: time }),
    ...(duration === undefined ? {} : { durationNano: duration }),
    attributes: [{ key: PYROSCOPE_ATTRIBUTES.name, value: name }, ...hidden, ...attributes],
  }
}

/** Copies profiles whose values or times change. */
class SampleCarrier {
  readonly #builder = new ProfilesBuilder()
  readonly #source: Profiles
  readonly #changes: readonly ProfileChange[]

  constructor(source: Profiles, changes: readonly ProfileChange[]) {
    this.#source = source
    this.#changes = changes
  }

  /** Throws RangeError if a value exceeds 64 bits. */
  build(): Profiles {
    const builder = this.#builder
    const { resources, scopes, dictionary } = this.#source
    const carrier = new DictionaryCarrier(dictionary, builder)
    for (let r = 0; r < resources.length; r++) {
      builder.resource(resources.resource(r), resources.schemaUrl(r))
      for (let s = resources.from(r); s < resources.to(r); s++) {
        builder.scope(scopes.scope(s), scopes.schemaUrl(s))
        for (let p = scopes.from(s); p < scopes.to(s); p++) this.#addProfile(carrier, p)
      }
    }
    return builder.build()
  }

  #addProfile(carrier: DictionaryCarrier, row: number): void {
    const source = this.#source
    const { profiles } = source
    const changed = this.#changes[row]
    const { type, unit, periodType, periodUnit, period, time, duration } = headerOf(source, row)
    this.#builder.profile({
      type,
      unit,
      periodType,
      periodUnit,
      period,
      timeUnixNano: time,
      durationNano: duration,
      id: profiles.id(row),
      droppedAttributesCount: profiles.droppedAttributes(row),
      originalPayloadFormat: profiles.originalPayloadFormat(row),
      originalPayload: profiles.originalPayload(row),
      attributes: profiles.attributesOf(row).map(attribute => carrier.attribute(attribute)),
    })
    if (changed.previous === undefined) this.#carrySamples(source, carrier, row, changed)
    else this.#carryGrowth(source, carrier, row, changed.previous)
  }

  #carrySamples(source: Profiles, carrier: DictionaryCarrier, row: number, change: ProfileChange): void {
    const { profiles, samples } = source
    const { draft } = this.#builder
    const scale = change.scale ?? 1n
    const shift = change.shift ?? 0n
    for (let s = profiles.samplesFrom(row); s < profiles.samplesTo(row); s++) {
      const values = [samples.valuesFrom(s), samples.valuesTo(s)] as const
      const times = [samples.timestampsFrom(s), samples.timestampsTo(s)] as const
      if (scale === 1n && shift === 0n) {
        for (let k = samples.attributesFrom(s); k < samples.attributesTo(s); k++)
          draft.sampleAttributes.push(carrier.attribute(samples.attributes.at(k)))
        pushLongs(draft.values, samples.values, ...values)
        pushLongs(draft.timestamps, samples.timestamps, ...times)
        this.#builder.sampleRow(carrier.stack(samples.stack(s)), carrier.link(samples.link(s)))
      } else {
        const timestamps = Array.from(samples.timestamps.unsigned().subarray(...times), time => time + shift)
        // Timestamps without values count 1 each.
        const own = Array.from(samples.values.signed().subarray(...values), value => value * scale)
        this.#builder.sample({
          stack: carrier.stack(samples.stack(s)),
          link: carrier.link(samples.link(s)),
          attributes: samples.attributesOf(s).map(attribute => carrier.attribute(attribute)),
          values: own.length === 0 && scale !== 1n ? timestamps.map(() => scale) : own,
          timestamps,
        })
      }
    }
  }

  /** Converts cumulative counts to increments. Counts that fell start at zero, like those of a restarted program. */
  #carryGrowth(
    source: Profiles,
    carrier: DictionaryCarrier,
    row: number,
    previous: NonNullable<ProfileChange['previous']>,
  ): void {
    const sums = this.#sumsOf(source, carrier, row)
    const before = this.#sumsOf(
      previous.profiles,
      new DictionaryCarrier(previous.profiles.dictionary, this.#builder),
      previous.row,
    )
    for (const [key, { stack, link, attributes, value }] of sums) {
      const old = before.get(key)?.value ?? 0n
      const grown = value >= old ? value - old : value
      if (grown === 0n) continue
      this.#builder.sample({ stack, link, attributes, values: [grown] })
    }
  }

  #sumsOf(source: Profiles, carrier: DictionaryCarrier, row: number): Map<string, SampleSum> {
    const { profiles, samples } = source
    const sums = new Map<string, SampleSum>()
    for (let s = profiles.samplesFrom(row); s < profiles.samplesTo(row); s++) {
      const stack = carrier.stack(samples.stack(s))
      const link = carrier.link(samples.link(s))
      const attributes = samples.attributesOf(s).map(attribute => carrier.attribute(attribute))
      const key = `${stack} ${link} ${attributes.toSorted((a, b) => a - b).join(' ')}`
      const value = (sums.get(key)?.value ?? 0n) + samples.total(s)
      sums.set(key, { stack, link, attributes, value })
    }
    return sums
  }
}

interface SampleSum {
  readonly stack: StackIndex
  readonly link: LinkIndex
  readonly attributes: readonly AttributeIndex[]
  readonly value: bigint
}

function headerOf({ profiles, dictionary: { strings } }: Profiles, row: number): ReadHeader {
  return {
    row,
    type: strings.text(profiles.type(row)),
    unit: strings.text(profiles.unit(row)),
    periodType: strings.text(profiles.periodType(row)),
    periodUnit: strings.text(profiles.periodUnit(row)),
    period: profiles.period(row),
    time: profiles.time(row),
    duration: profiles.duration(row),
  }
}

/** Numbers [from, to) of a pool, as halves. */
function pushLongs(
  column: { pushAll(ints: Int32Array, from: number, to: number): void },
  pool: { readonly ints: Int32Array; readonly base: number },
  from: number,
  to: number,
): void {
  if (from < to) column.pushAll(pool.ints, pool.base + 2 * from, pool.base + 2 * to)
}

/** Labels override the file's description of its process. */
function withLabels(resource: Resource, labels: readonly KeyValue[]): Resource {
  const others = resource.attributes.filter(({ key }) => !labels.some(label => label.key === key))
  return { ...resource, attributes: [...labels, ...others] }
}

function namedScope(scope: Scope, name: string): Scope {
  return scope.name === '' ? { ...scope, name } : scope
}
