// Tables by which servers that share a store agree with each other. The embedded store has them too, without rows.
import { defineTable, text, time64, uint64, uint8 } from '../native/table.ts'

/** The holders of leases, with the end of each term. Each renewal is a new term. See lease.ts. */
export const leases = defineTable(
  'leases',
  { name: text(), term: uint64(), holder: text(), until: time64() },
  { engine: { replacing: 'term' }, orderBy: 'name', shardBy: 'sipHash64(name)' },
)

/** The servers of the store. See members.ts. */
export const servers = defineTable(
  'servers',
  {
    server: text(),
    host: text(),
    version: text(),
    seen: time64(),
    /** The receipt of the first request that is not in the tables yet. 1970 for none. */
    pending_since: time64(),
    /** The server has shut down. */
    stopped: uint8(),
  },
  { engine: { replacing: 'seen' }, orderBy: 'server', shardBy: 'sipHash64(server)' },
)

/** State that all servers see, as JSON by name and tenant. See shared-state.ts. */
export const sharedState = defineTable(
  'shared_state',
  { name: text(), tenant: text(), version: uint64(), content: text(), server: text(), changed: time64() },
  { engine: { replacing: 'version' }, orderBy: '(name, tenant)', shardBy: 'sipHash64(name, tenant)' },
)

export const sharingTables = [leases, servers, sharedState]
