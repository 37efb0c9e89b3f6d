// Converts rows of the table `profiles` to the model.
import type { AttributeIndex, LinkIndex, ProfilesBuilder, StringIndex } from '@hearth/profile'
import { ProfileColumn, decodeParts, encodeParts } from '@hearth/profile'
import type { Block } from '../native/block.ts'
import type { ColumnValues } from '../native/column-values.ts'
import { profiles } from '../schema/profile-tables.ts'
import type { SymbolLoader } from '../symbols/load-symbols.ts'
import { pairsOf, wordsOf } from '../symbols/symbol-table.ts'
import { FIRST_SAMPLE_PART, linkPart, samplePart } from '../unknown-parts.ts'

type UnknownParts = ReadonlyMap<number, Uint8Array>

/** A row whose columns contradict each other, so that its samples cannot be read. */
class ProfileRowError extends Error {
  override readonly name = 'ProfileRowError'
}

/** Columns that only queries need. */
const NOT_NEEDED: readonly string[] = ['tenant', 'day', 'received', 'series', 'service', 'total', 'overflowed', 'time']

export class ProfileRows {
  /** The column list for SELECT. */
  static readonly COLUMNS = Object.keys(profiles.columns)
    .filter(name => !NOT_NEEDED.includes(name))
    .join(', ')

  readonly #block: Block
  readonly #symbols: SymbolLoader
  readonly #builder: ProfilesBuilder

  constructor(block: Block, symbols: SymbolLoader, builder: ProfilesBuilder) {
    this.#block = block
    this.#symbols = symbols
    this.#builder = builder
  }

  /** Adds the ids that the rows refer to, so that the caller can load them. */
  addSymbols(): void {
    const block = this.#block
    if (block.rows === 0) return
    const { stackIds, attributeSetIds } = this.#symbols
    addEvery(block.column('attributes'), (lo, hi) => attributeSetIds.add(lo, hi))
    addEvery(block.column('sample_stacks').values, (lo, hi) => stackIds.add(lo, hi))
    addEvery(block.column('sample_attributes').values, (lo, hi) => attributeSetIds.add(lo, hi))
  }

  /** Adds the profile with its samples to the builder's last scope. */
  add(row: number): void {
    const unknown = decodeParts(this.#block.column('unknown_fields').bytes(row))
    this.#header(row)
    this.#builder.unknownFields('profiles', encodeParts([...unknown].filter(([part]) => part < FIRST_SAMPLE_PART)))
    this.#samples(row, unknown)
  }

  #header(row: number): void {
    const block = this.#block
    const { dictionary } = this.#builder
    const text = (name: string): StringIndex => {
      const bytes = block.column(name).bytes(row)
      return dictionary.string(bytes, 0, bytes.length)
    }
    const columns = [text('type'), text('unit'), text('period_type'), text('period_unit')] as number[]
    for (const name of ['time_unix_nano', 'duration_nano', 'period']) {
      const words = wordsOf(block.column(name))
      columns.push(words[2 * row], words[2 * row + 1])
    }
    columns[ProfileColumn.droppedAttributes] = block.column('dropped_attributes').number(row)
    this.#builder.profileRow(Int32Array.from(columns))
    this.#builder.profileBytes('idOffset', block.column('profile_id').bytes(row))
    this.#builder.profileBytes('formatOffset', block.column('original_payload_format').bytes(row))
    this.#builder.profileBytes('payloadOffset', block.column('original_payload').bytes(row))
    const set = wordsOf(block.column('attributes'))
    const number = this.#symbols.attributeSetIds.find(set[2 * row], set[2 * row + 1])
    for (const attribute of this.#symbols.attributes(number))
      this.#builder.profileAttribute(attribute as AttributeIndex)
  }

  #samples(row: number, unknown: UnknownParts): void {
    const block = this.#block
    const { draft } = this.#builder
    const count = block.column('samples').number(row)
    const stacks = listOf(block.column('sample_stacks'), row, count, 'sample_stacks')
    const sets = listOf(block.column('sample_attributes'), row, count, 'sample_attributes')
    const totals = listOf(block.column('totals'), row, count, 'totals')
    const values = this.#counted(row, 'value_counts', 'values', count)
    const timestamps = this.#counted(row, 'timestamp_counts', 'timestamps', count)
    const links = this.#links(row, count, unknown)
    const { stackIds, attributeSetIds } = this.#symbols
    let valueAt = 0
    let timestampAt = 0
    for (let k = 0; k < count; k++) {
      const lo = 2 * k
      const set = this.#symbols.attributes(attributeSetIds.find(sets[lo], sets[lo + 1]))
      if (set.length > 0) draft.sampleAttributes.pushAll(set, 0, set.length)
      if (values === undefined) draft.values.pushAll(totals, lo, lo + 2)
      else {
        const to = valueAt + 2 * values.counts[k]
        draft.values.pushAll(values.numbers, valueAt, to)
        valueAt = to
      }
      if (timestamps !== undefined) {
        const to = timestampAt + 2 * timestamps.counts[k]
        draft.timestamps.pushAll(timestamps.numbers, timestampAt, to)
        timestampAt = to
      }
      const stack = this.#symbols.stack(stackIds.find(stacks[lo], stacks[lo + 1]))
      this.#builder.sampleRow(stack, links === undefined ? 0 : links[k])
      if (unknown.size > 0) this.#builder.unknownFields('samples', unknown.get(samplePart(k)))
    }
  }

  /** The count of numbers per sample, and all numbers. Undefined if the row has no counts. */
  #counted(row: number, countsName: string, numbersName: string, samples: number): Counted | undefined {
    const counts = this.#block.column(countsName)
    const numbers = this.#block.column(numbersName)
    const stored = counts.to(row) - counts.from(row)
    if (stored === 0 && numbers.to(row) === numbers.from(row)) return undefined
    if (stored !== samples) throw new ProfileRowError(`${countsName} has ${stored} entries for ${samples} samples`)
    const each = new Int32Array(samples)
    let sum = 0
    for (let k = 0; k < samples; k++) sum += each[k] = counts.values.number(counts.from(row) + k)
    return { counts: each, numbers: listOf(numbers, row, sum, numbersName) }
  }

  /** The dictionary's link of each sample. Undefined if no sample has a link. */
  #links(row: number, samples: number, unknown: UnknownParts): Int32Array | undefined {
    const links = this.#block.column('sample_links')
    const stored = links.to(row) - links.from(row)
    if (stored === 0) return undefined
    if (stored !== samples) throw new ProfileRowError(`sample_links has ${stored} entries for ${samples} samples`)
    const traceIds = this.#block.column('link_trace_ids')
    const spanIds = this.#block.column('link_span_ids')
    const rows: LinkIndex[] = [0 as LinkIndex]
    for (let k = 0; k < traceIds.to(row) - traceIds.from(row); k++) {
      const traceId = traceIds.values.bytes(traceIds.from(row) + k)
      const spanId = spanIds.values.bytes(spanIds.from(row) + k)
      rows.push(this.#builder.link(traceId, spanId, unknown.get(linkPart(k))))
    }
    const each = new Int32Array(samples)
    for (let k = 0; k < samples; k++) {
      const number = links.values.number(links.from(row) + k)
      if (number >= rows.length) throw new ProfileRowError(`sample ${k} has link ${number} of ${rows.length - 1}`)
      each[k] = rows[number]
    }
    return each
  }
}

interface Counted {
  readonly counts: Int32Array
  /** Pairs of halves. */
  readonly numbers: Int32Array
}

/** Returns a row's list of 64-bit numbers as pairs. Throws if its length differs. */
function listOf(column: ColumnValues, row: number, length: number, name: string): Int32Array {
  const [from, to] = [column.from(row), column.to(row)]
  if (to - from !== length) throw new ProfileRowError(`${name} has ${to - from} entries instead of ${length}`)
  return pairsOf(column.values, from, to)
}

function addEvery(column: ColumnValues, add: (lo: number, hi: number) => void): void {
  const words = wordsOf(column)
  for (let k = 0; k < words.length; k += 2) add(words[k], words[k + 1])
}
