// Finds the fault of one part of a message, such as a profile or a table row, for readers that drop invalid parts. It uses the
// field tables and applies the same checks as the readers. Rows of shared tables are checked once, each table after those it
// refers to, and a flag per row marks invalid ones. There may be millions, so the reason is determined only for rows that a
// profile refers to.
import { MAX_VALUE_DEPTH } from '../../../model/columns/any-value.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { LEN, ProtoReader, VARINT, wireTypeName } from '../../../wire/protobuf/proto-reader.ts'
import { isUtf8 } from '../../../wire/utf8.ts'
import { WireError } from '../../../wire/wire-error.ts'
import { numberOf, numbersIn } from '../generations/message-fields.ts'
import type { ReferenceRule, TableKind } from './reference-rules.ts'
import { TABLE_NAMES, fitsTypes, isCurrent, isZeroValid, ruleOf } from './reference-rules.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from '../generations/schema.ts'
import { messageOf, schemaOf } from '../generations/schema.ts'
import { SchemaReader, isPackable, wireTypeOf } from '../generations/schema-reader.ts'

/** `path` is relative to the examined part. Empty for the part itself. */
export interface Fault {
  readonly path: string
  readonly what: string
}

const UNEXPLAINED: Fault = { path: '', what: '' }

/** The same limit as in schema-reader.ts. */
const MAX_DEPTH = 100

/** A profile is in a scope, which is in a resource, which is in the root. */
const PROFILE_DEPTH = 4

interface TableRows {
  readonly field: FieldSchema
  /** The path of the message with the tables, with a dot at the end. */
  readonly prefix: string
  /** Pairs of start and end. */
  readonly ranges: GrowingInts
  /** By row. Undefined if all rows are valid. */
  bad: Uint8Array | undefined
  /** By row, for the rows that were requested. */
  readonly reasons: Map<number, Fault>
}

/** Units refer to an attribute key, so nothing refers to their rows. */
type Tables = Map<TableKind | 'units', TableRows>

const TABLES: readonly (readonly [kind: TableKind | 'units', names: readonly string[]])[] = [
  ...TABLE_NAMES,
  ['units', ['attribute_units']],
]

export function within(step: string, { path, what }: Fault): Fault {
  return { path: path === '' || path.startsWith('[') ? step + path : `${step}.${path}`, what }
}

export class FaultFinder {
  readonly #bytes: Uint8Array
  readonly #generation: Generation
  readonly #schema: Schema
  readonly #isCurrent: boolean
  readonly #samples: SchemaReader
  readonly #rules = new Map<FieldSchema, ReferenceRule | undefined>()
  readonly #spell: (path: string) => string
  /** The tables that all profiles share, if the generation has any. */
  #shared: Tables = new Map()
  /** The current tables. */
  #tables: Tables = this.#shared
  #explains = true
  // Counts of the current profile, up to v1.7.
  #types = 0
  #locationIndices = 0

  /** `spell` converts the paths in messages to the spelling of the format. */
  constructor(bytes: Uint8Array, generation: Generation, spell: (path: string) => string) {
    this.#bytes = bytes
    this.#generation = generation
    this.#schema = schemaOf(generation)
    this.#isCurrent = isCurrent(generation)
    this.#samples = new SchemaReader(bytes, generation)
    this.#spell = spell
  }

  /** `parts` are starts and ends of the message with the shared tables. Returns whether a row is invalid. Throws WireError. */
  shareTables(schema: MessageSchema, parts: readonly number[], prefix: string): boolean {
    this.#shared = this.#tables = this.#rowsOf(schema, parts, prefix)
    let anyBad = false
    this.#explains = false
    for (const rows of this.#tables.values()) {
      const { array, length } = rows.ranges
      for (let i = 0; i < length; i += 2) {
        if (this.#row(rows.field, array[i], array[i + 1]) === undefined) continue
        rows.bad ??= new Uint8Array(length / 2)
        rows.bad[i / 2] = 1
        anyBad = true
      }
    }
    this.#explains = true
    return anyBad
  }

  /** Whether a row of a shared table is invalid. */
  isBadRow(field: FieldSchema, row: number): boolean {
    for (const rows of this.#shared.values()) if (rows.field === field) return rows.bad?.[row] === 1
    return false
  }

  /** Whether a reference leads to an existing row, valid or not. */
  isInRange(field: FieldSchema, rule: ReferenceRule, { lo, hi }: ProtoReader): boolean {
    if (hi !== 0) return false
    const rows = this.#countOf(rule.table)
    return lo >>> 0 < rows || (lo === 0 && isZeroValid(this.#generation, rule.table) && !this.#needsRow(field))
  }

  ruleOf(schema: MessageSchema, field: FieldSchema): ReferenceRule | undefined {
    if (this.#rules.has(field)) return this.#rules.get(field)
    const rule = ruleOf(this.#generation, schema, field)
    this.#rules.set(field, rule)
    return rule
  }

  /** Readers also accept references to the string table in attributes of v1.8 and v1.9. */
  schemaOf(type: string): MessageSchema {
    const isCommon = type === 'KeyValue' || type === 'AnyValue'
    return messageOf(this.#isCurrent && isCommon ? schemaOf('v1.11') : this.#schema, type)
  }

  /** Finds a fault in a profile, resource or scope. Throws WireError. */
  find(schema: MessageSchema, from: number, to: number): Fault | undefined {
    this.#tables = this.#shared
    return this.#message(schema, from, to, PROFILE_DEPTH, 0)
  }

  #countOf(table: TableKind): number {
    return table === 'types' ? this.#types : (this.#tables.get(table)?.ranges.length ?? 0) / 2
  }

  /** Whether 0 refers to an ordinary row, which an empty table lacks. */
  #needsRow({ name }: FieldSchema): boolean {
    return this.#isCurrent && (name === 'string_value_strindex' || name === 'comment_strindices')
  }

  #rowsOf(schema: MessageSchema, parts: readonly number[], prefix: string): Tables {
    const tables: Tables = new Map()
    const byField = new Map<number, GrowingInts>()
    for (const [kind, names] of TABLES) {
      const field = schema.fields.find(({ name }) => names.includes(name))
      if (field === undefined) continue
      const ranges = new GrowingInts(8)
      byField.set(field.number, ranges)
      tables.set(kind, { field, prefix, ranges, bad: undefined, reasons: new Map() })
    }
    for (let i = 0; i < parts.length; i += 2) {
      const reader = new ProtoReader(this.#bytes, parts[i], parts[i + 1])
      for (let at = reader.pos; reader.tag(); at = reader.pos) {
        const ranges = byField.get(reader.field)
        if (ranges === undefined) reader.skip()
        else {
          if (reader.wireType !== LEN) throw new WireError(at, `a row is ${wireTypeName(reader.wireType)}`)
          const length = reader.length()
          ranges.push(reader.pos)
          ranges.push((reader.pos += length))
        }
      }
    }
    return tables
  }

  #row(field: FieldSchema, from: number, to: number): Fault | undefined {
    if (field.scalar !== undefined) return this.#text(from, to)
    return this.#message(this.schemaOf(field.type), from, to, PROFILE_DEPTH, 0)
  }

  #message(schema: MessageSchema, from: number, to: number, depth: number, values: number): Fault | undefined {
    if (depth > MAX_DEPTH) return this.#fault(`messages nested deeper than ${MAX_DEPTH} levels`)
    if (values > MAX_VALUE_DEPTH) return this.#fault(`attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
    if (schema.name === 'Profile' && !this.#isCurrent) this.#beginProfile(schema, from, to)
    const reader = new ProtoReader(this.#bytes, from, to)
    let hasFunction = false
    for (let at = from; reader.tag(); at = reader.pos) {
      const field = schema.byNumber.get(reader.field)
      if (field === undefined) {
        reader.skip()
        continue
      }
      if (field.name === 'function_index') hasFunction = true
      const fault = this.#field(reader, schema, field, at, depth, values)
      if (fault === undefined) continue
      if (!this.#explains) return fault
      if (!field.repeated) return within(field.name, fault)
      // A fault in a packed list already has its index within the list.
      const before = this.#countBefore(field, from, at)
      const inList = /^\[(\d+)\]$/.exec(fault.path)
      if (inList === null) return within(`${field.name}[${before}]`, fault)
      return { path: `${field.name}[${before + Number(inList[1])}]`, what: fault.what }
    }
    if (schema.name === 'Line' && !hasFunction && !this.#isCurrent) return this.#firstFunction()
    return schema.name === 'Sample' && !this.#isCurrent ? this.#legacySample(from, to) : undefined
  }

  #field(
    reader: ProtoReader,
    schema: MessageSchema,
    field: FieldSchema,
    at: number,
    depth: number,
    values: number,
  ): Fault | undefined {
    const { scalar } = field
    const isPacked = reader.wireType === LEN && isPackable(field)
    const wanted = wireTypeOf(scalar)
    if (!isPacked && reader.wireType !== wanted) {
      const found = `${wireTypeName(reader.wireType)}, expected ${wireTypeName(wanted)}`
      throw new WireError(at, `${schema.name}.${field.name} is ${found}`)
    }
    if (isPacked) return this.#packed(reader, schema, field)
    if (wanted === VARINT) return this.#number(reader, schema, field)
    if (scalar !== 'string' && scalar !== undefined) {
      reader.skip()
      return undefined
    }
    const length = reader.length()
    const from = reader.pos
    reader.pos += length
    if (scalar === 'string') return this.#text(from, reader.pos)
    const inValue = field.type === 'AnyValue' ? values + 1 : values
    return this.#message(this.schemaOf(field.type), from, reader.pos, depth + 1, inValue)
  }

  #packed(reader: ProtoReader, schema: MessageSchema, field: FieldSchema): Fault | undefined {
    const length = reader.length()
    const outer = reader.end
    const from = reader.pos
    if (wireTypeOf(field.scalar) !== VARINT) {
      if (length % 8 !== 0) throw new WireError(from, `packed fixed64 of ${length} bytes, which is not a multiple of 8`)
      reader.pos += length
      return undefined
    }
    reader.end = from + length
    let fault: Fault | undefined
    for (let i = 0; reader.pos < reader.end; i++) {
      const found = this.#number(reader, schema, field)
      // Continues to the end, because malformed numbers take precedence.
      if (found !== undefined) fault ??= this.#explains ? { path: `[${i}]`, what: found.what } : found
    }
    reader.end = outer
    return fault
  }

  #number(reader: ProtoReader, schema: MessageSchema, field: FieldSchema): Fault | undefined {
    const at = reader.pos
    reader.varint64()
    if (field.scalar === 'int32' && reader.hi !== reader.lo >> 31) {
      throw new WireError(at, 'number does not fit in int32')
    }
    const rule = this.ruleOf(schema, field)
    return rule === undefined ? undefined : this.#reference(field, rule, reader)
  }

  #reference(field: FieldSchema, rule: ReferenceRule, reader: ProtoReader): Fault | undefined {
    if (!this.isInRange(field, rule, reader)) {
      if (!this.#explains) return UNEXPLAINED
      const index = field.scalar === 'int32' ? BigInt(reader.lo) : (BigInt(reader.hi) << 32n) | BigInt(reader.lo >>> 0)
      const table = this.#tables.get(rule.table)?.field.name ?? 'sample_type'
      return this.#fault(`index ${index} is outside ${table} (length ${this.#countOf(rule.table)})`)
    }
    const rows = this.#tables.get(rule.table)
    const row = reader.lo >>> 0
    if (rows?.bad?.[row] !== 1) return undefined
    // Row 0 means "none", so its faults do not matter.
    if (row === 0 && (this.#isCurrent || rule.table === 'strings')) return undefined
    return this.#explains ? this.#reasonOf(rows, row) : UNEXPLAINED
  }

  /** Up to v1.7 a line without a function_index refers to function 0, which is never written. */
  #firstFunction(): Fault | undefined {
    const rows = this.#tables.get('functions')
    if (rows?.bad?.[0] !== 1) return undefined
    return this.#explains ? this.#reasonOf(rows, 0) : UNEXPLAINED
  }

  #reasonOf(rows: TableRows, row: number): Fault {
    let reason = rows.reasons.get(row)
    if (reason === undefined) {
      const { field, prefix, ranges } = rows
      const tables = this.#tables
      const fault = this.#row(field, ranges.array[2 * row], ranges.array[2 * row + 1]) ?? UNEXPLAINED
      this.#tables = tables
      const { path, what } = within(`${prefix}${field.name}[${row}]`, fault)
      // A chain of references already has the path of its end.
      reason = { path: '', what: what.startsWith('refers to ') ? what : `refers to ${this.#spell(path)}: ${what}` }
      rows.reasons.set(row, reason)
    }
    return reason
  }

  #text(from: number, to: number): Fault | undefined {
    return isUtf8(this.#bytes, from, to) ? undefined : this.#fault('string is not valid UTF-8')
  }

  #fault(what: string): Fault {
    return this.#explains ? { path: '', what } : UNEXPLAINED
  }

  /** Reads the profile's own tables. Their rows are all checked with its fields, whether used or not. */
  #beginProfile(schema: MessageSchema, from: number, to: number): void {
    const { byName } = schema
    if (byName.has('string_table')) this.#tables = this.#rowsOf(schema, [from, to], '')
    this.#types = this.#countBefore(byName.get('sample_type')!, from, to)
    this.#locationIndices = this.#countBefore(byName.get('location_indices')!, from, to)
  }

  /** Counts the entries of a repeated field in [from, to). */
  #countBefore(field: FieldSchema, from: number, to: number): number {
    const reader = new ProtoReader(this.#bytes, from, to)
    let count = 0
    while (reader.tag()) {
      if (reader.field !== field.number || reader.wireType !== LEN || !isPackable(field)) {
        if (reader.field === field.number) count++
        reader.skip()
        continue
      }
      const end = reader.length() + reader.pos
      if (wireTypeOf(field.scalar) !== VARINT) count += (end - reader.pos) / 8
      // The last byte of a number has no high bit.
      else for (let p = reader.pos; p < end; p++) if (this.#bytes[p] < 128) count++
      reader.pos = end
    }
    return count
  }

  /** Checks that the sample's run of locations exists and that it has a value for each type. */
  #legacySample(from: number, to: number): Fault | undefined {
    const sample = this.#samples.read('Sample', from, to)
    const start = numberOf(sample, 'locations_start_index')
    const length = numberOf(sample, 'locations_length')
    const count = this.#locationIndices
    if (length !== 0 && !(start >= 0 && length > 0 && start + length <= count)) {
      const what = `locations ${start} to ${start + length} are outside location_indices (length ${count})`
      return within('locations_start_index', this.#fault(what))
    }
    const values = numbersIn(sample, 'value').length
    const times = numbersIn(sample, 'timestamps_unix_nano').length
    const types = this.#types
    if (fitsTypes(values, times, types)) return undefined
    return this.#fault(`sample has ${values} values and ${times} timestamps, but the profile has ${types} sample types`)
  }
}
