// Latency of the trace screen:  npm run bench:trace-page. The built server on an embedded store, and the built UI in Chromium on
// the same machine. One trace has 1,000 spans with attributes, events, logs and linked profiles of two types, another one
// 100,000 spans. It measures the time from the UI's request for the trace until its spans are painted, and until the flame graph
// is. The UI is loaded again each time. The target is 500 ms for 1,000 spans.
import { fileURLToPath } from 'node:url'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { IngestServer } from '../server/ingest-server.ts'
import { randomFrom } from '../library/inputs.ts'
import { writeFigures } from '../write-figures.ts'

const MS = 1_000_000n
const TIMES = 15
const SPANS = 1000
const MANY_SPANS = 100_000
const BATCH = 20_000
const STACKS = 400
const SAMPLES = 5000
const SMALL = 'a'.repeat(32)
const LARGE = 'b'.repeat(32)

/** Milliseconds since the page's start when spans and flame graph were first painted. */
const WATCH = `
  globalThis.hearthPainted = {}
  const painted = name => requestAnimationFrame(() => requestAnimationFrame(() => (hearthPainted[name] ??= performance.now())))
  new MutationObserver(() => {
    if (hearthPainted.spans === undefined && document.querySelector('.waterfall-rows [aria-level]') !== null) painted('spans')
    const bar = document.querySelector('.detail-bar')
    if (hearthPainted.graph === undefined && bar !== null && bar.textContent.includes(' total')) painted('graph')
  }).observe(document, { childList: true, subtree: true, characterData: true })
`

interface Painted {
  /** When the response with the trace had arrived. */
  readonly answered: number
  readonly spans: number
  /** Undefined if there is no flame graph. */
  readonly graph: number | undefined
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

async function main(): Promise<void> {
  const server = await IngestServer.start(['--self-profile', 'no'])
  const browser = await launchChromium()
  try {
    await load(server)
    const page = `http://127.0.0.1:${server.httpPort}/trace?id=`
    const rows = [
      ['1,000 spans, 5,000 linked samples', await measured(browser, `${page}${SMALL}`, true), '500 ms'],
      ['100,000 spans', await measured(browser, `${page}${LARGE}`, false), '–'],
    ] as const
    const table = [
      '| from the request for the trace | response p50 | spans painted p50 | p95 | with flame graph p50 | p95 | target |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...rows.map(([name, all, target]) => {
        const answered = all.map(each => each.answered)
        const spans = all.map(each => each.spans)
        const graphs = all.flatMap(({ graph }) => (graph === undefined ? [] : [graph]))
        return `| ${name} | ${ms(at(answered, 0.5))} | ${ms(at(spans, 0.5))} | ${ms(at(spans, 0.95))} | ${ms(at(graphs, 0.5))} | ${ms(at(graphs, 0.95))} | ${target} |`
      }),
    ].join('\n')
    console.log(table)
    writeFigures('bench:trace-page', table)
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function load(server: IngestServer): Promise<void> {
  const start = BigInt(Date.now() - 600_000) * MS
  for (const [traceId, count] of [
    [SMALL, SPANS],
    [LARGE, MANY_SPANS],
  ] as const) {
    for (let from = 0; from < count; from += BATCH) {
      await send(server, '/v1/traces', tracesJson(traceId, count, from, Math.min(count, from + BATCH), start))
    }
  }
  await send(server, '/v1/logs', logsJson(start))
  const body = encodeOtlp(profiles(start)) as Uint8Array<ArrayBuffer>
  const response = await fetch(`${server.otlp}/v1development/profiles`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body,
  })
  if (!response.ok) throw new Error(await response.text())
  await server.settled()
}

async function send(server: IngestServer, path: string, content: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.otlp}${path}`, { method: 'POST', headers, body: JSON.stringify(content) })
  if (!response.ok) throw new Error(await response.text())
}

const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } })
const resourceOf = (service: string): object => ({ attributes: [text('service.name', service)] })

/** A tree with eight branches, each span within its parent. */
function tracesJson(traceId: string, count: number, from: number, to: number, start: bigint): object {
  const whole = BigInt(count) * 100_000n
  const spans = Array.from({ length: to - from }, (_, k) => {
    const i = from + k
    const parent = i === 0 ? -1 : Math.floor((i - 1) / 8)
    const begin = start + (BigInt(i) * whole) / BigInt(2 * count)
    return {
      traceId,
      spanId: hex(i + 1, 16),
      parentSpanId: parent === -1 ? '' : hex(parent + 1, 16),
      name: ['GET /cart', 'query', 'render', 'cache.get', 'serialize'][i % 5],
      kind: 1 + (i % 5),
      startTimeUnixNano: String(begin),
      endTimeUnixNano: String(i === 0 ? start + whole : begin + (whole * 8n) / BigInt(8 + i)),
      attributes: [text('http.route', '/cart'), text('db.query.text', `SELECT * FROM cart WHERE id = ${i}`)],
      events: i % 10 === 0 ? [{ timeUnixNano: String(begin + 1000n), name: 'retry', attributes: [] }] : [],
      status: i % 50 === 49 ? { code: 2, message: 'timed out' } : {},
    }
  })
  const services = ['front', 'cart', 'stock', 'db']
  return {
    resourceSpans: services.map((service, s) => ({
      resource: resourceOf(service),
      scopeSpans: [{ scope: { name: 'bench' }, spans: spans.filter((_, i) => i % services.length === s) }],
    })),
  }
}

function logsJson(start: bigint): object {
  const logRecords = Array.from({ length: 100 }, (_, i) => ({
    timeUnixNano: String(start + BigInt(i) * MS),
    severityNumber: 9,
    body: { stringValue: `step ${i}` },
    traceId: SMALL,
    spanId: hex(i + 1, 16),
  }))
  return { resourceLogs: [{ resource: resourceOf('front'), scopeLogs: [{ scope: {}, logRecords }] }] }
}

function profiles(start: bigint) {
  const random = randomFrom(1)
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'front' }] })
  const stacks = Array.from({ length: STACKS }, () => {
    const frames = Array.from({ length: 12 + Math.floor(random() * 20) }, (_, depth) => {
      const name = `function${depth}_${Math.floor(random() * (2 + depth * 3))}`
      return builder.location({
        lines: [{ function: builder.function({ name, filename: `src/${depth}.ts` }), line: 1 }],
      })
    })
    return builder.stack(frames.toReversed())
  })
  for (const type of ['cpu', 'wall']) {
    builder.profile({
      type,
      unit: 'ns',
      periodType: type,
      periodUnit: 'ns',
      timeUnixNano: start,
      durationNano: 1000n * MS,
    })
    for (let i = 0; i < SAMPLES / 2; i++) {
      const span = hex(1 + Math.floor(random() * SPANS), 16)
      builder.sample({
        stack: stacks[Math.floor(random() * STACKS)],
        values: [10n * MS],
        link: builder.link(Buffer.from(SMALL, 'hex'), Buffer.from(span, 'hex')),
      })
    }
  }
  return builder.build()
}

/** The first run is for warming up. */
async function measured(browser: Browser, url: string, hasGraph: boolean): Promise<readonly Painted[]> {
  const all: Painted[] = []
  for (let i = 0; i <= TIMES; i++) {
    // The measuring script bypasses the page's content policy, which would block it.
    const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, bypassCSP: true })
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.addInitScript(WATCH)
    await page.goto(url)
    await page.waitForFunction(`hearthPainted.${hasGraph ? 'graph' : 'spans'} !== undefined`)
    const found = (await page.evaluate(`(() => {
      const request = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/v1/traces/'))
      return { requested: request.startTime, answered: request.responseEnd, ...hearthPainted }
    })()`)) as Painted & { readonly requested: number }
    const since = (time: number): number => time - found.requested
    if (i > 0) {
      all.push({
        answered: since(found.answered),
        spans: since(found.spans),
        graph: found.graph === undefined ? undefined : since(found.graph),
      })
    }
    await context.close()
  }
  return all
}

function at(values: readonly number[], quantile: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))]
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : `${value.toFixed(0)} ms`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
