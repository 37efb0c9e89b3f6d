// The example shop against a real server: the hot function appears under the span that called it, and nowhere else.
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

interface Top {
  readonly sum: string
  readonly rows: readonly {
    readonly frame: { readonly name: string; readonly file?: string }
    readonly total: string
  }[]
}

async function top(parameters: Readonly<Record<string, string>>): Promise<Top> {
  const query = new URLSearchParams({ selector: 'cpu {service.name="storefront"}', ...parameters })
  const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/top?${query.toString()}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text) as Top
}

const burned = ({ rows }: Top): number =>
  Number(rows.find(({ frame }) => frame.name === 'editDistance' && frame.file?.endsWith('catalogue.ts'))?.total ?? 0)

/** [trace, span, parent] in hex, longest first. */
async function spansNamed(name: string): Promise<readonly (readonly string[])[]> {
  const rows = await server.select(
    `SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent ` +
      `FROM spans WHERE name = '${name}' ORDER BY duration_nano DESC LIMIT 50`,
  )
  return rows.map(row => [...row.matchAll(/'([0-9a-f]+)'/g)].map(([, id]) => id))
}

test('the hot function is under the span that called it', { timeout: 400_000 }, async () => {
  const find = async () => {
    if (shop.hasEnded) throw new Error(`the shop has closed:\n${shop.output}`)
    const spans = await spansNamed('rank products')
    for (const [trace, span, parent] of spans) {
      const under = await top({ traceId: trace, spanId: span })
      if (burned(under) > 0) return { trace, span, parent, under }
    }
    const all = await top({})
    throw new Error(
      `${burned(all)} of ${all.sum} ns, none under ${spans.length} spans; output of the shop:\n${shop.output}`,
    )
  }
  const { trace, span, parent, under } = await vi.waitFor(find, { timeout: 300_000, interval: 1000 })
  // It dominates the span.
  expect(burned(under) / Number(under.sum)).toBeGreaterThan(0.5)

  // The parent request has little self time, but its subtree contains the function.
  const own = await top({ traceId: trace, spanId: parent })
  expect(burned(own)).toBe(0)
  const subtree = await top({ traceId: trace, spanId: parent, subtree: 'true' })
  expect(burned(subtree)).toBeGreaterThanOrEqual(burned(await top({ traceId: trace, spanId: span })))

  // Concurrent requests have none of it.
  for (const name of ['list products', 'draw thumbnail', 'GET /products']) {
    for (const [otherTrace] of await spansNamed(name)) expect(burned(await top({ traceId: otherTrace }))).toBe(0)
  }

  // Logs have the same trace ids. They arrive in separate batches.
  const logs = `SELECT count() AS count FROM logs WHERE trace_id IN (SELECT trace_id FROM spans WHERE name = 'POST /orders')`
  await expect.poll(() => server.select(logs), { interval: 1000 }).not.toEqual(['(0)'])

  // Worker threads belong to the same service.
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
  expect(shop.output).toContain('The shop is open')
  expect(shop.output).not.toContain('hearth agent:')
})
