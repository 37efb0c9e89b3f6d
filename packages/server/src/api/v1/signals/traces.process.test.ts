// Traces over real sockets, sent like exporters send them. Responses are compared with a computation in memory.
import { HearthClient } from '@hearth/client'
import type { TraceResponse, TracesRequest } from '@hearth/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainProfile, PlainSample } from '../../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START } from '../../../query/testing/plain-profiles.ts'
import { traceTree } from '../../../query/signals/trace-tree.ts'
import type { SignalServer } from '../testing/signal-server.ts'
import { attributesJson, faultOf, openSignalServer, settled } from '../testing/signal-server.ts'

const SECOND = 1_000_000_000n
const MS = 1_000_000n
const RANGE = { from: String(START), to: String(START + 3600n * SECOND) }
const SERVICES = ['front', 'back'] as const
const NAMES = ['GET /cart', 'query', 'render'] as const
const STATUSES = ['unset', 'ok', 'error'] as const

interface PlainSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly service: (typeof SERVICES)[number]
  readonly name: string
  readonly start: bigint
  /** 0 for none. */
  readonly end: bigint
  readonly status: number
  readonly attributes: Readonly<Record<string, string | bigint>>
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')

/** Twenty traces of up to eight spans. Some have no parent, some no end. */
const plainTraces = fc
  .array(
    fc.array(
      fc.record({
        parent: fc.integer({ min: -1, max: 8 }),
        service: fc.constantFrom(...SERVICES),
        name: fc.constantFrom(...NAMES),
        start: fc.integer({ min: 0, max: 999 }),
        length: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 900 }) }, fc.constant(undefined)),
        status: fc.integer({ min: 0, max: 2 }),
        region: fc.constantFrom('eu-1', 'eu-2', 'us'),
        code: fc.constantFrom(200n, 404n, 500n),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    { minLength: 20, maxLength: 20 },
  )
  .map(traces =>
    traces.map((list, t) =>
      list.map(({ parent, service, name, start, length, status, region, code }, s): PlainSpan => {
        const begin = START + BigInt(t) * 10n * SECOND + BigInt(start) * MS
        return {
          traceId: hex(t + 1, 32),
          spanId: hex((t + 1) * 100 + s, 16),
          parentSpanId: s === 0 || parent === -1 ? '' : hex((t + 1) * 100 + parent, 16),
          service,
          name,
          start: begin,
          end: length === undefined ? 0n : begin + BigInt(length) * MS,
          status,
          attributes: { region, 'http.status': code, 'thread.id': 7n },
        }
      }),
    ),
  )

const [TRACES] = fc.sample(plainTraces, { seed: 5, numRuns: 1 })
const SPANS = TRACES.flat()
const hasEnd = ({ start, end }: PlainSpan): boolean => end >= start && end !== 0n
const durationOf = (span: PlainSpan): bigint => (hasEnd(span) ? span.end - span.start : 0n)

const CONTEXT = { traceState: 'vendor=1', flags: 257 }
const EVENT = { attributes: attributesJson({ n: 1n }) }
const LINK = {
  traceId: hex(99, 32),
  spanId: hex(98, 16),
  attributes: attributesJson({ why: 'retry' }),
  traceState: 'vendor=2',
  flags: 769,
}

function tracesJson(spans: readonly PlainSpan[]): object {
  return {
    resourceSpans: SERVICES.map(service => ({
      resource: { attributes: attributesJson({ 'service.name': service, zone: `${service}-zone`, 'process.pid': 9n }) },
      scopeSpans: [
        {
          scope: { name: 'lib', version: '2', droppedAttributesCount: 6 },
          spans: spans
            .filter(span => span.service === service)
            .map(span => ({
              traceId: span.traceId,
              spanId: span.spanId,
              parentSpanId: span.parentSpanId,
              name: span.name,
              kind: 2,
              startTimeUnixNano: String(span.start),
              endTimeUnixNano: String(span.end),
              attributes: attributesJson(span.attributes),
              events: [{ timeUnixNano: String(span.start + 1n), name: 'began', ...EVENT, droppedAttributesCount: 5 }],
              links: [{ ...LINK, droppedAttributesCount: 4 }],
              ...CONTEXT,
              droppedAttributesCount: 1,
              droppedEventsCount: 2,
              droppedLinksCount: 3,
              status: { code: span.status, message: span.status === 2 ? 'broken' : '' },
            })),
        },
      ],
    })),
  }
}

/** Every span has a sample of 10, and every second span another of 5. `gc` is only in the first and the third trace. */
const gcTraces = new Set([TRACES[0][0].traceId, TRACES[2][0].traceId])
const leafOf = ({ traceId }: PlainSpan) => (gcTraces.has(traceId) ? 'gc' : 'work')
const sampleOf = (span: PlainSpan, value: bigint): PlainSample => ({
  frames: [{ name: 'main' }, { name: leafOf(span) }],
  values: [value],
  link: [span.traceId, span.spanId],
})
const PROFILES: readonly PlainProfile[] = [
  {
    resource: { 'service.name': 'front' },
    scope: NO_SCOPE,
    type: 'cpu',
    unit: 'ns',
    time: START,
    attributes: {},
    samples: SPANS.map(span => sampleOf(span, 10n)),
  },
  {
    resource: { 'service.name': 'front' },
    scope: NO_SCOPE,
    type: 'alloc',
    unit: 'bytes',
    time: START,
    attributes: {},
    samples: SPANS.filter((_, i) => i % 2 === 0).map(span => sampleOf(span, 2n ** 60n)),
  },
]

let at: SignalServer
beforeAll(async () => {
  at = await openSignalServer()
  await at.sendProfiles(PROFILES)
  // Two requests contain one span each. It still is one span.
  await at.send('traces', tracesJson(SPANS.slice(0, 50)))
  await at.send('traces', tracesJson(SPANS.slice(49)))
  const total = async () => {
    const { operations } = await at.client.query('operations', RANGE)
    return operations.reduce((sum, { spans }) => sum + spans, 0)
  }
  await settled(total, SPANS.length + 1)
})
afterAll(async () => {
  await at.close()
})

type Fits = (span: PlainSpan) => boolean

/** The ids of traces with a matching span, the latest or the longest first. */
function expectedIds(fits: Fits, sort: 'time' | 'duration'): string[] {
  const rows = TRACES.flatMap(trace => {
    const matching = trace.filter(fits)
    if (matching.length === 0) return []
    const key =
      sort === 'time'
        ? matching.reduce((least, { start }) => (start < least ? start : least), matching[0].start)
        : matching.map(durationOf).reduce((most, each) => (each > most ? each : most))
    return [{ id: trace[0].traceId, key }]
  })
  return rows.sort((a, b) => (a.key === b.key ? (a.id < b.id ? 1 : -1) : a.key < b.key ? 1 : -1)).map(({ id }) => id)
}

describe('lists of traces', () => {
  test.each<[string, TracesRequest, Fits]>([
    ['everything', {}, () => true],
    ['of a service', { service: 'back' }, span => span.service === 'back'],
    ['of an operation', { name: 'query' }, span => span.name === 'query'],
    ['of one service by the resource', { selector: '{service.name="front"}' }, span => span.service === 'front'],
    ['with an error', { status: 'error' }, span => span.status === 2],
    ['with a minimum duration', { minDuration: '500ms' }, span => hasEnd(span) && durationOf(span) >= 500n * MS],
    [
      'with a minimum and a maximum duration',
      { minDuration: '100ms', maxDuration: '200ms' },
      span => hasEnd(span) && durationOf(span) >= 100n * MS && durationOf(span) <= 200n * MS,
    ],
    [
      'by attributes of the span',
      { selector: '{region=~"eu.*", http.status>=404, scope.name="lib"}' },
      span => span.attributes['region'] !== 'us' && BigInt(span.attributes['http.status']) >= 404n,
    ],
    [
      'by a negative matcher, in one span',
      { selector: '{region!="us", !nothing, resource:zone="back-zone"}', name: 'render' },
      span => span.attributes['region'] !== 'us' && span.service === 'back' && span.name === 'render',
    ],
    ['without results', { selector: '{region="nowhere"}' }, () => false],
    ['with samples of a function', { samples: 'cpu | frame "gc"' }, span => gcTraces.has(span.traceId)],
    [
      'with samples of a function, of an operation',
      { samples: '{service.name="front"} | leaf "work"', name: 'query' },
      span => !gcTraces.has(span.traceId) && span.name === 'query',
    ],
  ])('%s', async (_, request, fits) => {
    for (const sort of ['time', 'duration'] as const) {
      const { traces } = await at.client.query('traces', { ...RANGE, ...request, sort })
      expect(traces.map(({ traceId }) => traceId)).toEqual(expectedIds(fits, sort))
      for (const row of traces) {
        const whole = TRACES.find(([{ traceId }]) => traceId === row.traceId)!
        const matching = whole.filter(fits)
        const longest = matching.map(durationOf).reduce((most, each) => (each > most ? each : most))
        expect(row.span.duration).toBe(String(longest))
        expect(matching.map(({ spanId }) => spanId)).toContain(row.span.spanId)
        expect(row).toMatchObject({
          spans: whole.length,
          errors: whole.filter(({ status }) => status === 2).length,
          services: [...new Set(whole.map(({ service }) => service))].sort(),
          samples: PROFILES.flatMap(({ samples }) => samples).filter(({ link }) => link![0] === row.traceId).length,
          start: String(whole.map(({ start }) => start).reduce((least, each) => (each < least ? each : least))),
        })
      }
    }
  })

  test('are returned in pages', async () => {
    for (const sort of ['time', 'duration'] as const) {
      const found: string[] = []
      for await (const { traceId } of at.client.everyTrace({ ...RANGE, sort, limit: 7 })) found.push(traceId)
      expect(found).toEqual(expectedIds(() => true, sort))
    }
  })

  test('reject invalid requests', async () => {
    const ask = (request: TracesRequest) => faultOf(at.client.query('traces', { ...RANGE, ...request }))
    expect(await ask({ selector: 'cpu' })).toBe('400 argument')
    expect(await ask({ selector: '{a="b"} | frame "x"' })).toBe('400 argument')
    expect(await ask({ selector: '{sample:a="b"}' })).toBe('400 argument')
    expect(await ask({ selector: '{a=~"("}' })).toBe('400 regex')
    expect(await ask({ selector: '{a=' })).toBe('400 syntax')
    expect(await ask({ minDuration: '2s', maxDuration: '1s' })).toBe('400 argument')
    expect(await ask({ after: 'nowhere' })).toBe('400 argument')
    expect(await ask({ selector: '{scope:region}' })).toBe('422 unknown-attribute')
    expect(await ask({ selector: '{!scope:region, region="nowhere"}' })).toBe('none')
  })
})

describe('one trace', () => {
  test('have the right order, self times, irregularities and samples', async () => {
    for (const spans of TRACES) {
      const response = await at.client.trace(spans[0].traceId)
      const tree = traceTree(spans.map(span => ({ ...span, resource: span.service === 'front' ? 1n : 2n })))
      expect(response.spans.map(({ spanId }) => spanId)).toEqual(Array.from(tree.order, row => spans[row].spanId))
      const below = (id: string): PlainSpan[] => {
        const rows = new Set([spans.findIndex(({ spanId }) => spanId === id)])
        for (const row of tree.order) if (rows.has(tree.parent[row])) rows.add(row)
        return [...rows].map(row => spans[row])
      }
      for (const [i, shown] of response.spans.entries()) {
        const row = tree.order[i]
        const span = spans[row]
        expect(shown).toMatchObject({
          parentSpanId: span.parentSpanId,
          depth: tree.depth[row],
          service: span.service,
          name: span.name,
          kind: 'server',
          status: STATUSES[span.status],
          start: String(span.start),
          duration: String(durationOf(span)),
          self: String(tree.self[row]),
          attributes: attributesJson(span.attributes),
          ...CONTEXT,
          droppedAttributes: 1,
          droppedEvents: 2,
          droppedLinks: 3,
          events: [{ time: String(span.start + 1n), name: 'began', ...EVENT, droppedAttributes: 5 }],
          links: [{ ...LINK, droppedAttributes: 4 }],
        })
        expect(shown.end).toBe(hasEnd(span) ? String(span.end) : undefined)
        expect(shown.oddities.includes('no-end')).toBe(!hasEnd(span))
        expect(shown.parent).toBe(tree.parent[row] === -1 ? -1 : [...tree.order].indexOf(tree.parent[row]))
        expect(response.resources[shown.resource].service).toBe(span.service)
        expect(response.scopes[shown.scope].droppedAttributes).toBe(6)
        const all = below(span.spanId)
        const cpu = response.types.findIndex(({ type }) => type === 'cpu')
        expect(shown.samples.find(({ type }) => type === cpu)).toEqual({
          type: cpu,
          samples: 1,
          value: '10',
          subtreeSamples: all.length,
          subtreeValue: String(10 * all.length),
        })
        const alloc = response.types.findIndex(({ type }) => type === 'alloc')
        const sampled = all.filter(each => SPANS.indexOf(each) % 2 === 0).length
        // Including sums above 64 bits.
        const value = shown.samples.find(({ type }) => type === alloc)?.subtreeValue ?? '0'
        expect(value).toBe(String(BigInt(sampled) * 2n ** 60n))
      }
      expect(response.unplaced).toEqual([])
    }
  })

  test('can be limited to a subtree and a number of spans', async () => {
    const isDeep = (list: readonly PlainSpan[]) =>
      traceTree(list.map(span => ({ ...span, resource: 1n }))).depth.some(depth => depth > 1)
    const spans = TRACES.find(list => list.length > 4 && isDeep(list))!
    const { traceId } = spans[0]
    const whole = await at.client.trace(traceId)
    const few = await at.client.trace(traceId, { limit: 3, details: false })
    expect(few.allSpans).toBe(spans.length)
    expect(few.spans).toHaveLength(3)
    expect(few.spans[0].attributes).toBeUndefined()
    expect(few.notes.find(({ code }) => code === 'hidden')?.count).toBe(spans.length - 3)
    for (const { parent, parentSpanId } of few.spans) {
      if (parent !== -1) expect(few.spans[parent].spanId).toBe(parentSpanId)
    }
    const above = whole.spans.find(({ spanId }) => whole.spans.some(({ parentSpanId }) => parentSpanId === spanId))!
    const part = await at.client.trace(traceId, { spanId: above.spanId })
    expect(part.spans[0]).toEqual({ ...above, depth: 0, parent: -1, resource: 0, scope: 0 })
    expect(part.spans.length).toBeGreaterThan(1)
    expect(await faultOf(at.client.trace(traceId, { spanId: hex(12, 16) }))).toBe('404 not-found')
    expect(await faultOf(at.client.trace(hex(77, 32)))).toBe('404 not-found')
    expect(await faultOf(at.client.trace('xyz'))).toBe('400 argument')
  })

  test('have samples without a link separately, by thread and time', async () => {
    const traceId = hex(500, 32)
    const begin = START + 1000n * SECOND
    const span = (id: number, parent: number, from: bigint, to: bigint, thread: bigint): PlainSpan => ({
      traceId,
      spanId: hex(id, 16),
      parentSpanId: parent === 0 ? '' : hex(parent, 16),
      service: 'front',
      name: 'work',
      start: begin + from * MS,
      end: begin + to * MS,
      status: 0,
      attributes: { 'thread.id': thread },
    })
    await at.send('traces', tracesJson([span(1, 0, 0n, 100n, 1n), span(2, 1, 20n, 40n, 1n), span(3, 1, 20n, 80n, 2n)]))
    const timed = (ms: bigint, thread: bigint, link?: readonly [string, string]): PlainSample => ({
      frames: [{ name: 'main' }],
      values: [3n],
      timestamps: [begin + ms * MS],
      attributes: { 'thread.id': thread },
      ...(link === undefined ? {} : { link }),
    })
    const profile = { scope: NO_SCOPE, type: 'wall', unit: 'ns', time: begin, attributes: {} }
    await at.sendProfiles([
      {
        ...profile,
        // Another description of the same process.
        resource: { 'service.name': 'front', 'process.pid': 9n, 'host.name': 'h' },
        samples: [
          ...[5n, 25n, 30n, 50n, 99n, 100n, 500n].map(ms => timed(ms, 1n)),
          timed(30n, 2n),
          timed(30n, 3n),
          timed(26n, 1n, [traceId, hex(2, 16)]),
        ],
      },
      { ...profile, resource: { 'service.name': 'front', 'process.pid': 10n }, samples: [timed(30n, 1n)] },
    ])
    let response: TraceResponse | undefined
    await settled(async () => {
      response = await at.client.trace(traceId, { unlinked: true })
      return response.spans[0].samples.length + (response.spans[0].unlinked ?? []).length
    }, 2)
    const shown = response!.spans.map(({ spanId, samples, unlinked }) => [
      Number.parseInt(spanId, 16),
      samples.map(each => [each.samples, each.value, each.subtreeSamples]),
      unlinked!.map(each => [each.samples, each.value, each.subtreeSamples]),
    ])
    expect(shown).toEqual([
      [1, [[0, '0', 1]], [[3, '9', 6]]],
      [3, [], [[1, '3', 1]]],
      [2, [[1, '3', 1]], [[2, '6', 2]]],
    ])
    expect((await at.client.trace(traceId)).spans[0].unlinked).toBeUndefined()
  })
})

describe('operations and comparisons', () => {
  test('return operations with their durations', async () => {
    const { operations, truncated } = await at.client.query('operations', {
      ...RANGE,
      to: String(START + 300n * SECOND),
    })
    expect(truncated).toBe(false)
    expect(operations.map(({ service, name }) => `${service} ${name}`).sort()).toEqual(
      [...new Set(SPANS.map(({ service, name }) => `${service} ${name}`))].sort(),
    )
    // The span that was sent twice counts twice here.
    const all = [...SPANS, SPANS[49]]
    for (const row of operations) {
      const own = all.filter(({ service, name }) => service === row.service && name === row.name)
      const durations = own
        .filter(hasEnd)
        .map(span => Number(durationOf(span)))
        .sort((a, b) => a - b)
      expect(row).toMatchObject({
        kind: 'server',
        spans: own.length,
        errors: own.filter(({ status }) => status === 2).length,
        open: own.length - durations.length,
      })
      expect(row.durations).toMatchObject({ least: String(durations[0]), most: String(durations.at(-1)) })
      // Between the neighbours of the rank.
      for (const [quantile, value] of [
        [0.5, row.durations!.p50],
        [0.9, row.durations!.p90],
      ]) {
        const rank = quantile * (durations.length - 1)
        const [low, high] = [Math.max(0, Math.floor(rank) - 1), Math.min(durations.length - 1, Math.ceil(rank) + 1)]
        expect(value).toBeGreaterThanOrEqual(durations[low] * (1 - 1e-6))
        expect(value).toBeLessThanOrEqual(durations[high] * (1 + 1e-6))
      }
    }
  })

  test('compare slow and fast traces by threshold, by quantile and by id', async () => {
    const request = { ...RANGE, to: String(START + 300n * SECOND), name: 'query', profiles: 'cpu' }
    const longest = TRACES.flatMap(trace => {
      const own = trace.filter(span => span.name === 'query' && hasEnd(span)).map(durationOf)
      return own.length === 0 ? [] : [{ id: trace[0].traceId, took: own.reduce((a, b) => (a > b ? a : b)), trace }]
    })
    const threshold = 400n * MS
    const slow = longest.filter(({ took }) => took >= threshold)
    const fast = longest.filter(({ took }) => took < threshold)
    const sumOf = (set: typeof longest) => String(10 * set.reduce((sum, { trace }) => sum + trace.length, 0))
    const response = await at.client.query('compareTraces', { ...request, threshold: '400ms' })
    expect([...response.slow.traceIds].sort()).toEqual(slow.map(({ id }) => id).sort())
    expect([...response.fast.traceIds].sort()).toEqual(fast.map(({ id }) => id).sort())
    expect(response).toMatchObject({
      threshold: String(threshold),
      slow: { found: slow.length },
      fast: { found: fast.length },
    })
    expect([response.diff.before.sum, response.diff.after.sum]).toEqual([sumOf(fast), sumOf(slow)])
    // Values are compared per trace: the fast traces are scaled to the number of slow ones.
    expect(response.diff.scale).toBe(slow.length / fast.length)
    expect([response.slow.traces, response.fast.traces]).toEqual([slow.length, fast.length])
    expect(response.slow.perTrace).toBe(Number(sumOf(slow)) / slow.length)
    expect(response.fast.perTrace).toBe(Number(sumOf(fast)) / fast.length)
    expect(response.deviations).toHaveLength(response.diff.nodes.parent.length)
    expect(response.deviations.every(Number.isFinite)).toBe(true)
    const auto = await at.client.query('compareTraces', { ...request, quantile: 0.5 })
    const sorted = longest.map(({ took }) => took).sort((a, b) => (a < b ? -1 : 1))
    expect(sorted.map(String)).toContain(auto.threshold)
    expect(auto.slow.found + auto.fast.found).toBe(longest.length)
    expect(Math.abs(auto.slow.found - auto.fast.found)).toBeLessThanOrEqual(2)
    const named = await at.client.query('compareTraces', {
      ...RANGE,
      profiles: 'cpu',
      slow: [slow[0].id],
      fast: [fast[0].id, fast[1].id],
      normalise: false,
    })
    expect([named.diff.before.sum, named.diff.after.sum]).toEqual([sumOf(fast.slice(0, 2)), sumOf(slow.slice(0, 1))])
    expect(named.threshold).toBeUndefined()
    expect(await faultOf(at.client.query('compareTraces', RANGE))).toBe('400 argument')
    expect(await faultOf(at.client.query('compareTraces', { ...request, threshold: '1h' }))).toBe('404 not-found')
    expect(await faultOf(at.client.query('compareTraces', { ...request, profiles: '' }))).toBe('422 mixed-types')
  })
})

describe('special cases', () => {
  const traceId = hex(700, 32)
  const begin = START + 2000n * SECOND
  const span = (id: number, parent: number, from: bigint, to: bigint, service: PlainSpan['service']): PlainSpan => ({
    traceId,
    spanId: hex(id, 16),
    parentSpanId: parent === 0 ? '' : hex(parent, 16),
    service,
    name: 'odd',
    start: begin + from * MS,
    end: to === 0n ? 0n : begin + to * MS,
    status: 0,
    attributes: {},
  })

  test('shows different clocks and missing parents as sent, with a note', async () => {
    const spans = [
      span(1, 0, 100n, 200n, 'front'),
      span(2, 1, 40n, 100n, 'back'),
      span(3, 9, 110n, 120n, 'front'),
      span(4, 1, 150n, 0n, 'front'),
      span(5, 1, 180n, 230n, 'front'),
    ]
    await at.send('traces', tracesJson(spans))
    let response: TraceResponse | undefined
    await settled(async () => {
      response = await at.client.trace(traceId).catch(() => undefined)
      return response?.allSpans ?? 0
    }, 5)
    const shown = response!.spans.map(({ spanId, oddities, skew, start }) => [
      Number.parseInt(spanId, 16),
      oddities,
      skew,
      start,
    ])
    const at0 = (ms: bigint) => String(begin + ms * MS)
    expect(shown).toEqual([
      [1, [], undefined, at0(100n)],
      [2, ['before-parent'], String(80n * MS), at0(40n)],
      [4, ['no-end'], undefined, at0(150n)],
      [5, ['after-parent'], undefined, at0(180n)],
      [3, ['missing-parent'], undefined, at0(110n)],
    ])
    expect(response!.notes.map(({ code, count }) => [code, count])).toEqual([
      ['no-end', 1],
      ['missing-parent', 1],
      ['before-parent', 1],
      ['after-parent', 1],
    ])
    expect([response!.start, response!.duration]).toEqual([at0(40n), String(190n * MS)])
  })

  test('returns the requested number of 12,000 spans, and the total', async () => {
    const large = hex(800, 32)
    const count = 12_000
    const all = Array.from({ length: count }, (_, i): PlainSpan => ({
      ...span(i + 1, i === 0 ? 0 : 1 + Math.floor((i - 1) / 3), BigInt(i), BigInt(i + 1), 'front'),
      traceId: large,
      end: begin + BigInt(200_000 - i) * MS,
    }))
    for (let from = 0; from < count; from += 6_000) await at.send('traces', tracesJson(all.slice(from, from + 6_000)))
    const few = async () => (await at.client.trace(large, { limit: 10 }).catch(() => undefined))?.allSpans ?? 0
    await settled(few, count)
    const usual = await at.client.trace(large)
    expect(usual.spans).toHaveLength(10_000)
    expect(usual.notes.find(({ code }) => code === 'hidden')?.count).toBe(count - 10_000)
    // The longest are first, by how they were generated.
    expect(usual.spans.map(({ spanId }) => Number.parseInt(spanId, 16)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10_000 }, (_, i) => i + 1),
    )
    expect(usual.spans.reduce((sum, { hiddenChildren }) => sum + hiddenChildren, 0)).toBeGreaterThan(0)
    const whole = await at.client.trace(large, { limit: 100_000, details: false })
    expect(whole.spans).toHaveLength(count)
    expect(await faultOf(at.client.trace(large, { limit: 100_000, details: true }))).toBe('400 argument')
  })

  test('handles invalid times, and ranges up to the last moment', async () => {
    const wild = hex(900, 32)
    const last = 2n ** 64n - 1n
    const times = [
      [last - 1n, 0n],
      [0n, last],
      [last - 5n, last],
      [1n, 2n],
    ] as const
    const spans = times.map(([start, end], i) => ({
      ...span(i + 1, i === 0 ? 0 : 1, 0n, 0n, 'front'),
      traceId: wild,
      start,
      end,
      attributes: { 'thread.id': 7n },
    }))
    await at.send('traces', tracesJson(spans))
    const ask = async () => await at.client.trace(wild, { unlinked: true }).catch(() => undefined)
    await settled(async () => (await ask())?.allSpans ?? 0, 4)
    const { spans: shown } = (await ask())!
    expect(shown.map(({ start, end, duration }) => [start, end, duration])).toEqual([
      [String(last - 1n), undefined, '0'],
      ['0', String(last), String(2n ** 63n - 1n)],
      ['1', '2', '1'],
      [String(last - 5n), String(last), '5'],
    ])
    const forever = { from: '0', to: '9223372036854775807' }
    expect((await at.client.query('traces', { ...forever, samples: 'cpu' })).traces.length).toBeGreaterThan(0)
    const { operations } = await at.client.query('operations', { ...forever, maxDuration: '1h' })
    expect(operations.length).toBeGreaterThan(0)
    const compared = await at.client.query('compareTraces', { ...forever, name: 'query', profiles: 'cpu' })
    expect(compared.slow.found).toBeGreaterThan(0)
    expect((await at.client.query('logs', forever)).logs).toEqual([])
    expect((await at.client.query('metrics', forever)).metrics).toEqual([])
  })

  test('returns no traces of other tenants', async () => {
    const other = new HearthClient({ server: at.url, tenant: 'other' })
    expect((await other.query('traces', RANGE)).traces).toEqual([])
    expect((await other.query('operations', RANGE)).operations).toEqual([])
    expect(await faultOf(other.trace(SPANS[0].traceId))).toBe('404 not-found')
    const ids = { slow: [SPANS[0].traceId], fast: [TRACES[1][0].traceId], profiles: 'cpu' }
    const { diff } = await other.query('compareTraces', { ...RANGE, ...ids })
    expect([diff.before.sum, diff.after.sum]).toEqual(['0', '0'])
  })
})
