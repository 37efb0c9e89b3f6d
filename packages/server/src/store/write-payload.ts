// Writes the rows of one request of any signal: its items, the rows they refer to, and the request itself.
import { writeRequest } from './containers.ts'
import type { GroupRows, RowContext } from './group-rows.ts'
import type { Payload, ReceivedRequest } from './keeper.ts'
import { writeProfiles } from './profiles/write-profiles.ts'
import type { ItemWriting, WrittenItems } from './signals/item-rows.ts'
import { writeLogs } from './signals/write-logs.ts'
import { writeMetrics } from './signals/write-metrics.ts'
import { writeTraces } from './signals/write-traces.ts'
import type { SymbolLedger } from './symbol-ledger.ts'

/** When it throws, the caller must roll back the rows. The ledger has been reset. */
export function writePayload(
  rows: GroupRows,
  context: RowContext,
  request: ReceivedRequest,
  ledger: SymbolLedger,
): void {
  const { payload, generation, client, bytes, rejected } = request
  try {
    const { items, ...containers } = writeItems({ rows, context, ledger }, payload)
    writeRequest(rows, context, {
      signal: payload.signal,
      generation,
      client,
      bytes,
      accepted: items,
      rejected,
      ...containers,
    })
  } catch (error) {
    ledger.forgetAll()
    throw error
  }
}

function writeItems(to: ItemWriting, payload: Payload): WrittenItems {
  switch (payload.signal) {
    case 'profiles': {
      const { profiles, ...containers } = writeProfiles(to.rows, to.context, payload.profiles, to.ledger)
      return { items: profiles, ...containers }
    }
    case 'traces':
      return writeTraces(to, payload.traces)
    case 'logs':
      return writeLogs(to, payload.logs)
    case 'metrics':
      return writeMetrics(to, payload.metrics)
  }
}
