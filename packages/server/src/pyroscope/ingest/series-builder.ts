// Combines the profiles of one request. The profiles of a series get the resource that its labels describe, with the
// types, times and values that Pyroscope gives them. Everything else stays as the format's reader returned it.
import type { AttributeIndex, KeyValue, LinkIndex, Profiles, Resource, Scope, StackIndex } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'
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
  readonly #builder = new ProfilesBuilder()
  #length = 0

  /** The number of profiles. */
  get length(): number {
    return this.#length
  }

  add(
    labels: SeriesLabels,
    source: Profiles,
    change: (header: ReadHeader) => ProfileChange,
    /** The scope name if the format has none. */
    scopeName = '',
  ): void {
    const builder = this.#builder
    const carrier = new DictionaryCarrier(source.dictionary, builder)
    const { resources, scopes } = source
    const attributes = resourceAttributes(labels)
    const hidden = privateAttributes(labels)
    for (let r = 0; r < resources.length; r++) {
      builder.resource(withLabels(resources.resource(r), attributes), resources.schemaUrl(r))
      for (let s = resources.from(r); s < resources.to(r); s++) {
        builder.scope(namedScope(scopes.scope(s), scopeName), scopes.schemaUrl(s))
        for (let p = scopes.from(s); p < scopes.to(s); p++) this.#addProfile(source, carrier, p, change, hidden)
      }
    }
  }

  /** The builder cannot be used afterwards. Throws RangeError if a value exceeds 64 bits. */
  build(): Profiles {
    return this.#builder.build()
  }

  #addProfile(
    source: Profiles,
    carrier: DictionaryCarrier,
    row: number,
    change: (header: ReadHeader) => ProfileChange,
    hidden: readonly KeyValue[],
  ): void {
    const header = headerOf(source, row)
    const changed = change(header)
    const { name, attributes = [] } = changed
    const added = [{ key: PYROSCOPE_ATTRIBUTES.name, value: name }, ...hidden, ...attributes]
    const { profiles } = source
    this.#builder.profile({
      type: changed.type ?? header.type,
      unit: changed.unit ?? header.unit,
      periodType: changed.periodType ?? header.periodType,
      periodUnit: changed.periodUnit ?? header.periodUnit,
      period: changed.period ?? header.period,
      timeUnixNano: changed.time ?? header.time,
      durationNano: changed.duration ?? header.duration,
      id: changed.id ?? profiles.id(row),
      droppedAttributesCount: profiles.droppedAttributes(row),
      originalPayloadFormat: profiles.originalPayloadFormat(row),
      originalPayload: profiles.originalPayload(row),
      attributes: [
        ...profiles.attributesOf(row).map(attribute => carrier.attribute(attribute)),
        ...added.map(({ key, value }) => this.#builder.attribute(key, value)),
      ],
    })
    this.#length++
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
