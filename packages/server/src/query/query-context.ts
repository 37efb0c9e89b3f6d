// The state that all queries share: the store's engine, the catalog and symbols in memory.
import type { ReadEngine } from '../store/engine.ts'
import type { CatalogOptions } from './catalog/catalog.ts'
import { Catalog, useCatalog } from './catalog/catalog.ts'
import type { SymbolNames } from '../symbols/binary-names.ts'
import { Residents, useResidents } from './resident/residents.ts'
import { Temporalities } from './select/temporality.ts'

export interface QueryContext {
  readonly engine: ReadEngine
  /** Undefined if nothing delivers the changes of the store, or other servers change it. */
  readonly catalog: Catalog | undefined
  readonly residents: Residents
  readonly temporalities: Temporalities
  readonly names: SymbolNames | undefined
}

export interface QueryContextOptions {
  /** Given if the changes of all commits are delivered to the catalog. */
  readonly catalog?: CatalogOptions
  /** The memory limit of stacks and their names between queries; 512 MiB unless given. */
  readonly residentBytes?: number
  /** Names of native frames; without it they stay addresses. */
  readonly names?: SymbolNames
  /** A monotonic clock in milliseconds, for tests. */
  readonly now?: () => number
}

const DEFAULT_RESIDENT_BYTES = 512 * 2 ** 20

export function createQueryContext(engine: ReadEngine, options: QueryContextOptions = {}): QueryContext {
  const catalog = options.catalog && new Catalog(engine, options.catalog)
  if (catalog !== undefined) useCatalog(engine, catalog)
  const residents = new Residents(options.residentBytes ?? DEFAULT_RESIDENT_BYTES, options.now, options.names)
  useResidents(engine, residents)
  return {
    engine,
    catalog,
    residents,
    temporalities: new Temporalities(),
    names: options.names,
  }
}
