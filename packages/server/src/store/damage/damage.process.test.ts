// Bit rot in the store: queries name and detach a damaged part, respond from the rest, and say that data is missing.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { callServer } from '../../maintenance/control.ts'
import { sendHttp } from '../../testing/senders.ts'
import { sentRequest } from '../../testing/sent-request.ts'
import { ServerProcess } from '../../testing/server-process.ts'
import { startClickHouseHttp } from '../testing/clickhouse-http.ts'
import { flipBytes, partDirectories } from './testing/flip-bytes.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-damage-'))
let server: ServerProcess
afterEach(() => server.kill())
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const flags = { data: directory, 'self-profile': 'no', 'dedup-window': '0s' } as const

const send = async (from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n++) expect((await sendHttp(server, sentRequest(n))).status).toBe(200)
  await server.settled()
}

/** `sum` is the value of all samples. */
async function flameGraph(): Promise<{ status: number; missing: string; sum: unknown; text: string }> {
  const range = 'from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z'
  const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/flamegraph?selector=cpu&${range}`)
  const text = await response.text()
  const missing = response.headers.get('hearth-missing-data') ?? ''
  return {
    status: response.status,
    missing,
    sum: (JSON.parse(text) as { sum?: unknown }).sum,
    text: text.replaceAll('\n', ' '),
  }
}

/** Damages all parts of a table while the server is down. */
async function damage(table: string): Promise<readonly string[]> {
  const path = (
    await server.select(`SELECT arrayJoin(data_paths) AS path FROM system.tables WHERE name = '${table}'`)
  )[0]
  await server.end()
  const parts = partDirectories(path.slice(2, -2))
  for (const part of parts) flipBytes(join(part, 'data.bin'), 64)
  return parts
}

// Every test restarts the server several times, which takes a busy machine minutes.
describe('a damaged part', { timeout: 600_000 }, () => {
  it('does not fail flame graphs, and is reported and kept', async () => {
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    await send(0, 24)
    const before = await flameGraph()
    expect([before.status, before.missing]).toEqual([200, ''])
    expect(before.text).toContain('shared-')

    const parts = await damage('functions')
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    // The data of the first queries is read at the start, which may meet the parts already.
    expect(await server.prepared()).toMatchObject({ status: 200, ready: true })
    const after = await flameGraph()
    expect(after).toMatchObject({
      status: 200,
      sum: before.sum,
      missing: expect.stringContaining('data is missing') as string,
    })
    const { problems, ready } = await server.readiness()
    expect(ready).toBe(true)
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['parts-broken']))
    for (const { message } of problems) {
      const [, kept] = /kept in (\S+);/.exec(message) ?? []
      expect(readdirSync(kept)).toContain('data.bin')
      expect(parts).toContain(kept.replace('/detached/broken_', '/'))
    }

    // Files have everything else, and say what they lack.
    for (const stream of ['', '&stream=true']) {
      const range = 'from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z'
      const file = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/export?${range}${stream}`)
      expect([file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([200, true])
      expect(decodeURIComponent(file.headers.get('hearth-notes') ?? '')).toContain('missing-symbols')
    }

    // Later requests announce the functions again.
    await send(0, 24)
    const named = await flameGraph()
    expect(named.text).toContain('shared-')
    expect(named.missing).not.toBe('')
  })

  it('is detached, reported and kept in a ClickHouse server, too', async () => {
    const clickHouse = await startClickHouseHttp({ directory: join(directory, 'clickhouse') })
    const data = join(directory, 'beside-clickhouse')
    const store = `clickhouse://127.0.0.1:${clickHouse.port}/default`
    const start = async (): Promise<ServerProcess> => {
      const started = await ServerProcess.start({ ...flags, data, store, 'verify-period': '0s' })
      await started.prepared()
      return started
    }
    try {
      server = await start()
      await send(0, 24)
      const before = await flameGraph()
      expect([before.status, before.missing]).toEqual([200, ''])
      const parts = await damage('profiles')
      server = await start()
      const after = await flameGraph()
      expect([after.status, after.missing]).toEqual([
        200,
        expect.stringMatching(/damaged parts? of profiles/) as string,
      ])
      expect(after.sum).not.toEqual(before.sum)
      const { problems, ready } = await server.readiness()
      expect(ready).toBe(true)
      for (const { code, message } of problems) {
        expect(code).toBe('parts-broken')
        expect(message).toMatch(/a part of profiles is damaged \(tenant default, \d{4}-\d\d-\d\d\)/)
        const [, kept] = /kept in (\S+);/.exec(message) ?? []
        expect(readdirSync(kept)).toContain('data.bin')
        expect(parts).toContain(kept.replace('/detached/', '/'))
      }
      // Merges may have replaced several parts by one.
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.length).toBeLessThanOrEqual(parts.length)
      expect((await server.select('SELECT count() FROM profiles'))[0]).toBe('(0)')

      // Known after a restart, too, until an administrator accepts the loss.
      await server.end()
      server = await start()
      expect(new Set((await server.readiness()).codes)).toEqual(new Set(['parts-broken']))
      const answer = await callServer(data, 'repair', {}, () => undefined)
      expect(answer?.result).toMatchObject({
        repaired: expect.arrayContaining([expect.stringContaining('are lost')]) as [],
      })
      expect((await server.readiness()).codes).toEqual([])
      expect((await flameGraph()).missing).toBe('')
      await send(0, 24)
      expect((await flameGraph()).sum).toEqual(before.sum)
    } finally {
      await server.kill()
      await clickHouse.close()
    }
  })

  it('is found by the background check before a query meets it', async () => {
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    await send(100, 106)
    const parts = await damage('logs')
    expect(parts.length).toBeGreaterThan(0)
    rmSync(join(directory, 'verified.json'), { force: true })
    server = await ServerProcess.start({ ...flags, 'verify-period': '1s', 'verify-rate': '1GiB' })
    await expect
      .poll(
        async () =>
          (await server.readiness()).problems.filter(({ message }) => message.includes('part of logs')).length,
      )
      .toBeGreaterThan(0)
    const { problems } = await server.readiness()
    expect(problems.find(({ message }) => message.includes('part of logs'))?.message).toMatch(
      /tenant default, \d{4}-\d\d-\d\d/,
    )
    await expect.poll(() => readFileSync(join(directory, 'verified.json'), 'utf8')).toMatch(/"completed": \d{13}/)
    // Also a response without data says that some is missing.
    const range = 'from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z'
    const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/export?signal=logs&${range}`)
    expect([response.status, response.headers.get('hearth-missing-data')]).toEqual([
      404,
      expect.stringContaining('logs') as string,
    ])
  })

  it('hides profiles if it has their series, until a repair rebuilds these', async () => {
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    await send(200, 212)
    const before = await flameGraph()
    await damage('series')
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    await server.prepared()
    const after = await flameGraph()
    expect(after.missing).toContain('names and attributes')
    expect(after.sum).not.toEqual(before.sum)
    const answer = await callServer(directory, 'repair', {}, () => undefined)
    expect(answer?.result).toMatchObject({
      repaired: expect.arrayContaining([expect.stringMatching(/^series: rebuilt \d+ rows? from profiles$/)]) as [],
    })
    expect(await flameGraph()).toMatchObject({ status: 200, missing: '', sum: before.sum })
    // An announcement of the same series adds no second one.
    const count = 'SELECT count(), uniqExact(tenant, id) FROM series FINAL'
    const [rows] = await server.select(count)
    await send(200, 212)
    expect(await server.select(count)).toEqual([rows])
    expect(rows).toMatch(/^\((\d+),\1\)$/)
  })

  it('does not fail lists and files of signals if it has their resources and scopes, also after a repair', async () => {
    server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    await send(0, 12)
    for (const table of ['resources', 'scopes']) {
      await damage(table)
      server = await ServerProcess.start({ ...flags, 'verify-period': '0s' })
    }
    const { http } = server.ports
    const range = 'from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z'
    for (const repaired of [false, true]) {
      if (repaired) await callServer(directory, 'repair', {}, () => undefined)
      for (const signal of ['profiles', 'traces', 'logs', 'metrics']) {
        const file = await fetch(`http://127.0.0.1:${http}/api/v1/export?signal=${signal}&${range}`)
        expect([signal, file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([signal, 200, true])
        expect(decodeURIComponent(file.headers.get('hearth-notes') ?? '')).toContain('missing-symbols')
      }
      for (const list of ['logs?', 'traces?', 'spans?', 'metrics?']) {
        const response = await fetch(`http://127.0.0.1:${http}/api/v1/${list}${range}`)
        expect([list, response.status, await response.text()]).toEqual([list, 200, expect.stringMatching(/\w/)])
      }
    }
    expect((await server.readiness()).codes).toEqual([])
  })
})
