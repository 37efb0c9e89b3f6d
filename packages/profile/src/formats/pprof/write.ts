// Writes the model as pprof. Profiles of one scope over the same samples become the sample types of one file again.
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import type { AttributeIndex, FunctionIndex, LocationIndex, StringIndex } from '../../model/columns/brand.ts'
import { compact } from '../../model/compact/compact.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BytesInterner } from '../../model/build/intern.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { chooseGroups } from './groups.ts'
import type { Group } from './groups.ts'
import { LabelWriter } from './label-writer.ts'
import { LocationIds } from './location-ids.ts'
import { orderMappings } from './mapping-list.ts'
import type { OrderedMapping } from './mapping-list.ts'

export function writePprof(input: Profiles, options: WriteOptions = {}): WriteResult {
  const profiles = compact(input)
  const notes = new NoteList()
  const groups = chooseGroups(profiles, options.type, notes)
  return { bytes: new PprofWriter(profiles, groups, notes).write(), notes: notes.list() }
}

class PprofWriter extends BackwardWriter {
  private readonly profiles: Profiles
  private readonly dictionary: Dictionary
  private readonly groups: readonly Group[]
  private readonly notes: NoteList
  private readonly strings = new BytesInterner(new GrowingBytes(4096))
  /** Ids by row; 0 for rows that no sample uses. Row 0, the zero value, needs an id too if something refers to it. */
  private readonly locationIds: LocationIds
  private readonly functionIds: Int32Array
  private readonly mappingIds: BigUint64Array
  /** Rows in the order of their ids, which count up by first use as in other profilers' files. */
  private readonly functionOrder: number[] = []
  private readonly stringRows: Int32Array

  constructor(profiles: Profiles, groups: readonly Group[], notes: NoteList) {
    super(1024 + profiles.dictionary.bytes.length + profiles.samples.length * 16)
    this.profiles = profiles
    this.dictionary = profiles.dictionary
    this.groups = groups
    this.notes = notes
    this.locationIds = new LocationIds(this.dictionary.locations.length)
    this.functionIds = new Int32Array(this.dictionary.functions.length)
    this.mappingIds = new BigUint64Array(this.dictionary.mappings.length)
    this.stringRows = new Int32Array(this.dictionary.strings.length).fill(-1)
  }

  /** Writes in parts: the string table is complete only at the end, and the used rows are known only after the samples. */
  write(): Uint8Array {
    const [first] = this.groups
    if (first === undefined) {
      this.bytesField(0x32, new Uint8Array(0), 0, 0)
      return this.finish()
    }
    this.numberLocations()
    const header = new BackwardWriter(1024)
    const listed = this.header(header, first)
    const mappings = orderMappings(this.dictionary, this.locationIds.byFirstUse, listed)
    for (const { row, description } of mappings) if (row > 0) this.mappingIds[row] = description.id
    const types = this.typesApart(first)
    const samples = this.samplesApart()
    const rows = this.rowsApart(mappings)
    this.raw(header.bytes, header.pos, header.bytes.length)
    this.stringTable()
    this.raw(rows.bytes, rows.pos, rows.bytes.length)
    this.raw(samples.bytes, samples.pos, samples.bytes.length)
    this.raw(types.bytes, types.pos, types.bytes.length)
    return this.finish()
  }

  private numberLocations(): void {
    const { samples, profiles } = this.profiles
    const { stacks, locations } = this.dictionary
    const seen = new Uint8Array(stacks.length)
    for (const group of this.groups) {
      const lead = profiles.samplesFrom(group.members[0])
      for (let i = 0; i < group.samples; i++) {
        const stack = samples.stack(lead + i)
        if (seen[stack] === 1) continue
        seen[stack] = 1
        for (let k = stacks.from(stack); k < stacks.to(stack); k++) {
          this.locationIds.use(stacks.locations.at(k))
        }
      }
    }
    for (const location of this.locationIds.byFirstUse as LocationIndex[]) {
      for (let k = locations.linesFrom(location); k < locations.linesTo(location); k++) {
        const row = locations.lines.function(k)
        if (this.functionIds[row] === 0) this.functionIds[row] = this.functionOrder.push(row)
      }
    }
  }

  /** Writes the fields 7 to 15. Returns the mapping list that an attribute may hold. */
  private header(writer: BackwardWriter, { members, defaultType }: Group): AnyValue {
    const { profiles } = this.profiles
    const [lead] = members
    let listed: AnyValue
    let docUrl = 0
    let comments: number[] = []
    let keep = 0
    let drop = 0
    for (const attribute of profiles.attributesOf(lead)) {
      const key = this.attributeKey(attribute)
      const value = this.dictionary.attributes.value(attribute)
      if (key === ATTRIBUTES.pprofProfileDocUrl && typeof value === 'string') docUrl = this.text(value)
      else if (key === ATTRIBUTES.pprofProfileKeepFrames && typeof value === 'string') keep = this.text(value)
      else if (key === ATTRIBUTES.pprofProfileDropFrames && typeof value === 'string') drop = this.text(value)
      else if (key === ATTRIBUTES.pprofProfileComment && Array.isArray(value))
        comments = value.map(line => this.text(String(line)))
      else if (key === ATTRIBUTES.pprofMappings) listed = value
      else if (key === ATTRIBUTES.pprofLocationIds) this.locationIds.restore(value)
      else this.notes.add('profile-attributes', 'pprof cannot hold attributes of profiles')
    }
    writer.varint32Field(0x78, docUrl)
    writer.varint32Field(0x70, defaultType === undefined ? 0 : this.text(defaultType))
    this.packedInto(writer, 0x6a, comments)
    const row = (column: number): number => profiles.column(lead, column)
    writer.varint64Field(0x60, row(8), row(9))
    const mark = writer.written
    writer.varint32Field(0x10, this.string(profiles.periodUnit(lead)))
    writer.varint32Field(0x08, this.string(profiles.periodType(lead)))
    if (writer.written > mark) writer.messageHeader(0x5a, mark)
    writer.varint64Field(0x50, row(6), row(7))
    writer.varint64Field(0x48, row(4), row(5))
    writer.varint32Field(0x40, keep)
    writer.varint32Field(0x38, drop)
    return listed
  }

  private typesApart({ members }: Group): BackwardWriter {
    const { profiles } = this.profiles
    const writer = new BackwardWriter(256)
    for (const member of members.toReversed()) {
      const mark = writer.written
      writer.varint32Field(0x10, this.string(profiles.unit(member)))
      writer.varint32Field(0x08, this.string(profiles.type(member)))
      writer.messageHeader(0x0a, mark)
    }
    return writer
  }

  private samplesApart(): BackwardWriter {
    const writer = new BackwardWriter(1024 + this.profiles.samples.length * 16)
    const labels = new LabelWriter(
      this.profiles,
      text => this.text(text),
      index => this.string(index),
      this.notes,
    )
    for (const group of this.groups.toReversed()) {
      const resource = group.resourceLabels
      for (let i = group.samples - 1; i >= 0; i--) this.sample(writer, group, i, labels, resource)
    }
    return writer
  }

  private sample(
    writer: BackwardWriter,
    group: Group,
    i: number,
    labels: LabelWriter,
    resource: readonly KeyValue[],
  ): void {
    const { samples, profiles } = this.profiles
    const lead = profiles.samplesFrom(group.members[0]) + i
    const mark = writer.written
    labels.write(writer, lead, resource)
    const valuesMark = writer.written
    for (const member of group.members.toReversed()) {
      const sample = profiles.samplesFrom(member) + i
      const from = samples.valuesFrom(sample)
      writer.reserve(16)
      if (samples.valuesTo(sample) === from + 1) writer.rawVarint64(samples.values.lo(from), samples.values.hi(from))
      else this.total(writer, sample)
    }
    writer.messageHeader(0x12, valuesMark)
    const { stacks } = this.dictionary
    const stack = samples.stack(lead)
    const from = stacks.from(stack)
    const to = stacks.to(stack)
    if (to > from) {
      const idsMark = writer.written
      writer.reserve((to - from) * 10 + 16)
      for (let k = to - 1; k >= from; k--) this.locationIds.write(writer, stacks.locations.at(k))
      writer.messageHeader(0x0a, idsMark)
    }
    writer.messageHeader(0x12, mark)
  }

  private total(writer: BackwardWriter, sample: number): void {
    const total = this.profiles.samples.total(sample)
    if (BigInt.asIntN(64, total) !== total)
      this.notes.add('overflow', 'sums exceeded the 64-bit range and wrapped around')
    writer.rawVarint64(Number(BigInt.asIntN(32, total)), Number(BigInt.asIntN(32, total >> 32n)))
  }

  private rowsApart(mappings: readonly OrderedMapping[]): BackwardWriter {
    const writer = new BackwardWriter(4096 + this.locationIds.byFirstUse.length * 24)
    for (const row of this.functionOrder.toReversed()) this.function(writer, row as FunctionIndex)
    for (const row of this.locationIds.inOrder().toReversed()) this.location(writer, row as LocationIndex)
    for (let i = mappings.length - 1; i >= 0; i--) this.mapping(writer, mappings[i])
    return writer
  }

  private function(writer: BackwardWriter, i: FunctionIndex): void {
    const { functions } = this.dictionary
    const row = functions.base + i * 5
    const mark = writer.written
    writer.varint64Field(0x28, functions.ints[row + 3], functions.ints[row + 4])
    writer.varint32Field(0x20, this.string(functions.filename(i)))
    writer.varint32Field(0x18, this.string(functions.systemName(i)))
    writer.varint32Field(0x10, this.string(functions.name(i)))
    writer.varint32Field(0x08, this.functionIds[i])
    writer.messageHeader(0x2a, mark)
  }

  private location(writer: BackwardWriter, i: LocationIndex): void {
    const { locations } = this.dictionary
    const { lines } = locations
    const row = locations.base + i * 5
    const mark = writer.written
    for (const attribute of locations.attributesOf(i)) {
      if (this.attributeKey(attribute) === ATTRIBUTES.pprofLocationIsFolded) writer.varint32Field(0x28, 1)
      else this.notes.add('location-attributes', 'pprof cannot hold attributes of locations')
    }
    for (let k = locations.linesTo(i) - 1; k >= locations.linesFrom(i); k--) {
      const at = lines.base + k * LINE_STRIDE
      const lineMark = writer.written
      writer.varint64Field(0x18, lines.ints[at + 3], lines.ints[at + 4])
      writer.varint64Field(0x10, lines.ints[at + 1], lines.ints[at + 2])
      writer.varint32Field(0x08, this.functionIds[lines.ints[at]])
      writer.messageHeader(0x22, lineMark)
    }
    writer.varint64Field(0x18, locations.ints[row + 1], locations.ints[row + 2])
    const mapping = this.mappingIds[locations.ints[row]]
    writer.varint64Field(0x10, lowHalf(mapping), highHalf(mapping))
    writer.reserve(16)
    this.locationIds.write(writer, i)
    writer.rawVarint32(0x08)
    writer.messageHeader(0x22, mark)
  }

  private mapping(writer: BackwardWriter, mapping: OrderedMapping): void {
    const { description } = mapping
    if (mapping.extraBuildIds > 0)
      this.notes.add('build-ids', 'pprof holds only one build id per mapping', mapping.extraBuildIds)
    if (mapping.otherAttributes > 0)
      this.notes.add('mapping-attributes', 'pprof cannot hold attributes of mappings', mapping.otherAttributes)
    const mark = writer.written
    for (let bit = 3; bit >= 0; bit--) writer.varint32Field((7 + bit) << 3, (description.flags >> bit) & 1)
    writer.varint32Field(0x30, this.text(description.buildId))
    writer.varint32Field(0x28, this.text(description.filename))
    writer.varint64Field(0x20, lowHalf(description.fileOffset), highHalf(description.fileOffset))
    writer.varint64Field(0x18, lowHalf(description.memoryLimit), highHalf(description.memoryLimit))
    writer.varint64Field(0x10, lowHalf(description.memoryStart), highHalf(description.memoryStart))
    writer.varint64Field(0x08, lowHalf(description.id), highHalf(description.id))
    writer.messageHeader(0x1a, mark)
  }

  private stringTable(): void {
    const { rows, pool } = this.strings
    for (let i = rows.length - 2; i >= 0; i -= 2) {
      this.bytesField(0x32, pool.array, rows.array[i], rows.array[i] + rows.array[i + 1])
    }
  }

  private packedInto(writer: BackwardWriter, tag: number, numbers: readonly number[]): void {
    if (numbers.length === 0) return
    const mark = writer.written
    writer.reserve(numbers.length * 5 + 16)
    for (const number of numbers.toReversed()) writer.rawVarint32(number)
    writer.messageHeader(tag, mark)
  }

  private attributeKey(attribute: AttributeIndex): string {
    const { attributes, strings } = this.dictionary
    return strings.text(attributes.key(attribute))
  }

  /** The row of a dictionary string in the file's own table. */
  private string(i: StringIndex): number {
    if (this.stringRows[i] < 0) {
      const { strings } = this.dictionary
      const offset = strings.offset(i)
      this.stringRows[i] = this.strings.intern(strings.bytes, offset, offset + strings.byteLength(i))
    }
    return this.stringRows[i]
  }

  private text(text: string): number {
    const bytes = encodeUtf8(text)
    return this.strings.intern(bytes, 0, bytes.length)
  }
}
