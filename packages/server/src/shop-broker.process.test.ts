// The example shop with a Broker: a capture from the command line shows the hot function, a trigger on a slow span captures
// what ran inside that span, and a second server reaches the shop's processes over NATS.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Capture, HistoryEntry } from '@hearth/client'
import { HearthClient } from '@hearth/client'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { NatsServer, WITHOUT_NATS } from './broker/testing/nats-server.ts'
import { TestRecorder } from './broker/testing/recorder.ts'
import { ServerProcess } from './testing/server-process.ts'
import { ShopProcess } from './testing/shop-process.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'hearth-shop-broker-'))
let nats: NatsServer | undefined
let server: ServerProcess
let client: HearthClient
let shop: ShopProcess

beforeAll(async () => {
  if (WITHOUT_NATS === undefined) nats = await NatsServer.start()
  server = await ServerProcess.start({
    data: join(directory, 'first'),
    ...(nats === undefined ? {} : { 'broker-nats': nats.url }),
  })
  client = clientOf(server)
  shop = ShopProcess.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.ports.otlpHttp}`,
    HEARTH_BROKER_ENDPOINT: `http://127.0.0.1:${server.ports.otlpGrpc}`,
    HEARTH_EXPORT_INTERVAL: '2s',
  })
  await vi.waitFor(
    async () => {
      const services = await servicesOf(client)
      if (services.length < 2) throw new Error(`the shop is not subscribed:\n${shop.output}\n${server.log}`)
    },
    { timeout: 150_000, interval: 500 },
  )
}, 180_000)

afterAll(async () => {
  await shop.end()
  await server.end()
  await nats?.kill()
  rmSync(directory, { recursive: true })
})

function clientOf({ ports }: ServerProcess): HearthClient {
  return new HearthClient({ server: `http://127.0.0.1:${ports.http}` })
}

async function servicesOf(of: HearthClient): Promise<readonly string[]> {
  const { components } = await of.act('components', {})
  return components.map(({ service }) => service).toSorted()
}

/** Each function's share of the total. */
async function shares(
  of: HearthClient,
  { selector, from, to }: Pick<Capture, 'selector' | 'from' | 'to'>,
  more: object = {},
): Promise<Map<string, number>> {
  const { rows, sum } = await of.query('top', { selector: `cpu ${selector}`, from: from!, to: to!, ...more })
  return new Map(rows.map(({ frame, total }) => [frame.name, Number(total) / Number(sum)]))
}

const LARGE_SAMPLES = 60_000
const MIN_SAMPLES = 10

/** A profile with as many stacks as samples, and long names. */
function largeProfile(): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({})
  builder.scope({})
  builder.profile({ type: 'cpu', unit: 'count', timeUnixNano: BigInt(Date.now()) * 1_000_000n, durationNano: 1 })
  for (let n = 0; n < LARGE_SAMPLES; n++) {
    const name = `function_with_quite_a_long_name_${n.toString(36).padStart(30, '_')}`
    const location = builder.location({ lines: [{ function: builder.function({ name }), line: 1 }] })
    builder.sample({ stack: builder.stack([location]), values: [1] })
  }
  return encodeOtlp(builder.build())
}

test('a capture from the command line shows the hot function', async () => {
  // At its start the shop loads and compiles code. Later it searches products for most of the time.
  const recent = { selector: '{service.name="storefront"}', from: 'now-5s', to: 'now' }
  await expect.poll(async () => (await shares(client, recent)).get('editDistance') ?? 0).toBeGreaterThan(0.1)
  const argv = ['packages/cli/dist/hearth.js', 'capture', 'storefront', '--duration', '5s', '--server', client.server]
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: ROOT, env })
  expect(stdout).toMatch(/^[0-9a-f-]{36} responded with [\d,]+ samples?/)
  expect(stdout).toMatch(/\d m?s +\d.* editDistance +.*catalogue\.ts/)
  const [capture] = (await client.act('captures', {})).captures
  expect(capture).toMatchObject({ state: 'finished', reason: 'hearth capture', service: 'storefront' })
  expect((await shares(client, capture)).get('editDistance')).toBeGreaterThan(0.1)
})

test('a trigger captures what ran inside the slow span', { timeout: 180_000 }, async () => {
  const rule = 'Source(`storefront`) && Span(`rank products`) && SpanSlower(20)'
  await client.act('addTrigger', { name: 'slow-search', rule, spanOnly: true, coolDownMs: 2000 })
  let found: { readonly entry: HistoryEntry; readonly capture: Capture } | undefined
  await expect
    .poll(
      async () => {
        const { entries } = await client.act('triggerHistory', { trigger: 'slow-search' })
        for (const entry of entries.filter(({ state, lookBack }) => state === 'finished' && lookBack === true)) {
          const capture = await client.act('capture', {}, { of: entry.capture! })
          // At 100 samples per second, a span that waited for a core may have one sample or none.
          if ((capture.instances[0].samples ?? 0) >= MIN_SAMPLES) found = { entry, capture }
        }
        return found?.entry.state ?? JSON.stringify(entries.slice(0, 3))
      },
      { timeout: 120_000, interval: 1000 },
    )
    .toBe('finished')
  await client.act('removeTrigger', {}, { of: 'slow-search' })
  const { entry, capture } = found!
  const { traceId, spanId } = entry.item as { traceId: string; spanId: string }
  expect(capture).toMatchObject({ traceId, spanId, span: { traceId, parentSpanId: spanId }, by: 'trigger slow-search' })

  // The search dominates, and all samples belong to that span.
  const all = await shares(client, capture)
  expect(all.get('editDistance')).toBeGreaterThan(0.5)
  const selection = { selector: `cpu ${capture.selector}`, from: capture.from!, to: capture.to! }
  const { sum } = await client.query('top', selection)
  const ofSpan = await client.query('top', { ...selection, traceId, spanId })
  expect(ofSpan.sum).toBe(sum)

  // In the trace, the capture is a child of the span, and names the profile.
  const { spans } = await client.trace(traceId)
  const made = spans.find(({ spanId: id }) => id === capture.span.spanId)
  expect(made).toMatchObject({ name: 'capture', parentSpanId: spanId })
  const named = made?.attributes?.find(({ key }) => key === 'profile_id')?.value
  expect(JSON.stringify(named)).toContain(capture.instances[0].profileIds[0])
})

test('a second server captures from a process of the first over NATS', async context => {
  if (nats === undefined) {
    // oxlint-disable-next-line no-console -- the output must show what was skipped
    console.log(`SKIPPED: ${WITHOUT_NATS}`)
    return context.skip()
  }
  const second = await ServerProcess.start({ data: join(directory, 'second'), 'broker-nats': nats.url })
  try {
    const other = clientOf(second)
    await expect.poll(() => servicesOf(other)).toEqual(['checkout', 'storefront'])
    expect((await other.act('components', {})).components.every(({ remote }) => remote)).toBe(true)
    const begun = await other.act('startCapture', { service: 'storefront', durationMs: 4000 })
    let ended: Capture = begun
    for await (const next of other.followCapture(begun.id)) ended = next
    expect(ended).toMatchObject({ state: 'finished', answered: 1 })
    // It is stored at the server that requested it.
    expect((await shares(other, ended)).get('editDistance')).toBeGreaterThan(0.1)
    await expect(client.act('capture', {}, { of: ended.id })).rejects.toMatchObject({ status: 404 })

    // A profile larger than a NATS message arrives, too.
    const content = largeProfile()
    expect(content.length).toBeGreaterThan(3 * 2 ** 20)
    const { stream } = await TestRecorder.subscribe(server.ports.otlpGrpc, {
      component: { name: 'large' },
      onCapture: () => ({ content }),
    })
    await expect.poll(() => servicesOf(other)).toContain('large')
    const large = await other.act('startCapture', { service: 'large', durationMs: 10 })
    for await (const next of other.followCapture(large.id)) ended = next
    stream.destroy()
    expect(ended.instances).toMatchObject([{ state: 'answered', samples: LARGE_SAMPLES, bytes: content.length }])
    const { selector, from, to } = ended
    expect((await other.query('top', { selector, from: from!, to: to! })).sum).toBe(`${LARGE_SAMPLES}`)
  } finally {
    await second.end()
  }
})
