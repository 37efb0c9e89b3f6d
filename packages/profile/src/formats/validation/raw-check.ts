// Checks a raw message by the rules and with the field names of its own dialect. It walks the message by its schema instead
// of reading it into the model, so it continues after a broken reference and reports every problem.
import { ProblemList } from '../../model/validate/problems.ts'
import type { Problem } from '../../model/validate/problems.ts'
import { WireError } from '../../wire/wire-error.ts'
import { messageIn, messagesOf, textsOf } from '../otlp/generations/message-fields.ts'
import type { FieldSchema, Generation, MessageSchema } from '../otlp/generations/schema.ts'
import { messageOf } from '../otlp/generations/schema.ts'
import type { Message, NumberSequence } from '../otlp/generations/schema-reader.ts'
import { SchemaReader } from '../otlp/generations/schema-reader.ts'
import { pathAt } from '../otlp/locate.ts'
import type { Dialect, WalkState } from './dialect.ts'
import type { RawTableKind } from './raw-tables.ts'
import { RawTables } from './raw-tables.ts'

export interface RawCheckOptions {
  readonly limit: number
  readonly strict: boolean
  /** References of a bare pprof file are ids, which its reader checks. */
  readonly skipsReferences?: boolean
}

/** Returns all problems. Paths start at the root of the message. */
export function checkRaw(bytes: Uint8Array, dialect: Dialect, options: RawCheckOptions): Problem[] {
  const check = new RawCheck(bytes, dialect, options)
  check.root()
  return check.problems.list()
}

class RawCheck implements WalkState {
  readonly problems: ProblemList
  readonly generation: Generation | undefined
  tables: RawTables
  profile: Message = {}
  readonly ids = new Map<string, string>()
  readonly #bytes: Uint8Array
  readonly #dialect: Dialect
  readonly #stringTables: ReadonlySet<string>
  readonly #reader: SchemaReader
  readonly #skipsReferences: boolean
  readonly #targets = new Map<FieldSchema, RawTableKind | undefined>()
  readonly #malformed = new Set<number>()

  constructor(bytes: Uint8Array, dialect: Dialect, { limit, strict, skipsReferences = false }: RawCheckOptions) {
    this.problems = new ProblemList(strict, limit)
    this.generation = dialect.generation
    this.#bytes = bytes
    this.#dialect = dialect
    this.#stringTables = new Set(dialect.tables.find(([kind]) => kind === 'strings')?.[1])
    this.#reader = new SchemaReader(bytes, dialect.schema, { lazy: true })
    this.#skipsReferences = skipsReferences
    this.tables = new RawTables(messageOf(dialect.schema, dialect.root), {}, dialect.tables)
  }

  root(): void {
    const { schema, root: name, dictionary } = this.#dialect
    this.#unlessMalformed(() => {
      const root = this.#reader.read(name)
      const message = messageOf(schema, name)
      const field = dictionary === undefined ? undefined : message.byName.get(dictionary)
      if (field !== undefined)
        this.#openTables(messageOf(schema, field.type), messageIn(root, field.name) ?? {}, `${field.name}.`)
      this.#message(message, root, '')
    })
  }

  /** Malformed bytes are a problem of their own, with the path of the innermost field. */
  #unlessMalformed(walk: () => void): void {
    try {
      walk()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      const { schema, root } = this.#dialect
      // Every reader of the same bytes fails at them.
      if (this.#malformed.has(error.offset)) return
      this.#malformed.add(error.offset)
      this.problems.add('decodable', () => [
        pathAt(this.#bytes, schema, error.offset, root),
        `${error.what} at byte ${error.offset}`,
      ])
    }
  }

  #message(schema: MessageSchema, message: Message, path: string): void {
    const { dictionary, checks } = this.#dialect
    const prefix = path === '' ? '' : `${path}.`
    if (schema.name === 'Profile') this.profile = message
    if (path !== dictionary && schema.fields.some(({ name }) => this.#stringTables.has(name)))
      this.#openTables(schema, message, prefix)
    for (const field of schema.fields) {
      const value = message[field.name]
      if (value === undefined) continue
      if (field.scalar !== undefined) this.#references(schema, field, value as NumberSequence, `${prefix}${field.name}`)
      else if (field.repeated) this.#list(field, message, `${prefix}${field.name}`)
      else this.#message(messageOf(this.#dialect.schema, field.type), value as Message, `${prefix}${field.name}`)
    }
    checks[schema.name]?.(this, message, path)
  }

  #list(field: FieldSchema, message: Message, path: string): void {
    const schema = messageOf(this.#dialect.schema, field.type)
    this.#unlessMalformed(() => {
      let i = 0
      for (const item of messagesOf(message, field.name)) this.#message(schema, item, `${path}[${i++}]`)
    })
  }

  #references(schema: MessageSchema, field: FieldSchema, value: NumberSequence, path: string): void {
    const target = this.#targetOf(schema, field)
    if (target === undefined || this.#skipsReferences) return
    if (!field.repeated) {
      this.#reference(target, value as unknown as number | bigint, path)
      return
    }
    for (let i = 0; i < value.length; i++) this.#reference(target, value[i], `${path}[${i}]`)
  }

  #reference(target: RawTableKind, value: number | bigint, path: string): void {
    const index = Number(value)
    const rows = this.tables.get(target)
    const name = target === 'types' ? 'sample_type' : (rows?.name ?? target)
    const length = target === 'types' ? messagesOf(this.profile, 'sample_type').length : (rows?.length ?? 0)
    if (index >= 0 && index < length) return
    if (this.#dialect.allows(target, index, length)) return
    this.problems.add('reference-range', () => [path, `${value} is out of range: ${name} has ${length} rows`])
  }

  #targetOf(schema: MessageSchema, field: FieldSchema): RawTableKind | undefined {
    if (!this.#targets.has(field)) this.#targets.set(field, this.#dialect.tableOf(schema, field))
    return this.#targets.get(field)
  }

  /** Makes the tables of a message current and checks their row 0. */
  #openTables(schema: MessageSchema, owner: Message, prefix: string): void {
    const { tables, zeroRows, needsZeroRows } = this.#dialect
    this.tables = new RawTables(schema, owner, tables)
    for (const kind of zeroRows) {
      const table = this.tables.get(kind)
      if (table === undefined) continue
      if (table.length === 0) {
        if (!needsZeroRows || this.#bytes.length === 0) continue
        const what = 'the table is empty; it must have its zero row'
        this.problems.add('zero-row-present', () => [`${prefix}${table.name}`, what])
      } else if (!this.#isZero(owner, kind, table.name)) {
        const what = kind === 'strings' ? 'row 0 must be the empty string' : 'row 0 must be the zero value'
        this.problems.add('zero-row-value', () => [`${prefix}${table.name}[0]`, what])
      }
    }
  }

  #isZero(owner: Message, kind: RawTableKind, table: string): boolean {
    if (kind === 'strings') return textsOf(owner, table)[0] === ''
    for (const row of messagesOf(owner, table)) return Object.values(row).every(isZeroField)
    return true
  }
}

/** Zero ids of a link may have their full length. */
function isZeroField(value: Message[string]): boolean {
  if (value === undefined || value === 0 || value === 0n || value === '' || value === false) return true
  if (value instanceof Uint8Array) return value.every(byte => byte === 0)
  if (typeof value !== 'object') return false
  if ('length' in value) return value.length === 0
  return Object.values(value as Message).every(isZeroField)
}
