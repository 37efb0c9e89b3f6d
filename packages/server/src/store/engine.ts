// The interface of a ClickHouse engine, embedded or over HTTP. The rest of the store uses SQL and blocks and does not know
// which engine is used.
import type { Block } from './native/block.ts'

/** Values for `{name:Type}` in a statement. Bytes are for FixedString and for String with arbitrary bytes. */
export type Parameter = string | number | bigint | Uint8Array | readonly (string | number | bigint | Uint8Array)[]

export interface SelectOptions {
  readonly parameters?: Readonly<Record<string, Parameter>>
  /** Also cancels the query inside the engine. */
  readonly signal?: AbortSignal
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
}

export interface BytesOptions extends SelectOptions {
  /** Whether the rows arrive while the query runs. Otherwise an error comes before the first bytes. */
  readonly streamed: boolean
}

/** A request as its rows identify it. The same content may be sent by several tenants and again later. */
export interface RequestKey {
  readonly tenant: string
  /** 16 bytes in hex. */
  readonly id: string
  /** Unix milliseconds. */
  readonly received: number
}

/** Rows in a Native file of the journal, which the embedded engine reads without a copy. */
export interface NativeSource {
  readonly file: string
  /** More files with the same name and columns in sibling directories. Their rows are inserted together. */
  readonly more?: readonly string[]
  /** The columns in the file. Others get their defaults. */
  readonly columns: readonly string[]
  /** Requests whose rows are skipped, because the table has them. */
  readonly except?: readonly RequestKey[]
}

export interface InsertOptions {
  /** Deduplicates: rows sent again with the same token are not inserted twice, even after a restart. */
  readonly token: string
  /** Wait until the rows would survive a power loss. */
  readonly sync?: boolean
}

/** The part of the engine that queries use. */
export interface ReadEngine {
  /** Returns all rows at once. Use it for few rows or with LIMIT. */
  select(sql: string, options?: SelectOptions): Promise<Block>
  /** Streams rows, for results larger than memory should hold. */
  selectBlocks(sql: string, options?: SelectOptions): AsyncIterable<Block>
  /** A number that changes whenever the table's rows change, for caching. Undefined if other processes write to the same tables. */
  changes?(table: string): number
}

export interface Engine extends ReadEngine {
  readonly kind: 'embedded' | 'clickhouse'
  /** The rows in the Native format, in pieces of any size, for other threads. */
  selectBytes(sql: string, options: BytesOptions): AsyncIterable<Uint8Array>
  insert(table: string, source: NativeSource, options: InsertOptions): Promise<void>
  /**
   * Detaches damaged parts that a statement met, for callers who found its error in the rows. Returns whether a repetition
   * reads other data. Undefined if the engine cannot do that.
   */
  contain?(sql: string, message: string): Promise<boolean>
  /** DDL and mutations. */
  command(sql: string): Promise<void>
  close(): Promise<void>
}

export type EngineFault =
  /** The engine is unreachable. Retrying later may help. */
  | 'unavailable'
  /** No space left on the engine's disk. */
  | 'disk-full'
  /** Stopped by a limit on time or memory. */
  | 'limit'
  /** Stopped by its signal. */
  | 'cancelled'
  /** Data on disk is unreadable. */
  | 'corrupt'
  /** Data on disk was unreadable and is detached now. A repetition of the query reads the rest. */
  | 'contained'
  /** The statement or the data is invalid, which is a bug. */
  | 'refused'

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly fault: EngineFault
  /** ClickHouse's error code, or 0. */
  readonly code: number

  constructor(fault: EngineFault, code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.code = code
  }
}
