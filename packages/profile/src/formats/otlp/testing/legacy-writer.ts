// Converts profiles to objects of the generations up to v1.7. Neighbouring profiles of a scope that differ only in type, unit
// and values become one profile with several sample types.
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { FieldNames, LegacyGeneration } from '../legacy/field-names.ts'
import { fieldNames } from '../legacy/field-names.ts'
import type { PlainMessage } from './encode-message.ts'
import { keyValue, resourceProfiles, rowsOf, timestampsOf, valuesOf } from './plain-content.ts'

export class LegacyWriter {
  readonly #profiles: Profiles
  readonly #generation: LegacyGeneration
  readonly #names: FieldNames
  /** Subtracted from the model's row numbers: 1 if a table is written without its zero row. */
  readonly #shift: {
    readonly mappings: number
    readonly functions: number
    readonly attributes: number
    readonly locations: number
    readonly links: number
  }

  constructor(profiles: Profiles, generation: LegacyGeneration) {
    this.#profiles = profiles
    this.#generation = generation
    this.#names = fieldNames(generation)
    const { locations, mappings, stacks, links } = profiles.dictionary
    const isV1_3 = generation === 'v1.3'
    const { samples, profiles: table } = profiles
    const attributePools = [mappings.attributes, locations.attributes, table.attributes, samples.attributes]
    // A zero row stays if something refers to it that cannot express "none".
    const used = {
      mappings: isV1_3,
      functions: rowsOf(locations.lines).some(k => locations.lines.function(k) === 0),
      attributes: attributePools.some(pool => rowsOf(pool).some(k => pool.at(k) === 0)),
      locations: rowsOf(stacks.locations).some(k => stacks.locations.at(k) === 0),
      links: isV1_3 && links.length > 1,
    }
    this.#shift = {
      mappings: used.mappings ? 0 : 1,
      functions: used.functions ? 0 : 1,
      attributes: used.attributes ? 0 : 1,
      locations: used.locations ? 0 : 1,
      links: used.links ? 0 : 1,
    }
  }

  content(): PlainMessage {
    const { scopes, profiles: table } = this.#profiles
    const entries = resourceProfiles(this.#profiles, scope =>
      this.#groups(rowsOf(table, scopes.from(scope), scopes.to(scope))).map(group => this.#profile(group)),
    )
    if (this.#generation === 'v1.6') return { resource_profiles: entries, ...this.#tables() }
    if (this.#generation === 'v1.7') return { resource_profiles: entries, dictionary: this.#tables() }
    return { resource_profiles: entries }
  }

  #tables(): PlainMessage {
    const { strings, functions, mappings, links, attributes } = this.#profiles.dictionary
    const names = this.#names
    const units = new Map<StringIndex, StringIndex>()
    for (const i of rowsOf<AttributeIndex>(attributes)) {
      if (attributes.unit(i) !== 0) units.set(attributes.key(i), attributes.unit(i))
    }
    return {
      [names.mappings]: rowsOf<MappingIndex>(mappings, this.#shift.mappings).map(i => ({
        memory_start: mappings.memoryStart(i),
        memory_limit: mappings.memoryLimit(i),
        file_offset: mappings.fileOffset(i),
        [names.filename]: mappings.filename(i),
        [names.attributes]: this.#attributeRows(mappings.attributesOf(i)),
      })),
      [names.locations]: this.#locations(),
      [names.functions]: rowsOf<FunctionIndex>(functions, this.#shift.functions).map(i => ({
        [names.name]: functions.name(i),
        [names.systemName]: functions.systemName(i),
        [names.filename]: functions.filename(i),
        start_line: functions.startLine(i),
      })),
      link_table: rowsOf<LinkIndex>(links, this.#shift.links).map(i => ({
        trace_id: links.traceId(i),
        span_id: links.spanId(i),
      })),
      string_table: rowsOf<StringIndex>(strings).map(i => strings.text(i)),
      attribute_table: rowsOf<AttributeIndex>(attributes, this.#shift.attributes).map(i => this.#keyValue(i)),
      attribute_units: Array.from(units, ([key, unit]) => ({ [names.attributeKey]: key, [names.unit]: unit })),
    }
  }

  #locations(): PlainMessage[] {
    const { locations } = this.#profiles.dictionary
    const { lines } = locations
    return rowsOf<LocationIndex>(locations, this.#shift.locations).map(i => {
      const mapping = locations.mapping(i) - this.#shift.mappings
      return {
        mapping_index: mapping < 0 ? undefined : mapping,
        address: locations.address(i),
        line: rowsOf(lines, locations.linesFrom(i), locations.linesTo(i)).map(k => ({
          function_index: lines.function(k) - this.#shift.functions,
          line: lines.line(k),
          column: lines.column(k),
        })),
        [this.#names.attributes]: this.#attributeRows(locations.attributesOf(i)),
      }
    })
  }

  #keyValue(i: AttributeIndex): PlainMessage {
    const { attributes, strings } = this.#profiles.dictionary
    return keyValue({ key: strings.text(attributes.key(i)), value: attributes.value(i) })
  }

  #attributeRows(rows: readonly AttributeIndex[]): number[] {
    return rows.map(i => i - this.#shift.attributes)
  }

  #groups(rows: readonly number[]): number[][] {
    const groups: number[][] = []
    let last = ''
    for (const row of rows) {
      const structure = this.#structureOf(row)
      if (structure === last) groups.at(-1)!.push(row)
      else groups.push([row])
      last = structure
    }
    return groups
  }

  /** Everything except type, unit, temporality and values. */
  #structureOf(i: number): string {
    const { profiles: table, samples } = this.#profiles
    const times = [table.time(i), table.duration(i), table.periodType(i), table.periodUnit(i), table.period(i)]
    const payload = [table.originalPayloadFormat(i), table.originalPayload(i)]
    const others = [table.id(i), table.droppedAttributes(i), this.#ownAttributes(i)]
    const rows = rowsOf(samples, table.samplesFrom(i), table.samplesTo(i)).map(s =>
      [samples.stack(s), samples.link(s), samples.attributesOf(s), timestampsOf(this.#profiles, s)].join(),
    )
    return [times.join(), payload.join(), others.join(), ...rows].join(';')
  }

  #temporalityOf(i: number): number {
    const { dictionary, profiles: table } = this.#profiles
    const { attributes } = dictionary
    const found = table.attributesOf(i).find(row => this.#isTemporality(row))
    return found === undefined ? 0 : AGGREGATION_TEMPORALITIES.indexOf(attributes.value(found) as string)
  }

  #ownAttributes(i: number): AttributeIndex[] {
    return this.#profiles.profiles.attributesOf(i).filter(row => !this.#isTemporality(row))
  }

  #isTemporality(row: AttributeIndex): boolean {
    const { attributes, strings } = this.#profiles.dictionary
    return strings.text(attributes.key(row)) === ATTRIBUTES.aggregationTemporality
  }

  #profile(group: readonly number[]): PlainMessage {
    const { profiles: table, samples } = this.#profiles
    const [first] = group
    const names = this.#names
    const stacks = new StackRuns(this.#profiles, this.#shift.locations)
    const body: PlainMessage = {
      sample_type: group.map(i => ({
        [names.type]: table.type(i),
        [names.unit]: table.unit(i),
        aggregation_temporality: this.#temporalityOf(i),
      })),
      sample: rowsOf(samples, 0, table.samplesTo(first) - table.samplesFrom(first)).flatMap(k =>
        this.#sample(
          group.map(i => table.samplesFrom(i) + k),
          stacks,
        ),
      ),
      location_indices: stacks.locations,
      period_type: { [names.type]: table.periodType(first), [names.unit]: table.periodUnit(first) },
      period: table.period(first),
      ...(group.length > 1 ? this.#defaultType(first) : {}),
      ...(this.#generation === 'v1.6' || this.#generation === 'v1.7' ? {} : this.#tables()),
    }
    const own = this.#ownAttributes(first)
    const header: PlainMessage = {
      profile_id: table.id(first),
      dropped_attributes_count: table.droppedAttributes(first),
      original_payload_format: table.originalPayloadFormat(first),
      original_payload: table.originalPayload(first),
      ...(this.#generation === 'v1.3' || this.#generation === 'v1.4'
        ? { attributes: own.map(i => this.#keyValue(i)) }
        : { attribute_indices: this.#attributeRows(own) }),
    }
    const time = table.time(first)
    const duration = table.duration(first)
    if (this.#generation === 'v1.3') {
      return { ...header, start_time_unix_nano: time, end_time_unix_nano: time + duration, profile: body }
    }
    return { ...header, ...body, time_nanos: BigInt.asIntN(64, time), duration_nanos: BigInt.asIntN(64, duration) }
  }

  /** Names the first type, because a reader would choose the last one. Since v1.6 the first type is the default. */
  #defaultType(first: number): PlainMessage {
    const type = this.#profiles.profiles.type(first)
    if (this.#generation === 'v1.6' || this.#generation === 'v1.7') return {}
    return this.#generation === 'v1.3' ? { default_sample_type: type } : { default_sample_type_strindex: type }
  }

  /** Returns the samples of all types at one position, as several samples if necessary. */
  #sample(rows: readonly number[], stacks: StackRuns): PlainMessage[] {
    const { samples } = this.#profiles
    const [first] = rows
    const link = samples.link(first) - this.#shift.links
    const identity: PlainMessage = {
      ...stacks.run(samples.stack(first), this.#generation === 'v1.3'),
      [this.#names.link]: link < 0 ? undefined : link,
      [this.#names.attributes]: this.#attributeRows(samples.attributesOf(first)),
    }
    const times = timestampsOf(this.#profiles, first)
    const values = rows.map(row => valuesOf(this.#profiles, row))
    if (times.length === 0) return [{ ...identity, value: values.map(([value]) => value) }]
    if (rows.length === 1) {
      const value = values[0].length === 0 ? [BigInt(times.length)] : values[0]
      return [{ ...identity, value, timestamps_unix_nano: times }]
    }
    return times.map((time, k) => ({
      ...identity,
      value: values.map(list => list[k] ?? 1n),
      timestamps_unix_nano: [time],
    }))
  }
}

/** The runs of locations that the samples of one profile refer to. */
class StackRuns {
  readonly locations: number[] = []
  readonly #profiles: Profiles
  readonly #shift: number
  readonly #starts = new Map<number, number>()

  constructor(profiles: Profiles, shift: number) {
    this.#profiles = profiles
    this.#shift = shift
  }

  /** If `inBothForms`, writes every other stack in the first form of v1.3. */
  run(stack: StackIndex, inBothForms: boolean): PlainMessage {
    const { stacks } = this.#profiles.dictionary
    const from = stacks.from(stack)
    const to = stacks.to(stack)
    const locations = stacks.locations.slice(from, to).map(location => location - this.#shift)
    if (inBothForms && stack % 2 === 1) return { location_index: locations }
    let start = this.#starts.get(stack)
    if (start === undefined) {
      start = this.locations.length
      this.#starts.set(stack, start)
      this.locations.push(...locations)
    }
    return { locations_start_index: start, locations_length: locations.length }
  }
}
