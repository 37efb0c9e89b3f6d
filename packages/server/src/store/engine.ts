// The thin driver between Hearth and a ClickHouse engine, embedded or over HTTP. Everything else in the store speaks SQL and
// blocks, and does not know which one is behind.
import type { Block } from './native/block.ts'

/** Values for `{name:Type}` in a statement. Bytes are for FixedString and String of any bytes. */
export type Parameter = string | number | bigint | Uint8Array | readonly (string | number | bigint | Uint8Array)[]

export interface SelectOptions {
  readonly parameters?: Readonly<Record<string, Parameter>>
  /** Ends the query inside the engine, not only the wait for it. */
  readonly signal?: AbortSignal
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
}

/** Rows as a Native file on disk: the journal's own, so that nothing is copied on the way into the embedded engine. */
export interface NativeSource {
  readonly file: string
  /** More files with the same columns, named alike in directories beside the first one's; their rows go in with its. */
  readonly more?: readonly string[]
  /** The columns in it; others get their defaults. */
  readonly columns: readonly string[]
}

export interface InsertOptions {
  /** Rows sent again with the same token are not doubled, also after a restart. */
  readonly token: string
  /** Not done before the rows would survive a power loss. */
  readonly sync?: boolean
}

export interface Engine {
  readonly kind: 'embedded' | 'clickhouse'
  /** All rows at once; ask for few or with LIMIT. */
  select(sql: string, options?: SelectOptions): Promise<Block>
  /** Rows as they come, for answers larger than memory should hold. */
  selectBlocks(sql: string, options?: SelectOptions): AsyncIterable<Block>
  insert(table: string, source: NativeSource, options: InsertOptions): Promise<void>
  /** DDL and mutations. */
  command(sql: string): Promise<void>
  /**
   * A number that goes up whenever the table's rows have changed, so that what was read from it may be kept until then. Not
   * there where others write to the same tables.
   */
  changes?(table: string): number
  close(): Promise<void>
}

export type EngineFault =
  /** The engine cannot be reached or has gone; trying again later may help. */
  | 'unavailable'
  /** No space left on the engine's disk. */
  | 'disk-full'
  /** Stopped by a limit on time or memory. */
  | 'limit'
  /** Stopped by its signal. */
  | 'cancelled'
  /** Data on disk that cannot be read. */
  | 'corrupt'
  /** The statement or the data is wrong: a fault of the code. */
  | 'refused'

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly fault: EngineFault
  /** ClickHouse's error number, 0 where there is none. */
  readonly code: number

  constructor(fault: EngineFault, code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.code = code
  }
}
