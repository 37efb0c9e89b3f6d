// Collects the unknown fields of a payload while it is decoded. The fields of one message may be anywhere between its other
// fields, so they are joined at the end.
import type { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import type { UnknownTable } from '../../model/columns/unknown-fields.ts'
import { encodeParts } from '../../model/columns/unknown-fields.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'

interface KeptRow {
  readonly isInDictionary: boolean
  readonly table: UnknownTable
  readonly row: number
  readonly parts: [part: number, field: Uint8Array][]
}

export class KeptFields {
  readonly #rows = new Map<string, KeptRow>()

  clear(): void {
    this.#rows.clear()
  }

  /** `content` is the field without its tag. */
  add(isInDictionary: boolean, table: UnknownTable, row: number, part: number, tag: number, content: Uint8Array): void {
    const key = `${isInDictionary ? 'dictionary.' : ''}${table} ${row}`
    let kept = this.#rows.get(key)
    if (kept === undefined) this.#rows.set(key, (kept = { isInDictionary, table, row, parts: [] }))
    const field = new BackwardWriter(content.length + 8)
    field.raw(content, 0, content.length)
    field.reserve(8)
    field.rawVarint32(tag)
    kept.parts.push([part, field.finish()])
  }

  addTo(draft: ProfilesDraft): void {
    for (const { isInDictionary, table, row, parts } of this.#rows.values()) {
      const target = isInDictionary ? draft.dictionaryUnknown : draft.unknown
      target.set(table, row, encodeParts(parts))
    }
    this.#rows.clear()
  }
}
