// Lets queries read spans, logs and metrics from the tables of the Collector's ClickHouse exporter instead of Hearth's. Hearth only
// reads these tables. Its views and copies of resources are in its own database.
import type { BytesOptions, Engine, SelectOptions } from '../engine.ts'
import type { Layout } from '../schema/ddl.ts'
import { onCluster } from '../schema/ddl.ts'
import { quoteName } from '../sql-text.ts'
import { ContainerCopies } from './container-copies.ts'
import type { ExporterAddress } from './exporter-address.ts'
import type { KnownTypes } from './exported-views.ts'
import { VIEWS, viewSelects } from './exported-views.ts'

export interface ExportedSignalsOptions {
  readonly engine: Engine
  readonly layout: Layout
  readonly address: ExporterAddress
  readonly onError: (error: unknown) => void
}

const UPDATE_MS = 5000

export class ExportedSignals {
  /** The engine for queries. */
  readonly engine: Engine
  readonly #options: ExportedSignalsOptions
  readonly #copies: ContainerCopies
  #types: KnownTypes = new Map()
  #views: ReadonlyMap<string, string> = new Map()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: ExportedSignalsOptions) {
    this.#options = options
    const { engine, address } = options
    this.#copies = new ContainerCopies({ engine, address, types: () => this.#types })
    this.engine = redirected(engine, this.#copies)
  }

  /** Resolves when queries can run. Rejects if the tables are not those of the exporter. */
  async start(): Promise<void> {
    await this.#createViews()
    const update = async (): Promise<void> => {
      await this.update().catch(this.#options.onError)
      if (this.#isStopped) return
      this.#timer = setTimeout(() => {
        this.#running = update()
      }, UPDATE_MS).unref()
    }
    this.#running = update()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** Takes new tables and new resources into account. */
  async update(): Promise<void> {
    await this.#createViews()
    await this.#copies.update()
  }

  /** Creates views again when the exporter has created or changed its tables. */
  async #createViews(): Promise<void> {
    const { engine, layout, address } = this.#options
    this.#types = await this.#readTypes()
    const selects = viewSelects(address, this.#types)
    for (const [name, select] of selects)
      if (this.#views.get(name) !== select)
        await engine.command(`CREATE OR REPLACE VIEW ${quoteName(name)}${onCluster(layout)} AS\n${select}`)
    this.#views = selects
  }

  async #readTypes(): Promise<KnownTypes> {
    const { engine, address } = this.#options
    const tables = [address.traces, address.logs, ...Object.values(address.metrics)]
    const block = await engine.select(
      'SELECT table, name, type FROM system.columns WHERE database = {database:String} AND table IN {tables:Array(String)}',
      { parameters: { database: address.database, tables } },
    )
    const types = new Map<string, Map<string, string>>()
    for (let row = 0; row < block.rows; row++) {
      const table = block.column('table').text(row)
      const columns = types.get(table) ?? new Map<string, string>()
      types.set(table, columns.set(block.column('name').text(row), block.column('type').text(row)))
    }
    return types
  }
}

const TABLES = new RegExp(`\\b(FROM|JOIN) (${Object.keys(VIEWS).join('|')})\\b`, 'g')
const CONTAINERS = /\bFROM (resources|scopes) WHERE tenant = \S+ AND id IN \{(\w+):Array\(UInt64\)\}/
const ONE_TRACE = /\btrace_id = (\{\w+:FixedString\(16\)\})/g
const TRACES = /\btrace_id IN (\{\w+:Array\(FixedString\(16\)\)\})/g

/** The statement over views. Values are bound parameters, so that its text contains no input. */
export function redirectedSql(sql: string): string {
  const names = [...sql.matchAll(TABLES)].map(([, , table]) => table)
  const redirect = sql.replaceAll(TABLES, (_, word: string, table: string) => `${word} ${VIEWS[table]}`)
  // Conditions on the exporter's own column use its index. Points and samples of profiles have none.
  if (!names.includes('spans') && !names.includes('logs')) return redirect
  if (/\bFROM (span_samples|profiles|metric_points)\b/.test(sql)) return redirect
  return redirect
    .replaceAll(ONE_TRACE, '(trace_hex = lower(hex($1)) AND trace_id = $1)')
    .replaceAll(TRACES, '(trace_hex IN (SELECT lower(hex(arrayJoin($1)))) AND trace_id IN $1)')
}

function redirected(engine: Engine, copies: ContainerCopies): Engine {
  const prepare = async (sql: string, { parameters = {} }: SelectOptions): Promise<void> => {
    const [, container, name] = CONTAINERS.exec(sql) ?? []
    const ids = name === undefined ? undefined : parameters[name]
    if (Array.isArray(ids)) await copies.ensure(container as 'resources' | 'scopes', ids as bigint[])
  }
  return {
    kind: engine.kind,
    async select(sql: string, options: SelectOptions = {}) {
      await prepare(sql, options)
      return engine.select(redirectedSql(sql), options)
    },
    async *selectBlocks(sql: string, options: SelectOptions = {}) {
      await prepare(sql, options)
      yield* engine.selectBlocks(redirectedSql(sql), options)
    },
    async *selectBytes(sql: string, options: BytesOptions) {
      await prepare(sql, options)
      yield* engine.selectBytes(redirectedSql(sql), options)
    },
    insert: (table, source, options) => engine.insert(table, source, options),
    command: sql => engine.command(sql),
    close: () => engine.close(),
  }
}
