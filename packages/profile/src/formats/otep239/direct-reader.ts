// Reads files of OTEP 0239 without anything unusual straight into the model's columns, several times faster than the general
// reader (read.ts). Rows of a container stay as they are: its indexes become rows by adding the number of rows before them.
import { decodeScope, encodeScope } from '../../model/columns/any-value.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { highHalf, lowHalf, uint64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE, SCOPE_STRIDE } from '../../model/columns/profiles.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { NoteList } from '../format.ts'
import { MAPPING_FLAGS, buildIdKey } from '../otlp/legacy/tables.ts'
import { withDefaultType } from '../otlp/legacy/read.ts'
import { AttributeRows } from '../attribute-rows.ts'
import { timeUnit } from '../recordings/time-unit.ts'
import type { ContainerReceiver } from './direct-decoder.ts'
import { DECODED_TYPE, DirectDecoder, FIRST_FLAG, FIRST_TEXT, FOLDED, UNUSUAL } from './direct-decoder.ts'
import { DirectSamples } from './direct-samples.ts'
import type { StackOrder } from './stack-order.ts'
import type { MarkedUnit } from './unit-mark.ts'
import { MILLISECONDS, NANOSECONDS, UNIT_ATTRIBUTE } from './unit-mark.ts'

/** Attributes with a meaning that only the general reader knows. */
const UNUSUAL_KEYS: ReadonlySet<string> = new Set([ATTRIBUTES.traceId, ATTRIBUTES.spanId])
const HTLHASH_DIGITS = 32
/** 1 for each byte that is a hexadecimal digit. */
const IS_HEX_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[0-9a-f]/i.test(String.fromCharCode(byte))))
/** In bytes. The memory of larger files is not reused. */
const MAX_REUSED = 16 << 20
/** Space for the keys of attributes, and for build ids. If a file needs more, it is not reused. */
const KEY_BYTES = 4096
const NO_BYTES: Uint8Array = new Uint8Array(0)

export interface DirectResult {
  readonly profiles: Profiles
  readonly notes: NoteList
  /** The orders of slices that the containers have. */
  readonly orders: ReadonlySet<StackOrder>
}

let spare: DirectReader | undefined

/** Returns undefined for a file that only the general reader can read, or that is broken. */
export function readDirectly(bytes: Uint8Array): DirectResult | undefined {
  const reader = spare ?? new DirectReader()
  spare = undefined
  try {
    return reader.read(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  } finally {
    reader.release()
    if (bytes.length < MAX_REUSED) spare = reader
  }
}

class DirectReader implements ContainerReceiver {
  readonly #decoder = new DirectDecoder()
  readonly #draft = this.#decoder.draft
  readonly #rows = new AttributeRows(this.#draft)
  readonly #stacks = new SequenceInterner()
  readonly #samples = new DirectSamples(this.#decoder, this.#stacks)
  /** The keys of attributes, and the string row of each. */
  #keys = new BytesInterner(new GrowingBytes(KEY_BYTES))
  readonly #keyRows = new GrowingInts()
  /** Build ids of mappings. Many containers have the same. */
  #buildIds = new BytesInterner(new GrowingBytes(KEY_BYTES))
  /** The attribute of each build id as a number of the linker, and as a hash of the binary. 0 if it has none yet. */
  readonly #buildIdRows = new GrowingInts()
  readonly #temporalities: number[] = []
  readonly #profileAttributes: number[] = []
  #bytes = NO_BYTES
  #notes = new NoteList()

  // The scope that is open: byte ranges of its message and of its URL, and the default type of its profiles.
  readonly #scope = new Int32Array(4)
  #isScopeOpen = false
  #defaultType: string | undefined

  /** Rows by the index in the container. Empty entries are row 0. */
  readonly #functionRows = new GrowingInts()
  readonly #mappingRows = new GrowingInts()

  // The number of rows before those of the container.
  #firstString = 0
  #firstFunction = 0
  #firstMapping = 0
  #firstLocation = 0
  #firstLine = 0
  #firstLink = 0
  #firstAttribute = 0
  #locationAttributesFrom = 0
  #mappingAttributesFrom = 0
  /** The unit of the timestamps that an attribute of the container states. */
  #mark: MarkedUnit | undefined
  /** The number of strings, and of attributes in the table, of the container. */
  #strings = 0
  #tableAttributes = 0
  /** The number of attributes of the container itself. */
  #ownAttributes = 0

  read(bytes: Uint8Array): DirectResult {
    this.#bytes = bytes
    this.#notes = new NoteList()
    this.#open()
    this.#decoder.decode(bytes, this)
    this.#endScope()
    const { stacks, stackLocations } = this.#draft
    stacks.pushAll(this.#stacks.ends.array, 0, this.#stacks.length)
    stackLocations.pushAll(this.#stacks.pool.array, 0, this.#stacks.pool.length)
    return { profiles: this.#draft.freeze(this.#rows.finish()), notes: this.#notes, orders: this.#samples.orders }
  }

  release(): void {
    this.#bytes = NO_BYTES
    this.#decoder.release()
    this.#rows.release()
    this.#keys = cleared(this.#keys)
    this.#buildIds = cleared(this.#buildIds)
  }

  #open(): void {
    const { strings, functions, mappings, locations, links, attributes } = this.#draft
    this.#draft.clear()
    zeroRow(strings, 2)
    zeroRow(functions, 5)
    zeroRow(mappings, 8)
    zeroRow(locations, 5)
    zeroRow(links, 4)
    zeroRow(attributes, 5)
    this.#rows.over(this.#bytes)
    this.#stacks.clear()
    this.#stacks.internTail(0)
    this.#samples.open(this.#bytes.length)
    this.#keyRows.length = 0
    this.#keyRows.push(0)
    this.#buildIdRows.length = 0
    this.#temporalities.length = 0
    this.#isScopeOpen = false
    this.#markRows()
  }

  /** The rows after these belong to the next container. */
  #markRows(): void {
    const draft = this.#draft
    this.#firstString = draft.strings.length / 2
    this.#firstFunction = draft.functions.length / 5
    this.#firstMapping = draft.mappings.length / 8
    this.#firstLocation = draft.locations.length / 5
    this.#firstLine = draft.lines.length / 5
    this.#firstLink = draft.links.length / 4
    this.#firstAttribute = draft.attributes.length / 5
    this.#locationAttributesFrom = draft.locationAttributes.length
    this.#mappingAttributesFrom = draft.mappingAttributes.length
  }

  openResource(message: number, length: number, url: number, urlLength: number): void {
    this.#endScope()
    const { resources, scopes } = this.#draft
    for (const int of [message, length, url, urlLength, scopes.length / SCOPE_STRIDE]) resources.push(int)
  }

  openScope(message: number, length: number, url: number, urlLength: number): void {
    this.#endScope()
    this.#scope.set([message, length, url, urlLength])
    this.#isScopeOpen = true
    this.#defaultType = undefined
  }

  /** Writes a scope without profiles. */
  #endScope(): void {
    if (this.#isScopeOpen && this.#defaultType === undefined) this.#pushScope('')
    this.#isScopeOpen = false
  }

  #pushScope(defaultType: string): void {
    const { resources, scopes, profiles } = this.#draft
    let [message, length] = this.#scope
    if (defaultType !== '') {
      const scope = encodeScope(withDefaultType(decodeScope(this.#bytes, message, message + length), defaultType))
      message = this.#rows.append(scope)
      length = scope.length
    }
    for (const int of [message, length, this.#scope[2], this.#scope[3], profiles.length / PROFILE_STRIDE]) {
      scopes.push(int)
    }
    resources.array[resources.length - 1] = scopes.length / SCOPE_STRIDE
    this.#defaultType = defaultType
  }

  container(): void {
    const { strings, attributes } = this.#draft
    this.#strings = strings.length / 2 - this.#firstString
    if (this.#strings === 0 || strings.array[2 * this.#firstString + 1] !== 0) throw UNUSUAL
    this.#tableAttributes = attributes.length / 5 - this.#firstAttribute
    this.#readOwnAttributes()
    this.#nameAttributes()
    this.#resolveFunctions()
    this.#resolveMappings()
    this.#resolveLocations()
    this.#resolveLinks()
    this.#resolveSampleAttributes()
    this.#pushProfiles()
    this.#markRows()
  }

  /** Appends the attributes of the container to those of the table, except for the mark of the unit. */
  #readOwnAttributes(): void {
    const { ownAttributes, keys } = this.#decoder
    const { attributes } = this.#draft
    this.#mark = undefined
    for (let k = 0; k < ownAttributes.length; k += 2) {
      this.#decoder.attribute(ownAttributes.array[k], ownAttributes.array[k + 1])
      const [from, length] = keys.array.subarray(keys.length - 2, keys.length)
      if (length !== UNIT_ATTRIBUTE.length || this.#text(from, length) !== UNIT_ATTRIBUTE) continue
      const [kind, a, b] = attributes.array.subarray(attributes.length - 3, attributes.length)
      const unit = kind === ValueKind.string ? this.#text(a, b) : ''
      if (this.#mark !== undefined || (unit !== MILLISECONDS && unit !== NANOSECONDS)) throw UNUSUAL
      this.#mark = unit
      attributes.length -= 5
      keys.length -= 2
    }
    this.#ownAttributes = attributes.length / 5 - this.#firstAttribute - this.#tableAttributes
  }

  #text(from: number, length: number): string {
    return decodeUtf8(this.#bytes, from, from + length)
  }

  /** The row of a string of the container. */
  #string(index: number): number {
    if (index >>> 0 >= this.#strings) throw UNUSUAL
    return index === 0 ? 0 : this.#firstString + index
  }

  #nameAttributes(): void {
    const { keys, units } = this.#decoder
    const { attributes, strings } = this.#draft
    const unitOf = units.length === 0 ? undefined : new Map<string, number>()
    for (let k = 0; k < units.length; k += 2) {
      unitOf!.set(this.#rows.stringText(this.#string(units.array[k])), this.#string(units.array[k + 1]))
    }
    for (let k = 0; k < keys.length; k += 2) {
      const from = keys.array[k]
      const length = keys.array[k + 1]
      const known = this.#keys.intern(this.#bytes, from, from + length)
      if (known === this.#keyRows.length) {
        if (UNUSUAL_KEYS.has(this.#text(from, length))) throw UNUSUAL
        this.#keyRows.push(strings.length / 2)
        strings.push(from)
        strings.push(length)
      } else if (known === 0) throw UNUSUAL
      const at = 5 * (this.#firstAttribute + k / 2)
      attributes.array[at] = this.#keyRows.array[known]
      if (unitOf !== undefined) attributes.array[at + 1] = unitOf.get(this.#text(from, length)) ?? 0
    }
  }

  #resolveFunctions(): void {
    const { functions } = this.#draft
    const { array, length } = functions
    const rows = this.#functionRows
    rows.length = 0
    let kept = 5 * this.#firstFunction
    for (let at = kept; at < length; at += 5) {
      const name = this.#string(array[at])
      const systemName = this.#string(array[at + 1])
      const filename = this.#string(array[at + 2])
      if ((name | systemName | filename | array[at + 3] | array[at + 4]) === 0) {
        rows.push(0)
        continue
      }
      rows.push(kept / 5)
      array[kept] = name
      array[kept + 1] = systemName
      array[kept + 2] = filename
      array[kept + 3] = array[at + 3]
      array[kept + 4] = array[at + 4]
      kept += 5
    }
    functions.length = kept
  }

  #resolveMappings(): void {
    const { mappings, mappingAttributes } = this.#draft
    const { array, length } = mappings
    const rows = this.#mappingRows
    rows.length = 0
    let attributesFrom = this.#mappingAttributesFrom
    let kept = 8 * this.#firstMapping
    for (let at = kept; at < length; at += 8) {
      array[at + 6] = this.#string(array[at + 6])
      let bits = array[at + 6] | (array[at + 7] - attributesFrom)
      for (let k = at; k < at + 6; k++) bits |= array[k]
      attributesFrom = array[at + 7]
      if (bits === 0) rows.push(0)
      else {
        rows.push(kept / 8)
        // For so few ints a loop is faster than copyWithin.
        for (let k = 0; k < 8; k++) array[kept + k] = array[at + k]
        kept += 8
      }
    }
    mappings.length = kept
    this.#resolveAttributes(mappingAttributes, this.#mappingAttributesFrom, undefined)
  }

  #resolveLocations(): void {
    const { locations, lines, locationAttributes } = this.#draft
    const { array } = locations
    let linesFrom = this.#firstLine
    let attributesFrom = this.#locationAttributesFrom
    for (let at = 5 * this.#firstLocation; at < locations.length; at += 5) {
      // Without mappings 0 means none, otherwise the first one.
      array[at] = rowOf(array[at], this.#mappingRows)
      const counts = array[at + 3] - linesFrom + array[at + 4] - attributesFrom
      if ((array[at] | array[at + 1] | array[at + 2] | counts) === 0) throw UNUSUAL
      linesFrom = array[at + 3]
      attributesFrom = array[at + 4]
    }
    for (let at = 5 * this.#firstLine; at < lines.length; at += 5) {
      lines.array[at] = rowOf(lines.array[at], this.#functionRows)
    }
    this.#resolveAttributes(locationAttributes, this.#locationAttributesFrom, ATTRIBUTES.frameType)
  }

  /** `textKey` is the attribute for the field with a string. Undefined for build ids, which have several. */
  #resolveAttributes({ array, length }: GrowingInts, from: number, textKey: string | undefined): void {
    for (let k = from; k < length; k++) {
      const index = array[k]
      if (index >= 0) array[k] = this.#attribute(index)
      else if (index === FOLDED) array[k] = this.#rows.bool(ATTRIBUTES.pprofLocationIsFolded)
      else if (index > FIRST_TEXT) array[k] = this.#rows.bool(MAPPING_FLAGS[FIRST_FLAG - index][1])
      else {
        const string = (FIRST_TEXT - index) >> 1
        const kind = (FIRST_TEXT - index) & 1
        array[k] = textKey === undefined ? this.#buildId(kind, string) : this.#textAttribute(textKey, string)
      }
    }
  }

  #buildId(kind: number, index: number): number {
    const string = this.#string(index)
    const { array } = this.#draft.strings
    const from = array[2 * string]
    const length = array[2 * string + 1]
    if (length === 0) throw UNUSUAL
    const known = 2 * this.#buildIds.intern(this.#bytes, from, from + length) + kind
    const rows = this.#buildIdRows
    while (rows.length <= known) rows.push(0)
    return (rows.array[known] ||= this.#rows.text(
      buildIdKey(kind, () => this.#isHtlhash(string)),
      string,
    ))
  }

  #isHtlhash(string: number): boolean {
    const { array } = this.#draft.strings
    const from = array[2 * string]
    if (array[2 * string + 1] !== HTLHASH_DIGITS) return false
    let digits = 0
    for (let at = from; at < from + HTLHASH_DIGITS; at++) digits += IS_HEX_DIGIT[this.#bytes[at]]
    return digits === HTLHASH_DIGITS
  }

  #attribute(index: number): number {
    if (index >>> 0 >= this.#tableAttributes) throw UNUSUAL
    return this.#firstAttribute + index
  }

  #textAttribute(key: string, index: number): number {
    const string = this.#string(index)
    if (this.#draft.strings.array[2 * string + 1] === 0) throw UNUSUAL
    return this.#rows.text(key, string)
  }

  /** Row 0 is no link. Any other link of a file with a first one is ambiguous. */
  #resolveLinks(): void {
    const { links } = this.#draft
    const first = 4 * this.#firstLink
    if (links.length === first) return
    if (links.array[first + 1] !== 0 || links.array[first + 3] !== 0) throw UNUSUAL
    links.array.copyWithin(first, first + 4, links.length)
    links.length -= 4
    for (let at = first; at < links.length; at += 4) {
      if (links.array[at + 1] === 0 || links.array[at + 3] === 0) throw UNUSUAL
    }
  }

  #resolveSampleAttributes(): void {
    const { array, length } = this.#decoder.sampleAttributes
    for (let k = 0; k < length; k++) array[k] = this.#attribute(array[k])
  }

  #pushProfiles(): void {
    const { types, periodType } = this.#decoder
    const { profiles, samples, profileAttributes, scopes, locations, links } = this.#draft
    const count = types.length / DECODED_TYPE
    if (count === 0 || (periodType[2] !== 0 && periodType[2] !== types.array[2])) throw UNUSUAL
    const defaultType = this.#shownFirst(count)
    if (this.#defaultType === undefined) this.#pushScope(defaultType)
    else if (this.#defaultType !== defaultType) throw UNUSUAL
    const time = this.#time()
    const duration = this.#duration(time)
    this.#setAttributes()
    this.#samples.read(
      count,
      this.#firstLocation,
      locations.length / 5 - this.#firstLocation,
      this.#firstLink - 1,
      links.length / 4 - this.#firstLink,
      this.#mark,
      this.#notes,
    )
    for (let type = 0; type < count; type++) {
      const row = profiles.reserve(PROFILE_STRIDE)
      const at = profiles.length
      const own = type * DECODED_TYPE
      row.fill(0, at, at + PROFILE_STRIDE)
      row[at + ProfileColumn.type] = this.#string(types.array[own])
      row[at + ProfileColumn.unit] = this.#string(types.array[own + 1])
      row[at + ProfileColumn.periodType] = this.#string(periodType[0])
      row[at + ProfileColumn.periodUnit] = this.#string(periodType[1])
      row[at + ProfileColumn.time] = lowHalf(time)
      row[at + ProfileColumn.time + 1] = highHalf(time)
      row[at + ProfileColumn.duration] = lowHalf(duration)
      row[at + ProfileColumn.duration + 1] = highHalf(duration)
      row[at + ProfileColumn.period] = this.#decoder.times[8]
      row[at + ProfileColumn.period + 1] = this.#decoder.times[9]
      for (let k = 0; k < 6; k++) row[at + ProfileColumn.idOffset + k] = this.#decoder.ranges[k]
      row[at + ProfileColumn.droppedAttributes] = this.#decoder.droppedAttributes
      for (const attribute of this.#profileAttributes) profileAttributes.push(attribute)
      const temporality = types.array[own + 2]
      if (temporality !== 0) profileAttributes.push(this.#temporality(temporality))
      row[at + ProfileColumn.attributeEnd] = profileAttributes.length
      this.#samples.push(type)
      row[at + ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE
      profiles.length = at + PROFILE_STRIDE
    }
    scopes.array[scopes.length - 1] = profiles.length / PROFILE_STRIDE
  }

  /** The default type, or an empty string if it is the first. Without a name it is the last one, as in pprof. */
  #shownFirst(count: number): string {
    const { types, defaultType } = this.#decoder
    const last = types.array[(count - 1) * DECODED_TYPE]
    const first = types.array[0]
    const shown = defaultType === 0 && count > 1 ? last : defaultType
    if (shown === 0 || shown === first) return ''
    const text = this.#rows.stringText(this.#string(shown))
    return text === this.#rows.stringText(this.#string(first)) ? '' : text
  }

  #time(): bigint {
    const { times } = this.#decoder
    const start = uint64(times[0], times[1])
    const time = start === 0n ? uint64(times[4], times[5]) : start
    if (times[5] < 0 || (this.#mark === undefined && timeUnit(time).nanos !== 1n)) throw UNUSUAL
    return time
  }

  #duration(time: bigint): bigint {
    const { times } = this.#decoder
    const end = uint64(times[2], times[3])
    if (times[7] < 0 || (end !== 0n && end < time)) throw UNUSUAL
    return end === 0n ? uint64(times[6], times[7]) : end - time
  }

  #setAttributes(): void {
    const { comments, dropFrames, keepFrames } = this.#decoder
    const attributes = this.#profileAttributes
    const rows = this.#rows
    attributes.length = 0
    for (let k = 0; k < this.#ownAttributes; k++) attributes.push(this.#firstAttribute + this.#tableAttributes + k)
    if (comments.length > 0) {
      const texts = Array.from(comments.view(), index => rows.stringText(this.#string(index)))
      attributes.push(rows.nested(rows.name(ATTRIBUTES.pprofProfileComment), texts))
    }
    if (dropFrames !== 0) attributes.push(this.#textAttribute(ATTRIBUTES.pprofProfileDropFrames, dropFrames))
    if (keepFrames !== 0) attributes.push(this.#textAttribute(ATTRIBUTES.pprofProfileKeepFrames, keepFrames))
  }

  #temporality(number: number): number {
    const text = AGGREGATION_TEMPORALITIES[number]
    if (text === undefined) throw UNUSUAL
    const value = encodeUtf8(text)
    const rows = this.#rows
    return (this.#temporalities[number] ??= rows.row(
      rows.name(ATTRIBUTES.aggregationTemporality),
      0,
      ValueKind.string,
      rows.append(value),
      value.length,
    ))
  }
}

function cleared(interner: BytesInterner): BytesInterner {
  if (interner.pool.array.length > KEY_BYTES) return new BytesInterner(new GrowingBytes(KEY_BYTES))
  interner.pool.length = 0
  interner.clear()
  return interner
}

/** The row for an index of a table. In an empty table, 0 means none. */
function rowOf(index: number, { array, length }: GrowingInts): number {
  if (index >>> 0 < length) return array[index]
  if (index !== 0 || length > 0) throw UNUSUAL
  return 0
}

function zeroRow(column: GrowingInts, stride: number): void {
  column.reserve(stride).fill(0, 0, stride)
  column.length = stride
}
