// A server that responds as Parca 0.28.0 does.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ParcaSource } from './parca-source.ts'

const START = Date.parse('2026-11-19T06:00:00Z')
const RANGE = { from: START, to: START + 3_600_000 }

const cpu = { name: 'process_cpu', periodType: 'cpu', periodUnit: 'nanoseconds', delta: true }
const memory = { name: 'memory', periodType: 'space', periodUnit: 'bytes', delta: false }
const TYPES = [
  { ...cpu, sampleType: 'samples', sampleUnit: 'count' },
  { ...cpu, sampleType: 'cpu', sampleUnit: 'nanoseconds' },
  { ...cpu, name: 'agent', sampleType: 'samples', sampleUnit: 'count' },
  { ...memory, sampleType: 'alloc_space', sampleUnit: 'bytes' },
  { ...memory, sampleType: 'inuse_space', sampleUnit: 'bytes' },
  { ...memory, name: 'other', sampleType: 'inuse_space', sampleUnit: 'bytes' },
]
const JOB = { labels: [{ name: 'job', value: 'shop' }] }
const TIMES = ['2026-11-19T06:00:10.600603165Z', '2026-11-19T06:00:20.603070864Z']

let server: Server
let source: ParcaSource
const ranges: URLSearchParams[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://parca')
    const json = (body: object): void => void response.end(JSON.stringify(body))
    if (pathname.endsWith('/types')) return json({ types: TYPES })
    if (pathname.endsWith('/labels')) return json({ labelNames: ['job'] })
    ranges.push(searchParams)
    const query = searchParams.get('query')!
    if (query.startsWith('broken')) {
      // The page of a proxy in front of Parca.
      response.writeHead(200, { 'content-type': 'text/html' })
      return void response.end('<html>sign in</html>')
    }
    if (query.startsWith('other:')) {
      response.writeHead(200, { 'content-type': 'text/html', 'grpc-metadata-content-type': 'application/grpc' })
      return void response.end('<html></html>')
    }
    return json({ series: [{ labelset: JOB, samples: TIMES.map(timestamp => ({ timestamp, value: '1' })) }] })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  source = new ParcaSource({ url: `http://127.0.0.1:${port}`, headers: {} }, '')
})
afterAll(() => void server.close())

describe('ParcaSource', () => {
  it('lists counts of samples only where the measured type is missing, and no series without data', async () => {
    const found = await source.series(RANGE)
    expect(found.map(({ name, type, kind }) => [name, type, kind])).toEqual([
      ['process_cpu', 'cpu', 'events'],
      ['memory', 'alloc_space', 'counter'],
      ['memory', 'inuse_space', 'state'],
      ['agent', 'samples', 'events'],
    ])
  })

  it('returns each snapshot at its time, and asks for the whole last millisecond', async () => {
    const heap = (await source.series(RANGE)).find(({ kind }) => kind === 'state')!
    ranges.length = 0
    const [first, second] = [10_600, 20_603].map(ms => ({ from: START + ms, to: START + ms + 1 }))
    expect(await source.snapshots(heap, RANGE)).toEqual([first, second])
    expect(ranges.map(each => each.get('end'))).toEqual(['2026-11-19T06:59:59.999999999Z'])
  })

  it('rejects a page that is not from Parca', async () => {
    const series = { key: 'broken{}', name: '', type: '', kind: 'events', labels: {}, selector: '{}' } as const
    await expect(source.windows(series, RANGE, 60_000)).rejects.toThrow('the response is not JSON')
  })
})
