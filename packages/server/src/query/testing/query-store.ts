// A store with profiles in it, and the query engine over it.
import { GroupRows } from '../../store/group-rows.ts'
import { keepProfiles, newContext, openProfileStore } from '../../store/profiles/testing/profile-store.ts'
import type { ProfileStore } from '../../store/profiles/testing/profile-store.ts'
import { MemoryLedger } from '../../store/symbols/ledger.ts'
import { QueryEngine } from '../query-engine.ts'
import type { PlainProfile } from './plain-profiles.ts'
import { profilesOf } from './plain-profiles.ts'

export interface QueryStore {
  readonly store: ProfileStore
  readonly queries: QueryEngine
  readonly ledger: MemoryLedger
  /** Writes profiles, `perRequest` to a request. */
  keep(tenant: string, profiles: readonly PlainProfile[], perRequest?: number): Promise<void>
  close(): Promise<void>
}

export async function openQueryStore(options: { readonly threads?: number } = {}): Promise<QueryStore> {
  const store = await openProfileStore(options)
  const ledger = new MemoryLedger()
  return {
    store,
    ledger,
    queries: new QueryEngine(store.engine),
    async keep(tenant, profiles, perRequest = 3) {
      const rows = new GroupRows()
      for (let from = 0; from < profiles.length; from += perRequest) {
        keepProfiles(rows, newContext(tenant), profilesOf(profiles.slice(from, from + perRequest)), ledger)
      }
      if (rows.batches().length > 0) await store.commit(rows)
    },
    close: () => store.close(),
  }
}

/** A tree as lines that can be compared: `depth name file:line self total`. */
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
