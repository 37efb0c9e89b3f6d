// The monitor in a real server: a slower version becomes a finding and a signed webhook, and a recording rule becomes a metric.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../receive/testing/running-server.ts'
import { startServer } from '../receive/testing/running-server.ts'
import { PROTOBUF, post } from '../receive/testing/senders.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-monitor-'))
const PERIOD = 10_000_000n
const SECOND = 1_000_000_000n
const NOW = BigInt(Date.now()) * 1_000_000n
const SECRET = 'the secret'

/**
 * One profile of ten seconds with 1,000 samples in 20 functions. `slow` is the number of samples of one of them, and `starting` that of a
 * function that loads code.
 */
function profile(version: string, secondsAgo: number, slow: number, starting = 0): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({
    attributes: [
      { key: 'service.name', value: 'shop' },
      { key: 'service.version', value: version },
    ],
  })
  const times = { timeUnixNano: NOW - BigInt(secondsAgo) * SECOND, durationNano: 10n * SECOND }
  builder.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: PERIOD, ...times })
  const location = (name: string) =>
    builder.location({ lines: [{ function: builder.function({ name, filename: 'shop.ts' }) }] })
  const main = location('main')
  for (let i = 0; i < 20; i++) {
    // Counts vary a little from profile to profile.
    const count = i === 7 ? slow : 45 + ((i * 7 + secondsAgo) % 11)
    const stack = builder.stack([location(i === 7 ? 'rankProducts' : `step ${i}`), location('handle'), main])
    builder.sample({ stack, values: [BigInt(count) * PERIOD] })
  }
  if (starting > 0)
    builder.sample({ stack: builder.stack([location('loadModules'), main]), values: [BigInt(starting) * PERIOD] })
  return encodeOtlp(builder.build())
}

/** A profile of measured times, two of half a second. */
function measured(secondsAgo: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'locks' }] })
  const times = { timeUnixNano: NOW - BigInt(secondsAgo) * SECOND, durationNano: 10n * SECOND }
  builder.profile({ type: 'lock_time', unit: 'ns', periodType: 'lock_time', periodUnit: 'ns', period: 1n, ...times })
  for (const name of ['read', 'write']) {
    const location = builder.location({ lines: [{ function: builder.function({ name, filename: 'locks.ts' }) }] })
    builder.sample({ stack: builder.stack([location]), values: [SECOND / 2n] })
  }
  return encodeOtlp(builder.build())
}

/** A snapshot of the live heap: the same two objects each time. */
function heap(secondsAgo: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'caches' }] })
  const times = { timeUnixNano: NOW - BigInt(secondsAgo) * SECOND }
  builder.profile({
    type: 'inuse_space',
    unit: 'bytes',
    periodType: 'space',
    periodUnit: 'bytes',
    period: 1n,
    ...times,
  })
  for (const name of ['load', 'fill']) {
    const location = builder.location({ lines: [{ function: builder.function({ name, filename: 'cache.ts' }) }] })
    builder.sample({ stack: builder.stack([location]), values: [1000n] })
  }
  return encodeOtlp(builder.build())
}

interface Delivery {
  readonly signature: string | undefined
  readonly timestamp: string | undefined
  readonly body: string
}

describe('the monitor', () => {
  const deliveries: Delivery[] = []
  let webhook: Server
  let at: RunningServer
  let client: HearthClient

  beforeAll(async () => {
    webhook = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { 'x-hearth-signature': signature, 'x-hearth-timestamp': timestamp } = request.headers
        deliveries.push({
          signature: signature as string,
          timestamp: timestamp as string,
          body: Buffer.concat(chunks).toString(),
        })
        // The first delivery fails, so that it must be tried again.
        response.writeHead(deliveries.length === 1 ? 503 : 200).end()
      })
    }).listen(0, '127.0.0.1')
    await once(webhook, 'listening')
    const { port } = webhook.address() as AddressInfo
    const rules = join(directory, 'rules.yaml')
    writeFileSync(
      rules,
      [
        'receivers:',
        `  - { name: team, kind: webhook, url: "http://127.0.0.1:${port}/hook", secret: "${SECRET}" }`,
        'alerts:',
        '  - { name: regressions, condition: { kind: regression, minIncrease: 5 } }',
        'recording:',
        `  - { name: rank.cores, selector: 'cpu:ns{} | frame "rankProducts"', groupBy: [service.name], per: core }`,
      ].join('\n'),
    )
    at = await startServer(join(directory, 'data'), { monitor: '500ms', rules })
    client = new HearthClient({ server: at.main })
    const send = async (body: Uint8Array): Promise<void> => {
      const response = await post(`${at.otlp}/v1development/profiles`, body, { 'content-type': PROTOBUF })
      expect(response.status).toBe(200)
    }
    for (let i = 0; i < 60; i++) await send(profile('1.0', 1200 - 10 * i, 50))
    // The first profiles of the new version also have the code of its start.
    for (let i = 0; i < 12; i++) await send(profile('1.1', 300 - 10 * i, 110, i < 3 ? 400 : 0))
    for (const secondsAgo of [1000, 900, 500, 400]) await send(measured(secondsAgo))
    for (let secondsAgo = 1000; secondsAgo > 0; secondsAgo -= 50) await send(heap(secondsAgo))
  })

  afterAll(async () => {
    webhook.close()
    await at.server.close()
    rmSync(directory, { recursive: true })
  })

  it('finds the function that the new version made slower, and not the code of its start', async () => {
    const found = await expect
      .poll(async () => (await client.act('findings', {})).findings, { timeout: 60_000 })
      .toHaveLength(1)
      .then(() => client.act('findings', { service: 'shop', state: 'open' }))
    const [finding] = found.findings
    expect(finding).toMatchObject({
      service: 'shop',
      type: 'cpu:ns',
      version: '1.1',
      previousVersion: '1.0',
      comparison: 'version',
      cause: { name: 'rankProducts', file: 'shop.ts' },
      unit: 'cores',
      state: 'open',
    })
    // 60 samples of 10 ms in 10 s.
    expect(finding.change).toBeGreaterThan(0.05)
    expect(finding.change).toBeLessThan(0.07)
    expect(Math.abs(finding.change - 0.06)).toBeLessThan(finding.margin)
    expect(found.comparisons).toMatchObject([{ service: 'shop', found: 1 }])
    expect(found.comparisons[0].detectable).toBeGreaterThan(0)
  })

  it('sends a signed webhook, and tries again if the receiver fails', async () => {
    await expect.poll(() => deliveries.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
    const [{ signature, timestamp, body }] = deliveries
    const hash = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
    expect(signature).toBe(`sha256=${hash}`)
    expect(JSON.parse(body)).toMatchObject({
      status: 'firing',
      alerts: [{ rule: 'regressions', labels: { 'service.name': 'shop', function: 'rankProducts' } }],
    })
    await expect
      .poll(async () => (await client.act('notifications', {})).sent, { timeout: 60_000 })
      .toMatchObject([{ receiver: 'team', state: 'sent', attempts: 2 }])
  })

  it('accepts a finding, which ends its alert', async () => {
    const [{ id }] = (await client.act('findings', {})).findings
    const changed = await client.act('changeFinding', { state: 'accepted', note: 'known' }, { of: id })
    expect(changed.history.map(({ event }) => event)).toEqual(['opened', 'accepted'])
    await expect
      .poll(async () => (await client.act('alerts', { service: 'shop' })).alerts, { timeout: 60_000 })
      .toMatchObject([{ state: 'resolved', finding: id }])
  })

  it('records past time as a metric', async () => {
    const { points } = await client.act('backfillRecordingRule', { from: 'now-30m' }, { of: 'rank.cores' })
    expect(points).toBeGreaterThan(10)
    await at.server.store.visible()
    const series = await client.query('metricSeries', {
      name: 'rank.cores',
      from: 'now-30m',
      groupBy: ['service.name'],
    })
    expect(series).toMatchObject({ unit: 'cores', groups: [{ labels: [{ stringValue: 'shop' }] }] })
    const values = series.groups[0].points.map(({ value }) => Number(value))
    expect(Math.max(...values)).toBeGreaterThan(0.1)
    // The same points are not stored twice.
    expect(await client.act('backfillRecordingRule', { from: 'now-30m' }, { of: 'rank.cores' })).toEqual({ points: 0 })
    const text = await (await fetch(`${at.main}/metrics/rules`)).text()
    expect(text).toContain('# TYPE rank_cores gauge')
    const preview = { selector: 'cpu:ns{}', per: 'core', groupBy: ['service.version'], from: 'now-30m' } as const
    expect((await client.act('previewRecordingRule', preview)).points.length).toBeGreaterThan(10)
  })

  it('turns the ledgers of an operation into a histogram and into values of alerts', async () => {
    const spans = [1, 2, 3].map(i => ({
      traceId: String(i).repeat(32),
      spanId: String(i).repeat(16),
      name: 'GET /search',
      kind: 2,
      startTimeUnixNano: String(NOW - 600n * SECOND),
      endTimeUnixNano: String(NOW - 600n * SECOND + (BigInt(i) * SECOND) / 10n),
    }))
    const attributes = [{ key: 'service.name', value: { stringValue: 'search' } }]
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] })
    const sent = await post(`${at.otlp}/v1/traces`, Buffer.from(body), { 'content-type': 'application/json' })
    expect(sent.status).toBe(200)
    await at.server.store.visible()
    const ledger = { ledger: { operation: 'GET /search' }, groupBy: ['service.name'] }
    const { unit, points } = await client.act('previewRecordingRule', { ...ledger, from: 'now-30m' })
    // Nothing is known about these spans, and every entry has a point.
    const [unknown] = points.filter(({ labels }) => labels['hearth.ledger.entry'] === 'unknown')
    expect([unit, points.length, unknown.labels['service.name']]).toEqual(['s', 8, 'search'])
    expect(unknown.value).toBeCloseTo(0.2, 6)
    await client.act('putRecordingRule', ledger, { of: 'search.time' })
    expect(await client.act('backfillRecordingRule', { from: 'now-30m' }, { of: 'search.time' })).toEqual({ points: 8 })
    await at.server.store.visible()
    const series = await client.query('metricSeries', {
      name: 'search.time',
      from: 'now-30m',
      groupBy: ['hearth.ledger.entry'],
      aggregation: 'average',
    })
    expect(series).toMatchObject({ kind: 'histogram', unit: 's' })
    const group = series.groups.find(({ labels }) => JSON.stringify(labels).includes('unknown'))
    expect(Number(group?.points[0].value)).toBeCloseTo(0.2, 6)
    const condition = { kind: 'ledger', service: 'search', operation: 'GET /search', entry: 'unknown' } as const
    const rule = { condition, test: { kind: 'above', value: 1e8 }, window: '30m' } as const
    await client.act('putAlertRule', rule, { of: 'unexplained' })
    await expect
      .poll(async () => (await client.act('alerts', { service: 'search' })).alerts, { timeout: 60_000 })
      .toMatchObject([{ rule: 'unexplained', state: 'firing', value: expect.closeTo(2e8, -1) as number }])
    await client.act('removeAlertRule', {}, { of: 'unexplained' })
    const both = client.act('putRecordingRule', { ...ledger, selector: 'cpu:ns{}' }, { of: 'both' })
    await expect(both).rejects.toMatchObject({
      message: expect.stringContaining('either a selector or a ledger') as string,
    })
  })

  it('reports the week', async () => {
    const { markdown, html } = await client.act('report', {})
    expect(markdown).toContain('| shop | ')
    expect(markdown).toContain('rankProducts costs')
    expect(html).toContain('<h2>Most expensive functions</h2>')
  })

  it('compares two selectors with significance', async () => {
    const compared = await client.query('changes', {
      selector: 'cpu:ns{service.version="1.1"}',
      beforeSelector: 'cpu:ns{service.version="1.0"}',
      beforeFrom: 'now-1h',
      beforeTo: 'now',
    })
    const row = compared.rows.find(({ name }) => name === 'rankProducts')
    expect(row?.self.q).toBeLessThan(0.001)
    expect(compared.rows.find(({ name }) => name === 'step 3')?.self.after).toBeLessThan(0.06)
  })

  it('counts a measured time as one observation, however long it is', async () => {
    const ago = (seconds: bigint): string => String(NOW - seconds * SECOND)
    const compared = await client.query('changes', {
      selector: 'lock_time:ns{service.name="locks"}',
      from: ago(700n),
      to: ago(0n),
      beforeFrom: ago(1200n),
      beforeTo: ago(700n),
    })
    expect(compared.observations).toEqual({ before: 4, after: 4 })
  })

  it('takes all snapshots of a process as one run, because they repeat the same objects', async () => {
    const ago = (seconds: bigint): string => String(NOW - seconds * SECOND)
    const compared = await client.query('changes', {
      selector: 'inuse_space:bytes{service.name="caches"}',
      from: ago(500n),
      to: ago(0n),
      beforeFrom: ago(1020n),
      beforeTo: ago(500n),
    })
    expect(compared.runs).toEqual({ before: 1, after: 1 })
    expect(compared.sums).toEqual({ before: 2000, after: 2000 })
  })
})
