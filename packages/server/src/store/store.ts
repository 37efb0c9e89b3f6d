// The complete store: the engine with its tables, the symbol ledger, and the commit queue.
import { join } from 'node:path'
import { totalmem } from 'node:os'
import { serverIdentity } from '../files/server-identity.ts'
import type { CatalogDelta } from './catalog-delta.ts'
import type { CommitEvents, CommitLog, CommitState } from './commit/commit-state.ts'
import type { CommitLimits, CommitQueue, RequestHead } from './commit/commit-queue.ts'
import { COMMIT_LIMITS, openCommitQueue } from './commit/commit-queue.ts'
import type { AddedRows, GroupCommit } from './commit/group-commit.ts'
import type { RowSource } from './commit/row-source.ts'
import { ContainedEngine } from './damage/contained-engine.ts'
import { DamagedParts, isSymbolTable } from './damage/damaged-parts.ts'
import { PartMarks } from './damage/part-marks.ts'
import { messageOf } from '../files/file-disk.ts'
import type { Engine } from './engine.ts'
import { openClickHouse } from './engines/clickhouse.ts'
import { parseClickHouseUrl } from './engines/clickhouse-url.ts'
import { openEmbedded } from './engines/embedded.ts'
import type { RowContext } from './group-rows.ts'
import type { Keeper, ReceivedRequest } from './keeper.ts'
import { OtherCopies } from './commit/other-copies.ts'
import { allTables, sharedInsertOrder } from './schema/all-tables.ts'
import type { Layout } from './schema/ddl.ts'
import { migrate, migrateShared } from './schema/migrations.ts'
import { MemoryLedger } from './symbols/ledger.ts'
import { writePayload } from './write-payload.ts'

export interface StoreOptions {
  readonly dataDirectory: string
  /** A ClickHouse URL, see engines/clickhouse-url.ts. Default: the embedded engine. */
  readonly url?: string | undefined
  /** Memory limit of the embedded engine, including caches. */
  readonly engineMemoryBytes?: number | undefined
  readonly windowMs?: number
  readonly durable?: boolean
  readonly limits?: Partial<CommitLimits>
  readonly log: CommitLog
  readonly events?: CommitEvents
}

/** Gets undefined if the changes are not known. */
type ChangeListener = (delta: CatalogDelta | undefined) => void

type DetachListener = (table: string, tenant: string | undefined) => void

export class Store implements Keeper {
  /** The identity of the data directory. */
  readonly server: string
  readonly engine: Engine
  readonly layout: Layout
  /** The symbols of requests that this thread decoded. */
  readonly ledger: MemoryLedger
  /** Damaged parts of the tables, whose rows are missing from responses. */
  readonly damaged: DamagedParts
  readonly #queue: CommitQueue
  readonly #visible: ChangeListener[]
  readonly #detached: DetachListener[]
  #beforeEngine: () => Promise<void> = async () => {}

  private constructor(
    server: string,
    engine: Engine,
    layout: Layout,
    ledger: MemoryLedger,
    queue: CommitQueue,
    damaged: DamagedParts,
    visible: ChangeListener[],
    detached: DetachListener[],
  ) {
    this.server = server
    this.damaged = damaged
    this.#visible = visible
    this.#detached = detached
    this.engine = engine
    this.layout = layout
    this.ledger = ledger
    this.#queue = queue
  }

  static async open(options: StoreOptions): Promise<Store> {
    const { dataDirectory, url, windowMs, durable, limits, log, events } = options
    const layout: Layout = { cluster: url === undefined ? undefined : parseClickHouseUrl(url).cluster }
    const opened =
      url === undefined
        ? await openEmbedded({
            directory: join(dataDirectory, 'store'),
            engineMemoryBytes: options.engineMemoryBytes ?? defaultEngineMemory(),
          })
        : await openClickHouse({ url })
    const detached: DetachListener[] = []
    const canCheck = layout.cluster === undefined
    const damaged = new DamagedParts({
      engine: opened,
      log,
      marks:
        url === undefined
          ? undefined
          : new PartMarks(dataDirectory, error =>
              log.warn({ error: messageOf(error) }, 'cannot share the list of damaged parts with other servers'),
            ),
      canCheck,
      onDetached: (table, tenant) => {
        for (const listener of detached) listener(table, tenant)
      },
    })
    const engine = canCheck ? new ContainedEngine(opened, damaged) : opened
    try {
      const server = serverIdentity(dataDirectory)
      if (url === undefined) await migrate(engine, layout)
      else await migrateShared(engine, layout, server)
      await damaged.refresh().catch((error: unknown) => {
        if (url === undefined) throw error
        log.warn({ error: messageOf(error) }, 'cannot read the list of damaged parts from ClickHouse')
      })
      for (const { code, message } of damaged.problems()) log.error({ problem: code }, message)
      const ledger = new MemoryLedger()
      const visible: ChangeListener[] = []
      const queue = await openCommitQueue({
        onVisible: delta => {
          for (const listener of visible) listener(delta)
        },
        dataDirectory,
        server,
        engine,
        tables: url === undefined ? allTables : sharedInsertOrder,
        copies: copiesOf(options, engine, layout),
        write: (rows, context, request) => writePayload(rows, context, request, ledger),
        forget: () => ledger.forgetAll(),
        log,
        ...(windowMs === undefined ? {} : { window: windowMs }),
        ...(durable === undefined ? {} : { durable }),
        ...(limits === undefined ? {} : { limits }),
        ...(events === undefined ? {} : { events }),
      })
      // Symbols that later requests announce again are written again.
      detached.push(table => {
        if (isSymbolTable(table)) void queue.forget()
      })
      return new Store(server, engine, layout, ledger, queue, damaged, visible, detached)
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'> {
    return this.#queue.keep(request)
  }

  /** A lane for rows of another source, see keepRows. */
  addLane(source: RowSource): GroupCommit {
    return this.#queue.addLane(source)
  }

  /** Resolves when the rows that `add` adds to the lane's source are committed. See Keeper. */
  keepRows<Added extends AddedRows>(
    lane: GroupCommit,
    request: RequestHead,
    add: (context: RowContext) => Promise<Added>,
  ): Promise<Added | 'duplicate'> {
    return this.#queue.keepRows(lane, request, add)
  }

  /** Resolves when no announced symbol counts as stored any more, in any lane. */
  forgetSymbols(): Promise<void> {
    return this.#queue.forget()
  }

  /** See CommitQueue. */
  problemsSeen(): Promise<boolean> {
    return this.#queue.problemsSeen()
  }

  /** Runs a task while no rows are inserted into the engine. Requests are still acknowledged. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#queue.exclusively(task)
  }

  /** Commits the open group without waiting for the window. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  /** Resolves when everything acknowledged before the call is visible to queries. */
  settled(): Promise<void> {
    return this.#queue.settled()
  }

  /** Calls the listener whenever the rows of a group are visible to queries. */
  onVisible(listener: ChangeListener): void {
    this.#visible.push(listener)
  }

  /** Calls the listener when rows have disappeared because they are damaged. The tenant is undefined if it may be any. */
  onDetached(listener: DetachListener): void {
    this.#detached.push(listener)
  }

  /** Resolves when everything received before the call is visible to queries. */
  async visible(): Promise<void> {
    await this.flush()
    await this.settled()
  }

  /** See CommitQueue. */
  visibleBefore(): bigint {
    return this.#queue.visibleBefore()
  }

  state(): CommitState {
    const state = this.#queue.state()
    return { ...state, problems: [...this.damaged.problems(), ...state.problems] }
  }

  /** Size on disk by table. */
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

  /** Commits the open group and applies the journal for up to `milliseconds`. The rest is applied at the next start. */
  async close(milliseconds: number): Promise<void> {
    await this.#queue.close(milliseconds)
    try {
      await this.#beforeEngine()
    } finally {
      await this.engine.close()
    }
  }

  /** Runs the task after the journal is closed, and before the engine is. */
  beforeEngineCloses(task: () => Promise<void>): void {
    this.#beforeEngine = task
  }
}

/** Undefined if no other server inserts into the store, or duplicates are not detected. */
function copiesOf({ url, limits }: StoreOptions, engine: Engine, layout: Layout): OtherCopies | undefined {
  const minutes = limits?.recentMinutes ?? COMMIT_LIMITS.recentMinutes
  return url === undefined || minutes === 0
    ? undefined
    : new OtherCopies({ engine, layout, windowMs: minutes * 60_000 })
}

const MAX_ENGINE_MEMORY = 4 * 2 ** 30

/** A share of the memory of the machine or the container. */
function defaultEngineMemory(): number {
  const constrained = process.constrainedMemory()
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.min(MAX_ENGINE_MEMORY, Math.floor(memory * 0.4))
}
