// The catalogs of all tenants in memory. A tenant's catalog is read from the store once. Afterwards commits deliver their
// changes when their rows are visible. Queries use the store for tenants whose catalog is not in memory.
import type { CatalogDelta, CatalogTable } from '../../store/catalog-delta.ts'
import { CATALOG_TABLES } from '../../store/catalog-delta.ts'
import type { ReadEngine } from '../../store/engine.ts'
import type { Block } from '../../store/native/block.ts'
import { mergeBlocks, readBlocks } from '../../store/native/block.ts'
import { loadCatalog, loadMissing, sizeOf } from './load-catalog.ts'
import type { TenantCatalog } from './tenant-catalog.ts'

export interface CatalogOptions {
  /** The limit of all catalogs, see TenantCatalog.size; a million unless given, which is about 100 MB. */
  readonly maxSize?: number
}

/** The default of all catalogs, summed over the threads. */
export const MAX_CATALOG_SIZE = 1_000_000
const MAX_TENANTS = 10_000
/** Tenants whose catalog is read at start. The others are read with their first query. */
const LOADED_TENANTS = 100
/** Queries do not wait for a catalog with more profiles. Reading 100,000 takes a tenth of a second. */
const MAX_AWAITED_PROFILES = 200_000
/** The attribute sets of more samples take too long to read. */
const MAX_SAMPLES = 200_000_000
const DAY = 86_400_000_000_000n

class Entry {
  readonly withSampleSets: boolean
  catalog: TenantCatalog | undefined
  /** Changes that arrived while the catalog is read. Undefined afterwards. */
  pending: TenantRows[] | undefined = []
  /** The times of receipt of requests that the catalog has already, although their changes may still arrive. */
  known: ReadonlySet<bigint> | undefined
  isLarge = false
  sized: Promise<void> = Promise.resolve()
  loaded: Promise<void> = Promise.resolve()

  constructor(withSampleSets: boolean) {
    this.withSampleSets = withSampleSets
  }
}

export class Catalog {
  readonly #engine: ReadEngine
  #maxSize: number
  /** The least recently used first. */
  readonly #tenants = new Map<string, Entry>()
  /** Changes that still arrive are of requests that were received at this time or later. */
  #visibleBefore = 0n

  constructor(engine: ReadEngine, { maxSize = MAX_CATALOG_SIZE }: CatalogOptions = {}) {
    this.#engine = engine
    this.#maxSize = maxSize
  }

  /** The tenant's catalog. Undefined if it is not in memory: it is being read, or exceeds the limit. */
  async of(tenant: string): Promise<TenantCatalog | undefined> {
    const entry = this.#tenants.get(tenant) ?? this.#load(tenant)
    this.#tenants.delete(tenant)
    this.#tenants.set(tenant, entry)
    await entry.sized
    if (entry.isLarge && entry.catalog === undefined) return undefined
    await entry.loaded
    const { catalog } = entry
    if (catalog !== undefined && !catalog.isComplete) await loadMissing(this.#engine, tenant, catalog)
    return this.#tenants.get(tenant) === entry ? catalog : undefined
  }

  /** Reads the catalogs of the largest tenants, and returns the tenants, largest first. */
  async load(): Promise<readonly string[]> {
    const block = await this.#engine.select(
      `SELECT CAST(tenant, 'String') AS name FROM profiles GROUP BY tenant ORDER BY count() DESC LIMIT ${LOADED_TENANTS}`,
    )
    const tenants = Array.from({ length: block.rows }, (_, row) => block.column('name').text(row))
    // The first query of the largest tenant is the most likely.
    for (const tenant of tenants) await this.of(tenant)
    return tenants
  }

  /** See CommitQueue. To be called before the first query, and after changes. */
  setVisibleBefore(time: bigint): void {
    this.#visibleBefore = time
  }

  /** Adds the rows of a group of commits that are visible from now on. Undefined if they are not known. */
  apply(delta: CatalogDelta | undefined): void {
    if (delta === undefined) {
      this.#tenants.clear()
      return
    }
    if (this.#tenants.size === 0) return
    const tables = rowsByTenant(delta)
    for (const [tenant, rows] of tables) {
      const entry = this.#tenants.get(tenant)
      if (entry?.catalog === undefined) entry?.pending?.push(rows)
      else addRows(entry.catalog, rows, entry.known)
    }
    if (this.size <= this.#maxSize) return
    for (const tenant of tables.keys()) {
      const entry = this.#tenants.get(tenant)
      if (entry !== undefined) this.#limit(tenant, entry)
    }
  }

  /** Lowers the limit of all catalogs. */
  limitTo(maxSize: number): void {
    this.#maxSize = Math.min(this.#maxSize, maxSize)
    for (const [tenant, entry] of [...this.#tenants].toReversed()) {
      if (this.size <= this.#maxSize) return
      if (this.#tenants.get(tenant) === entry) this.#limit(tenant, entry)
    }
  }

  /** To be called before and after rows of the tenant are deleted. */
  forget(tenant: string): void {
    this.#tenants.delete(tenant)
  }

  #load(tenant: string, withSampleSets = true): Entry {
    const entry = new Entry(withSampleSets)
    const engine = this.#engine
    const failed = (): void => {
      // The next query tries again.
      if (this.#tenants.get(tenant) === entry) this.#tenants.delete(tenant)
    }
    const size = sizeOf(engine, tenant)
    entry.sized = size.then(({ profiles, samples }) => {
      entry.isLarge = profiles > MAX_AWAITED_PROFILES || samples > MAX_SAMPLES
    }, failed)
    // Requests that were received at this time are visible.
    const received = this.#visibleBefore - 1n
    entry.loaded = size
      .then(async found => {
        const sets = withSampleSets && found.samples <= MAX_SAMPLES
        const { catalog, laterRequests } = await loadCatalog(engine, tenant, found, received, sets)
        await loadMissing(engine, tenant, catalog)
        for (const rows of entry.pending ?? []) addRows(catalog, rows, laterRequests)
        entry.pending = undefined
        entry.known = laterRequests
        entry.catalog = catalog
        if (this.#tenants.get(tenant) === entry) this.#limit(tenant, entry)
      })
      .catch(failed)
    return entry
  }

  /** Drops other tenants first, then details, then the attribute sets of samples, then all. */
  #limit(tenant: string, entry: Entry): void {
    const { catalog } = entry
    if (catalog === undefined) return
    for (const [other, { catalog: held }] of this.#tenants) {
      if (this.size <= this.#maxSize && this.#tenants.size <= MAX_TENANTS) return
      if (other !== tenant && held !== undefined) this.#tenants.delete(other)
    }
    for (const age of [DAY, DAY / 24n, 0n]) {
      if (this.size <= this.#maxSize) return
      catalog.coarsen(catalog.latest - age)
    }
    if (this.size <= this.#maxSize) return
    if (catalog.hasSampleSets) this.#tenants.set(tenant, this.#load(tenant, false))
    else entry.catalog = undefined
  }

  /** See TenantCatalog.size. */
  get size(): number {
    let size = 0
    for (const { catalog } of this.#tenants.values()) size += catalog?.size ?? 0
    return size
  }
}

/** The rows of a delta that one tenant has, by table. */
type TenantRows = Map<CatalogTable, { readonly block: Block; readonly rows: readonly number[] }>

function rowsByTenant(delta: CatalogDelta): ReadonlyMap<string, TenantRows> {
  const tenants = new Map<string, TenantRows>()
  for (const table of CATALOG_TABLES) {
    const bytes = delta.get(table)
    if (bytes === undefined) continue
    const block = mergeBlocks(readBlocks(bytes))
    const names = block.column('tenant')
    const byTenant = new Map<string, number[]>()
    for (let row = 0; row < block.rows; row++) {
      const tenant = names.text(row)
      const rows = byTenant.get(tenant)
      if (rows === undefined) byTenant.set(tenant, [row])
      else rows.push(row)
    }
    for (const [tenant, rows] of byTenant)
      tenants.set(tenant, (tenants.get(tenant) ?? new Map()).set(table, { block, rows }))
  }
  return tenants
}

/** Skips profiles of the given times of receipt. */
function addRows(catalog: TenantCatalog, tables: TenantRows, known?: ReadonlySet<bigint>): void {
  // Rows refer to rows of later tables.
  for (const table of CATALOG_TABLES) {
    const found = tables.get(table)
    if (found === undefined) continue
    const { block, rows } = found
    if (table !== 'profiles') catalog.addSymbols(table, block, rows)
    else {
      const received = block.column('received')
      catalog.addProfiles(block, known === undefined ? rows : rows.filter(row => !known.has(received.bigint(row))))
    }
  }
}

const byEngine = new WeakMap<ReadEngine, Catalog>()

/** Lets queries over the engine use the catalog. */
export function useCatalog(engine: ReadEngine, catalog: Catalog): void {
  byEngine.set(engine, catalog)
}

export function catalogOf(engine: ReadEngine): Catalog | undefined {
  return byEngine.get(engine)
}
