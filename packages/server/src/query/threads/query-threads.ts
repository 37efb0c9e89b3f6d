// The threads that run queries: they build trees, serialize responses and write files. The main thread only runs their statements
// in the engine and forwards the bytes.
import { availableParallelism } from 'node:os'
import type { MappedBinary } from '@hearth/profile'
import { MAX_CATALOG_SIZE } from '../catalog/catalog.ts'
import type { CatalogDelta } from '../../store/catalog-delta.ts'
import type { Engine } from '../../store/engine.ts'
import { EngineError } from '../../store/engine.ts'
import { SharedChanges, engineHandlers } from '../../store/engines/thread-engine.ts'
import type { FoundBinary } from '../../symbols/found-binary.ts'
import type { ErrorKinds } from '../../workers/error-data.ts'
import type { WorkerError } from '../../workers/worker-error.ts'
import type { PoolState } from '../../workers/worker-pool.ts'
import { WorkerPool } from '../../workers/worker-pool.ts'
import type { HostHandlers, MainHandlers, ThreadData } from './host-queries.ts'
import type { QueryTasks, TaskHandlers, TaskOptions, TaskResult, TaskRunner } from './query-task.ts'

export interface QueryThreadsOptions {
  readonly engine: Engine
  /** Finds debug files for native frames; without it frames stay addresses. */
  readonly findBinaries?: (tenant: string, binary: MappedBinary) => FoundBinary
  /** The file that calls hostQueries. */
  readonly entry: URL
  /** Classes of errors that tasks throw. */
  readonly kinds: ErrorKinds
  /** Number of threads; one more than the cores unless given, at least 3. */
  readonly size?: number
  /** Limit of each thread's JavaScript heap; 2 GiB unless given. */
  readonly heapMiB?: number
  /** Limit of the memory for stacks and their names between queries, summed over the threads; 512 MiB unless given. */
  readonly residentBytes?: number
  /** Limit of all catalogs, summed over the threads, see TenantCatalog.size. */
  readonly catalogSize?: number
  /** See CommitQueue. Without it, changes of any time may arrive. */
  readonly visibleBefore?: () => bigint
  readonly onDeath?: (error: WorkerError) => void
}

/** Queries of one tenant in a thread. Most of their time they wait for the engine. */
const PER_THREAD = 8
const DEFAULT_HEAP_MIB = 2048
const DEFAULT_RESIDENT_BYTES = 512 * 2 ** 20
/** One for a tenant with a long query, one for the others, and one that stays free. */
const MIN_THREADS = 3

/** A query that met damaged data is repeated with the rest. Every repetition has at least one part less to read. */
function isContained(error: unknown): boolean {
  return error instanceof EngineError && error.fault === 'contained'
}

type Remote<Tasks extends QueryTasks> = TaskHandlers<Tasks> & HostHandlers

export class QueryThreads<Tasks extends QueryTasks> implements TaskRunner<Tasks> {
  readonly #pool: WorkerPool<Remote<Tasks>>
  readonly #engine: Engine
  readonly #visibleBefore: () => bigint
  readonly #changes: SharedChanges | undefined
  readonly #findBinaries: NonNullable<QueryThreadsOptions['findBinaries']>
  readonly #maxResidentBytes: number
  readonly #maxCatalogSize: number
  /** The memory of symbols by thread. */
  readonly #resident: number[]
  /** The size of the catalogs by thread. */
  readonly #catalogSizes: number[]

  constructor(options: QueryThreadsOptions) {
    const { engine, entry, kinds, heapMiB = DEFAULT_HEAP_MIB, onDeath } = options
    const size = options.size ?? Math.max(MIN_THREADS, availableParallelism() + 1)
    this.#engine = engine
    this.#visibleBefore = options.visibleBefore ?? (() => 0n)
    this.#findBinaries = options.findBinaries ?? (() => ({ reason: 'no-debug-info' }))
    this.#changes = engine.changes === undefined ? undefined : new SharedChanges()
    this.#maxResidentBytes = options.residentBytes ?? DEFAULT_RESIDENT_BYTES
    this.#maxCatalogSize = options.catalogSize ?? MAX_CATALOG_SIZE
    this.#resident = new Array<number>(size).fill(0)
    this.#catalogSizes = new Array<number>(size).fill(0)
    const data: ThreadData = { changes: this.#changes?.memory }
    this.#pool = new WorkerPool<Remote<Tasks>>({
      name: 'query',
      entry,
      size,
      perThread: PER_THREAD,
      data,
      heapMiB,
      kinds,
      handlersFor: place => this.#handlers(place),
      onStart: channel => channel.notify('setVisibleBefore', this.#visibleBefore() as never),
      onDeath: (error, place) => {
        this.#resident[place] = 0
        this.#catalogSizes[place] = 0
        onDeath?.(error)
      },
    })
  }

  get state(): PoolState {
    return this.#pool.state
  }

  /** The memory of stacks and their names, summed over the threads. */
  get residentBytes(): number {
    return this.#resident.reduce((sum, bytes) => sum + bytes, 0)
  }

  /** Starts the first thread and reads what the first queries need, especially those of this tenant. */
  async warmUp(tenant: string): Promise<void> {
    await this.#pool.call('warmUp', undefined as never, { key: tenant })
  }

  /** Rows are visible to queries from now on. */
  apply(delta: CatalogDelta | undefined): void {
    this.#pool.broadcast('apply', delta as never)
    this.#pool.broadcast('setVisibleBefore', this.#visibleBefore() as never)
  }

  /** To be called before and after rows of the tenant are deleted. */
  forget(tenant: string): void {
    this.#pool.broadcast('forget', tenant as never)
  }

  /** Names are read again by the next queries. To be called when symbols were lost, and when they may be there again. */
  forgetSymbols(): void {
    this.#pool.broadcast('trim', 0 as never)
  }

  /** Names of native frames have changed: for the tenant, or for all. Later queries use the new ones. */
  namesChanged(tenant: string | undefined): void {
    this.#pool.broadcast('namesChanged', tenant as never)
  }

  async call<Name extends keyof Tasks & string>(
    name: Name,
    argument: Parameters<Tasks[Name]>[1],
    { tenant, signal }: TaskOptions,
  ): Promise<TaskResult<Tasks[Name]>> {
    for (;;) {
      this.#showChanges()
      try {
        return (await this.#pool.call(name, argument as never, { key: tenant, signal })) as TaskResult<Tasks[Name]>
      } catch (error) {
        if (!isContained(error)) throw error
      }
    }
  }

  async *stream<Name extends keyof Tasks & string>(
    name: Name,
    argument: Parameters<Tasks[Name]>[1],
    { tenant, signal }: TaskOptions,
  ): AsyncGenerator<TaskResult<Tasks[Name]>, void, undefined> {
    for (;;) {
      this.#showChanges()
      let sent = 0
      try {
        for await (const item of this.#pool.stream(name, argument as never, { key: tenant, signal })) {
          sent++
          yield item as TaskResult<Tasks[Name]>
        }
        return
      } catch (error) {
        if (sent > 0 || !isContained(error)) throw error
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** A query sees all changes that were complete before it started. */
  #showChanges(): void {
    this.#changes?.update(table => this.#engine.changes!(table))
  }

  #handlers(place: number): MainHandlers {
    return {
      ...engineHandlers(this.#engine),
      findBinaries: async ({ tenant, binaries }) => binaries.map(binary => this.#findBinaries(tenant, binary)),
      resident: async bytes => {
        this.#resident[place] = bytes
        this.#limitResident()
      },
      catalogSize: async size => {
        this.#catalogSizes[place] = size
        const share = equalShare(this.#catalogSizes, this.#maxCatalogSize)
        for (const at of share.exceeding) this.#pool.notify(at, 'limitCatalog', share.size as never)
      },
    }
  }

  /** Each thread may have all of the memory, until together they exceed it. Then those with more than an equal share get that. */
  #limitResident(): void {
    const share = equalShare(this.#resident, this.#maxResidentBytes)
    for (const place of share.exceeding) this.#pool.notify(place, 'trim', share.size as never)
  }
}

/** An equal share of the limit, and the places that have more than it if all together exceed the limit. */
export function equalShare(
  sizes: readonly number[],
  limit: number,
): { readonly size: number; readonly exceeding: readonly number[] } {
  const sum = sizes.reduce((all, size) => all + size, 0)
  const size = limit / Math.max(1, sizes.filter(each => each > 0).length)
  return { size, exceeding: sum <= limit ? [] : sizes.flatMap((each, place) => (each > size ? [place] : [])) }
}
