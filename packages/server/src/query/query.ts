// What every query has in common, and the way it gets to the engine.
import { formatTime } from '@hearth/profile'
import type { Engine, Parameter, SelectOptions } from '../store/engine.ts'
import { EngineError } from '../store/engine.ts'
import type { Block } from '../store/native/block.ts'
import { parameterTexts } from '../store/sql-text.ts'
import type { ProfileReference } from './select/profile-reference.ts'
import { QueryError } from './query-error.ts'
import { rememberedOf } from './symbol-cache.ts'
import { parseSelector } from './selector/parse-selector.ts'
import type { Selector } from './selector/selector.ts'
import { EMPTY_SELECTOR } from './selector/selector.ts'

export interface QueryLimits {
  readonly maxSeconds?: number
  readonly maxMemoryBytes?: number
  /** Rows that one answer of the engine may have: stacks, points, profiles, events. */
  readonly maxRows?: number
}

export interface Query {
  readonly tenant: string
  /** Nanoseconds since 1970; profiles that begin from here on, */
  readonly from: bigint
  /** and before this. */
  readonly to: bigint
  /** Text, or what was read from one; everything unless given. */
  readonly selector?: string | Selector
  /** Only samples that were taken in this trace, in this span of it, or in the span and all below it. */
  readonly span?: SpanChoice
  /**
   * Whether the range is one of observations instead of profiles: each sample counts by those of its times that are in it,
   * and samples without times do not count.
   */
  readonly exact?: boolean
  /** Only samples of these threads; see thread-key.ts. */
  readonly threads?: readonly string[]
  /** Of an exact query only what says of no span. */
  readonly unlinked?: boolean
  readonly only?: Only
  readonly signal?: AbortSignal
  readonly limits?: QueryLimits
}

/** What is wanted beside the selector, by ids: of each list that is given, any one has to fit. */
export interface Only {
  readonly series?: ReadonlySet<bigint>
  readonly stacks?: readonly bigint[]
  /** Profiles by their ids and by what they are known by here; either will do. */
  readonly profileIds?: readonly Uint8Array[]
  readonly profiles?: readonly ProfileReference[]
  readonly period?: bigint
  readonly traceIds?: readonly Uint8Array[]
  readonly spanIds?: readonly Uint8Array[]
}

export interface SpanChoice {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits; the whole trace unless given. */
  readonly spanId?: string
  /** The spans below it too. */
  readonly subtree?: boolean
}

const DEFAULT_MAX_ROWS = 2_000_000
/** 32 bytes each and more, all at once in memory. */
const MOST_ROWS = 100_000_000
/** What a DateTime64(9) holds. */
const LAST_TIME = 2n ** 63n - 1n

/** A query on its way: checked, its selector read. */
export class RunningQuery {
  readonly engine: Engine
  readonly tenant: string
  readonly from: bigint
  readonly to: bigint
  readonly selector: Selector
  readonly span: SpanChoice | undefined
  readonly exact: boolean
  readonly threads: readonly string[] | undefined
  readonly unlinked: boolean
  readonly only: Only
  readonly signal: AbortSignal | undefined
  readonly maxRows: number
  readonly #options: Omit<SelectOptions, 'parameters'>

  constructor(engine: Engine, query: Query) {
    const { selector, limits = {}, signal } = query
    this.engine = engine
    this.tenant = query.tenant
    this.from = query.from
    this.to = query.to > LAST_TIME ? LAST_TIME : query.to
    this.selector =
      selector === undefined ? EMPTY_SELECTOR : typeof selector === 'string' ? parseSelector(selector) : selector
    this.span = query.span
    this.exact = query.exact === true
    this.threads = query.threads
    this.unlinked = query.unlinked === true
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
        `a range from ${formatTime(this.from)} to ${formatTime(this.to)} has nothing in it`,
      )
    }
    checkCount('maxRows', this.maxRows, MOST_ROWS)
  }

  /** Between steps that the engine has no part in. As the engine says it, so that there is one way to be told. */
  checkSignal(): void {
    if (this.signal?.aborted === true) throw new EngineError('cancelled', 0, 'the query was cancelled')
  }

  /** The engine with the query's limits on whatever others ask it. */
  get limitedEngine(): Engine {
    const { engine } = this
    const limits = this.#options
    return {
      kind: engine.kind,
      select: (sql, options) => engine.select(sql, { ...limits, ...options }),
      selectBlocks: (sql, options) => engine.selectBlocks(sql, { ...limits, ...options }),
      insert: (table, source, options) => engine.insert(table, source, options),
      command: sql => engine.command(sql),
      close: () => engine.close(),
    }
  }

  /** `make` of a table of symbols, or what it gave before, as long as the table is the same. */
  async remembered<Value>(
    table: string,
    key: string,
    make: () => Promise<Value>,
    rowsOf: (value: Value) => number,
  ): Promise<Value> {
    this.checkSignal()
    return await rememberedOf(this.engine).get(this.engine, table, `${this.tenant}\0${key}`, make, rowsOf)
  }

  /** A select from one table of symbols, remembered. */
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

  /** The same, as the blocks come: a large answer is not put together as one. */
  async selectBlocks(sql: string, parameters: Readonly<Record<string, Parameter>>): Promise<Block[]> {
    this.checkSignal()
    const blocks: Block[] = []
    for await (const block of this.engine.selectBlocks(sql, { parameters, ...this.#options })) blocks.push(block)
    return blocks
  }

  /** A select, refusing an answer of more than the query's rows. The statement must end where LIMIT can follow. */
  async selectLimited(
    sql: string,
    parameters: Readonly<Record<string, Parameter>>,
    what: string,
    most = this.maxRows,
  ): Promise<Block> {
    const block = await this.select(`${sql} LIMIT ${most + 1}`, parameters)
    if (block.rows > most) throw new QueryError('too-many-rows', `more than ${most} ${what}`)
    return block
  }
}

/** Refuses what is not a whole number above zero. */
export function checkCount(name: string, value: number, most = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new QueryError('argument', `${name} is ${value}; it has to be a whole number from 1 to ${most}`)
  }
}
