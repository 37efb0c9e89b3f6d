// The store as a whole: the engine with its tables, the ledger of symbols, and the queue through which everything is
// committed.
import { join } from 'node:path'
import { totalmem } from 'node:os'
import { brokenParts } from './broken-parts.ts'
import type { CommitEvents, CommitLog, CommitState, Problem } from './commit/commit-state.ts'
import type { CommitLimits, CommitQueue } from './commit/commit-queue.ts'
import { openCommitQueue } from './commit/commit-queue.ts'
import type { Engine } from './engine.ts'
import { openClickHouse } from './engines/clickhouse.ts'
import { parseClickHouseUrl } from './engines/clickhouse-url.ts'
import { openEmbedded } from './engines/embedded.ts'
import type { Keeper, ReceivedRequest } from './keeper.ts'
import { allTables } from './schema/all-tables.ts'
import type { Layout } from './schema/ddl.ts'
import { migrate } from './schema/migrations.ts'
import { MemoryLedger } from './symbols/ledger.ts'
import { writePayload } from './write-payload.ts'

export interface StoreOptions {
  readonly dataDirectory: string
  /** A ClickHouse, as clickhouse-url.ts has it; the embedded engine where it is not given. */
  readonly url?: string | undefined
  /** What the embedded engine may take, caches included. */
  readonly engineMemoryBytes?: number | undefined
  readonly windowMs?: number
  readonly durable?: boolean
  readonly limits?: Partial<CommitLimits>
  readonly log: CommitLog
  readonly events?: CommitEvents
}

export class Store implements Keeper {
  readonly engine: Engine
  readonly layout: Layout
  readonly ledger: MemoryLedger
  readonly #queue: CommitQueue
  /** What was wrong at the start, and is until a person has seen to it. */
  readonly #found: readonly Problem[]

  private constructor(
    engine: Engine,
    layout: Layout,
    ledger: MemoryLedger,
    queue: CommitQueue,
    found: readonly Problem[],
  ) {
    this.engine = engine
    this.layout = layout
    this.ledger = ledger
    this.#queue = queue
    this.#found = found
  }

  static async open(options: StoreOptions): Promise<Store> {
    const { dataDirectory, url, windowMs, durable, limits, log, events } = options
    const layout: Layout = { cluster: url === undefined ? undefined : parseClickHouseUrl(url).cluster }
    const engine =
      url === undefined
        ? await openEmbedded({
            directory: join(dataDirectory, 'store'),
            engineMemoryBytes: options.engineMemoryBytes ?? defaultEngineMemory(),
          })
        : await openClickHouse({ url })
    try {
      await migrate(engine, layout)
      const found = await brokenParts(engine)
      for (const { code, message } of found) log.error({ problem: code }, message)
      const ledger = new MemoryLedger()
      const queue = await openCommitQueue({
        dataDirectory,
        engine,
        tables: allTables,
        write: (rows, context, request) => writePayload(rows, context, request, ledger),
        forget: () => ledger.forgetAll(),
        log,
        ...(windowMs === undefined ? {} : { window: windowMs }),
        ...(durable === undefined ? {} : { durable }),
        ...(limits === undefined ? {} : { limits }),
        ...(events === undefined ? {} : { events }),
      })
      return new Store(engine, layout, ledger, queue, found)
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'> {
    return this.#queue.keep(request)
  }

  /** Commits what is there without waiting for the window. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  /** When everything acknowledged before the call can be found by queries. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  state(): CommitState {
    const state = this.#queue.state()
    return { ...state, problems: [...this.#found, ...state.problems] }
  }

  /** What each table takes on disk. */
  async bytesByTable(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const block = await this.engine.select(
      'SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase() AND active GROUP BY table',
      { signal },
    )
    const bytes = new Map<string, number>()
    for (let row = 0; row < block.rows; row++)
      bytes.set(block.column('table').text(row), Number(block.column('bytes').bigint(row)))
    return bytes
  }

  /** Commits what has come and lets the engine take it for up to so long; the rest waits in the journal. */
  async close(milliseconds: number): Promise<void> {
    await this.#queue.close(milliseconds)
    await this.engine.close()
  }
}

const MOST_ENGINE_MEMORY = 4 * 2 ** 30

/** A share of what the machine has, or the container where that has less. */
function defaultEngineMemory(): number {
  const constrained = process.constrainedMemory()
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.min(MOST_ENGINE_MEMORY, Math.floor(memory * 0.4))
}
