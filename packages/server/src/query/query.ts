// The common parts of all queries, and their access to the engine.
import type { SnapshotMode } from '@hearth/profile'
import { formatTime } from '@hearth/profile'
import type { ReadEngine, Parameter, SelectOptions } from '../store/engine.ts'
import { EngineError } from '../store/engine.ts'
import type { Block } from '../store/native/block.ts'
import { parameterTexts } from '../store/sql-text.ts'
import type { ProfileReference } from './select/profile-reference.ts'
import { QueryError } from './query-error.ts'
import { rememberedOf } from './symbol-cache.ts'
import { catalogOf } from './catalog/catalog.ts'
import type { TenantCatalog } from './catalog/tenant-catalog.ts'
import { parseSelector } from './selector/parse-selector.ts'
import type { Selector } from './selector/selector.ts'
import { EMPTY_SELECTOR } from './selector/selector.ts'
import type { Values } from './statement.ts'

export interface QueryLimits {
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
  /** The maximum number of rows in a result of the engine: stacks, points, profiles, events. */
  readonly maxRows?: number
}

export interface Query {
  readonly tenant: string
  /** The start in nanoseconds since 1970 (inclusive). It applies to the start times of profiles. */
  readonly from: bigint
  /** The end (exclusive). */
  readonly to: bigint
  /** Excludes data that the server received at this time or later: all queries of a screen then see the same data. */
  readonly receivedBefore?: bigint
  /** The text of a selector, or a parsed one. Selects everything unless given. */
  readonly selector?: string | Selector
  /** Selects samples of a trace, of one of its spans, or of a span and all spans below it. */
  readonly span?: SpanChoice
  /**
   * Whether the range applies to samples instead of profiles. Each sample counts its timestamps in the range, and
   * samples without timestamps do not count.
   */
  readonly exact?: boolean
  /** Selects samples of these threads; see thread-key.ts. */
  readonly threads?: readonly string[]
  /** Selects samples without a span. Only for exact queries. */
  readonly unlinked?: boolean
  /** How snapshots of gauges (live heap, goroutines) are combined over time; 'average' unless given. */
  readonly snapshots?: SnapshotMode
  /**
   * Whether each value is multiplied by the period of its profile: counts of samples become times. Not for exact queries.
   */
  readonly timesPeriod?: boolean
  /** Whether counts of samples become times if their periods are known; see sampled-time.ts. */
  readonly asTime?: boolean
  readonly only?: Only
  readonly signal?: AbortSignal
  readonly limits?: QueryLimits
}

/** Conditions by id in addition to the selector. A row must match any entry of each given list. */
export interface Only {
  readonly series?: ReadonlySet<bigint>
  readonly stacks?: readonly bigint[]
  /** Profiles by profile id or by reference. A profile matches either list. */
  readonly profileIds?: readonly Uint8Array[]
  readonly profiles?: readonly ProfileReference[]
  readonly traceIds?: readonly Uint8Array[]
  readonly spanIds?: readonly Uint8Array[]
}

export interface SpanChoice {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits; the whole trace unless given. */
  readonly spanId?: string
  /** Includes the spans below it. */
  readonly subtree?: boolean
}

const DEFAULT_MAX_ROWS = 2_000_000
/** Each row has at least 32 bytes, all in memory at once. */
const MAX_ROWS = 100_000_000
/** The maximum of DateTime64(9). */
const LAST_TIME = 2n ** 63n - 1n

/** A query with valid arguments and a parsed selector. */
export class RunningQuery {
  readonly engine: ReadEngine
  readonly tenant: string
  readonly from: bigint
  readonly to: bigint
  readonly receivedBefore: bigint | undefined
  readonly selector: Selector
  readonly span: SpanChoice | undefined
  readonly exact: boolean
  readonly threads: readonly string[] | undefined
  readonly unlinked: boolean
  readonly snapshots: SnapshotMode
  readonly timesPeriod: boolean
  readonly only: Only
  readonly signal: AbortSignal | undefined
  readonly maxRows: number
  readonly #options: Omit<SelectOptions, 'parameters'>

  constructor(engine: ReadEngine, query: Query) {
    const { selector, limits = {}, signal } = query
    this.engine = engine
    this.tenant = query.tenant
    this.from = query.from
    this.to = query.to > LAST_TIME ? LAST_TIME : query.to
    this.receivedBefore = query.receivedBefore
    this.selector =
      selector === undefined ? EMPTY_SELECTOR : typeof selector === 'string' ? parseSelector(selector) : selector
    this.span = query.span
    this.exact = query.exact === true
    this.threads = query.threads
    this.unlinked = query.unlinked === true
    this.snapshots = query.snapshots ?? 'average'
    this.timesPeriod = query.timesPeriod === true
    this.only = query.only ?? {}
    this.signal = signal
    this.maxRows = limits.maxRows ?? DEFAULT_MAX_ROWS
    this.#options = {
      ...(signal === undefined ? {} : { signal }),
      ...(limits.maxSeconds === undefined ? {} : { maxSeconds: limits.maxSeconds }),
      ...(limits.maxMemoryBytes === undefined ? {} : { maxMemoryBytes: limits.maxMemoryBytes }),
    }
    if (this.from < 0n || this.from > this.to) {
      throw new QueryError(
        'argument',
        `empty range from ${formatTime(this.from)} to ${formatTime(this.to)}; it must begin at 1970 or later and end after its start`,
      )
    }
    checkCount('maxRows', this.maxRows, MAX_ROWS)
  }

  /** Conditions on `received`. */
  receivedWhere(values: Values): string[] {
    return this.receivedBefore === undefined ? [] : [`received < ${values.time(this.receivedBefore)}`]
  }

  /**
   * Checks for cancellation between steps outside of the engine. Throws the engine's error, so that there is one kind.
   */
  checkSignal(): void {
    if (this.signal?.aborted === true) throw new EngineError('cancelled', 0, 'the query was cancelled')
  }

  /** The engine with the query's limits, for code that runs its own statements. */
  get limitedEngine(): ReadEngine {
    const { engine } = this
    const limits = this.#options
    return {
      select: (sql, options) => engine.select(sql, { ...limits, ...options }),
      selectBlocks: (sql, options) => engine.selectBlocks(sql, { ...limits, ...options }),
    }
  }

  /** The tenant's catalog, if it is in memory. */
  async catalog(): Promise<TenantCatalog | undefined> {
    this.checkSignal()
    return await catalogOf(this.engine)?.of(this.tenant)
  }

  /** Returns the cached value of `make` as long as the symbol table has not changed. */
  async remembered<Value>(
    table: string,
    key: string,
    make: () => Promise<Value>,
    rowsOf: (value: Value) => number,
  ): Promise<Value> {
    this.checkSignal()
    return await rememberedOf(this.engine).get(this.engine, table, `${this.tenant}\0${key}`, make, rowsOf)
  }

  /** A cached select from one symbol table. */
  async selectSymbols(table: string, sql: string, parameters: Readonly<Record<string, Parameter>>): Promise<Block> {
    const key = JSON.stringify([sql, parameterTexts(parameters)])
    return await this.remembered(
      table,
      key,
      () => this.select(sql, parameters),
      block => block.rows,
    )
  }

  async select(sql: string, parameters: Readonly<Record<string, Parameter>>): Promise<Block> {
    this.checkSignal()
    return await this.engine.select(sql, { parameters, ...this.#options })
  }

  /** Returns the blocks of a large result without joining them. `check` can throw to cancel the statement. */
  async selectBlocks(
    sql: string,
    parameters: Readonly<Record<string, Parameter>>,
    check?: (block: Block) => void,
  ): Promise<Block[]> {
    this.checkSignal()
    const blocks: Block[] = []
    for await (const block of this.engine.selectBlocks(sql, { parameters, ...this.#options })) {
      check?.(block)
      blocks.push(block)
    }
    return blocks
  }

  /** A select that throws QueryError if it has more rows than the limit. LIMIT is appended to the statement. */
  async selectLimited(
    sql: string,
    parameters: Readonly<Record<string, Parameter>>,
    what: string,
    most = this.maxRows,
  ): Promise<Block> {
    const block = await this.select(`${sql} LIMIT ${most + 1}`, parameters)
    this.checkRows(block.rows, what, most)
    return block
  }

  /** Throws QueryError if there are more rows than the limit. */
  checkRows(rows: number, what: string, most = this.maxRows): void {
    if (rows > most)
      throw new QueryError('too-many-rows', `more than ${most} ${what}; use a shorter range or a narrower selector`)
  }
}

/** Throws QueryError if the value is not a positive whole number. */
export function checkCount(name: string, value: number, most = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new QueryError('argument', `${name} is ${value}; it must be a whole number from 1 to ${most}`)
  }
}

/** The condition of queries by id: rows of the tenant that the load sees. */
export function tenantWhere(running: RunningQuery, values: Values): string {
  return [`tenant = ${values.text(running.tenant)}`, ...running.receivedWhere(values)].join(' AND ')
}
