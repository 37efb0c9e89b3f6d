// A store with requests of chosen days that remembers what it stored.
import { createHash } from 'node:crypto'
import { difference } from '@hearth/profile'
import type { Codec } from '@hearth/signals'
import { SIGNALS, logs, metrics, traces } from '@hearth/signals'
import { sentRequest } from '../../../testing/sent-request.ts'
import type { RowContext } from '../../group-rows.ts'
import { GroupRows } from '../../group-rows.ts'
import type { Payload, Signal } from '../../keeper.ts'
import { newContext, openProfileStore } from '../../profiles/testing/profile-store.ts'
import type { ProfileStore } from '../../profiles/testing/profile-store.ts'
import { symbolTables } from '../../schema/all-tables.ts'
import {
  readRequestLogs,
  readRequestMetrics,
  readRequestProfiles,
  readRequestTraces,
} from '../../testing/read-request.ts'
import type { SymbolLedger } from '../../symbol-ledger.ts'
import { MemoryLedger } from '../../symbols/ledger.ts'
import { writePayload } from '../../write-payload.ts'

export const DAY = 86_400_000
export const HOUR = 3_600_000
export const TODAY = 20_772
/** Noon. */
export const NOW = TODAY * DAY + 12 * HOUR

export interface Kept {
  readonly context: RowContext
  readonly payload: Payload
}

const DATED = ['requests', 'profiles', 'span_samples', 'spans', 'logs', 'metric_points']

/** Returns the n-th request of a signal from `sentRequest`. */
export function payloadOf(signal: Signal, n: number): Payload {
  const { body, profiles } = sentRequest(6 * n + { profiles: 0, traces: 1, logs: 3, metrics: 5 }[signal])
  switch (signal) {
    case 'profiles':
      if (profiles === undefined) throw new Error('no profiles')
      return { signal, profiles }
    case 'traces':
      return { signal, traces: traces.decodeJson(body) }
    case 'logs':
      return { signal, logs: logs.decodeJson(body) }
    case 'metrics':
      return { signal, metrics: metrics.decodeJson(body) }
  }
}

/** A log record of 2 KB that does not compress well. */
export function bulkyLog(n: number): Payload {
  const hash = (k: number): string => createHash('sha512').update(`${n} ${k}`).digest('base64')
  const body = { stringValue: Array.from({ length: 32 }, (_, k) => hash(k)).join('') }
  const json = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [{ body }] }] }] }
  return { signal: 'logs', logs: logs.decodeJson(new TextEncoder().encode(JSON.stringify(json))) }
}

export class DatedStore {
  readonly store: ProfileStore
  readonly ledger: SymbolLedger = new MemoryLedger()
  #made = 0

  private constructor(store: ProfileStore) {
    this.store = store
  }

  static async open(): Promise<DatedStore> {
    return new DatedStore(await openProfileStore())
  }

  /** Writes the rows of one request, received `age` milliseconds before NOW, without a commit. */
  write(rows: GroupRows, tenant: string, payload: Payload, age: number, ledger: SymbolLedger): Kept {
    const context = newContext(tenant, BigInt(NOW - age) * 1_000_000n)
    const request = { tenant, client: 'test', id: context.request, bytes: 0, generation: '', rejected: 0, payload }
    writePayload(rows, context, request, ledger)
    return { context, payload }
  }

  /** Returns a unique payload. */
  next(signal: Signal): Payload {
    return payloadOf(signal, ++this.#made)
  }

  /** Commits one request. Uses a new ledger by default, because requests come in any order of days. */
  async keep(tenant: string, payload: Payload, age: number, ledger: SymbolLedger = new MemoryLedger()): Promise<Kept> {
    const rows = new GroupRows()
    const kept = this.write(rows, tenant, payload, age, ledger)
    await this.store.commit(rows)
    return kept
  }

  /** Commits one request of each signal for each of these ages in days. */
  async keepAll(tenant: string, ...days: readonly number[]): Promise<Kept[]> {
    const rows = new GroupRows()
    const kept = days.flatMap(day =>
      SIGNALS.map(signal => this.write(rows, tenant, this.next(signal), day * DAY, new MemoryLedger())),
    )
    await this.store.commit(rows)
    return kept
  }

  /** Compares stored with expected requests. Returns the first difference, or undefined. */
  async changed({ context, payload }: Kept): Promise<unknown> {
    const { engine } = this.store
    const { tenant, request } = context
    switch (payload.signal) {
      case 'profiles':
        return difference(payload.profiles, await readRequestProfiles(engine, tenant, request))
      case 'traces':
        return unequal(traces, payload.traces, await readRequestTraces(engine, tenant, request))
      case 'logs':
        return unequal(logs, payload.logs, await readRequestLogs(engine, tenant, request))
      case 'metrics':
        return unequal(metrics, payload.metrics, await readRequestMetrics(engine, tenant, request))
    }
  }

  /** Returns the ages in days of the rows in each dated table, without empty tables. */
  async days(tenant: string): Promise<Readonly<Record<string, readonly number[]>>> {
    const found: Record<string, readonly number[]> = {}
    for (const table of DATED) {
      const block = await this.store.engine.select(
        `SELECT DISTINCT toUInt16(day) AS day FROM ${table} WHERE tenant = {tenant:String} ORDER BY day`,
        { parameters: { tenant } },
      )
      if (block.rows === 0) continue
      found[table] = Array.from({ length: block.rows }, (_, row) => TODAY - block.column('day').number(row))
    }
    return found
  }

  /** Returns the number of rows of each table. */
  async counts(tenant: string): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of [...DATED, ...symbolTables.map(({ name }) => name)]) {
      counts[table] = await this.count(`SELECT count() AS n FROM ${table} WHERE tenant = '${tenant}'`)
    }
    return counts
  }

  async count(sql: string): Promise<number> {
    return Number((await this.store.engine.select(sql)).column('n').bigint(0))
  }
}

function unequal<T>(codec: Codec<T>, kept: T, found: T): string | undefined {
  const [a, b] = [kept, found].map(value => Buffer.from(codec.encodeJson(value)).toString())
  return a === b ? undefined : `${a}\n${b}`
}
