import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { criticalPath, deepEntries } from './critical-path.ts'
import type { EvidenceRow } from './evidence.ts'
import { EVIDENCE_KINDS, EvidenceBuilder } from './evidence.ts'
import type { LedgerInput, LedgerSpan } from './ledger-input.ts'
import { Ledgers, durationOf } from './ledgers.ts'
import { ledgerSentence } from './sentence.ts'

const BASE = 1_790_000_000_000_000_000n

function span(given: Partial<LedgerSpan> & { readonly from: number; readonly to: number }): LedgerSpan {
  const { from, to, ...rest } = given
  return {
    traceId: '0'.repeat(32),
    spanId: '0'.repeat(16),
    name: 'GET /',
    service: 'shop',
    parent: -1,
    process: 0,
    lane: -1,
    start: BASE + BigInt(from),
    end: BASE + BigInt(to),
    ...rest,
  }
}

function inputOf(spans: readonly LedgerSpan[], rows: readonly EvidenceRow[]): LedgerInput {
  const evidence = new EvidenceBuilder()
  for (const row of rows) evidence.add(row)
  return {
    base: BASE,
    spans,
    lanes: [
      { process: 0, title: 'main' },
      { process: 0, title: 'process', isProcess: true },
      { process: 1, title: 'worker' },
    ],
    evidence: evidence.build(),
    labels: ['major collection'],
    functionOf: stack => ['main', 'editDistance'][stack] ?? '',
  }
}

function totalsOf(spans: readonly LedgerSpan[], rows: readonly EvidenceRow[], row = 0): Record<string, bigint> {
  const { entries } = new Ledgers(inputOf(spans, rows)).of(row)
  return Object.fromEntries(entries.map(({ kind, nanos }) => [kind, nanos]))
}

const run = { lane: 0, kind: 'run', sampled: true } as const

describe('Ledgers', () => {
  it('gives every nanosecond to the evidence of the highest rank', () => {
    const spans = [
      span({ from: 0, to: 100 }),
      span({ from: 10, to: 30, parent: 0 }),
      span({ from: 0, to: 90, name: 'GET /search' }),
    ]
    expect(
      totalsOf(spans, [
        { ...run, start: 0, end: 40, owner: 0 },
        { ...run, start: 40, end: 60, owner: 2, stack: 1 },
        { lane: 1, kind: 'runtime', start: 35, end: 45, label: 0 },
        { lane: 0, kind: 'lock', start: 58, end: 62 },
        { lane: 0, kind: 'idle', start: 50, end: 80, sampled: true },
      ]),
    ).toEqual({ children: 20n, 'own-cpu': 15n, others: 13n, runtime: 10n, lock: 4n, io: 18n, unknown: 20n })
  })

  it('counts children that overlap or outlive their parent once', () => {
    const spans = [
      span({ from: 10, to: 50 }),
      span({ from: 0, to: 20, parent: 0 }),
      span({ from: 15, to: 30, parent: 0 }),
      span({ from: 45, to: 90, parent: 0 }),
    ]
    expect(totalsOf(spans, [])).toEqual({ children: 25n, unknown: 15n })
  })

  it('gives code without a link to the span only if its thread serves no other span', () => {
    const rows = [{ ...run, start: 0, end: 60 }]
    expect(totalsOf([span({ from: 0, to: 60, lane: 0 })], rows)).toEqual({ 'own-cpu': 60n })
    const other = { ...run, start: 60, end: 70, owner: 0 }
    expect(totalsOf([span({ from: 0, to: 70, lane: 0 })], [...rows, other])).toEqual({ 'own-cpu': 10n, others: 60n })
  })

  it('knows nothing about a process without lanes', () => {
    const rows = [{ ...run, start: 0, end: 60, owner: 1 }]
    const spans = [span({ from: 0, to: 60, process: 7 }), span({ from: 0, to: 60 })]
    expect(totalsOf(spans, rows)).toEqual({ unknown: 60n })
  })

  it('names the operations that kept the thread busy, by request', () => {
    const spans = [
      span({ from: 0, to: 100, name: 'POST /orders' }),
      span({ from: 0, to: 50, name: 'GET /search' }),
      span({ from: 5, to: 50, name: 'rank', parent: 1 }),
      span({ from: 50, to: 95, name: 'GET /search' }),
    ]
    const rows = [
      { ...run, start: 0, end: 2, owner: 0, stack: 0 },
      { ...run, start: 2, end: 50, owner: 2, stack: 1 },
      { ...run, start: 50, end: 95, owner: 3, stack: 1 },
    ]
    const { entries, duration } = new Ledgers(inputOf(spans, rows)).of(0)
    const others = entries.find(({ kind }) => kind === 'others')
    expect(others?.details).toEqual([
      { what: 'operation', name: 'GET /search', nanos: 93n, count: 2, spans: [1, 3], mostly: 'editDistance' },
    ])
    expect(ledgerSentence(duration, entries)).toBe(
      '93 ns of 100 ns: the thread was busy with 2 GET /search requests, mostly in editDistance.',
    )
  })

  it('counts code of spans below as own code, also after their end', () => {
    const spans = [span({ from: 0, to: 100 }), span({ from: 10, to: 30, parent: 0, name: 'parse' })]
    const rows = [{ ...run, start: 10, end: 60, owner: 1, stack: 0 }]
    expect(totalsOf(spans, rows)).toEqual({ children: 20n, 'own-cpu': 30n, unknown: 50n })
  })

  it('names the span of the same request that kept the thread busy', () => {
    const spans = [
      span({ from: 0, to: 100, name: 'POST /orders' }),
      span({ from: 10, to: 90, parent: 0, name: 'query' }),
    ]
    const rows: EvidenceRow[] = [
      { ...run, start: 0, end: 70, owner: 0, stack: 1 },
      { lane: 0, kind: 'request-io', start: 10, end: 90, owner: 1 },
    ]
    const ledgers = new Ledgers(inputOf(spans, rows))
    const { entries, duration } = ledgers.of(1)
    expect(ledgerSentence(duration, entries)).toBe(
      '60 ns of 80 ns: the thread was busy with POST /orders of the same request, mostly in editDistance.',
    )
    // For the request as a whole, this is its own code.
    const whole = deepEntries(ledgers, 0)
    expect(whole.map(({ kind, nanos }) => [kind, nanos])).toEqual([
      ['own-cpu', 70n],
      ['io', 20n],
      ['unknown', 10n],
    ])
    expect(whole[0].details).toMatchObject([{ what: 'function', name: 'editDistance', spans: [0] }])
  })

  it('states the sampling error of sampled time and none of measured time', () => {
    const spans = [span({ from: 0, to: 1000, lane: 0 })]
    const rows: EvidenceRow[] = [
      { ...run, start: 0, end: 100, stack: 0 },
      { ...run, start: 100, end: 200, stack: 0 },
      { lane: 0, kind: 'io', start: 200, end: 900 },
    ]
    const errors = Object.fromEntries(
      new Ledgers(inputOf(spans, rows)).of(0).entries.map(({ kind, error }) => [kind, error]),
    )
    expect(errors).toEqual({ 'own-cpu': 80n, io: 0n, unknown: 0n })
    const [single] = new Ledgers(inputOf(spans, rows.slice(0, 1))).of(0).entries
    expect(single.error).toBe(196n)
    const merged = [{ ...rows[0], end: 900, period: 100 }]
    expect(new Ledgers(inputOf(spans, merged)).of(0).entries[0].error).toBe(196n)
  })

  it('keeps spans without a duration and spans that are longer than numbers are exact', () => {
    const spans = [{ ...span({ from: 50, to: 0 }) }, { ...span({ from: 0, to: 0 }), end: BASE + 2n ** 62n + 1n }]
    const ledgers = new Ledgers(inputOf(spans, []))
    expect(ledgers.of(0)).toMatchObject({ duration: 0n, entries: [] })
    expect(ledgers.of(1).entries).toMatchObject([{ kind: 'unknown', nanos: 2n ** 62n + 1n }])
  })

  const time = fc.integer({ min: -50, max: 200 })
  const arbitrarySpans = fc.array(
    fc.record({ from: time, to: time, parent: fc.nat(9), process: fc.nat(1), lane: fc.constantFrom(-1, 0, 2) }),
    { minLength: 1, maxLength: 10 },
  )
  const arbitraryRows = fc.array(
    fc.record({
      lane: fc.nat(2),
      kind: fc.constantFrom(...EVIDENCE_KINDS),
      start: time,
      end: time,
      owner: fc.integer({ min: -1, max: 9 }),
      holder: fc.integer({ min: -1, max: 2 }),
      sampled: fc.boolean(),
    }),
    { maxLength: 40 },
  )

  it('divides random spans exactly: no overlap, no excess, and sums that add up', () => {
    fc.assert(
      fc.property(arbitrarySpans, arbitraryRows, (drawn, rows) => {
        const spans = drawn.map(({ parent, ...rest }, row) => span({ ...rest, parent: row === 0 ? -1 : parent % row }))
        const owned = rows.map(({ owner, ...rest }) => ({ ...rest, owner: owner < spans.length ? owner : -1 }))
        const input = inputOf(spans, owned)
        const ledgers = new Ledgers(input)
        for (const row of spans.keys()) {
          const duration = durationOf(input, row)
          const { entries, segments } = ledgers.of(row)
          expect(entries.reduce((sum, { nanos }) => sum + nanos, 0n)).toBe(duration)
          for (const { nanos, details } of entries) {
            expect(nanos).toBeGreaterThan(0n)
            expect(details.reduce((sum, detail) => sum + detail.nanos, 0n)).toBe(nanos)
          }
          for (const list of [segments, criticalPath(ledgers, row)]) {
            const [from, end] = ledgers.rangeOf(row)
            let at = from
            for (const segment of list) {
              expect(segment.start).toBe(at)
              expect(segment.end).toBeGreaterThan(segment.start)
              at = segment.end
            }
            expect(at).toBe(Math.max(from, end))
          }
          expect(deepEntries(ledgers, row).reduce((sum, { nanos }) => sum + nanos, 0n)).toBe(duration)
        }
      }),
    )
  })
})

describe('segments', () => {
  it('are those of the ranks, also for spans without children whose evidence does not overlap', () => {
    const time = fc.integer({ min: 0, max: 30 })
    const arbitraryRow = fc.record({
      lane: fc.nat(2),
      kind: fc.constantFrom(...EVIDENCE_KINDS),
      start: time,
      end: time,
      owner: fc.integer({ min: -1, max: 1 }),
      sampled: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(arbitraryRow, { maxLength: 5 }), time, time, (rows, from, to) => {
        const spans = [span({ from, to, lane: 0 }), span({ from: 0, to: 20 })]
        // A child without a duration takes no time, but makes ranks necessary.
        const child = span({ from, to: from, parent: 0, lane: 0 })
        const simple = new Ledgers(inputOf(spans, rows)).segments(0)
        expect(simple).toEqual(new Ledgers(inputOf([...spans, child], rows)).segments(0))
      }),
      { numRuns: 500 },
    )
  })
})

describe('criticalPath', () => {
  it('follows the child that ends last and explains its time', () => {
    const spans = [
      span({ from: 0, to: 100, name: 'POST /orders' }),
      span({ from: 10, to: 50, parent: 0, name: 'query' }),
      span({ from: 30, to: 80, parent: 0, name: 'charge' }),
    ]
    const ledgers = new Ledgers(inputOf(spans, []))
    expect(criticalPath(ledgers, 0).map(({ start, end, span: row }) => [start, end, row])).toEqual([
      [0, 10, 0],
      [10, 30, 1],
      [30, 80, 2],
      [80, 100, 0],
    ])
    expect(deepEntries(ledgers, 0)).toMatchObject([{ kind: 'unknown', nanos: 100n }])
  })

  it('names the spans that ran a function', () => {
    const spans = [span({ from: 0, to: 100, lane: 0 }), span({ from: 10, to: 80, parent: 0, lane: 0 })]
    const rows: EvidenceRow[] = [
      { ...run, start: 0, end: 10, owner: 0, stack: 0 },
      { ...run, start: 10, end: 80, owner: 1, stack: 1 },
    ]
    const own = deepEntries(new Ledgers(inputOf(spans, rows)), 0).find(({ kind }) => kind === 'own-cpu')
    expect(own?.details.map(({ name, spans: ran }) => [name, ran])).toEqual([
      ['editDistance', [1]],
      ['main', [0]],
    ])
  })
})

describe('ledgerSentence', () => {
  it('names the two largest entries if none is most of the time', () => {
    const entry = (kind: 'lock' | 'io', nanos: bigint) => ({ kind, nanos, error: 0n, details: [] })
    expect(ledgerSentence(100n, [entry('lock', 40n), entry('io', 50n)])).toBe(
      '50 ns of 100 ns: it waited for I/O or timers while its thread was idle. 40 ns of 100 ns: it waited for a lock or queue.',
    )
  })
})
