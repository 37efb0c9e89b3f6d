// The side of a query thread: a query context of its own, and the tasks that use it.
import type { CatalogDelta } from '../../store/catalog-delta.ts'
import type { EngineHandlers } from '../../store/engines/thread-engine.ts'
import { SharedChanges, ThreadEngine } from '../../store/engines/thread-engine.ts'
import { EngineError } from '../../store/engine.ts'
import type { FindBinaries } from '../../symbols/binary-names.ts'
import { SymbolNames } from '../../symbols/binary-names.ts'
import type { Channel } from '../../workers/channel.ts'
import { hostWorker } from '../../workers/worker-host.ts'
import type { QueryContext } from '../query-context.ts'
import { createQueryContext } from '../query-context.ts'
import type { Practice } from '../warm-up.ts'
import { warmUp } from '../warm-up.ts'
import type { QueryTask, QueryTasks } from './query-task.ts'

/** The data that a thread gets at its start. */
export interface ThreadData {
  /** Undefined if the engine does not report changes. */
  readonly changes: SharedArrayBuffer | undefined
}

/** Functions of the main thread. */
export type MainHandlers = EngineHandlers & {
  /** See SymbolNames. */
  readonly findBinaries: FindBinaries
  /** The memory of the thread's symbols has changed. */
  readonly resident: (bytes: number) => Promise<void>
  /** The size of the thread's catalogs has changed. */
  readonly catalogSize: (size: number) => Promise<void>
}

/** Smaller changes of the catalogs' size are not reported: 1 % of the limit. */
const SIZE_STEP = 10_000

/** Functions of the thread besides the tasks. */
export type HostHandlers = ReturnType<typeof hostHandlers>

function hostHandlers(queries: QueryContext, main: Channel<MainHandlers>, practice: Practice, report: () => void) {
  const { catalog, residents } = queries
  return {
    /** See Catalog. */
    async apply(delta: CatalogDelta | undefined): Promise<void> {
      catalog?.apply(delta)
      report()
    },
    async limitCatalog(size: number): Promise<void> {
      catalog?.limitTo(size)
      report()
    },
    setVisibleBefore: async (time: bigint) => catalog?.setVisibleBefore(time),
    forget: async (tenant: string) => catalog?.forget(tenant),
    /** The names of native frames have changed: for the tenant, or for all. */
    namesChanged: async (tenant: string | undefined) => residents.forget(tenant),
    warmUp: (_: undefined) => warmUp(queries, practice),
    /** Drops symbols of the least recently used tenants until no more than this many bytes are left. */
    async trim(bytes: number): Promise<void> {
      residents.trim(bytes)
      main.notify('resident', residents.byteLength)
    },
  }
}

/** `practice` runs after the start. */
export function hostQueries(tasks: QueryTasks, practice: Practice): void {
  hostWorker<MainHandlers, ThreadData>(
    ({ changes }, main) => {
      const engine = new ThreadEngine(main, changes && new SharedChanges(changes))
      // Other servers may write to a ClickHouse. Then changes are not known here, and the engine does not report any.
      const names = new SymbolNames(request => main.call('findBinaries', request))
      const queries = createQueryContext(engine, { names, ...(changes === undefined ? {} : { catalog: {} }) })
      const { residents, catalog } = queries
      let [reported, reportedSize] = [0, 0]
      const report = (): void => {
        const bytes = residents.byteLength
        if (bytes !== reported) main.notify('resident', (reported = bytes))
        const size = catalog?.size ?? 0
        if (Math.abs(size - reportedSize) > SIZE_STEP) main.notify('catalogSize', (reportedSize = size))
      }
      const handlers = Object.entries(tasks).map(([name, task]) => [name, withReport(queries, task, report)] as const)
      return { ...Object.fromEntries(handlers), ...hostHandlers(queries, main, practice, report) }
    },
    [EngineError],
  )
}

/** The task with its context. Calls `report` at its end. */
function withReport(queries: QueryContext, task: QueryTask, report: () => void) {
  return (argument: never, signal: AbortSignal) => {
    const result = task(queries, argument, signal)
    return Symbol.asyncIterator in result ? reportedItems(result, report) : result.finally(report)
  }
}

async function* reportedItems(items: AsyncIterable<unknown>, report: () => void): AsyncGenerator<unknown> {
  try {
    yield* items
  } finally {
    report()
  }
}
