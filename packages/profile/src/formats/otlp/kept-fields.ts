// Collects the unknown fields of a payload while it is decoded. The fields of one message may be anywhere between its other
// fields, so they are joined at the end.
import type { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import type { UnknownTable } from '../../model/columns/unknown-fields.ts'
import { encodeParts } from '../../model/columns/unknown-fields.ts'
import { encodeMember } from './json-members.ts'

interface KeptRow {
  readonly isInDictionary: boolean
  readonly table: UnknownTable
  readonly row: number
  readonly parts: [part: number, fields: Uint8Array][]
}

const FIRST_CAPACITY = 64

export class KeptFields {
  readonly #rows = new Map<string, KeptRow>()
  // Fields that follow each other in one message are collected here: a message may have a million of them.
  #key = ''
  #row: KeptRow | undefined
  #part = 0
  #bytes = new Uint8Array(FIRST_CAPACITY)
  #length = 0

  clear(): void {
    this.#rows.clear()
    this.#row = undefined
    this.#length = 0
  }

  /** `content` is the field without its tag. */
  add(isInDictionary: boolean, table: UnknownTable, row: number, part: number, tag: number, content: Uint8Array): void {
    this.#start(isInDictionary, table, row, part)
    this.#varint(tag)
    this.#append(content)
  }

  /** Adds a member of a JSON object. `value` is its text. */
  addMember(
    isInDictionary: boolean,
    table: UnknownTable,
    row: number,
    part: number,
    name: string,
    value: Uint8Array,
  ): void {
    this.#start(isInDictionary, table, row, part)
    this.#append(encodeMember(name, value))
  }

  addTo(draft: ProfilesDraft): void {
    this.#finishPart()
    for (const { isInDictionary, table, row, parts } of this.#rows.values()) {
      const target = isInDictionary ? draft.dictionaryUnknown : draft.unknown
      target.set(table, row, encodeParts(parts))
    }
    this.clear()
  }

  #start(isInDictionary: boolean, table: UnknownTable, row: number, part: number): void {
    const last = this.#row
    const isSame = last?.row === row && last.table === table && last.isInDictionary === isInDictionary
    if (isSame && part === this.#part) return
    this.#finishPart()
    this.#part = part
    if (isSame) return
    this.#key = `${isInDictionary ? 'dictionary.' : ''}${table} ${row}`
    this.#row = this.#rows.get(this.#key) ?? { isInDictionary, table, row, parts: [] }
    this.#rows.set(this.#key, this.#row)
  }

  #finishPart(): void {
    if (this.#length > 0) this.#row?.parts.push([this.#part, this.#bytes.slice(0, this.#length)])
    this.#length = 0
  }

  #varint(value: number): void {
    let rest = value >>> 0
    const bytes: number[] = []
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
    this.#append(Uint8Array.of(...bytes, rest))
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.#bytes.length))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(bytes, this.#length)
    this.#length = end
  }
}
