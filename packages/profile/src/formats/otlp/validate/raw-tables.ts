// The tables that the references of a raw message point into, by the names of its generation.
import type { Generation, MessageSchema } from '../generations/schema.ts'
import { messagesOf, numbersIn, textOf, textsOf } from '../generations/message-fields.ts'
import type { Message } from '../generations/schema-reader.ts'
import type { TableKind } from '../lenient/reference-rules.ts'
import { TABLE_NAMES } from '../lenient/reference-rules.ts'

export interface RawTable {
  /** The name of its field. */
  readonly name: string
  readonly length: number
}

export class RawTables {
  readonly #owner: Message
  readonly #tables = new Map<TableKind, RawTable>()
  readonly #generation: Generation
  #attributeKeys: readonly string[] | undefined

  /** `schema` describes the message that owns the tables: the dictionary, the root or a profile. */
  constructor(schema: MessageSchema, owner: Message, generation: Generation) {
    this.#owner = owner
    this.#generation = generation
    for (const [kind, names] of TABLE_NAMES) {
      const field = schema.fields.find(({ name }) => names.includes(name))
      if (field === undefined) continue
      const rows = kind === 'strings' ? textsOf(owner, field.name) : messagesOf(owner, field.name)
      this.#tables.set(kind, { name: field.name, length: rows.length })
    }
  }

  get(kind: TableKind): RawTable | undefined {
    return this.#tables.get(kind)
  }

  text(index: number): string {
    return textsOf(this.#owner, 'string_table')[index] ?? ''
  }

  /** The key of a row of the attribute table. Undefined if the row does not exist. */
  attributeKey(index: number): string | undefined {
    this.#attributeKeys ??= Array.from(messagesOf(this.#owner, 'attribute_table'), row => this.keyOf(row))
    return this.#attributeKeys[index]
  }

  /** The key of an attribute, by text or by reference. */
  keyOf(attribute: Message): string {
    const key = textOf(attribute, 'key')
    return key === '' ? this.text(Number(attribute['key_strindex'] ?? 0)) : key
  }

  /** The number of entries in the list of locations that samples up to v1.7 refer to. */
  locationIndices(profile: Message): number {
    return this.#generation === 'v1.11' ? 0 : numbersIn(profile, 'location_indices').length
  }
}
