// Writes one ProfileContainer with its Profile and tables, from neighbouring profiles of the model. Samples are written first,
// then the tables they refer to, so only referenced rows get a number and are written. Rows count from 0.
import type { AnyValue } from '../../model/columns/any-value.ts'
import type { AttributeIndex, LocationIndex, MappingIndex, StringIndex } from '../../model/columns/brand.ts'
import { MAX_INT64, MAX_UINT64, highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { AttributeOrder } from '../former-drafts/attribute-order.ts'
import { FieldAttributes } from '../former-drafts/field-attributes.ts'
import type { NoteList } from '../format.ts'
import { SymbolTableWriter, writeLocationFields } from '../former-drafts/symbol-table-writer.ts'
import { section, writeBytes, writeLong, writePacked, writeSections } from '../former-drafts/write-fields.ts'
import { generatedId } from '../former-drafts/generated-id.ts'
import { timeUnit } from '../recordings/time-unit.ts'
import { Otep239AttributeTable } from './attribute-table.ts'
import type { MarkedUnit } from './unit-mark.ts'
import { NANOS, UNIT_ATTRIBUTE } from './unit-mark.ts'
import type { ContainerGroup } from './container-groups.ts'
import { SampleWriter } from './write-samples.ts'

/** The temporality of profiles without one. The document forbids an unspecified one. */
const DELTA = AGGREGATION_TEMPORALITIES.indexOf('delta')

/** The names that the document has for units of values: `bytes`, `samples`, `ns`, `ms` and `count`. */
const DOCUMENT_UNITS: Readonly<Record<string, string>> = {
  nanoseconds: 'ns',
  milliseconds: 'ms',
  By: 'bytes',
  '1': 'count',
}

/** The attributes of a profile for which the document has fields. */
interface ProfileFields {
  readonly comments: readonly string[]
  readonly dropFrames: string
  readonly keepFrames: string
  readonly temporality: number
  readonly rest: readonly AttributeIndex[]
}

export class ContainerWriter {
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #symbols: SymbolTableWriter
  readonly #attributes: Otep239AttributeTable
  readonly #order: AttributeOrder
  readonly #locationFields: FieldAttributes
  readonly #mappingFields: FieldAttributes
  readonly #samples: SampleWriter
  readonly #profileFields = new Map<number, ProfileFields>()
  /** The unit of timestamps. */
  readonly #unit: MarkedUnit

  constructor(payload: Profiles, notes: NoteList, unit: MarkedUnit) {
    const { dictionary } = payload
    this.#payload = payload
    this.#unit = unit
    this.#notes = notes
    this.#symbols = new SymbolTableWriter(dictionary, {
      mappings: { field: 3, first: 2 },
      locations: { field: 4, first: 2 },
      functions: { field: 5, first: 2 },
      links: 18,
      writeLocationRest: (out, row) => this.#locationRest(out, row),
      writeMappingRest: (out, row) => this.#mappingRest(out, row),
    })
    this.#attributes = new Otep239AttributeTable(dictionary, notes)
    this.#order = new AttributeOrder(dictionary)
    this.#locationFields = new FieldAttributes(dictionary, ['folded', 'frame-type'], this.#order)
    this.#mappingFields = new FieldAttributes(dictionary, ['gnu', 'hash', 0, 1, 2, 3], this.#order)
    const numbers = {
      strings: this.#symbols.strings,
      attributes: this.#attributes,
      locations: this.#symbols.locations,
      links: this.#symbols.links,
      order: this.#order,
    }
    this.#samples = new SampleWriter(payload, notes, numbers, NANOS[unit])
  }

  /** Whether stacks may be written as slices. Otherwise they are lists of locations. */
  set useSlices(may: boolean) {
    this.#samples.useSlices = may
  }

  /** Whether slices of a container's stacks would show their order. */
  canShowOrder(group: ContainerGroup): boolean {
    return this.#samples.canShowOrder(group)
  }

  /** A profile's attributes without those of its type, to compare two profiles. */
  sharedAttributes(i: number): readonly (AttributeIndex | string)[] {
    const { comments, dropFrames, keepFrames, rest } = this.#fieldsOf(i)
    return [JSON.stringify([comments, dropFrames, keepFrames]), ...rest]
  }

  /** Writes the fields of the message. */
  write(writer: BackwardWriter, scope: number, group: ContainerGroup): void {
    const from = group.parts[0][0]
    this.#symbols.clear()
    this.#attributes.clear()
    // Link 0 means "none".
    this.#symbols.links.of(0)
    const { profiles } = this.#payload
    const fields = this.#fieldsOf(from)
    // The container's attributes are not in the table, but their units count too, and first.
    const attributes = section(out => this.#attributes.writeList(out, 4, fields.rest))
    // After the profile, out of field order: a large payload must not push the profile out of the head of the file.
    writeBytes(writer, 0x3a, profiles.originalPayload(from))
    writeBytes(writer, 0x32, encodeUtf8(profiles.originalPayloadFormat(from)))
    const profile = section(out => this.#profile(out, scope, group, fields))
    writer.bytesField(0x42, profile, 0, profile.length)
    writer.varint64Field(0x28, profiles.droppedAttributes(from) | 0, 0)
    const { largestTime } = this.#samples
    const isMisleading = largestTime !== undefined && timeUnit(largestTime).nanos !== NANOS[this.#unit]
    if (isMisleading || timeUnit(profiles.time(from)).nanos !== 1n) this.#unitMark(writer)
    writer.raw(attributes, 0, attributes.length)
    const time = profiles.time(from)
    const end = time + profiles.duration(from)
    if (end <= MAX_UINT64) writer.fixed64Field(0x19, lowHalf(end), highHalf(end))
    else if (profiles.duration(from) > MAX_INT64) {
      this.#notes.add('end-time', 'end times beyond 2^64 nanoseconds were dropped')
    }
    writer.fixed64Field(0x11, lowHalf(time), highHalf(time))
    const id = profiles.id(from)
    writeBytes(writer, 0x0a, id.length > 0 ? id : generatedId(profile, time, from))
  }

  #unitMark(writer: BackwardWriter): void {
    const mark = writer.written
    const value = writer.written
    writeBytes(writer, 0x0a, encodeUtf8(this.#unit))
    writer.messageHeader(0x12, value)
    writeBytes(writer, 0x0a, encodeUtf8(UNIT_ATTRIBUTE))
    writer.messageHeader(0x22, mark)
  }

  #profile(writer: BackwardWriter, scope: number, group: ContainerGroup, fields: ProfileFields): void {
    const { profiles } = this.#payload
    const members = group.parts[0]
    // Encoded in the order of references, then joined in the order of fields.
    const { samples, indices } = this.#samples.write(group)
    const { locations, mappings, functions, links } = this.#symbols.write()
    const table = section(out => this.#attributes.write(out, 16))
    const units = section(out => this.#attributes.writeUnits(out, 0x8a, this.#symbols.strings))
    const types = section(out => {
      for (const i of members.toReversed()) this.#valueType(out, 0x0a, profiles.type(i), profiles.unit(i), i)
    })
    const informational = section(out => this.#informational(out, scope, members, fields))
    const frames = section(out => {
      out.varint32Field(0x40, this.#symbols.strings.text(fields.keepFrames))
      out.varint32Field(0x38, this.#symbols.strings.text(fields.dropFrames))
    })
    const strings = section(out => this.#symbols.strings.write(out, 0x32))
    const parts = [
      types,
      samples,
      mappings,
      locations,
      functions,
      strings,
      frames,
      informational,
      indices,
      table,
      units,
      // The first link alone is not needed.
      ...(this.#symbols.links.length > 1 ? [links] : []),
    ]
    writeSections(writer, parts)
  }

  #informational(out: BackwardWriter, scope: number, members: readonly number[], { comments }: ProfileFields): void {
    const [i] = members
    const { profiles } = this.#payload
    out.varint32Field(0x70, this.#symbols.strings.text(this.#defaultType(scope, members)))
    const texts = Int32Array.from(comments, comment => this.#symbols.strings.text(comment))
    writePacked(out, 0x6a, texts, 0, texts.length)
    writeLong(out, 0x60, profiles.period(i))
    if (profiles.periodType(i) !== 0 || profiles.periodUnit(i) !== 0) {
      this.#valueType(out, 0x5a, profiles.periodType(i), profiles.periodUnit(i), i)
    }
    const duration = profiles.duration(i)
    if (duration <= MAX_INT64) writeLong(out, 0x50, duration)
    const time = profiles.time(i)
    if (time <= MAX_INT64) writeLong(out, 0x48, time)
  }

  /**
   * The default type of the scope, or else the first of several types, because a reader would choose the last one. An attribute
   * of the scope also stays there, so that a reader does not add it again.
   */
  #defaultType(scope: number, members: readonly number[]): string {
    const { attributes } = this.#payload.scopes.scope(scope)
    const value = attributes.find(({ key }) => key === ATTRIBUTES.pprofScopeDefaultSampleType)?.value
    const { profiles, dictionary } = this.#payload
    if (typeof value === 'string') return value
    return members.length > 1 ? dictionary.strings.text(profiles.type(members[0])) : ''
  }

  /** Writes the type of the values or of the period of profile i, with the temporality of the profile. */
  #valueType(out: BackwardWriter, tag: number, type: number, unit: number, i: number): void {
    const mark = out.written
    out.varint32Field(0x18, this.#fieldsOf(i).temporality || DELTA)
    const unitText = this.#payload.dictionary.strings.text(unit as StringIndex)
    out.varint32Field(0x10, this.#symbols.strings.text(DOCUMENT_UNITS[unitText] ?? unitText))
    out.varint32Field(0x08, this.#symbols.strings.of(type))
    out.messageHeader(tag, mark)
  }

  #fieldsOf(i: number): ProfileFields {
    let fields = this.#profileFields.get(i)
    if (fields === undefined) this.#profileFields.set(i, (fields = this.#findFields(i)))
    return fields
  }

  #findFields(i: number): ProfileFields {
    const { profiles, dictionary } = this.#payload
    const { attributes, strings } = dictionary
    const found = { comments: [] as readonly string[], dropFrames: '', keepFrames: '', temporality: 0 }
    const rest = this.#order.sorted(profiles.attributesOf(i)).filter(row => {
      if (attributes.unit(row) !== 0) return true
      const value = attributes.value(row)
      switch (strings.text(attributes.key(row))) {
        case ATTRIBUTES.pprofProfileComment:
          if (found.comments.length > 0 || !isTexts(value)) return true
          found.comments = value
          return false
        case ATTRIBUTES.pprofProfileDropFrames:
          if (found.dropFrames !== '' || typeof value !== 'string' || value === '') return true
          found.dropFrames = value
          return false
        case ATTRIBUTES.pprofProfileKeepFrames:
          if (found.keepFrames !== '' || typeof value !== 'string' || value === '') return true
          found.keepFrames = value
          return false
        case ATTRIBUTES.aggregationTemporality: {
          const number = typeof value === 'string' ? AGGREGATION_TEMPORALITIES.indexOf(value) : -1
          if (found.temporality !== 0 || number <= 0) return true
          found.temporality = number
          return false
        }
        default:
          return true
      }
    })
    return { ...found, rest }
  }

  #locationRest(out: BackwardWriter, row: LocationIndex): void {
    const { locations } = this.#payload.dictionary
    const fields = this.#locationFields.split(
      locations.attributes,
      locations.attributesFrom(row),
      locations.attributesTo(row),
    )
    writeLocationFields(out, 5, { fields, strings: this.#symbols.strings, attributes: this.#attributes })
  }

  #mappingRest(out: BackwardWriter, row: MappingIndex): string {
    const { mappings } = this.#payload.dictionary
    const fields = this.#mappingFields.split(
      mappings.attributes,
      mappings.attributesFrom(row),
      mappings.attributesTo(row),
    )
    fields.writeRest(out, 0x62, this.#attributes)
    const { text, kind } = fields.buildId()
    out.varint32Field(0x58, kind)
    for (const flag of [3, 2, 1, 0] as const) out.varint32Field(0x38 + 8 * flag, fields.flags.has(flag) ? 1 : 0)
    return text
  }
}

function isTexts(value: AnyValue): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(text => typeof text === 'string')
}
