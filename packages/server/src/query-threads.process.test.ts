// Queries in threads: a long query leaves the main thread and the queries of other tenants alone, and so does one whose thread
// dies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openQueryThreads } from './open-query-threads.ts'
import { openApiServer } from './api/v1/testing/api-server.ts'
import { PREFIX } from './api/v1/endpoints.ts'
import type { RunningServer } from './receive/testing/running-server.ts'
import { startServer } from './receive/testing/running-server.ts'
import { PROTOBUF, post } from './receive/testing/senders.ts'

/** A query over them takes seconds. */
const MANY = 150_000

/** A profile in which each sample has a function of its own. */
function profileOf(functions: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BigInt(Date.now()) * 1_000_000n, durationNano: 1n })
  const main = builder.location({ lines: [{ function: builder.function({ name: 'main' }) }] })
  for (let i = 0; i < functions; i++) {
    const leaf = builder.location({ lines: [{ function: builder.function({ name: `function ${i}` }) }] })
    builder.sample({ stack: builder.stack([leaf, main]), values: [BigInt(i + 1)] })
  }
  return encodeOtlp(builder.build())
}

describe('a query over many functions', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-threads-'))
  let at: RunningServer

  async function push(tenant: string, functions: number): Promise<void> {
    const headers = { 'content-type': PROTOBUF, 'x-scope-orgid': tenant }
    const response = await post(`${at.otlp}/v1development/profiles`, profileOf(functions), headers)
    expect([response.status, response.text]).toEqual([200, ''])
  }

  /** Sends a request that must succeed. */
  async function get(path: string, tenant: string): Promise<Response> {
    const response = await fetch(`${at.main}${path}`, { headers: { 'x-scope-orgid': tenant } })
    expect(response.status).toBe(200)
    return response
  }

  beforeAll(async () => {
    at = await startServer(directory)
    await push('heavy', MANY)
    await push('small', 3)
    await at.server.store.visible()
  })
  afterAll(async () => {
    await at.server.close()
    rmSync(directory, { recursive: true })
  })

  it('delays neither health checks nor queries of other tenants', async () => {
    // The first query of a tenant loads its symbols.
    await get(`${PREFIX}/flamegraph`, 'small')
    const delays = monitorEventLoopDelay({ resolution: 10 })
    delays.enable()
    const started = performance.now()
    let finished = false
    const heavy = get(`${PREFIX}/top?limit=10`, 'heavy').finally(() => (finished = true))
    let rounds = 0
    while (!finished) {
      await Promise.all([get('/healthz', 'small'), get('/readyz', 'small')])
      const tree = (await (await get(`${PREFIX}/flamegraph`, 'small')).json()) as { readonly sum: string }
      expect(tree.sum).toBe('6')
      if (!finished) rounds++
    }
    const top = (await (await heavy).json()) as { readonly allFrames: number }
    delays.disable()
    expect(top.allFrames).toBe(MANY + 1)
    expect(rounds).toBeGreaterThan(2)
    // On a busy machine the main thread waits for a core as well, but not for the query.
    expect(delays.max / 1e6).toBeLessThan((performance.now() - started) / 2)
  })

  it('reports its threads as metrics', async () => {
    const text = await (await get('/metrics', 'small')).text()
    expect(text).toMatch(/^hearth_threads\{pool="query",state="started"\} [2-9]/m)
    expect(text).toMatch(/^hearth_thread_queue\{pool="query"\} 0$/m)
    expect(text).toMatch(/^hearth_resident_bytes [1-9]/m)
  })
})

describe('threads', () => {
  it('fail only the query that exceeds their memory', async () => {
    const deaths: string[] = []
    // Less than a thread needs to load its code.
    const at = await openApiServer({
      threads: engine => openQueryThreads({ engine, heapMiB: 8, size: 1, onDeath: ({ fault }) => deaths.push(fault) }),
    })
    try {
      const response = await fetch(`${at.url}${PREFIX}/services`)
      expect([response.status, await response.json()]).toMatchObject([422, { error: { code: 'limit' } }])
      expect(deaths).toEqual(['memory'])
      for (const path of ['/healthz', `${PREFIX}/status`]) expect((await fetch(`${at.url}${path}`)).status).toBe(200)
    } finally {
      await at.close()
    }
  })

  it('keep symbols within one limit for all of them', async () => {
    const pools: ReturnType<typeof openQueryThreads>[] = []
    let used = 0
    const at = await openApiServer({
      threads: engine => {
        pools.push(openQueryThreads({ engine, size: 1 }), openQueryThreads({ engine, residentBytes: 100, size: 1 }))
        return {
          call: (...task) => pools[used].call(...task),
          stream: (...task) => pools[used].stream(...task),
          close: async () => void (await Promise.all(pools.map(pool => pool.close()))),
        }
      },
    })
    const query = async (path: string) => {
      const response = await fetch(`${at.url}${PREFIX}/${path}?from=0`)
      expect([response.status, await response.json()]).toMatchObject([200, {}])
      return pools[used].residentBytes
    }
    try {
      // A thread reports its memory before its result.
      expect(await query('flamegraph')).toBeGreaterThan(100)
      used = 1
      await query('flamegraph')
      // The thread drops its symbols before it runs the next query, and that needs none.
      expect(await query('services')).toBe(0)
    } finally {
      await at.close()
    }
  })
})
