// The rules of one form of files, for the walk of raw-check.ts: its messages, its tables, the references between them, and
// the checks of single messages.
import type { Generation, FieldSchema, MessageSchema, Schema } from '../otlp/generations/schema.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import type { ProblemList } from '../../model/validate/problems.ts'
import type { RawTables, RawTableKind, TableNames } from './raw-tables.ts'

export interface Dialect {
  readonly schema: Schema
  readonly root: string
  /** The generation of OTLP. Undefined for drafts that are no generation. */
  readonly generation?: Generation
  /** The names of the fields that contain each table. */
  readonly tables: TableNames
  /** The field of the root with the tables of all messages. */
  readonly dictionary?: string
  /** Returns the table that a field refers to. Undefined for a field that is not a reference. */
  tableOf(message: MessageSchema, field: FieldSchema): RawTableKind | undefined
  /** Whether an index may be used although the table does not have the row, such as 0 for "none" in a table without rows. */
  allows(table: RawTableKind, index: number, length: number): boolean
  /** Tables whose row 0 is the zero value. */
  readonly zeroRows: readonly RawTableKind[]
  /** Whether each table must have its row 0. */
  readonly needsZeroRows: boolean
  /** The checks of single messages, by the name of the message. */
  readonly checks: Readonly<Record<string, MessageCheck>>
}

/** The state of a walk that the checks need. */
export interface WalkState {
  readonly problems: ProblemList
  readonly generation: Generation | undefined
  /** The tables that apply to the current message. */
  readonly tables: RawTables
  /** The current profile, for the rules of its samples. */
  readonly profile: Message
  /** The path of the first profile with each id. */
  readonly ids: Map<string, string>
}

export type MessageCheck = (check: WalkState, message: Message, path: string) => void
