// The application of `npm run bench:agent`: a typical HTTP service with a span per request. The profiler is loaded from
// outside, except Pyroscope's client, which code has to start.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

export interface Usage {
  readonly requests: number
  readonly cpuMicros: number
  readonly rss: number
}

interface Line {
  readonly name: string
  readonly count: number
  readonly cents: number
}

if (process.env['PYROSCOPE_URL'] !== undefined) {
  const { default: Pyroscope } = await import('@pyroscope/nodejs')
  Pyroscope.init({
    serverAddress: process.env['PYROSCOPE_URL'],
    appName: 'bench',
    flushIntervalMs: 10_000,
    wall: { collectCpuTime: true },
  })
  Pyroscope.start()
}

new NodeTracerProvider().register()
const tracer = trace.getTracer('bench')
let requests = 0

/** Parses JSON, builds a table, hashes it and writes JSON: about a millisecond. */
function price(body: string): string {
  const { lines } = JSON.parse(body) as { readonly lines: readonly Line[] }
  const priced = lines.map(line => ({ ...line, total: line.count * line.cents, label: `${line.count} × ${line.name}` }))
  const byName = new Map(priced.map(line => [line.label, line]))
  const sorted = [...byName.values()].sort((a, b) => b.total - a.total)
  const hash = createHash('sha256')
  for (const line of sorted) hash.update(line.label)
  return JSON.stringify({ lines: sorted, signature: hash.digest('hex') })
}

const server = createServer((request, response) => {
  void tracer.startActiveSpan('POST /price', async span => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    // Stands for a lookup in a cache or a database.
    await new Promise(resolve => setImmediate(resolve))
    const quote = await tracer.startActiveSpan('price', async inner => {
      const text = price(body)
      await Promise.resolve()
      inner.end()
      return text
    })
    response.writeHead(200, { 'content-type': 'application/json' }).end(quote)
    span.end()
    requests++
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.({ port: (server.address() as AddressInfo).port })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ requests, cpuMicros: user + system, rss: process.memoryUsage.rss() } satisfies Usage)
})
// A regular exit, so that --cpu-prof writes its file.
process.on('disconnect', () => process.exit(0))
