// The tables that the references of a raw message point into, by the names of its dialect.
import type { MessageSchema } from '../otlp/generations/schema.ts'
import { messagesOf, numberOf, textOf, textsOf } from '../otlp/generations/message-fields.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'

/** The kind of a table: `strings` in every dialect, others as the dialect names them. */
export type RawTableKind = string

export type TableNames = readonly (readonly [kind: RawTableKind, names: readonly string[]])[]

export interface RawTable {
  /** The name of its field. */
  readonly name: string
  readonly length: number
}

export class RawTables {
  readonly #owner: Message
  readonly #tables = new Map<RawTableKind, RawTable>()
  readonly #rows = new Map<RawTableKind, readonly Message[]>()
  #attributeKeys: readonly string[] | undefined

  /** `schema` describes the message that owns the tables: the dictionary, the root or a profile. */
  constructor(schema: MessageSchema, owner: Message, names: TableNames) {
    this.#owner = owner
    for (const [kind, ofTable] of names) {
      const field = schema.fields.find(({ name }) => ofTable.includes(name))
      if (field === undefined) continue
      const rows = kind === 'strings' ? textsOf(owner, field.name) : messagesOf(owner, field.name)
      this.#tables.set(kind, { name: field.name, length: rows.length })
    }
  }

  get(kind: RawTableKind): RawTable | undefined {
    return this.#tables.get(kind)
  }

  /** A row of a small table. Undefined if the row does not exist. */
  row(kind: RawTableKind, index: number): Message | undefined {
    let rows = this.#rows.get(kind)
    if (rows === undefined) this.#rows.set(kind, (rows = [...messagesOf(this.#owner, this.get(kind)?.name ?? '')]))
    return rows[index]
  }

  text(index: number): string {
    return textsOf(this.#owner, this.get('strings')?.name ?? '')[index] ?? ''
  }

  /** The key of a row of the attribute table. Undefined if the row does not exist. */
  attributeKey(index: number): string | undefined {
    const name = this.get('attributes')?.name ?? ''
    this.#attributeKeys ??= Array.from(messagesOf(this.#owner, name), row => this.keyOf(row))
    return this.#attributeKeys[index]
  }

  /** The key of an attribute, by text or by reference. */
  keyOf(attribute: Message): string {
    const key = textOf(attribute, 'key')
    if (key !== '') return key
    return this.text(numberOf(attribute, 'key_string_index' in attribute ? 'key_string_index' : 'key_strindex'))
  }
}
