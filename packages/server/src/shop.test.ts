// The example shop against a real server: the function that burns CPU is found under the span that called it, and nowhere else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ServerProcess } from './testing/server-process.ts'
import { ShopProcess } from './testing/shop-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-shop-'))
let server: ServerProcess
let shop: ShopProcess

beforeAll(async () => {
  server = await ServerProcess.start({ data: directory })
  shop = ShopProcess.start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.ports.otlpHttp}` })
})

afterAll(async () => {
  shop.kill()
  await server.end()
  rmSync(directory, { recursive: true })
})

interface Found {
  readonly sum: string
  readonly rows: readonly {
    readonly frame: { readonly name: string; readonly file?: string }
    readonly total: string
  }[]
}

async function top(parameters: Readonly<Record<string, string>>): Promise<Found> {
  const query = new URLSearchParams({ selector: 'cpu {service.name="storefront"}', ...parameters })
  const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/top?${query.toString()}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text) as Found
}

const burned = ({ rows }: Found): number =>
  Number(rows.find(({ frame }) => frame.name === 'editDistance' && frame.file?.endsWith('catalogue.ts'))?.total ?? 0)

/** [trace, span, parent] in hex, the longest first. */
async function spansNamed(name: string): Promise<readonly (readonly string[])[]> {
  const rows = await server.select(
    `SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent ` +
      `FROM spans WHERE name = '${name}' ORDER BY duration_nano DESC LIMIT 50`,
  )
  return rows.map(row => [...row.matchAll(/'([0-9a-f]+)'/g)].map(([, id]) => id))
}

test('the function that burns CPU is under the span that called it', { timeout: 400_000 }, async () => {
  const find = async () => {
    if (shop.hasEnded) throw new Error(`the shop has closed:\n${shop.said}`)
    const spans = await spansNamed('rank products')
    for (const [trace, span, parent] of spans) {
      const under = await top({ traceId: trace, spanId: span })
      if (burned(under) > 0) return { trace, span, parent, under }
    }
    const all = await top({})
    throw new Error(`${burned(all)} of ${all.sum} ns, none under ${spans.length} spans; the shop said:\n${shop.said}`)
  }
  const { trace, span, parent, under } = await vi.waitFor(find, { timeout: 300_000, interval: 1000 })
  // Nearly all of what the span did.
  expect(burned(under) / Number(under.sum)).toBeGreaterThan(0.5)

  // The request above it did little by itself, but with what is below it has all of it.
  const own = await top({ traceId: trace, spanId: parent })
  expect(burned(own)).toBe(0)
  const whole = await top({ traceId: trace, spanId: parent, subtree: 'true' })
  expect(burned(whole)).toBeGreaterThanOrEqual(burned(await top({ traceId: trace, spanId: span })))

  // Requests that ran at the same time have none of it.
  for (const name of ['list products', 'draw thumbnail', 'GET /products']) {
    for (const [otherTrace] of await spansNamed(name)) expect(burned(await top({ traceId: otherTrace }))).toBe(0)
  }

  // Logs lead to the same traces. They come in batches of their own.
  const logs = `SELECT count() AS count FROM logs WHERE trace_id IN (SELECT trace_id FROM spans WHERE name = 'POST /orders')`
  await expect.poll(() => server.select(logs), { interval: 1000 }).not.toEqual(['(0)'])

  // Worker threads are in the same service.
  await expect
    .poll(
      async () => {
        const { rows } = await top({ selector: 'wall {service.name="storefront"} | frame "drawThumbnail"' })
        return rows.map(({ frame }) => frame.name)
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toContain('shadePixel')

  const code = await shop.end()
  expect(code).toBe(0)
  expect(shop.said).toContain('The shop is open')
  expect(shop.said).not.toContain('hearth agent:')
})
