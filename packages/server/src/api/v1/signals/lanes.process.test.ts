// Spans and log records for the lanes of a timeline, over real sockets: all if they are few, a bounded selection otherwise.
import { ApiError } from '@hearth/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { START } from '../../../query/testing/plain-profiles.ts'
import type { SignalServer } from '../testing/signal-server.ts'
import { attributesJson, openSignalServer, settled } from '../testing/signal-server.ts'

const MS = 1_000_000n
const SECOND = 1000n * MS
const TRACE = 'ab'.repeat(16)
const RANGE = { from: String(START), to: String(START + 10n * SECOND) }
const at = (ms: bigint): string => String(START + ms * MS)

let server: SignalServer
beforeAll(async () => {
  server = await openSignalServer()
})
afterAll(async () => {
  await server.close()
})

interface PlainSpan {
  readonly name: string
  readonly ms: bigint
  readonly length: bigint
  readonly thread?: bigint
  readonly isError?: boolean
}

let spans = 0

async function sendSpans(resource: Record<string, string | bigint>, list: readonly PlainSpan[]): Promise<void> {
  await server.send('traces', {
    resourceSpans: [
      {
        resource: { attributes: attributesJson(resource) },
        scopeSpans: [
          {
            scope: { name: 'tracer' },
            spans: list.map(({ name, ms, length, thread, isError = false }) => ({
              traceId: TRACE,
              spanId: (++spans).toString(16).padStart(16, '0'),
              name,
              startTimeUnixNano: at(ms),
              endTimeUnixNano: at(ms + length),
              attributes: thread === undefined ? [] : attributesJson({ 'thread.id': thread }),
              status: isError ? { code: 2 } : {},
            })),
          },
        ],
      },
    ],
  })
}

async function sendLogs(
  resource: Record<string, string | bigint>,
  list: readonly { readonly ms: bigint; readonly severity: number; readonly body: string; readonly thread?: bigint }[],
): Promise<void> {
  await server.send('logs', {
    resourceLogs: [
      {
        resource: { attributes: attributesJson(resource) },
        scopeLogs: [
          {
            scope: { name: 'logger' },
            logRecords: list.map(({ ms, severity, body, thread }) => ({
              timeUnixNano: at(ms),
              severityNumber: severity,
              body: { stringValue: body },
              attributes: thread === undefined ? [] : attributesJson({ 'thread.id': thread }),
            })),
          },
        ],
      },
    ],
  })
}

/** Ids of the resources of a service's logs, by process.pid. */
async function processesOf(service: string): Promise<string[]> {
  const { resources } = await server.client.query('logs', { ...RANGE, service, limit: 1000 })
  const pid = (attributes: (typeof resources)[number]['attributes']): string =>
    attributes.find(({ key }) => key === 'process.pid')?.value.intValue ?? ''
  return resources.toSorted((a, b) => pid(a.attributes).localeCompare(pid(b.attributes))).map(({ id }) => id)
}

describe('few', () => {
  let processes: string[]

  beforeAll(async () => {
    const [one, two] = [1n, 2n].map(pid => ({ 'service.name': 'few', 'process.pid': pid }))
    // One sender describes the process with more attributes, and one with too few to identify it.
    await sendSpans({ ...one, 'host.name': 'a' }, [
      { name: 'before', ms: -5000n, length: 4000n },
      { name: 'long', ms: -5000n, length: 60_000n, thread: 7n },
      { name: 'short', ms: 200n, length: 1n, thread: 7n, isError: true },
    ])
    await sendSpans(two, [
      { name: 'into', ms: -1n, length: 2n },
      { name: 'after', ms: 10_000n, length: 5n },
    ])
    await sendSpans({ 'service.name': 'few', 'process.pid': 9n }, [{ name: 'elsewhere', ms: 0n, length: 30n }])
    await sendSpans({ 'service.name': 'other' }, [{ name: 'other', ms: 0n, length: 1000n }])
    await sendLogs(one, [
      { ms: 100n, severity: 9, body: 'one', thread: 7n },
      { ms: 104n, severity: 17, body: 'grave', thread: 7n },
      { ms: 900n, severity: 0, body: 'late' },
    ])
    await sendLogs(two, [{ ms: 104n, severity: 13, body: 'of two' }])
    await settled(async () => (await server.client.query('spans', { ...RANGE, service: 'few' })).all, 4)
    await settled(async () => (await server.client.query('logMarks', { ...RANGE, service: 'few' })).all, 4)
    processes = await processesOf('few')
  })

  test('returns all spans that touch the range, with process and thread', async () => {
    const { spans: found, all } = await server.client.query('spans', { ...RANGE, resources: processes })
    expect(all).toBe(4)
    expect(found.map(({ name, process, thread, status }) => [name, process, thread, status])).toEqual([
      ['long', 0, '7', 'unset'],
      // Its process was not requested, so it belongs to the first of its service.
      ['elsewhere', 0, '', 'unset'],
      ['into', 1, '', 'unset'],
      ['short', 0, '7', 'error'],
    ])
    expect(found[0]).toMatchObject({ start: at(-5000n), duration: String(60n * SECOND), traceId: TRACE })
    const inside = { from: at(150n), to: at(160n), service: 'few' }
    expect((await server.client.query('spans', inside)).spans.map(({ name, process }) => [name, process])).toEqual([
      ['long', -1],
    ])
    const selected = await server.client.query('spans', { ...RANGE, selector: '{service.name="other"}' })
    expect(selected.spans.map(({ name }) => name)).toEqual(['other'])
  })

  test('returns single log records for short steps and the most severe of longer ones', async () => {
    const marks = async (step: string) => {
      const response = await server.client.query('logMarks', { ...RANGE, resources: processes, step })
      expect([response.all, response.hidden]).toEqual([4, 0])
      return response.marks.map(({ text, records, process, thread }) => [text, records, process, thread])
    }
    expect(await marks('1ms')).toEqual([
      ['one', 1, 0, '7'],
      ['grave', 1, 0, '7'],
      ['of two', 1, 1, ''],
      ['late', 1, 0, ''],
    ])
    expect(await marks('1s')).toEqual([
      ['grave', 2, 0, '7'],
      ['of two', 1, 1, ''],
      ['late', 1, 0, ''],
    ])
    const [gravest] = (await server.client.query('logMarks', { ...RANGE, service: 'few', limit: 1 })).marks
    expect(gravest).toMatchObject({ text: 'grave', time: at(104n), severity: 17, process: -1 })
    expect((await server.client.query('logMarks', { ...RANGE, service: 'few', limit: 1 })).hidden).toBe(3)
  })

  test('rejects invalid requests', async () => {
    const fault = async (result: Promise<unknown>): Promise<unknown> =>
      await result.then(
        () => 'none',
        (error: unknown) => (error instanceof ApiError ? error.status : error),
      )
    expect(await fault(server.client.query('spans', { ...RANGE, selector: 'cpu {}' }))).toBe(400)
    expect(await fault(server.client.query('spans', { ...RANGE, resources: ['x'] }))).toBe(400)
    expect(await fault(server.client.query('logMarks', { ...RANGE, step: '1ns' }))).toBe(400)
    const unknown = { ...RANGE, resources: ['18446744073709551615'] }
    expect(await server.client.query('spans', unknown)).toEqual({ spans: [], all: 0 })
    expect(await server.client.query('logMarks', unknown)).toMatchObject({ marks: [], all: 0 })
  })
})

describe('many', () => {
  beforeAll(async () => {
    const many = { 'service.name': 'many', 'process.pid': 1n }
    // One thread has a long span every second and a short one every 10 ms. Another has only very short spans.
    const long = Array.from({ length: 10 }, (_, k) => ({
      name: 'long',
      ms: BigInt(k) * 1000n,
      length: 900n,
      thread: 1n,
    }))
    const short = Array.from({ length: 1000 }, (_, k) => ({
      name: 'short',
      ms: BigInt(k) * 10n,
      length: 5n,
      thread: 1n,
    }))
    const tiny = Array.from({ length: 1000 }, (_, k) => ({ name: 'tiny', ms: BigInt(k) * 10n, length: 1n, thread: 2n }))
    await sendSpans(many, [...long, ...short, ...tiny])
    await settled(async () => (await server.client.query('spans', { ...RANGE, service: 'many', limit: 1 })).all, 2010)
  })

  test('returns the longest spans and some of every thread and step', async () => {
    const { spans: found, all } = await server.client.query('spans', { ...RANGE, service: 'many', limit: 1500 })
    expect(all).toBe(2010)
    expect(found.length).toBeLessThanOrEqual(1500)
    const count = (name: string): number => found.filter(each => each.name === name).length
    expect(count('long')).toBe(10)
    expect(count('short')).toBe(990)
    // They fill the remaining room over the whole range. In ten steps a long span is the longest.
    const tenths = new Set(
      found.filter(({ name }) => name === 'tiny').map(({ start }) => (BigInt(start) - START) / SECOND),
    )
    expect([count('tiny'), tenths.size]).toEqual([490, 10])
    expect(new Set(found.map(({ spanId }) => spanId)).size).toBe(found.length)
    const near = { from: at(3000n), to: at(3100n), service: 'many', limit: 100 }
    const zoomed = await server.client.query('spans', near)
    expect([zoomed.all, zoomed.spans.length]).toEqual([21, 21])
  })
})
