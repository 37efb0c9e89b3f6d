// Checks a raw message by the rules and with the field names of its own generation. It walks the message by its schema instead
// of reading it into the model, so it continues after a broken reference and reports every problem.
import { ProblemList } from '../../../model/validate/problems.ts'
import type { Problem } from '../../../model/validate/problems.ts'
import { WireError } from '../../../wire/protobuf/wire-error.ts'
import { messageIn, messagesOf, textsOf } from '../generations/message-fields.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import type { Message, NumberSequence } from '../generations/schema-reader.ts'
import { SchemaReader } from '../generations/schema-reader.ts'
import type { ReferenceRule } from '../lenient/reference-rules.ts'
import { TABLE_NAMES, isCurrent, isZeroValid, ruleOf } from '../lenient/reference-rules.ts'
import { pathAt } from '../locate.ts'
import type { WalkState } from './message-checks.ts'
import { MESSAGE_CHECKS } from './message-checks.ts'
import { RawTables } from './raw-tables.ts'

export interface RawCheckOptions {
  readonly limit: number
  readonly strict: boolean
  /** References of a bare pprof file are ids, which its reader checks. */
  readonly skipsReferences?: boolean
}

/** Returns all problems. Paths start at the root of the message. */
export function checkRaw(
  bytes: Uint8Array,
  from: number,
  to: number,
  generation: Generation,
  options: RawCheckOptions,
): Problem[] {
  const check = new RawCheck(bytes.subarray(from, to), generation, options)
  check.root()
  return check.problems.list()
}

class RawCheck implements WalkState {
  readonly problems: ProblemList
  readonly generation: Generation
  tables: RawTables
  profile: Message = {}
  readonly ids = new Map<string, string>()
  readonly #bytes: Uint8Array
  readonly #schema: Schema
  readonly #reader: SchemaReader
  readonly #skipsReferences: boolean
  readonly #rules = new Map<FieldSchema, ReferenceRule | undefined>()

  constructor(bytes: Uint8Array, generation: Generation, { limit, strict, skipsReferences = false }: RawCheckOptions) {
    this.problems = new ProblemList(strict, limit)
    this.generation = generation
    this.#bytes = bytes
    this.#schema = schemaOf(generation)
    this.#reader = new SchemaReader(bytes, generation, { lazy: true })
    this.#skipsReferences = skipsReferences
    this.tables = new RawTables(messageOf(this.#schema, ROOT), {}, generation)
  }

  root(): void {
    this.#unlessMalformed(() => {
      const root = this.#reader.read(ROOT)
      const schema = messageOf(this.#schema, ROOT)
      const dictionary = messageIn(root, 'dictionary')
      if (schema.byName.has('dictionary')) {
        this.#openTables(messageOf(this.#schema, 'ProfilesDictionary'), dictionary ?? {}, 'dictionary.')
      }
      this.#message(schema, root, '')
    })
  }

  /** Malformed bytes are a problem of their own, with the path of the innermost field. */
  #unlessMalformed(walk: () => void): void {
    try {
      walk()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.problems.add('decodable', () => [
        pathAt(this.#bytes, this.generation, error.offset),
        `${error.what} at byte ${error.offset}`,
      ])
    }
  }

  #message(schema: MessageSchema, message: Message, path: string): void {
    if (schema.name === 'Profile') this.profile = message
    if (schema.name !== 'ProfilesDictionary' && schema.byName.has('string_table')) {
      this.#openTables(schema, message, path === '' ? '' : `${path}.`)
    }
    const prefix = path === '' ? '' : `${path}.`
    for (const field of schema.fields) {
      const value = message[field.name]
      if (value === undefined) continue
      if (field.scalar !== undefined) this.#references(schema, field, value as NumberSequence, `${prefix}${field.name}`)
      else if (field.repeated) this.#list(field, message, `${prefix}${field.name}`)
      else this.#message(messageOf(this.#schema, field.type), value as Message, `${prefix}${field.name}`)
    }
    MESSAGE_CHECKS[schema.name]?.(this, message, path)
  }

  #list(field: FieldSchema, message: Message, path: string): void {
    const schema = messageOf(this.#schema, field.type)
    this.#unlessMalformed(() => {
      let i = 0
      for (const item of messagesOf(message, field.name)) this.#message(schema, item, `${path}[${i++}]`)
    })
  }

  #references(schema: MessageSchema, field: FieldSchema, value: NumberSequence, path: string): void {
    const rule = this.#ruleOf(schema, field)
    if (rule === undefined || this.#skipsReferences) return
    if (!field.repeated) {
      this.#reference(rule, value as unknown as number | bigint, path)
      return
    }
    for (let i = 0; i < value.length; i++) this.#reference(rule, value[i], `${path}[${i}]`)
  }

  #reference({ table }: ReferenceRule, value: number | bigint, path: string): void {
    const index = Number(value)
    const rows = this.tables.get(table)
    const name = table === 'types' ? 'sample_type' : (rows?.name ?? table)
    const length = table === 'types' ? messagesOf(this.profile, 'sample_type').length : (rows?.length ?? 0)
    if (index >= 0 && index < length) return
    if (index === 0 && isZeroValid(this.generation, table)) return
    this.problems.add('reference-range', () => [path, `${value} is out of range: ${name} has ${length} rows`])
  }

  #ruleOf(schema: MessageSchema, field: FieldSchema): ReferenceRule | undefined {
    if (!this.#rules.has(field)) this.#rules.set(field, ruleOf(this.generation, schema, field))
    return this.#rules.get(field)
  }

  /** Makes the tables of a message current and checks their row 0. */
  #openTables(schema: MessageSchema, owner: Message, prefix: string): void {
    this.tables = new RawTables(schema, owner, this.generation)
    const strings = textsOf(owner, 'string_table')
    if (strings.length > 0 && strings[0] !== '')
      this.problems.add('zero-row-value', () => [`${prefix}string_table[0]`, 'row 0 must be the empty string'])
    // Before v1.8, row 0 of the other tables was an ordinary row.
    if (!isCurrent(this.generation) || this.#bytes.length === 0) return
    for (const [kind] of TABLE_NAMES) {
      const table = this.tables.get(kind)
      if (table === undefined) continue
      if (table.length === 0) {
        this.problems.add('zero-row-present', () => [
          `${prefix}${table.name}`,
          'the table is empty; it must have its zero row',
        ])
      } else if (kind !== 'strings' && !this.#isZero(owner, table.name)) {
        this.problems.add('zero-row-value', () => [`${prefix}${table.name}[0]`, 'row 0 must be the zero value'])
      }
    }
  }

  #isZero(owner: Message, table: string): boolean {
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
