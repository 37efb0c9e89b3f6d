// A store with profiles, and a context for queries over it.
import { catalogDelta } from '../../store/catalog-delta.ts'
import { GroupRows } from '../../store/group-rows.ts'
import { RECEIVED, keepProfiles, newContext, openProfileStore } from '../../store/profiles/testing/profile-store.ts'
import type { ProfileStore } from '../../store/profiles/testing/profile-store.ts'
import { MemoryLedger } from '../../store/symbols/ledger.ts'
import type { QueryError } from '../query-error.ts'
import type { PlainProfile } from './plain-profiles.ts'
import { NO_SCOPE, START, profilesOf } from './plain-profiles.ts'
import type { QueryContext } from '../query-context.ts'
import { createQueryContext } from '../query-context.ts'

export interface QueryStore {
  readonly store: ProfileStore
  readonly queries: QueryContext
  readonly ledger: MemoryLedger
  /** Writes profiles, `perRequest` in a request. */
  keep(tenant: string, profiles: readonly PlainProfile[], perRequest?: number): Promise<void>
  /** Writes profiles for a new tenant and returns its name. Absent fields get simple defaults. */
  keepApart(profiles: readonly Partial<PlainProfile>[]): Promise<string>
  close(): Promise<void>
}

const PLAIN: PlainProfile = {
  resource: {},
  scope: NO_SCOPE,
  type: 'cpu',
  unit: 'ns',
  time: START,
  attributes: {},
  samples: [],
}

export async function openQueryStore(options: { readonly threads?: number } = {}): Promise<QueryStore> {
  const store = await openProfileStore(options)
  const ledger = new MemoryLedger()
  const queries = createQueryContext(store.engine, { catalog: {} })
  let tenants = 0
  // As in a store, no two requests have the same time of receipt.
  let received = RECEIVED
  const keep: QueryStore['keep'] = async (tenant, profiles, perRequest = 3) => {
    const rows = new GroupRows()
    for (let from = 0; from < profiles.length; from += perRequest) {
      keepProfiles(rows, newContext(tenant, received++), profilesOf(profiles.slice(from, from + perRequest)), ledger)
    }
    if (rows.batches().length === 0) return
    await store.commit(rows)
    queries.catalog?.apply(catalogDelta(rows.batches()))
  }
  return {
    store,
    ledger,
    queries,
    keep,
    async keepApart(profiles) {
      const tenant = `apart ${++tenants}`
      await keep(
        tenant,
        profiles.map(each => ({ ...PLAIN, ...each })),
      )
      return tenant
    },
    close: () => store.close(),
  }
}

/** The fault of a rejected query; `none` if it succeeds. */
export async function faultOf(result: Promise<unknown>): Promise<string> {
  return await result.then(
    () => 'none',
    (error: QueryError) => error.fault,
  )
}

/** A tree as lines for comparison: `depth name file:line self total`. */
export function linesOf(tree: {
  readonly length: number
  readonly depth: ArrayLike<number>
  readonly label: (i: number) => string
  readonly self: (i: number) => bigint
  readonly total: (i: number) => bigint
}): string[] {
  return Array.from({ length: tree.length }, (_, i) => {
    return `${'  '.repeat(tree.depth[i])}${tree.label(i)} ${tree.self(i)}/${tree.total(i)}`
  })
}
