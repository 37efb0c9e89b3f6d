// Converts the columns before the time of a sample's line to attributes. Few distinct texts begin many lines, so each is parsed
// once and then looked up by its bytes.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import { MAX_INT64 } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { Names } from './names.ts'
import type { TextRange } from './sample-line.ts'
import { ThreadColumns } from './sample-line.ts'

export class PerfThreads {
  /** Rows of attributes, in the form that EventSamples expects. */
  readonly sets = new SequenceInterner()
  readonly #builder: ProfilesBuilder
  readonly #names: Names
  readonly #bytes: Uint8Array
  /** Row 0 is the empty text. */
  readonly #texts = new BytesInterner(new GrowingBytes(1 << 12))
  /** The attribute set of each text; NONE if the text is not valid. */
  readonly #setOfText = new GrowingInts()
  readonly #columns = new ThreadColumns()

  constructor(builder: ProfilesBuilder, bytes: Uint8Array, names: Names) {
    this.#builder = builder
    this.#bytes = bytes
    this.#names = names
    this.#setOfText.push(NONE)
  }

  /** The attribute set for bytes[from, to), or NONE. */
  set(from: number, to: number): number {
    const row = this.#texts.intern(this.#bytes, from, to)
    if (row === this.#setOfText.length) this.#setOfText.push(this.#add(from, to))
    return this.#setOfText.array[row]
  }

  /** The attribute set of a thread without ids. The name may be empty. */
  named(from: number, to: number): number {
    const name = this.#names.text(this.#bytes, from, to)
    const set = name === '' ? new Int32Array(0) : Int32Array.of(this.#builder.attribute(ATTRIBUTES.threadName, name))
    return this.sets.intern(set, 0, set.length)
  }

  #add(from: number, to: number): number {
    const columns = this.#columns
    if (!columns.parse(this.#bytes, from, to)) return NONE
    const attributes: AttributeIndex[] = []
    this.#whole(attributes, ATTRIBUTES.processPid, columns.pid)
    this.#whole(attributes, ATTRIBUTES.threadId, columns.tid)
    this.#whole(attributes, ATTRIBUTES.cpuLogicalNumber, columns.cpu)
    const name = this.#names.text(this.#bytes, columns.name.from, columns.name.to)
    // perf prints the id of a thread without a known name.
    const isNumber = name === `:${decodeUtf8(this.#bytes, columns.tid.from, columns.tid.to)}`
    if (name !== '' && !isNumber) attributes.push(this.#builder.attribute(ATTRIBUTES.threadName, name))
    const set = Int32Array.from(attributes)
    return this.sets.intern(set, 0, sortSet(set, 0, set.length))
  }

  /** Negative numbers are unknown values. */
  #whole(attributes: AttributeIndex[], key: string, place: TextRange): void {
    if (place.from === NONE || place.to - place.from > 19) return
    const value = BigInt(decodeUtf8(this.#bytes, place.from, place.to))
    if (value >= 0n && value <= MAX_INT64) attributes.push(this.#builder.attribute(key, value))
  }
}
