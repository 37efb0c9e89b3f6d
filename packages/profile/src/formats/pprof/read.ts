// Reads pprof into the model. Each sample type becomes a profile, and all of them share the same stacks. The decoder fills the
// tables in the model's layout, but with ids instead of rows. This file replaces ids by rows and adds attributes for fields
// that the model lacks.
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { plainBytes } from '../../wire/plain-bytes.ts'
import { asciiEnd, decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import type { ReusedMemory } from '../../model/columns/reused-memory.ts'
import { AttributeRows } from '../attribute-rows.ts'
import { MAPPING_ROW, SAMPLE_ROW } from './columns.ts'
import { PprofDecoder, SecondProfileError } from './decode.ts'
import { IdRows, countsUp } from './id-rows.ts'
import { readLabels } from './label-reader.ts'
import { FIELDS, offsetOf } from './locate.ts'
import type { PprofTables, TableRange } from './known-tables.ts'
import { DecodedTables, tableRange } from './known-tables.ts'
import type { FirstUses } from './location-ids.ts'
import { firstUses } from './location-ids.ts'
import { pushMappingAttributes } from './mapping-attributes.ts'
import { ProfileRows } from './profile-rows.ts'
import { SampleStacks } from './sample-stacks.ts'
import { dropInvalidSamples } from './drop-invalid-samples.ts'

const FORMAT = 'pprof'
/** Offsets in columns are int32. */
const MAX_BYTES = 2 ** 31 - 1
/** If the scratch memory exceeds this many ints (16 MB), it is not reused for the next file. */
const MAX_SCRATCH = 1 << 22
const NO_BYTES: Uint8Array = new Uint8Array(0)

export function readPprof(input: Uint8Array, options: ReadOptions = {}): ReadResult {
  const bytes = plainBytes(input)
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `input of ${bytes.length} bytes is larger than 2 GiB`)
  const notes = new NoteList()
  try {
    const { lenient = false, symbols } = options
    // Only a complete file is known to be valid.
    const range = lenient || symbols === undefined ? undefined : tableRange(bytes)
    const tables =
      range && symbols?.pprofTables.get(bytes.subarray(range.from, range.to), () => ({ decoded: undefined }))
    const memory = lenient ? undefined : symbols?.memory.take()
    const profiles = reader.read(bytes, notes, lenient, memory, range, tables)
    const origin = tables?.decoded?.origin
    const known = origin === undefined ? profiles : { ...profiles, dictionary: { ...profiles.dictionary, origin } }
    return { profiles: known, notes: notes.list(), generation: '' }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new FormatError(FORMAT, error.offset, error.what)
  } finally {
    reader.release()
    if (reader.capacity > MAX_SCRATCH) reader = new PprofReader()
  }
}

class PprofReader {
  readonly #decoder = new PprofDecoder()
  readonly #columns = this.#decoder.columns
  readonly #draft = this.#columns.draft
  readonly #rows = new AttributeRows(this.#draft)
  readonly #stacks = new SampleStacks()
  readonly #profileRows = new ProfileRows(this.#columns, this.#rows, string => this.#string(string))
  #bytes = NO_BYTES
  #notes = new NoteList()
  #lenient = false
  #missingStrings = 0
  /** The number of strings in the file. The reader appends others, and an index past the end must not resolve to those. */
  #strings = 0

  /** If the file has known tables, these are not decoded. If it has tables that occur again, these are kept. */
  read(
    bytes: Uint8Array,
    notes: NoteList,
    lenient: boolean,
    memory?: ReusedMemory,
    range?: TableRange,
    tables?: PprofTables,
  ): Profiles {
    this.#bytes = bytes
    this.#notes = notes
    this.#lenient = lenient
    this.#missingStrings = 0
    const decoded = tables?.decoded
    if (range === undefined || decoded === undefined) this.#decode()
    else this.#decoder.decodeSamples(bytes, decoded, range)
    this.#rows.over(bytes)
    if (decoded === undefined) this.#readStrings()
    else this.#strings = decoded.origin.strings
    // A note is about a table that was repaired, or that has unknown fields.
    if (range !== undefined && tables !== undefined && notes.isEmpty && !this.#columns.hasLargeIds)
      tables.decoded ??= new DecodedTables(this.#columns, range)
    if (this.#columns.sampleTypes.length === 0) this.#fail('there is no sample type')
    this.#readFunctions()
    const { locationIds } = this.#columns
    const locationRows = this.#rowsOf(locationIds)
    this.#checkSamples(locationRows)
    const { samples } = this.#columns
    this.#stacks.deduplicate(samples, this.#draft.stackLocations, this.#draft.stacks)
    // Labels come before all other attributes, because the number of a label is the row of its attribute.
    const links = readLabels(this.#columns, this.#rows, this.#string)
    this.#readMappings()
    this.#readLocations()
    this.#profileRows.push(this.#readStacks(locationRows), links)
    if (this.#columns.time[1] < 0) notes.add('negative-time', 'a time before 1970 has no place in the model')
    notes.add(
      'missing-strings',
      'names are missing because they refer to strings that are not in the file',
      this.#missingStrings,
    )
    return this.#draft.freeze(this.#rows.finish(memory), false, memory)
  }

  /** Drops the reference to the file so that it can be collected before the next call. */
  release(): void {
    this.#bytes = NO_BYTES
    this.#decoder.release()
    this.#rows.release()
  }

  get capacity(): number {
    return this.#columns.capacity + this.#stacks.capacity
  }

  #decode(): void {
    const decoder = this.#decoder
    const { length } = this.#bytes
    try {
      decoder.decode(this.#bytes, length)
    } catch (error) {
      if (!this.#lenient || !(error instanceof WireError) || error instanceof SecondProfileError) throw error
      const end = decoder.fieldStart
      const message = `bytes were skipped because the file is truncated or damaged: ${error.what} at byte ${error.offset}`
      this.#notes.addDamage('truncated', message, length - end)
      // The fields before the damaged one are intact: they were decoded above.
      decoder.decode(this.#bytes, end)
    }
    this.#notes.add('unknown-fields', 'fields that pprof does not define were skipped', decoder.unknownFields)
  }

  #readStrings(): void {
    const { strings } = this.#draft
    if (strings.length === 0) {
      this.#notes.add('no-strings', 'the file has no string table, so its entries have no names')
      strings.push(0)
      strings.push(0)
    }
    if (strings.array[1] !== 0) {
      this.#notes.add('first-string', 'the first string must be empty; its text was dropped')
      strings.array[1] = 0
    }
    this.#strings = strings.length / 2
    const invalid = this.#repairStrings()
    this.#notes.add('invalid-utf8', 'strings that are not UTF-8 had their broken bytes replaced', invalid)
  }

  /** Replaces invalid UTF-8 and returns the number of affected strings. */
  #repairStrings(): number {
    const bytes = this.#bytes
    const { array, length } = this.#draft.strings
    const end = array[length - 2] + array[length - 1]
    let invalid = 0
    let at = 0
    // Between strings, tags are ASCII, and so are lengths up to 127. Most string tables are therefore checked as one text.
    for (let p = asciiEnd(bytes, array[0], end); p < end; p = asciiEnd(bytes, p, end)) {
      while (at < length && array[at] + array[at + 1] <= p) at += 2
      if (at >= length) break
      const from = array[at]
      const to = from + array[at + 1]
      if (p >= from) {
        if (!isUtf8(bytes, p, to)) {
          const repaired = encodeUtf8(decodeUtf8(bytes, from, to))
          array[at] = this.#rows.append(repaired)
          array[at + 1] = repaired.length
          invalid++
          at += 2
        }
        p = to
      } else p = from
    }
    return invalid
  }

  #readFunctions(): void {
    const { functionIds } = this.#columns
    const { functions, lines } = this.#draft
    const { array } = functions
    const strings = this.#strings
    let empty = 0
    for (let at = 5; at < functions.length; at += 5) {
      if (array[at] >>> 0 >= strings || array[at + 1] >>> 0 >= strings || array[at + 2] >>> 0 >= strings) {
        for (let k = at; k < at + 3; k++) array[k] = this.#string(array[k])
      }
      if ((array[at] | array[at + 1] | array[at + 2] | array[at + 3] | array[at + 4]) === 0) empty++
    }
    const kept = empty === 0 ? undefined : this.#withoutEmpty()
    const rows = this.#rowsOf(functionIds, kept)
    const missing = resolve(lines, 0, rows, functionIds.length)
    this.#notes.add('missing-function', 'lines refer to functions that are not in the file', missing)
  }

  /** Maps functions without any content to row 0, "no function". Returns the row of each function. */
  #withoutEmpty(): Int32Array {
    const { functions } = this.#draft
    const { array } = functions
    const rows = new Int32Array(functions.length / 5 - 1)
    let kept = 5
    for (let i = 0, at = 5; i < rows.length; i++, at += 5) {
      if ((array[at] | array[at + 1] | array[at + 2] | array[at + 3] | array[at + 4]) === 0) continue
      array.copyWithin(kept, at, at + 5)
      rows[i] = kept / 5
      kept += 5
    }
    functions.length = kept
    return rows
  }

  #readMappings(): void {
    const { mappings } = this.#columns
    const out = this.#draft.mappings
    const { mappingAttributes: attributes, strings } = this.#draft
    const { array } = mappings
    for (let i = 0; i < 8; i++) out.push(0)
    for (let row = 0; row < mappings.length; row += MAPPING_ROW) {
      array[row + 6] = this.#string(array[row + 6])
      const buildId = this.#string(array[row + 7])
      // Some Go programs refer to an empty string that is not the first one.
      array[row + 7] = strings.array[2 * buildId + 1] === 0 ? 0 : buildId
      let bits = 0
      for (let k = row; k < row + MAPPING_ROW; k++) bits |= array[k]
      pushMappingAttributes(attributes, this.#rows, array[row + 7], array[row + 8], bits === 0)
      out.pushAll(array, row, row + 7)
      out.push(attributes.length)
    }
  }

  #readLocations(): void {
    const { mappingIds, folded } = this.#columns
    const { locations, locationAttributes } = this.#draft
    const rows = this.#rowsOf(mappingIds)
    const missing = resolve(locations, 5, rows, mappingIds.length)
    this.#notes.add('missing-mapping', 'locations refer to mappings that are not in the file', missing)
    if (folded.length === 0) return
    const isFolded = this.#rows.bool(ATTRIBUTES.pprofLocationIsFolded)
    for (let row = 1; row < locations.length / 5; row++) {
      if (folded.array[locationAttributes.length] === row && locationAttributes.length < folded.length)
        locationAttributes.push(isFolded)
      locations.array[row * 5 + 4] = locationAttributes.length
    }
  }

  /** Drops samples that cannot be read. Throws if no other is left. */
  #checkSamples(locationRows: IdRows | undefined): void {
    const columns = this.#columns
    const count = columns.locationIds.length
    const types = columns.sampleTypes.length / 2
    const hasLocation = (id: number): boolean =>
      locationRows === undefined ? id > 0 && id <= count : locationRows.find(id) > 0
    const fault = this.#firstFault(types, locationRows, hasLocation)
    if (fault === undefined) return
    const dropped = dropInvalidSamples(columns, types, hasLocation)
    if (columns.samples.length === 0) this.#fail(fault.what, 'sample', fault.sample, fault.within)
    // The dropped samples may have used the highest id.
    columns.usedInOrder = columns.usesOddIds = false
    columns.highestUsed = 0
    const message = `samples were skipped, the first, sample[${fault.sample}]: ${fault.what}`
    this.#notes.addDamage('skipped-samples', message, dropped)
  }

  /** Returns the first sample with too few or too many values, or else with a missing location. */
  #firstFault(
    types: number,
    locationRows: IdRows | undefined,
    hasLocation: (id: number) => boolean,
  ): { what: string; sample: number; within: string } | undefined {
    const { samples, locationIds, highestUsed, usesOddIds } = this.#columns
    const { array, length } = samples
    for (let at = 3, end = types; at < length; at += SAMPLE_ROW, end += types) {
      if (array[at] === end) continue
      const what = `a sample has ${array[at] - end + types} values for ${types} sample types`
      return { what, sample: (at - 3) / SAMPLE_ROW, within: '' }
    }
    // If ids are rows, the decoder has checked their range.
    if (locationRows === undefined && highestUsed <= locationIds.length && !usesOddIds) return undefined
    const { stackLocations } = this.#draft
    let place = 0
    while (place < stackLocations.length && hasLocation(stackLocations.array[place])) place++
    if (place === stackLocations.length) return undefined
    let at = 0
    while (array[at] <= place) at += SAMPLE_ROW
    const within = `.location_id[${place - (at === 0 ? 0 : array[at - SAMPLE_ROW])}]`
    return { what: 'a sample refers to a location that is not in the file', sample: at / SAMPLE_ROW, within }
  }

  /** Replaces location ids in stacks by rows. */
  #readStacks(rows: IdRows | undefined): FirstUses {
    const { highestUsed, usedInOrder } = this.#columns
    const { array, length } = this.#draft.stackLocations
    if (rows !== undefined) for (let k = 0; k < length; k++) array[k] = rows.find(array[k])
    // Here ids count up and are first used in that order.
    if (rows === undefined && usedInOrder) return { rows: undefined, length: highestUsed }
    return firstUses(this.#columns)
  }

  /** Returns undefined if each id already is the row. `kept` has the rows of entries if some were dropped. */
  #rowsOf(ids: GrowingInts, kept?: Int32Array): IdRows | undefined {
    if (kept === undefined && countsUp(ids.array, ids.length)) return undefined
    const rows = new IdRows(ids.array, ids.length, kept)
    this.#notes.add('unusable-ids', 'entries have the id 0 or the id of an earlier entry', rows.unusable.length)
    return rows
  }

  /** Returns 0, the empty string, for a string that is not in the file. */
  readonly #string = (index: number): number => {
    if (index >>> 0 < this.#strings) return index
    this.#missingStrings++
    return 0
  }

  #fail(what: string, name?: keyof typeof FIELDS, i = 0, within = ''): never {
    if (name === undefined) throw new FormatError(FORMAT, this.#bytes.length, what)
    throw new FormatError(FORMAT, offsetOf(this.#bytes, FIELDS[name], i), what, `${name}[${i}]${within}`)
  }
}

/** Replaces ids in the first column of a table by rows, 0 for missing ones. Returns how many are missing. */
function resolve(table: GrowingInts, from: number, rows: IdRows | undefined, count: number): number {
  const { array, length } = table
  let missing = 0
  for (let at = from; at < length; at += 5) {
    const id = array[at]
    if (rows === undefined ? id >>> 0 <= count : id === 0) continue
    const row = rows === undefined ? -1 : rows.find(id)
    if (row < 0) missing++
    array[at] = Math.max(0, row)
  }
  return missing
}

/**
 * One reader for all calls. If the garbage collector finds no live object of a class, the engine drops the code that it
 * compiled for the class.
 */
let reader = new PprofReader()
