// pprof into the model: each sample type becomes a profile of its own, all of them over the same stacks.
import { encodeScope } from '../../model/any-value.ts'
import type { KeyValue } from '../../model/any-value.ts'
import { ValueKind } from '../../model/dictionary.ts'
import { SequenceInterner } from '../../model/intern.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE } from '../../model/profiles.ts'
import { ProfilesDraft } from '../../model/profiles-draft.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { plainBytes } from '../../wire/plain-bytes.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { AttributeRows } from './attribute-rows.ts'
import { FUNCTION_ROW, IdIndex, LINE_ROW, LOCATION_ROW, MAPPING_ROW, SAMPLE_ROW } from './columns.ts'
import type { PprofColumns } from './columns.ts'
import { decodePprof } from './decode.ts'
import { LabelReader } from './label-reader.ts'
import { locationIdList } from './location-ids.ts'
import { mappingAttributes } from './mapping-attributes.ts'
import { mappingList } from './mapping-list.ts'

const FORMAT = 'pprof'

export function readPprof(input: Uint8Array, _options: ReadOptions = {}): ReadResult {
  const bytes = plainBytes(input)
  const notes = new NoteList()
  try {
    const { columns, unknownFields } = decodePprof(bytes)
    notes.add('unknown-fields', 'fields that pprof does not define were left out', unknownFields)
    const profiles = new PprofReader(bytes, columns, notes).read()
    return { profiles, notes: notes.list(), generation: '' }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new FormatError(FORMAT, error.offset, error.what)
  }
}

class PprofReader {
  readonly #columns: PprofColumns
  readonly #notes: NoteList
  readonly #draft = new ProfilesDraft()
  readonly #rows: AttributeRows
  readonly #length: number

  constructor(bytes: Uint8Array, columns: PprofColumns, notes: NoteList) {
    this.#columns = columns
    this.#notes = notes
    this.#length = bytes.length
    this.#rows = new AttributeRows(this.#draft, bytes)
  }

  read(): ReturnType<ProfilesDraft['freeze']> {
    this.#readStrings()
    const functions = this.#readFunctions()
    const mappingRows = this.#readMappings()
    const locationRows = this.#readLocations(mappingRows, functions)
    this.#readSamples(locationRows)
    return this.#draft.freeze(this.#rows.finish())
  }

  #readStrings(): void {
    const { strings } = this.#columns
    if (strings.length === 0) this.#fail('there is no string table')
    if (strings.array[1] !== 0) this.#fail('the first string is not empty', 'string_table[0]')
    const invalid = this.#rows.addStrings(strings)
    this.#notes.add('invalid-utf8', 'strings that are not UTF-8 had their broken bytes replaced', invalid)
  }

  /** The model's row of each function. A function that says nothing is row 0, "no function". */
  #readFunctions(): Int32Array {
    const { functions } = this.#columns
    const rows = new Int32Array(functions.length / FUNCTION_ROW)
    const out = this.#draft.functions
    const target = out.reserve(5 * (rows.length + 1))
    for (let i = 0; i < 5; i++) target[i] = 0
    let at = 5
    for (let row = 0, i = 0; row < functions.length; row += FUNCTION_ROW, i++) {
      const { array } = functions
      this.#nonZero(array[row], 'function', i)
      if ((array[row + 1] | array[row + 2] | array[row + 3] | array[row + 4] | array[row + 5]) === 0) continue
      rows[i] = at / 5
      for (let k = 1; k <= 3; k++) target[at++] = this.#string(array[row + k], 'function', i)
      target[at++] = array[row + 4]
      target[at++] = array[row + 5]
    }
    out.length = at
    return rows
  }

  /** Row of each mapping id. */
  #readMappings(): IdIndex {
    const { mappings } = this.#columns
    const out = this.#draft.mappings
    const attributes = this.#draft.mappingAttributes
    for (let i = 0; i < 8; i++) out.push(0)
    for (let row = 0, i = 0; row < mappings.length; row += MAPPING_ROW, i++) {
      const { array } = mappings
      this.#nonZero(array[row], 'mapping', i)
      const filename = this.#string(array[row + 7], 'mapping', i)
      const buildId = this.#string(array[row + 8], 'mapping', i)
      const isZero = array.subarray(row + 1, row + MAPPING_ROW).every(int => int === 0)
      for (const attribute of mappingAttributes(this.#rows, buildId, array[row + 9], isZero)) attributes.push(attribute)
      out.pushAll(array, row + 1, row + 7)
      out.push(filename)
      out.push(attributes.length)
    }
    return this.#idIndex(mappings, MAPPING_ROW, 'mapping')
  }

  #readLocations(mappingRows: IdIndex, functionOf: Int32Array): IdIndex {
    const { locations, lines, functions } = this.#columns
    const functionRows = this.#idIndex(functions, FUNCTION_ROW, 'function')
    const draft = this.#draft
    const isFolded = locations.length === 0 ? 0 : this.#rows.bool(ATTRIBUTES.pprofLocationIsFolded)
    for (let i = 0; i < 5; i++) draft.locations.push(0)
    let line = 0
    for (let row = 0, i = 0; row < locations.length; row += LOCATION_ROW, i++) {
      const { array } = locations
      this.#nonZero(array[row], 'location', i)
      for (const end = array[row + 4]; line < end; line++) {
        const at = line * LINE_ROW
        draft.lines.push(this.#functionOf(functionRows, lines.array[at], functionOf))
        draft.lines.pushAll(lines.array, at + 1, at + LINE_ROW)
      }
      if (array[row + 5] === 1) draft.locationAttributes.push(isFolded)
      draft.locations.push(this.#mappingOf(mappingRows, array[row + 1]))
      draft.locations.push(array[row + 2])
      draft.locations.push(array[row + 3])
      draft.locations.push(line)
      draft.locations.push(draft.locationAttributes.length)
    }
    return this.#idIndex(locations, LOCATION_ROW, 'location')
  }

  #functionOf(rows: IdIndex, id: number, functionOf: Int32Array): number {
    if (id === 0) return 0
    const row = rows.find(id)
    if (row >= 0) return functionOf[row]
    this.#notes.add('missing-function', 'lines refer to functions that are not in the file')
    return 0
  }

  #mappingOf(rows: IdIndex, id: number): number {
    if (id === 0) return 0
    const row = rows.find(id)
    if (row < 0) this.#notes.add('missing-mapping', 'locations refer to mappings that are not in the file')
    return row + 1
  }

  #readSamples(locationRows: IdIndex): void {
    const { samples, sampleTypes, values } = this.#columns
    const count = samples.length / SAMPLE_ROW
    const types = sampleTypes.length / 2
    if (types === 0) this.#fail('there is no sample type')
    const stacks = this.#readStacks(locationRows, count)
    const labels = new LabelReader(this.#columns, this.#rows, this.#draft, index => this.#string(index, 'label', 0))
    // The sets of labels are found once, and then repeated for each type.
    const { sampleAttributes } = this.#draft
    const links = new Int32Array(count)
    const ends = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      const from = i === 0 ? 0 : samples.array[3 * i - 1]
      links[i] = labels.read(from, samples.array[3 * i + 2], sampleAttributes)
      ends[i] = sampleAttributes.length
      const valueCount = samples.array[3 * i + 1] - (i === 0 ? 0 : samples.array[3 * i - 2])
      if (valueCount !== types)
        this.#fail(`a sample has ${valueCount} values for ${types} sample types`, `sample[${i}]`)
    }
    const own = sampleAttributes.length
    const order = this.#typeOrder(types)
    this.#pushContainers(order)
    const profileAttributes = this.#profileAttributes()
    for (const [n, type] of order.entries()) {
      if (n > 0) sampleAttributes.pushAll(sampleAttributes.array, 0, own)
      this.#pushProfile(type, profileAttributes)
      this.#pushSamples(stacks, links, ends, n * own, values.array, type, types)
    }
  }

  #readStacks(locationRows: IdIndex, count: number): Int32Array {
    const { samples, locationIds } = this.#columns
    const interner = new SequenceInterner()
    interner.intern(new Int32Array(0), 0, 0)
    const rows = locationIds.array
    const stacks = new Int32Array(count)
    for (let i = 0, from = 0; i < count; i++) {
      const to = samples.array[SAMPLE_ROW * i]
      for (let k = from; k < to; k++) {
        const row = locationRows.find(rows[k])
        if (row < 0)
          this.#fail('a sample refers to a location that is not in the file', `sample[${i}].location_id[${k - from}]`)
        rows[k] = row + 1
      }
      stacks[i] = interner.intern(rows, from, to)
      from = to
    }
    this.#draft.stacks.pushAll(interner.ends.array, 0, interner.length)
    this.#draft.stackLocations.pushAll(interner.pool.array, 0, interner.pool.length)
    return stacks
  }

  /** The default type comes first, where viewers of OTLP look: pprof's default is the named one, or else the last. */
  #typeOrder(types: number): number[] {
    const { sampleTypes, defaultSampleType } = this.#columns
    const named = Array.from({ length: types }, (_, i) => i).find(
      i => defaultSampleType !== 0 && sampleTypes.array[2 * i] === defaultSampleType,
    )
    const first = named ?? types - 1
    return [first, ...Array.from({ length: types }, (_, i) => i).filter(i => i !== first)]
  }

  #pushContainers(order: readonly number[]): void {
    const attributes: KeyValue[] = []
    const { defaultSampleType } = this.#columns
    if (defaultSampleType !== 0) {
      attributes.push({
        key: ATTRIBUTES.pprofScopeDefaultSampleType,
        value: this.#text(this.#string(defaultSampleType, 'default_sample_type', -1)),
      })
    }
    if (order.some((type, i) => type !== i)) {
      attributes.push({ key: ATTRIBUTES.pprofScopeSampleTypeOrder, value: order.map(BigInt) })
    }
    const scope =
      attributes.length === 0
        ? new Uint8Array(0)
        : encodeScope({ name: '', version: '', attributes, droppedAttributesCount: 0 })
    const { resources, scopes } = this.#draft
    for (const int of [0, 0, 0, 0, 1]) resources.push(int)
    for (const int of [this.#rows.append(scope), scope.length, 0, 0, order.length]) scopes.push(int)
  }

  #profileAttributes(): number[] {
    const { comments, dropFrames, keepFrames, docUrl } = this.#columns
    const attributes: number[] = []
    const text = (key: string, string: number): void => {
      if (string !== 0) attributes.push(this.#rows.text(key, this.#string(string, key, -1)))
    }
    text(ATTRIBUTES.pprofProfileDropFrames, dropFrames)
    text(ATTRIBUTES.pprofProfileKeepFrames, keepFrames)
    text(ATTRIBUTES.pprofProfileDocUrl, docUrl)
    if (comments.length > 0) {
      const lines = Array.from(comments.view(), (string, i) => this.#text(this.#string(string, 'comment', i)))
      attributes.push(this.#rows.nested(this.#rows.name(ATTRIBUTES.pprofProfileComment), lines))
    }
    const ids = locationIdList(this.#columns)
    if (ids !== undefined) {
      const key = this.#rows.name(ATTRIBUTES.pprofLocationIds)
      attributes.push(this.#rows.row(key, 0, ValueKind.bytes, this.#rows.append(ids), ids.length))
    }
    const list = mappingList(this.#columns, this.#draft, string => this.#text(string))
    if (list !== undefined) attributes.push(this.#rows.nested(this.#rows.name(ATTRIBUTES.pprofMappings), list))
    return attributes
  }

  #pushProfile(type: number, attributes: readonly number[]): void {
    const { sampleTypes, periodType, time, duration, period } = this.#columns
    const { profiles, profileAttributes, samples } = this.#draft
    const row = new Int32Array(PROFILE_STRIDE)
    row[ProfileColumn.type] = this.#string(sampleTypes.array[2 * type], 'sample_type', type)
    row[ProfileColumn.unit] = this.#string(sampleTypes.array[2 * type + 1], 'sample_type', type)
    row[ProfileColumn.periodType] = this.#string(periodType[0], 'period_type', -1)
    row[ProfileColumn.periodUnit] = this.#string(periodType[1], 'period_type', -1)
    row.set(time, ProfileColumn.time)
    row.set(duration, ProfileColumn.duration)
    row.set(period, ProfileColumn.period)
    if (time[1] < 0) this.#notes.add('negative-time', 'a time before 1970 has no place in the model')
    for (const attribute of attributes) profileAttributes.push(attribute)
    row[ProfileColumn.attributeEnd] = profileAttributes.length
    row[ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE + this.#columns.samples.length / SAMPLE_ROW
    profiles.pushAll(row, 0, PROFILE_STRIDE)
  }

  #pushSamples(
    stacks: Int32Array,
    links: Int32Array,
    ends: Int32Array,
    attributeBase: number,
    from: Int32Array,
    type: number,
    types: number,
  ): void {
    const { samples, values } = this.#draft
    const count = stacks.length
    const row = samples.reserve(count * SAMPLE_STRIDE)
    const numbers = values.reserve(count * 2)
    let at = samples.length
    let value = values.length
    for (let i = 0; i < count; i++) {
      numbers[value++] = from[2 * (i * types + type)]
      numbers[value++] = from[2 * (i * types + type) + 1]
      row[at] = stacks[i]
      row[at + 1] = links[i]
      row[at + 2] = attributeBase + ends[i]
      row[at + 3] = value >> 1
      row[at + 4] = 0
      at += SAMPLE_STRIDE
    }
    samples.length = at
    values.length = value
  }

  #idIndex(rows: PprofColumns['locations'], stride: number, name: string): IdIndex {
    const index = new IdIndex(rows, stride)
    if (index.duplicate !== undefined) this.#fail(`two entries have the same id`, name)
    return index
  }

  #nonZero(id: number, name: string, i: number): void {
    if (id === 0) this.#fail('the id is 0', `${name}[${i}]`)
  }

  #string(index: number, name: string, i: number): number {
    const count = this.#columns.strings.length / 2
    if (index >>> 0 >= count)
      this.#fail(`string ${index} is outside of the string table of ${count}`, i < 0 ? name : `${name}[${i}]`)
    return index
  }

  #text(string: number): string {
    const { array } = this.#draft.strings
    return decodeUtf8(this.#rows.slice(array[2 * string], array[2 * string + 1]), 0, array[2 * string + 1])
  }

  /** Ids and references are looked at after the bytes were read, so the place is the field's path; the offset is the end. */
  #fail(what: string, path = ''): never {
    throw new FormatError(FORMAT, this.#length, what, path)
  }
}
